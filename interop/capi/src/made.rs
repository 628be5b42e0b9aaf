//! C functions for Fortran descriptors made by a program, and for descriptors in gfortran's internal layout.

use crate::descriptors::{
    StatictrampDescriptor, StatictrampDescriptorError, StatictrampView, aligned, layout_of, store,
};
use core::ffi::{c_int, c_uint, c_void};
use statictramp_capi::for_interop::{EINVAL, fail};
use statictramp_interop::descriptor::{
    Attribute, Category, Declared, Descriptor, DescriptorError, Dimension, Format, GfortranDescriptor,
    MOST_DIMENSIONS, Subscript, Type, View,
};

/// Memory for a descriptor in the layout that gfortran uses for procedures without BIND(C), with room for up to 15
/// dimensions.
#[repr(C)]
pub struct StatictrampGfortranDescriptor {
    /// The descriptor's words.
    pub words: [u64; 50],
}

const _: () = assert!(size_of::<GfortranDescriptor>() == size_of::<StatictrampGfortranDescriptor>());

/// The checked contents of a view that C code has filled in, whose enumerations may have any value.
struct Shown {
    format: Format,
    base: *mut (),
    declared: Declared,
    dimensions: *const Dimension,
}

impl Shown {
    /// # Safety
    /// If the address is non-null and aligned, a view must be readable there.
    unsafe fn of(view: *const StatictrampView) -> Result<Self, DescriptorError> {
        const CATEGORIES: [Category; 10] = [
            Category::Integer,
            Category::Unsigned,
            Category::Logical,
            Category::Real,
            Category::Complex,
            Category::Character,
            Category::Struct,
            Category::Pointer,
            Category::FunctionPointer,
            Category::Other,
        ];
        const ATTRIBUTES: [Attribute; 3] = [Attribute::Pointer, Attribute::Allocatable, Attribute::Other];
        let view = aligned(view.cast_mut())?;
        // SAFETY: the caller upholds the safety contract, and the enumerations are read as numbers.
        let (layout, base, element_len, category, kind, attribute, rank, dimensions) = unsafe {
            (
                (&raw const (*view).layout).cast::<c_uint>().read(),
                (*view).base,
                (*view).element_len,
                (&raw const (*view).category).cast::<c_uint>().read(),
                (*view).kind,
                (&raw const (*view).attribute).cast::<c_uint>().read(),
                (*view).rank,
                (*view).dimensions,
            )
        };
        let category = CATEGORIES.into_iter().find(|&known| known as c_uint == category);
        let attribute = ATTRIBUTES.into_iter().find(|&known| known as c_uint == attribute);
        let rank = u8::try_from(rank).ok().filter(|&rank| usize::from(rank) <= MOST_DIMENSIONS);
        let declared = Declared {
            element_type: Type {
                category: category.ok_or(DescriptorError::Type(kind))?,
                kind: u8::try_from(kind).ok().ok_or(DescriptorError::Type(kind))?,
            },
            element_len,
            attribute: attribute.ok_or(DescriptorError::Attribute(u8::MAX))?,
            rank: rank.ok_or(DescriptorError::Rank(u8::MAX))?,
        };
        Ok(Shown { format: layout_of(layout)?, base: base.cast(), declared, dimensions })
    }
}

/// Makes a descriptor, with the contents and layout of `shown`, for an object that belongs to the program or, if the base
/// is NULL, for a pointer or an allocatable without memory. `shown->dimensions` must have one element for each dimension,
/// unless the base is NULL or the rank is 0. The addendum is ignored. On error, nothing is stored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_make_descriptor(
    shown: *const StatictrampView,
    made: *mut StatictrampDescriptor,
) -> StatictrampDescriptorError {
    // SAFETY: the contract in the doc comment requires a view and its dimensions, and room for the descriptor.
    unsafe {
        let result = Shown::of(shown).and_then(|shown| {
            let none = [Dimension { lower_bound: 0, extent: 0, stride: 0 }; MOST_DIMENSIONS];
            let Declared { element_type, element_len, attribute, rank } = shown.declared;
            let rank = usize::from(rank);
            let dimensions = if rank == 0 || shown.base.is_null() {
                none.get(..rank).unwrap_or_default()
            } else if shown.dimensions.is_null() {
                return Err(DescriptorError::Null);
            } else if !shown.dimensions.is_aligned() {
                return Err(DescriptorError::Misaligned);
            } else {
                core::slice::from_raw_parts(shown.dimensions, rank)
            };
            Descriptor::establish(shown.format, shown.base, element_type, element_len, attribute, dimensions)
        });
        store(result, made)
    }
}

/// Makes the descriptor of an array section, in the layout of the array's descriptor. For each dimension, the arrays
/// `lower`, `upper` and `stride` select the elements with subscripts from `lower` to `upper`, in steps of `stride`. A
/// `stride` of 0 selects only subscript `lower`, and the section has one dimension fewer. The section has lower bounds
/// of 1, and is neither a pointer nor allocatable. On error, nothing is stored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_section_descriptor(
    descriptor: *const c_void,
    lower: *const isize,
    upper: *const isize,
    stride: *const isize,
    made: *mut StatictrampDescriptor,
) -> StatictrampDescriptorError {
    // SAFETY: the contract in the doc comment requires a descriptor, and one element of each array for each dimension.
    unsafe {
        let result = View::of(descriptor.cast()).and_then(|view| {
            let rank = view.dimensions().len();
            if rank > 0 && (lower.is_null() || upper.is_null() || stride.is_null()) {
                return Err(DescriptorError::Null);
            }
            let mut subscripts = [Subscript::All; MOST_DIMENSIONS];
            for (number, out) in subscripts.iter_mut().enumerate().take(rank) {
                let first = lower.add(number).read_unaligned();
                *out = match stride.add(number).read_unaligned() {
                    0 => Subscript::At(first),
                    step => Subscript::Range { first, last: upper.add(number).read_unaligned(), step },
                };
            }
            Descriptor::section(&view, subscripts.get(..rank).unwrap_or_default())
        });
        store(result, made)
    }
}

/// Determines whether the elements of an array are contiguous, with the first subscript varying fastest. Returns 1 if
/// they are, or if the array has no elements; 0 if they are not, or if nothing is allocated or associated; or returns
/// -1 and sets errno to EINVAL if the descriptor is invalid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_is_contiguous(descriptor: *const c_void) -> c_int {
    // SAFETY: the contract in the doc comment requires a descriptor.
    match unsafe { View::of(descriptor.cast()) } {
        Ok(view) => view.is_contiguous().into(),
        Err(_) => fail(EINVAL, -1),
    }
}

/// Returns the name of a derived-type object's dynamic type, as recorded in flang's tables, and stores its length at
/// `len`, unless `len` is NULL. The name is in lower case and not zero-terminated. If the descriptor does not refer to a
/// name, the result is NULL and the length is 0; gfortran's descriptors never refer to a name. A compiler or its run-time
/// library must have made the descriptor.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_type_name(
    descriptor: *const c_void,
    len: *mut usize,
) -> *const core::ffi::c_char {
    // SAFETY: the contract in the doc comment requires a descriptor that a compiler made, and that `len` is NULL or
    // writable.
    unsafe {
        let name = View::of(descriptor.cast()).ok().and_then(|view| view.type_name());
        if !len.is_null() {
            len.write_unaligned(name.map_or(0, <[u8]>::len));
        }
        name.map_or(core::ptr::null(), |name| name.as_ptr().cast())
    }
}

/// Stores the descriptor to which a conversion converts gfortran's own descriptor.
///
/// # Safety
/// `own` must satisfy the conversion's contract, `declared` must be a view, and `made` must have room for the result.
unsafe fn converted(
    conversion: unsafe fn(*const (), &Declared, Format) -> Result<Descriptor, DescriptorError>,
    own: *const c_void,
    declared: *const StatictrampView,
    made: *mut StatictrampDescriptor,
) -> StatictrampDescriptorError {
    // SAFETY: the caller upholds the safety contract.
    unsafe {
        let result =
            Shown::of(declared).and_then(|shown| conversion(own.cast(), &shown.declared, shown.format));
        store(result, made)
    }
}

/// Makes a descriptor for an argument that gfortran passes to a procedure without BIND(C) for an assumed-shape, pointer
/// or allocatable dummy argument. Some fields of gfortran's own descriptor are unreliable, so `declared` must repeat
/// the procedure's interface: category, kind, element_len (for a character, the hidden length argument), attribute and
/// rank. It also contains the layout of the new descriptor. For an absent OPTIONAL argument, the result is
/// STATICTRAMP_DESCRIPTOR_ERROR_NULL. On error, nothing is stored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_of_gfortran(
    own: *const c_void,
    declared: *const StatictrampView,
    made: *mut StatictrampDescriptor,
) -> StatictrampDescriptorError {
    // SAFETY: the contract in the doc comment requires gfortran's descriptor, a view, and room for the result.
    unsafe { converted(Descriptor::of_gfortran, own, declared, made) }
}

/// Makes a descriptor as statictramp_of_gfortran does, but for a CLASS dummy argument. The new descriptor contains the
/// element size of the dynamic type, but not the type's name, which gfortran does not record. In `declared`, the
/// category must be STATICTRAMP_CATEGORY_OTHER for class(*) and STATICTRAMP_CATEGORY_STRUCT otherwise, and element_len
/// is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_of_gfortran_class(
    own: *const c_void,
    declared: *const StatictrampView,
    made: *mut StatictrampDescriptor,
) -> StatictrampDescriptorError {
    // SAFETY: the contract in the doc comment requires gfortran's descriptor, a view, and room for the result.
    unsafe { converted(Descriptor::of_gfortran_class, own, declared, made) }
}

/// Makes a descriptor for a gfortran procedure without BIND(C) from a descriptor in any layout. On error, nothing is
/// stored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_to_gfortran(
    descriptor: *const c_void,
    own: *mut StatictrampGfortranDescriptor,
) -> StatictrampDescriptorError {
    // SAFETY: the contract in the doc comment requires a descriptor.
    let made = unsafe { View::of(descriptor.cast()) }.and_then(|view| GfortranDescriptor::new(&view));
    let made = made.and_then(|made| Ok((made, aligned(own.cast::<GfortranDescriptor>())?)));
    // SAFETY: the contract in the doc comment requires room for the descriptor, and the address was checked.
    made.map(|(made, own)| unsafe { own.write(made) }).into()
}

/// Copies the changes that a procedure made to `copy` back to `own`, the descriptor that gfortran passed for a pointer or
/// an allocatable. `copy` must come from statictramp_of_gfortran. On error, nothing is changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_copy_back_to_gfortran(
    copy: *const StatictrampDescriptor,
    own: *mut c_void,
) -> StatictrampDescriptorError {
    // SAFETY: the contract in the doc comment requires a copy from statictramp_of_gfortran, and its original, which is
    // writable.
    unsafe {
        View::of(copy.cast())
            .and_then(|view| match view.attribute() {
                Attribute::Other => Err(DescriptorError::Unlike),
                _ => GfortranDescriptor::new(&view),
            })
            .and_then(|made| made.store(own.cast()))
            .into()
    }
}
