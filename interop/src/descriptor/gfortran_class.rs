//! The container that gfortran passes, by address, for a CLASS dummy argument (observed with gfortran 12 and 16).
//!
//! ```text
//!   a scalar:   | address of the data         | virtual table | length |
//!   an array:   | gfortran's own descriptor   | virtual table | length |        the length in a class(*) alone
//!
//!   a virtual table:   | hash (4 bytes) | size of the dynamic type | ...
//! ```
//!
//! In a `class(*)` container, the length field contains the number of characters for CHARACTER data, and 0 otherwise.
//! The size of one character is in the virtual table. A `class(t)` container has no length field.

use super::gfortran::{Bounds, Header, checked};
use super::{Category, Declared, Descriptor, DescriptorError, Format, MOST_DIMENSIONS, Type};

/// The beginning of a virtual table.
#[repr(C)]
struct VirtualTable {
    hash: i32,
    size: usize,
}

impl Descriptor {
    /// Converts a gfortran procedure's CLASS dummy argument to a descriptor for its data. The descriptor contains the
    /// element size of the dynamic type, but not the type's name, which gfortran does not record.
    ///
    /// In `declared`, the element length is ignored, and the category must be [`Category::Other`] for `class(*)` and
    /// [`Category::Struct`] for `class(t)`.
    ///
    /// # Errors
    /// Fails if [`of_gfortran`](Descriptor::of_gfortran) does, with the same error. Also returns
    /// [`DescriptorError::Null`] if the container has data but no virtual table, and [`DescriptorError::Type`] if
    /// `declared` has any other category.
    ///
    /// # Safety
    /// If the address is non-null and aligned, it must be the address of a readable gfortran container for a CLASS
    /// dummy argument that `declared` describes.
    pub unsafe fn of_gfortran_class(
        container: *const (),
        declared: &Declared,
        format: Format,
    ) -> Result<Self, DescriptorError> {
        let own = checked(container)?;
        let rank = usize::from(declared.rank);
        if rank > MOST_DIMENSIONS {
            return Err(DescriptorError::Rank(declared.rank));
        }
        let is_unlimited = match declared.element_type.category {
            Category::Struct => false,
            Category::Other => true,
            _ => return Err(DescriptorError::Type(declared.element_type.kind.into())),
        };
        let data = match rank {
            0 => size_of::<*mut ()>(),
            _ => size_of::<Header>() + rank * size_of::<Bounds>(),
        };
        // SAFETY: the caller guarantees that the table's address is at this offset and, in a `class(*)` container,
        // precedes the length.
        let (table, len) = unsafe {
            let table = own.byte_add(data).cast::<*const VirtualTable>();
            (table.read(), if is_unlimited { table.add(1).cast::<usize>().read() } else { 0 })
        };
        // SAFETY: the caller guarantees that the address is null or that of a gfortran virtual table.
        let size = unsafe { table.as_ref() }.map(|table| table.size);
        let element_len = size.unwrap_or(0).checked_mul(len.max(1)).ok_or(DescriptorError::Overflow)?;
        let element_type = Type { kind: 0, ..declared.element_type };
        // SAFETY: containers of both forms begin with an address.
        let base = unsafe { own.cast::<*mut ()>().read() };
        if size.is_none() && !base.is_null() {
            return Err(DescriptorError::Null);
        }
        if rank == 0 {
            return Descriptor::establish(format, base, element_type, element_len, declared.attribute, &[]);
        }
        // SAFETY: the caller guarantees that the container begins with a gfortran descriptor.
        unsafe { Self::of_gfortran(container, &Declared { element_type, element_len, ..*declared }, format) }
    }
}
