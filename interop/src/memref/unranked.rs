//! A memref without a rank, as an argument.

use super::{AnyRank, MemrefError, Ranked};

/// The most dimensions of a memref without a rank that are looked at.
pub const MOST_DIMENSIONS: usize = 8;

/// An argument that is a memref without a rank, copied out of the caller's stack when the call began. So the descriptor
/// that the caller keeps there, which is gone when the call ends, cannot be kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unranked<T> {
    rank: isize,
    pointers: [*mut T; 2],
    offset: isize,
    /// The sizes, then the strides.
    dimensions: [isize; 2 * MOST_DIMENSIONS],
}

impl<T> Unranked<T> {
    /// Of a rank and a pointer to a descriptor.
    ///
    /// # Safety
    /// The rank is not negative, and the descriptor of a memref of that rank can be read there.
    pub unsafe fn read(rank: isize, descriptor: *const ()) -> Self {
        let known = if rank as usize <= MOST_DIMENSIONS { rank as usize } else { 0 };
        // SAFETY: the caller's promise; a descriptor of any rank begins as one of rank 0.
        let (head, described) =
            unsafe { (descriptor.cast::<Ranked<T, 0>>().read(), AnyRank::of(known, descriptor)) };
        let mut dimensions = [0; 2 * MOST_DIMENSIONS];
        for (place, &number) in dimensions.iter_mut().zip(described.sizes.iter().chain(described.strides)) {
            *place = number;
        }
        Unranked { rank, pointers: [head.allocated, head.aligned], offset: head.offset, dimensions }
    }

    /// How many dimensions it has.
    pub fn rank(&self) -> isize {
        self.rank
    }

    /// The memref, if it has this rank.
    ///
    /// # Errors
    /// [`MemrefError::Rank`], also of more than [`MOST_DIMENSIONS`].
    pub fn ranked<const N: usize>(&self) -> Result<Ranked<T, N>, MemrefError> {
        if self.rank != N as isize || N > MOST_DIMENSIONS {
            return Err(MemrefError::Rank { has: self.rank });
        }
        let [allocated, aligned] = self.pointers;
        let part = |first: usize| core::array::from_fn(|number| self.dimensions[first + number]);
        Ok(Ranked { allocated, aligned, offset: self.offset, sizes: part(0), strides: part(N) })
    }
}
