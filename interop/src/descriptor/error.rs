//! What can be wrong with a descriptor.

use super::MOST_DIMENSIONS;
use core::fmt;

/// What is wrong with a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum DescriptorError {
    /// Its address is null.
    Null,
    /// Its address is not a multiple of 8.
    Misaligned,
    /// It is of no version that is known.
    Version(i32),
    /// It has more than [`MOST_DIMENSIONS`].
    Rank(u8),
    /// The number of its type means nothing, or the other layout has no number for its type.
    Type(i32),
    /// The number of its attribute means nothing.
    Attribute(u8),
    /// This dimension, counted from 0, has a negative extent.
    Extent(u8),
    /// An element's address is outside of what an address can be.
    Overflow,
    /// It cannot take over what another says: rank, type or attribute differ, or it is neither a pointer nor allocatable.
    Unlike,
    /// A copy of it ends before its last dimension.
    Short,
    /// In this dimension, counted from 0, the elements are not a whole number of elements apart, as gfortran has it of what
    /// is no pointer.
    Stride(u8),
    /// The subscript of this dimension, counted from 0, is not within its bounds, or the step is 0.
    Subscript(u8),
    /// It has memory already.
    Allocated,
    /// A compiler's runtime has refused, by this number (`CFI_ERROR_...`).
    Runtime(i32),
}

impl fmt::Display for DescriptorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("the descriptor is null"),
            Self::Misaligned => f.write_str("the descriptor is not aligned"),
            Self::Version(version) => write!(f, "{version} is no version of a descriptor that is known"),
            Self::Rank(rank) => write!(f, "{rank} dimensions are more than {MOST_DIMENSIONS}"),
            Self::Type(code) => write!(f, "{code} is the number of no type"),
            Self::Attribute(code) => write!(f, "{code} is the number of no attribute"),
            Self::Extent(dimension) => write!(f, "dimension {dimension} has a negative extent"),
            Self::Overflow => f.write_str("an element lies beyond the end of memory"),
            Self::Unlike => f.write_str("the descriptors are not of one rank, type and attribute"),
            Self::Short => f.write_str("the descriptor is cut off"),
            Self::Stride(dimension) => {
                write!(f, "in dimension {dimension} elements are not a whole number of elements apart")
            }
            Self::Subscript(dimension) => {
                write!(f, "the subscript of dimension {dimension} is out of bounds")
            }
            Self::Allocated => f.write_str("the array is allocated already"),
            Self::Runtime(number) => write!(f, "the compiler's runtime refuses, by its error {number}"),
        }
    }
}

impl core::error::Error for DescriptorError {}
