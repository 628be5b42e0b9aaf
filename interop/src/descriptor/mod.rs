//! Fortran's descriptors (`CFI_cdesc_t`; Fortran 2023, 18.5.3), as gfortran and flang lay them out.
//!
//! ```text
//!            0      8          16        20     21          22          23      24
//!   both   | base | elem_len | version | rank |                               | dimensions: lower bound, extent,
//!   gfortran                                  | attribute | type  (2)         |   bytes from one to the next
//!   flang                                     | type      | attribute | extra |
//! ```
//!
//! A [`View`] finds out by the version whose layout it is and gives one picture of both; a [`Descriptor`] is the
//! other layout of a view, for code of the other compiler that looks at type or attribute. (Plain reading of
//! elements needs no conversion: both have those parts at the same places.)

mod copy;
mod element;
mod error;
mod gfortran;
mod gfortran_class;
mod make;
mod runtime;
mod types;
mod view;

pub use copy::Descriptor;
pub use element::Element;
pub use error::DescriptorError;
pub use gfortran::{Declared, GfortranDescriptor};
pub use make::Subscript;
pub use runtime::Runtime;
pub use types::{Category, Type};
pub use view::View;

/// Whose layout a descriptor has.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// libgfortran's, version 1.
    Gfortran,
    /// flang's, of LLVM 19's version.
    Flang2018,
    /// flang's, of LLVM 20's and later.
    Flang2024,
}

const VERSIONS: [(Format, i32); 3] =
    [(Format::Gfortran, 1), (Format::Flang2018, 20180515), (Format::Flang2024, 20240719)];

/// POINTER, ALLOCATABLE or neither.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attribute {
    /// A pointer's.
    Pointer,
    /// An allocatable's.
    Allocatable,
    /// Neither.
    Other,
}

/// The three in the order of each compiler's numbers.
const ATTRIBUTES_OF_GFORTRAN: [Attribute; 3] = [Attribute::Pointer, Attribute::Allocatable, Attribute::Other];
const ATTRIBUTES_OF_FLANG: [Attribute; 3] = [Attribute::Other, Attribute::Pointer, Attribute::Allocatable];

/// A dimension (`CFI_dim_t`).
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dimension {
    /// The least subscript.
    pub lower_bound: isize,
    /// How many subscripts there are; -1 in the last dimension of an assumed-size array.
    pub extent: isize,
    /// Bytes from one element to the next; may be negative.
    pub stride: isize,
}

/// The most dimensions there can be (`CFI_MAX_RANK`).
pub const MOST_DIMENSIONS: usize = 15;

/// The part that every descriptor has.
#[repr(C)]
#[derive(Clone, Copy)]
struct Header {
    base: *mut (),
    element_len: usize,
    version: i32,
    rank: u8,
    /// Attribute, then type, or type, attribute and extra.
    rest: [u8; 3],
}

/// Where in a descriptor its rank is, a byte.
pub const RANK_AT: usize = core::mem::offset_of!(Header, rank);

/// Bytes of a descriptor of a rank, without an addendum.
pub const fn size_of_rank(rank: usize) -> usize {
    size_of::<Header>() + rank * size_of::<Dimension>()
}

/// Set in flang's `extra` if an addendum follows the dimensions.
const ADDENDUM: u8 = 1;
