//! What gfortran passes for a CLASS dummy argument: the address of a container (seen with gfortran 12 and 16).
//!
//! ```text
//!   a scalar:   | address of the data         | virtual table | length |
//!   an array:   | gfortran's own descriptor   | virtual table | length |        the length in a class(*) alone
//!
//!   a virtual table:   | hash (4 bytes) | size of the dynamic type | ...
//! ```
//!
//! The length is of a character, of which the table has the size of one letter; it is 0 for anything else. The container of a
//! `class(t)` ends behind the table.

use super::gfortran::{Bounds, Header, checked};
use super::{Category, Declared, Descriptor, DescriptorError, Format, MOST_DIMENSIONS, Type};

/// The beginning of a virtual table.
#[repr(C)]
struct VirtualTable {
    hash: i32,
    size: usize,
}

impl Descriptor {
    /// Reads a gfortran procedure's CLASS dummy argument as a descriptor of its data. The elements have the size of the dynamic
    /// type, whose name gfortran does not keep.
    ///
    /// Of `declared` the element length means nothing. Its category is [`Category::Other`] of a `class(*)`, and
    /// [`Category::Struct`] of a `class(t)`.
    ///
    /// # Errors
    /// As for [`of_gfortran`](Descriptor::of_gfortran); [`DescriptorError::Null`] also of data without a dynamic type, and
    /// [`DescriptorError::Type`] of another category.
    ///
    /// # Safety
    /// If the address is not null and aligned, a container of gfortran's can be read there, of a CLASS dummy argument of which
    /// `declared` is true.
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
        // SAFETY: the caller's promise: the container has its table's address there, and a class(*) its length behind that.
        let (table, len) = unsafe {
            let table = own.byte_add(data).cast::<*const VirtualTable>();
            (table.read(), if is_unlimited { table.add(1).cast::<usize>().read() } else { 0 })
        };
        // SAFETY: the caller's promise: null, or a table of gfortran's.
        let size = unsafe { table.as_ref() }.map(|table| table.size);
        let element_len = size.unwrap_or(0).checked_mul(len.max(1)).ok_or(DescriptorError::Overflow)?;
        let element_type = Type { kind: 0, ..declared.element_type };
        // SAFETY: both begin with an address.
        let base = unsafe { own.cast::<*mut ()>().read() };
        if size.is_none() && !base.is_null() {
            return Err(DescriptorError::Null);
        }
        if rank == 0 {
            return Descriptor::establish(format, base, element_type, element_len, declared.attribute, &[]);
        }
        // SAFETY: the caller's promise: the container begins with a descriptor of gfortran's own.
        unsafe { Self::of_gfortran(container, &Declared { element_type, element_len, ..*declared }, format) }
    }
}
