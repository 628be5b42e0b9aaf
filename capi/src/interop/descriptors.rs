//! Fortran's descriptors.

use core::ffi::{c_int, c_uint, c_void};
use statictramp_interop::descriptor::{
    Attribute, Category, Descriptor, DescriptorError, Dimension, Format, View,
};

/// What is wrong with a descriptor.
#[repr(C)]
pub enum StatictrampDescriptorError {
    /// Nothing.
    None = 0,
    /// Its address, or that of its copy, is NULL.
    Null,
    /// Its address, or that of its copy, is not a multiple of 8.
    Misaligned,
    /// It is of no version that is known, or the layout that was asked for is none.
    Version,
    /// It has more than 15 dimensions.
    Rank,
    /// The number of its type means nothing, or the other layout has no number for its type.
    Type,
    /// The number of its attribute means nothing.
    Attribute,
    /// A dimension has a negative extent.
    Extent,
    /// An element's address is outside of what an address can be.
    Overflow,
    /// The two differ in rank, type or attribute, or are neither pointers nor allocatable.
    Unlike,
    /// Elements are not a whole number of elements apart, as gfortran has it of what is no pointer.
    Stride,
    /// A subscript is not within the bounds of its dimension.
    Subscript,
}

/// One picture of a descriptor of either compiler.
#[repr(C)]
pub struct StatictrampView {
    /// Whose layout it has.
    pub layout: Format,
    /// Where the first element is; NULL if nothing is allocated or associated.
    pub base: *mut c_void,
    /// Bytes of an element.
    pub element_len: usize,
    /// What an element is.
    pub category: Category,
    /// Its kind; 0 where there are none.
    pub kind: c_int,
    /// POINTER, ALLOCATABLE or neither.
    pub attribute: Attribute,
    /// How many dimensions it has.
    pub rank: c_int,
    /// The dimensions, in the descriptor itself.
    pub dimensions: *const Dimension,
    /// flang's addendum, which follows the dimensions if the type is a derived type, or NULL.
    pub addendum: *const c_void,
}

/// A descriptor in either layout, with room for every rank.
#[repr(C)]
pub struct StatictrampDescriptor {
    /// The descriptor's words.
    pub words: [u64; 48],
}

const _: () = assert!(size_of::<Descriptor>() == size_of::<StatictrampDescriptor>());

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
            Err(_) => Self::Unlike,
        }
    }
}

/// Finds out whose layout a descriptor (CFI_cdesc_t) has, checks it and shows it. The header and as many dimensions as it
/// says are read, and nothing else. `view` may be NULL: then it is only checked. On an error nothing is stored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_view_descriptor(
    descriptor: *const c_void,
    view: *mut StatictrampView,
) -> StatictrampDescriptorError {
    // SAFETY: the comment above says what is read.
    let found = unsafe { View::of(descriptor.cast()) }.map(|found| of(&found));
    let shown = found.map(|found| {
        if !view.is_null() {
            // SAFETY: the comment above demands that the view be NULL or writable.
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

/// Makes a descriptor of a layout (a statictramp_descriptor_layout) that shows what another shows, for code of the other
/// compiler that looks at type or attribute. Of a derived type flang's addendum is lost. On an error nothing is stored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_convert_descriptor(
    descriptor: *const c_void,
    layout: c_uint,
    copy: *mut StatictrampDescriptor,
) -> StatictrampDescriptorError {
    let made = layout_of(layout).and_then(|layout| {
        // SAFETY: the comment above demands a descriptor.
        unsafe { View::of(descriptor.cast()) }.and_then(|view| Descriptor::new(&view, layout))
    });
    let made = made.and_then(|made| Ok((made, aligned(copy.cast::<Descriptor>())?)));
    // SAFETY: the comment above demands that the copy be writable; it has the room, and the alignment was looked at.
    made.map(|(made, copy)| unsafe { copy.write(made) }).into()
}

/// Gives what a procedure has done to a copy of statictramp_convert_descriptor back to the descriptor that it was made from:
/// it may have allocated, freed or pointed elsewhere. On an error nothing is changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_copy_back_descriptor(
    copy: *const StatictrampDescriptor,
    descriptor: *mut c_void,
) -> StatictrampDescriptorError {
    // SAFETY: the comment above demands a copy made here, and the descriptor that it was made from, which is writable. It is
    // copied once more, since the two may be one.
    aligned(copy.cast::<Descriptor>().cast_mut())
        .and_then(|copy| unsafe { copy.read().copy_back(descriptor.cast()) })
        .into()
}

/// A layout by its number in C.
pub(super) fn layout_of(number: c_uint) -> Result<Format, DescriptorError> {
    let layouts = [Format::Gfortran, Format::Flang2018, Format::Flang2024];
    layouts
        .into_iter()
        .find(|&known| known as c_uint == number)
        .ok_or(DescriptorError::Version(number as c_int))
}

/// An address that can be one of a descriptor.
pub(super) fn aligned<D>(descriptor: *mut D) -> Result<*mut D, DescriptorError> {
    match descriptor {
        _ if descriptor.is_null() => Err(DescriptorError::Null),
        _ if !descriptor.is_aligned() => Err(DescriptorError::Misaligned),
        _ => Ok(descriptor),
    }
}
