//! Fortran descriptors (`CFI_cdesc_t`; Fortran 2023, 18.5.3) in gfortran's and flang's layouts.
//!
//! ```text
//!            0      8          16        20     21          22          23      24
//!   both   | base | elem_len | version | rank |                               | dimensions: lower bound, extent,
//!   gfortran                                  | attribute | type  (2)         |   bytes from one to the next
//!   flang                                     | type      | attribute | extra |
//! ```
//!
//! A [`View`] recognises the layout by the descriptor version, and has the same interface for both layouts. A
//! [`Descriptor`] can describe a view's data in the other compiler's layout, for code that reads the type or the
//! attribute. (Code that only accesses elements needs no conversion, because the relevant fields have the same offsets
//! in both layouts.)

mod copy;
#[cfg(target_pointer_width = "64")]
mod deep;
mod element;
mod error;
mod gfortran;
mod gfortran_class;
mod make;
mod runtime;
/// flang's derived-type tables, which a debugger can read in another process.
///
/// <!--
/// cbindgen:ignore
/// -->
#[cfg_attr(not(target_pointer_width = "64"), allow(dead_code))] // used only by deep copies
pub mod table;
mod types;
mod view;

pub use copy::Descriptor;
#[cfg(target_pointer_width = "64")]
pub use deep::Targets;
pub use element::Element;
pub use error::DescriptorError;
pub use gfortran::{Declared, GfortranDescriptor};
pub use make::Subscript;
pub use runtime::Runtime;
pub use types::{Category, Type};
pub use view::View;

/// The layout of a descriptor.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// libgfortran's layout (descriptor version 1).
    Gfortran,
    /// flang's layout in LLVM 19.
    Flang2018,
    /// flang's layout in LLVM 20 and later.
    Flang2024,
}

const VERSIONS: [(Format, i32); 3] =
    [(Format::Gfortran, 1), (Format::Flang2018, 20180515), (Format::Flang2024, 20240719)];

/// The attribute of an object: POINTER, ALLOCATABLE or neither.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attribute {
    /// The object is a pointer.
    Pointer,
    /// The object is allocatable.
    Allocatable,
    /// The object is neither a pointer nor allocatable.
    Other,
}

/// The attributes in the order of each compiler's attribute codes.
const ATTRIBUTES_OF_GFORTRAN: [Attribute; 3] = [Attribute::Pointer, Attribute::Allocatable, Attribute::Other];
const ATTRIBUTES_OF_FLANG: [Attribute; 3] = [Attribute::Other, Attribute::Pointer, Attribute::Allocatable];

/// The bounds and the stride of a dimension (`CFI_dim_t`).
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dimension {
    /// The lower bound: the lowest subscript.
    pub lower_bound: isize,
    /// The extent: the number of subscripts, or -1 in the last dimension of an assumed-size array.
    pub extent: isize,
    /// The distance in bytes, possibly negative, from one element to the next in this dimension.
    pub stride: isize,
}

/// The maximum number of dimensions (`CFI_MAX_RANK`).
pub const MOST_DIMENSIONS: usize = 15;

/// The header at the beginning of each descriptor.
#[repr(C)]
#[derive(Clone, Copy)]
struct Header {
    base: *mut (),
    element_len: usize,
    version: i32,
    rank: u8,
    /// The attribute and the type in gfortran's layout; the type, the attribute and the extra byte in flang's.
    rest: [u8; 3],
}

/// The offset of the single-byte rank in a descriptor.
pub const RANK_AT: usize = core::mem::offset_of!(Header, rank);

/// Returns the size in bytes of a descriptor with this rank, without an addendum.
pub const fn size_of_rank(rank: usize) -> usize {
    size_of::<Header>() + rank * size_of::<Dimension>()
}

/// A bit in flang's `extra` byte, set if an addendum follows the dimensions.
const ADDENDUM: u8 = 1;
