//! Unranked memrefs as arguments.

use super::{AnyRank, MemrefError, Ranked};

/// The maximum rank of an unranked memref that can be converted to a [`Ranked`].
pub const MOST_DIMENSIONS: usize = 8;

/// An unranked memref argument, with a copy of its descriptor that remains valid after the call. The original
/// descriptor is on the caller's stack and is valid only during the call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unranked<T> {
    rank: isize,
    pointers: [*mut T; 2],
    offset: isize,
    /// The sizes, followed by the strides.
    dimensions: [isize; 2 * MOST_DIMENSIONS],
}

impl<T> Unranked<T> {
    /// Copies the descriptor of an unranked memref. If the rank exceeds [`MOST_DIMENSIONS`], sizes and strides are not
    /// copied.
    ///
    /// # Safety
    /// The rank must not be negative, and the descriptor of a memref of that rank must be readable at the address.
    pub unsafe fn read(rank: isize, descriptor: *const ()) -> Self {
        let known = if rank as usize <= MOST_DIMENSIONS { rank as usize } else { 0 };
        // SAFETY: the caller upholds the safety contract. A descriptor of any rank begins with the words of a
        // descriptor of rank 0.
        let (head, described) =
            unsafe { (descriptor.cast::<Ranked<T, 0>>().read(), AnyRank::of(known, descriptor)) };
        let mut dimensions = [0; 2 * MOST_DIMENSIONS];
        for (number_at, &number) in dimensions.iter_mut().zip(described.sizes.iter().chain(described.strides))
        {
            *number_at = number;
        }
        Unranked { rank, pointers: [head.allocated, head.aligned], offset: head.offset, dimensions }
    }

    /// Returns the number of dimensions.
    pub fn rank(&self) -> isize {
        self.rank
    }

    /// Converts the memref to a [`Ranked`] of rank `N`.
    ///
    /// # Errors
    /// [`MemrefError::Rank`] if the rank differs or exceeds [`MOST_DIMENSIONS`].
    pub fn ranked<const N: usize>(&self) -> Result<Ranked<T, N>, MemrefError> {
        if self.rank != N as isize || N > MOST_DIMENSIONS {
            return Err(MemrefError::Rank { has: self.rank });
        }
        let [allocated, aligned] = self.pointers;
        let part = |first: usize| core::array::from_fn(|number| self.dimensions[first + number]);
        Ok(Ranked { allocated, aligned, offset: self.offset, sizes: part(0), strides: part(N) })
    }
}
