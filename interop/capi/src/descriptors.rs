//! C functions that check and convert Fortran descriptors.

use core::ffi::{c_int, c_uint, c_void};
use statictramp_interop::descriptor::{
    Attribute, Category, Descriptor, DescriptorError, Dimension, Format, MOST_DIMENSIONS, View,
};

/// An error in a descriptor.
#[repr(C)]
pub enum StatictrampDescriptorError {
    /// No error.
    None = 0,
    /// A required address, such as a descriptor's or its copy's, is NULL; or, for a section, nothing is allocated or
    /// associated; or, for a CLASS dummy argument, the virtual table is missing.
    Null,
    /// A required address, such as a descriptor's or its copy's, is not a multiple of 8.
    Misaligned,
    /// The descriptor version is unknown, or the requested layout is invalid.
    Version,
    /// The rank is negative or exceeds the maximum: 15, or 14 for a new descriptor with an addendum.
    Rank,
    /// The type is invalid, or the layout of the new descriptor has no code for the type.
    Type,
    /// The attribute code is invalid.
    Attribute,
    /// A dimension has an invalid negative extent.
    Extent,
    /// The address of an element is outside the address space.
    Overflow,
    /// The two descriptors differ in rank, type or attribute, or describe objects that are neither pointers nor
    /// allocatable.
    Unlike,
    /// A stride is not a multiple of the element size; gfortran supports such a stride only for pointers.
    Stride,
    /// A subscript is out of bounds.
    Subscript,
    /// A function of a compiler's run-time library failed, usually because memory is exhausted.
    Runtime,
    /// A table of a derived type contradicts itself or the object's descriptor.
    Table,
    /// A derived type has length parameters, a component's memory does not come from the default allocator, or an
    /// argument has an unknown value.
    Unsupported,
}

/// The contents of a descriptor in gfortran's or flang's layout.
#[repr(C)]
pub struct StatictrampView {
    /// The descriptor's layout.
    pub layout: Format,
    /// The address of the first element, or NULL if nothing is allocated or associated.
    pub base: *mut c_void,
    /// The size of an element in bytes.
    pub element_len: usize,
    /// The category of the element type.
    pub category: Category,
    /// The kind of the element type, or 0 if the category has no kinds.
    pub kind: c_int,
    /// The attribute: POINTER, ALLOCATABLE or neither.
    pub attribute: Attribute,
    /// The number of dimensions.
    pub rank: c_int,
    /// The address of the dimensions, which are in the descriptor itself if statictramp_view_descriptor filled the
    /// view.
    pub dimensions: *const Dimension,
    /// The address of flang's addendum, or NULL if there is none. In some descriptors, the addendum follows the
    /// dimensions.
    pub addendum: *const c_void,
}

/// Memory for a descriptor in any layout, with room for up to 15 dimensions, or up to 14 if it has an
/// addendum.
#[repr(C)]
pub struct StatictrampDescriptor {
    /// The descriptor's words.
    pub words: [u64; 48],
}

impl From<Result<(), DescriptorError>> for StatictrampDescriptorError {
    fn from(result: Result<(), DescriptorError>) -> Self {
        match result {
            Ok(()) => Self::None,
            Err(DescriptorError::Null) => Self::Null,
            Err(DescriptorError::Misaligned) => Self::Misaligned,
            Err(DescriptorError::Version(_)) => Self::Version,
            Err(DescriptorError::Rank(_)) => Self::Rank,
            Err(DescriptorError::Type(_)) => Self::Type,
            Err(DescriptorError::Attribute(_)) => Self::Attribute,
            Err(DescriptorError::Extent(_)) => Self::Extent,
            Err(DescriptorError::Overflow) => Self::Overflow,
            Err(DescriptorError::Stride(_)) => Self::Stride,
            Err(DescriptorError::Subscript(_)) => Self::Subscript,
            Err(DescriptorError::Runtime(_)) => Self::Runtime,
            Err(DescriptorError::Table) => Self::Table,
            Err(DescriptorError::Unsupported) => Self::Unsupported,
            Err(_) => Self::Unlike,
        }
    }
}

/// Determines the layout of a descriptor (CFI_cdesc_t), checks it and stores its contents in `view`, unless `view` is
/// NULL. Reads only the header, as many dimensions as the header specifies and, if flang's layout has an addendum, its
/// first word. On error, nothing is stored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_view_descriptor(
    descriptor: *const c_void,
    view: *mut StatictrampView,
) -> StatictrampDescriptorError {
    // SAFETY: the contract in the doc comment requires that this memory is readable.
    let found = unsafe { View::of(descriptor.cast()) }.map(|found| of(&found));
    let shown = found.map(|found| {
        if !view.is_null() {
            // SAFETY: the contract in the doc comment requires that the view is NULL or writable.
            unsafe { view.write(found) };
        }
    });
    shown.into()
}

fn of(view: &View<'_>) -> StatictrampView {
    let ty = view.element_type();
    StatictrampView {
        layout: view.format(),
        base: view.base().cast(),
        element_len: view.element_len(),
        category: ty.category,
        kind: ty.kind.into(),
        attribute: view.attribute(),
        rank: view.dimensions().len() as c_int,
        dimensions: view.dimensions().as_ptr(),
        addendum: view.addendum().map_or(core::ptr::null(), |addendum| addendum.cast()),
    }
}

/// Converts a descriptor to the given layout (a statictramp_descriptor_layout) and stores the result at `copy`, for
/// code that was compiled by the compiler with this layout and reads the type or the attribute. Between flang's
/// layouts, the copy keeps the dynamic type, so that SELECT TYPE in flang's code chooses the same block; gfortran's
/// layout cannot represent the dynamic type. On error, nothing is stored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_convert_descriptor(
    descriptor: *const c_void,
    layout: c_uint,
    copy: *mut StatictrampDescriptor,
) -> StatictrampDescriptorError {
    let made = layout_of(layout).and_then(|layout| {
        // SAFETY: the contract in the doc comment requires a descriptor.
        unsafe { View::of(descriptor.cast()) }.and_then(|view| Descriptor::new(&view, layout))
    });
    // SAFETY: the contract in the doc comment requires that `copy` is writable.
    unsafe { store(made, copy) }
}

/// Copies the changes that a procedure made to `copy` back to the original descriptor. `copy` must come from
/// statictramp_convert_descriptor. The procedure may have allocated or freed memory, reassigned the pointer, or changed
/// the dynamic type. On error, nothing is changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_copy_back_descriptor(
    copy: *const StatictrampDescriptor,
    descriptor: *mut c_void,
) -> StatictrampDescriptorError {
    // SAFETY: the contract in the doc comment requires a copy that this library made, and its writable original. Both
    // may have the same address, so the copy is first read into a local variable.
    unsafe {
        View::of(copy.cast())
            .and_then(|view| Descriptor::new(&view, view.format()))
            .and_then(|copy| copy.copy_back(descriptor.cast()))
            .into()
    }
}

/// Stores a descriptor in a C program's memory.
///
/// # Safety
/// If the address is non-null and aligned, a descriptor must be writable there.
pub(crate) unsafe fn store(
    made: Result<Descriptor, DescriptorError>,
    out: *mut StatictrampDescriptor,
) -> StatictrampDescriptorError {
    let checked = made.and_then(|made| {
        let out = aligned(out)?;
        if made.used() > size_of::<StatictrampDescriptor>() {
            return Err(DescriptorError::Rank(MOST_DIMENSIONS as u8));
        }
        Ok((made, out))
    });
    // SAFETY: the caller upholds the safety contract, and the address and the size were checked.
    checked
        .map(|(made, out)| unsafe {
            out.cast::<u8>().copy_from_nonoverlapping((&raw const made).cast(), made.used());
        })
        .into()
}

/// Returns the layout that has this value in C.
pub(crate) fn layout_of(number: c_uint) -> Result<Format, DescriptorError> {
    let layouts = [Format::Gfortran, Format::Flang2018, Format::Flang2024];
    layouts
        .into_iter()
        .find(|&known| known as c_uint == number)
        .ok_or(DescriptorError::Version(number as c_int))
}

/// Returns the address of a descriptor if it is non-null and aligned.
pub(crate) fn aligned<D>(descriptor: *mut D) -> Result<*mut D, DescriptorError> {
    match descriptor {
        _ if descriptor.is_null() => Err(DescriptorError::Null),
        _ if !descriptor.is_aligned() => Err(DescriptorError::Misaligned),
        _ => Ok(descriptor),
    }
}
