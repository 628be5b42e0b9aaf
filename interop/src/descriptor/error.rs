//! Errors in descriptors.

use super::MOST_DIMENSIONS;
use core::fmt;

/// An error in a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum DescriptorError {
    /// A required address is null, or the object is not allocated or associated.
    Null,
    /// The address of a descriptor is not a multiple of 8.
    Misaligned,
    /// The descriptor version is unknown.
    Version(i32),
    /// The rank exceeds [`MOST_DIMENSIONS`], or differs from the number of subscripts or bounds.
    Rank(u8),
    /// The type code is invalid, or the layout of the new descriptor has no code for the type.
    Type(i32),
    /// The attribute code is invalid.
    Attribute(u8),
    /// The dimension with this zero-based index has a negative extent.
    Extent(u8),
    /// The address of an element is outside the address space.
    Overflow,
    /// The rank, type, attribute or element count does not match the array or another descriptor, or the object is
    /// neither a pointer nor allocatable.
    Unlike,
    /// The slice of words is too short to contain the header and all dimensions.
    Short,
    /// The stride of the dimension with this zero-based index is not a multiple of the element size. gfortran supports
    /// such strides only for pointers.
    Stride(u8),
    /// In the dimension with this zero-based index, a subscript is out of bounds or the step is 0.
    Subscript(u8),
    /// The allocatable is already allocated.
    Allocated,
    /// A compiler's run-time library failed with this error code (`CFI_ERROR_...`).
    Runtime(i32),
    /// A derived type's table contradicts itself or the object's descriptor.
    Table,
    /// A derived type has length parameters, or a component's memory does not come from the default allocator.
    Unsupported,
}

impl fmt::Display for DescriptorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("the descriptor is null"),
            Self::Misaligned => f.write_str("the descriptor is not aligned"),
            Self::Version(version) => write!(f, "the descriptor version {version} is unknown"),
            Self::Rank(rank) => write!(
                f,
                "the rank {rank} exceeds the maximum of {MOST_DIMENSIONS}, or differs \
                 from the number of subscripts or bounds"
            ),
            Self::Type(code) => {
                write!(f, "the type code {code} is invalid, or the other layout has no code for the type")
            }
            Self::Attribute(code) => write!(f, "the attribute code {code} is invalid"),
            Self::Extent(dimension) => write!(f, "dimension {dimension} has a negative extent"),
            Self::Overflow => f.write_str("the address of an element is outside the address space"),
            Self::Unlike => f.write_str(
                "the rank, type, attribute or number of elements does not match, or the \
                 object is neither a pointer nor allocatable",
            ),
            Self::Short => f.write_str("the descriptor is truncated"),
            Self::Stride(dimension) => {
                write!(f, "the stride of dimension {dimension} is not a multiple of the element size")
            }
            Self::Subscript(dimension) => {
                write!(f, "the subscript of dimension {dimension} is out of bounds, or its step is 0")
            }
            Self::Allocated => f.write_str("the array is already allocated"),
            Self::Runtime(number) => write!(f, "the compiler's run-time library failed with error {number}"),
            Self::Table => f.write_str("the derived type's table contradicts itself or the descriptor"),
            Self::Unsupported => {
                f.write_str("the derived type has length parameters, or a component has a special allocator")
            }
        }
    }
}

impl core::error::Error for DescriptorError {}
