//! Errors in memrefs.

use core::fmt;

/// An error in a memref.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum MemrefError {
    /// A dimension has a negative size.
    NegativeSize {
        /// The dimension's zero-based index.
        dimension: usize,
    },
    /// An element is out of bounds, or the product of the sizes overflows.
    OutOfBounds,
    /// The aligned pointer is null although there are elements.
    Null,
    /// The aligned pointer is misaligned for the element type, or the alignment is not a power of two.
    Misaligned,
    /// The memref has an offset, or is not contiguous and row-major. Code for a type without a layout, such as
    /// `memref<?x?xf32>`, would ignore the offset and the strides.
    NotIdentity,
    /// The rank differs from the expected rank.
    Rank {
        /// The actual rank.
        has: isize,
    },
    /// The size of a dimension differs from the size in the type.
    Size {
        /// The dimension's zero-based index.
        dimension: usize,
        /// The actual size.
        has: isize,
    },
    /// The offset or a stride differs from its value in the type.
    Layout,
    /// Not enough memory for a result's descriptor.
    NoMemory,
    /// MLIR code passes memrefs as bare pointers (`use-bare-ptr-memref-call-conv`).
    BarePointers,
    /// `index` is not 64 bits wide in the MLIR code (`index-bitwidth`).
    IndexBits,
}

impl fmt::Display for MemrefError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NegativeSize { dimension } => write!(f, "dimension {dimension} has a negative size"),
            Self::OutOfBounds => {
                f.write_str("an element is outside the memory, or the product of the sizes overflows")
            }
            Self::Null => f.write_str("the pointer is null"),
            Self::Misaligned => f.write_str(
                "the pointer is not aligned for the element type, or the alignment is \
                 not a power of two",
            ),
            Self::NotIdentity => f.write_str(
                "the memref has an offset or strides, but code for a type without a layout ignores both",
            ),
            Self::Rank { has } => write!(f, "the memref has rank {has}, but another rank was expected"),
            Self::Size { dimension, has } => {
                write!(f, "dimension {dimension} has size {has}, but the memref's type requires another size")
            }
            Self::Layout => f.write_str("the offset or a stride differs from the one in the memref's type"),
            Self::NoMemory => f.write_str("not enough memory for a descriptor"),
            Self::BarePointers => f.write_str("MLIR code was lowered with use-bare-ptr-memref-call-conv"),
            Self::IndexBits => f.write_str("MLIR code was lowered with an index-bitwidth other than 64"),
        }
    }
}

impl core::error::Error for MemrefError {}
