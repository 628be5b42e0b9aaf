//! Checks of memrefs with a rank that is known only at run time.

use super::{MemrefError, Ranked};
use crate::extent::with_dimension;

/// Returns the number of elements in a memref with these non-negative sizes, or `None` if the number overflows `isize`.
/// Calls `stride_of` with each dimension and its stride in a contiguous memref, from the last dimension to the first.
/// An empty memref's strides are irrelevant, so the computed strides may wrap around, as in MLIR-generated code.
pub(super) fn contiguous(sizes: &[isize], mut stride_of: impl FnMut(usize, isize)) -> Option<isize> {
    let none = sizes.contains(&0);
    let mut dimensions = sizes.iter().enumerate().rev();
    dimensions.try_fold(1isize, |next, (number, &size)| {
        stride_of(number, next);
        if none { Some(next.wrapping_mul(size)) } else { next.checked_mul(size) }
    })
}

/// A memref's descriptor, without the allocated pointer, for a rank that is known only at run time.
#[derive(Clone, Copy, Debug)]
pub struct AnyRank<'m> {
    pub(super) aligned: *const (),
    pub(super) offset: isize,
    pub(super) sizes: &'m [isize],
    pub(super) strides: &'m [isize],
}

impl<'m> AnyRank<'m> {
    /// Reads a memref's descriptor from memory, except for the allocated pointer.
    ///
    /// # Safety
    /// The descriptor of a memref of this rank, 3 words plus 2 for each dimension, must be readable at `descriptor`
    /// while the result is used.
    pub unsafe fn of(rank: usize, descriptor: *const ()) -> Self {
        // SAFETY: the caller upholds the safety contract. The sizes and strides follow the three words of the header.
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

    pub(super) fn check_signs(&self) -> Result<(), MemrefError> {
        let negative = self.sizes.iter().position(|&size| size < 0);
        negative.map_or(Ok(()), |dimension| Err(MemrefError::NegativeSize { dimension }))
    }

    /// Checks that every element is in the `len`-element array at the aligned pointer, and that this pointer is aligned
    /// to `align` bytes, a power of two.
    ///
    /// # Errors
    /// [`MemrefError::NegativeSize`], [`MemrefError::Misaligned`], [`MemrefError::OutOfBounds`] or
    /// [`MemrefError::Null`].
    pub fn check(&self, len: usize, align: usize) -> Result<(), MemrefError> {
        self.check_signs()?;
        if !align.is_power_of_two() || self.aligned.addr() & (align - 1) != 0 {
            return Err(MemrefError::Misaligned);
        }
        if self.sizes.contains(&0) {
            return Ok(()); // there are no elements
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

    /// Checks that the memref has no offset and is contiguous and row-major, as a type without a layout implies.
    ///
    /// # Errors
    /// [`MemrefError::NotIdentity`] if it has an offset, or is not contiguous and row-major;
    /// [`MemrefError::NegativeSize`] or [`MemrefError::OutOfBounds`] if it is invalid.
    pub fn check_identity(&self) -> Result<(), MemrefError> {
        self.check_signs()?;
        let mut same = true;
        contiguous(self.sizes, |number, wanted| {
            let dimension = self.sizes.get(number).zip(self.strides.get(number));
            // The stride of a dimension of size 1 is irrelevant.
            same &= dimension.is_some_and(|(&size, &stride)| size <= 1 || stride == wanted);
        })
        .ok_or(MemrefError::OutOfBounds)?;
        if self.offset == 0 && (same || self.sizes.contains(&0)) {
            Ok(())
        } else {
            Err(MemrefError::NotIdentity)
        }
    }

    /// Checks the memref's sizes against the sizes in a type, one for each dimension. `None` stands for a dynamic size
    /// (`?`).
    ///
    /// # Errors
    /// [`MemrefError::Size`] if a size differs. [`MemrefError::Rank`] if the number of sizes differs from the rank.
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

    /// Checks the memref's strides and offset against a type such as `strided<[4, ?], offset: 2>`. `None` stands for a
    /// dynamic value.
    ///
    /// # Errors
    /// [`MemrefError::Layout`] if a stride or the offset differs. [`MemrefError::Rank`] if the number of strides
    /// differs from the rank.
    pub fn check_layout(&self, strides: &[Option<isize>], offset: Option<isize>) -> Result<(), MemrefError> {
        if strides.len() != self.strides.len() {
            return Err(MemrefError::Rank { has: self.strides.len() as isize });
        }
        let is = |wanted: Option<isize>, has| wanted.is_none_or(|wanted| wanted == has);
        let same = strides.iter().zip(self.strides).all(|(&wanted, &has)| is(wanted, has));
        if same && is(offset, self.offset) { Ok(()) } else { Err(MemrefError::Layout) }
    }
}
