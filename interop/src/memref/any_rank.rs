//! Checks of a memref of any rank.

use super::{MemrefError, Ranked};
use crate::extent::with_dimension;

/// The number of elements, and what goes through the strides of sizes that lie without gaps, from the last dimension to the
/// first; `None` if a number is more than an `isize` holds. Without an element there may be any strides: they wrap then, as
/// they do where MLIR's code computes them. No size is negative.
pub(super) fn contiguous(sizes: &[isize], mut stride_of: impl FnMut(usize, isize)) -> Option<isize> {
    let none = sizes.contains(&0);
    let mut dimensions = sizes.iter().enumerate().rev();
    dimensions.try_fold(1isize, |next, (number, &size)| {
        stride_of(number, next);
        if none { Some(next.wrapping_mul(size)) } else { next.checked_mul(size) }
    })
}

/// What can be checked of a memref whose rank is not known before: its descriptor but for what was allocated.
#[derive(Clone, Copy, Debug)]
pub struct AnyRank<'m> {
    pub(super) aligned: *const (),
    pub(super) offset: isize,
    pub(super) sizes: &'m [isize],
    pub(super) strides: &'m [isize],
}

impl<'m> AnyRank<'m> {
    /// Of a descriptor in memory.
    ///
    /// # Safety
    /// The descriptor of a memref of this rank can be read there for as long as the result is used: 3 words, and 2 for each
    /// dimension.
    pub unsafe fn of(rank: usize, descriptor: *const ()) -> Self {
        // SAFETY: the caller's promise; sizes and strides follow the head.
        unsafe {
            let head = descriptor.cast::<Ranked<(), 0>>();
            let sizes = head.add(1).cast::<isize>();
            AnyRank {
                aligned: (*head).aligned,
                offset: (*head).offset,
                sizes: core::slice::from_raw_parts(sizes, rank),
                strides: core::slice::from_raw_parts(sizes.add(rank), rank),
            }
        }
    }

    fn check_signs(&self) -> Result<(), MemrefError> {
        let negative = self.sizes.iter().position(|&size| size < 0);
        negative.map_or(Ok(()), |dimension| Err(MemrefError::NegativeSize { dimension }))
    }

    /// Checks that every element lies within the `len` elements from the aligned pointer on, and that this is a multiple
    /// of `align` bytes, a power of two.
    ///
    /// # Errors
    /// [`MemrefError`], but for the layout and the rank.
    pub fn check(&self, len: usize, align: usize) -> Result<(), MemrefError> {
        self.check_signs()?;
        if !align.is_power_of_two() || self.aligned.addr() & (align - 1) != 0 {
            return Err(MemrefError::Misaligned);
        }
        if self.sizes.contains(&0) {
            return Ok(()); // there is no element
        }
        let mut dimensions = self.sizes.iter().zip(self.strides);
        let (lowest, highest) = dimensions
            .try_fold((self.offset, self.offset), |offsets, (&size, &stride)| {
                with_dimension(offsets, size, stride)
            })
            .ok_or(MemrefError::OutOfBounds)?;
        if self.aligned.is_null() {
            return Err(MemrefError::Null);
        }
        let fits = lowest >= 0 && (highest as usize) < len;
        if fits { Ok(()) } else { Err(MemrefError::OutOfBounds) }
    }

    /// Checks that it is what a type without a layout takes it for: no offset, no gaps, row-major.
    ///
    /// # Errors
    /// [`MemrefError::NotIdentity`]; [`MemrefError::NegativeSize`] and [`MemrefError::OutOfBounds`] if there can be no
    /// such memref.
    pub fn check_identity(&self) -> Result<(), MemrefError> {
        self.check_signs()?;
        let mut same = true;
        contiguous(self.sizes, |number, wanted| {
            let dimension = self.sizes.get(number).zip(self.strides.get(number));
            // The stride of a dimension with one index is never used.
            same &= dimension.is_some_and(|(&size, &stride)| size <= 1 || stride == wanted);
        })
        .ok_or(MemrefError::OutOfBounds)?;
        if self.offset == 0 && (same || self.sizes.contains(&0)) {
            Ok(())
        } else {
            Err(MemrefError::NotIdentity)
        }
    }

    /// Checks the sizes that a type has, one for each dimension, `None` where it has none (`?`).
    ///
    /// # Errors
    /// [`MemrefError::Size`]; [`MemrefError::Rank`] if there are not as many.
    pub fn check_sizes(&self, sizes: &[Option<isize>]) -> Result<(), MemrefError> {
        if sizes.len() != self.sizes.len() {
            return Err(MemrefError::Rank { has: self.sizes.len() as isize });
        }
        let mut dimensions = self.sizes.iter().zip(sizes).enumerate();
        match dimensions.find(|(_, (has, wanted))| wanted.is_some_and(|wanted| wanted != **has)) {
            Some((dimension, (&has, _))) => Err(MemrefError::Size { dimension, has }),
            None => Ok(()),
        }
    }

    /// Checks the strides and the offset that a type has (`strided<[4, ?], offset: 2>`), `None` where it has none.
    ///
    /// # Errors
    /// [`MemrefError::Layout`]; [`MemrefError::Rank`] if there are not as many strides as dimensions.
    pub fn check_layout(&self, strides: &[Option<isize>], offset: Option<isize>) -> Result<(), MemrefError> {
        if strides.len() != self.strides.len() {
            return Err(MemrefError::Rank { has: self.strides.len() as isize });
        }
        let is = |wanted: Option<isize>, has| wanted.is_none_or(|wanted| wanted == has);
        let same = strides.iter().zip(self.strides).all(|(&wanted, &has)| is(wanted, has));
        if same && is(offset, self.offset) { Ok(()) } else { Err(MemrefError::Layout) }
    }
}
