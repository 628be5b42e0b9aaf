//! A memref of a known rank.

use super::any_rank::contiguous;
use super::{AnyRank, MemrefError};

/// The descriptor of a memref of rank `N`, as it lies in memory; of rank 0 it ends with the offset.
///
/// It is a value of pointers and numbers: safe to have, while what it points to is the program's matter.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ranked<T, const N: usize> {
    /// What was allocated: what is freed in the end, and never read through.
    pub allocated: *mut T,
    /// The first element, but for the offset; aligned as the memref's type demands.
    pub aligned: *mut T,
    /// Elements from `aligned` to the element whose indices are all 0.
    pub offset: isize,
    /// Elements in each dimension, the slowest varying first.
    pub sizes: [isize; N],
    /// Elements from one index to the next in each dimension.
    pub strides: [isize; N],
}

impl<T, const N: usize> Ranked<T, N> {
    /// The whole of a slice, without gaps, in row-major order.
    ///
    /// The pointers are good for as long as the slice is borrowed, which the descriptor does not say.
    ///
    /// # Errors
    /// [`MemrefError::OutOfBounds`] if the product of the sizes is not the slice's length.
    pub fn of_slice(slice: &mut [T], sizes: [usize; N]) -> Result<Self, MemrefError> {
        let sizes = sizes.map(|size| isize::try_from(size).unwrap_or(isize::MAX));
        let mut strides = [0; N];
        match contiguous(&sizes, |number, stride| strides[number] = stride) {
            Some(len) if len as usize == slice.len() => {
                let pointer = slice.as_mut_ptr();
                Ok(Ranked { allocated: pointer, aligned: pointer, offset: 0, sizes, strides })
            }
            _ => Err(MemrefError::OutOfBounds),
        }
    }

    /// Checks that every element lies within the `len` elements from `aligned` on, and that the pointer is one.
    ///
    /// # Errors
    /// [`MemrefError`], but for the layout and the rank.
    pub fn check(&self, len: usize) -> Result<(), MemrefError> {
        self.any_rank().check(len, align_of::<T>())
    }

    /// Checks that it is what a type without a layout takes it for: no offset, no gaps, row-major.
    ///
    /// # Errors
    /// [`MemrefError::NotIdentity`]; [`MemrefError::NegativeSize`] and [`MemrefError::OutOfBounds`] if there can be no
    /// such memref.
    pub fn check_identity(&self) -> Result<(), MemrefError> {
        self.any_rank().check_identity()
    }

    /// Checks the sizes that its type has, `None` where it has none: code that MLIR has lowered takes them for granted, and
    /// passes what it was given.
    ///
    /// # Errors
    /// [`MemrefError::Size`].
    pub fn check_sizes(&self, sizes: [Option<isize>; N]) -> Result<(), MemrefError> {
        self.any_rank().check_sizes(&sizes)
    }

    /// Checks the strides and the offset that its type has, `None` where it has none.
    ///
    /// # Errors
    /// [`MemrefError::Layout`].
    pub fn check_layout(
        &self,
        strides: [Option<isize>; N],
        offset: Option<isize>,
    ) -> Result<(), MemrefError> {
        self.any_rank().check_layout(&strides, offset)
    }

    fn any_rank(&self) -> AnyRank<'_> {
        let Self { aligned, offset, sizes, strides, .. } = self;
        AnyRank { aligned: aligned.cast(), offset: *offset, sizes, strides }
    }

    /// The scalars as which it is passed, in their order: the pointers, the offset, all sizes, all strides.
    pub fn scalars(&self) -> impl Iterator<Item = usize> {
        let head =
            [self.allocated.expose_provenance(), self.aligned.expose_provenance(), self.offset as usize];
        let dimensions = self.sizes.into_iter().chain(self.strides);
        head.into_iter().chain(dimensions.map(|number| number as usize))
    }

    /// Of as many scalars; `None` if there are too few. What is left is not taken.
    pub fn from_scalars(scalars: impl IntoIterator<Item = usize>) -> Option<Self> {
        let mut scalars = scalars.into_iter();
        let mut pointer = || scalars.next().map(core::ptr::with_exposed_provenance_mut);
        let (allocated, aligned) = (pointer()?, pointer()?);
        let mut memref = Ranked { allocated, aligned, offset: 0, sizes: [0; N], strides: [0; N] };
        let Ranked { offset, sizes, strides, .. } = &mut memref;
        for place in core::iter::once(offset).chain(sizes).chain(strides) {
            *place = scalars.next()? as isize;
        }
        Some(memref)
    }

    /// Where an element is; `None` if an index is outside of its dimension. Nothing is read.
    pub fn element(&self, indices: [usize; N]) -> Option<*mut T> {
        let mut at = self.offset;
        for ((index, &size), &stride) in indices.into_iter().zip(&self.sizes).zip(&self.strides) {
            let index = isize::try_from(index).ok().filter(|&index| index < size)?;
            at = at.wrapping_add(index.wrapping_mul(stride));
        }
        Some(self.aligned.wrapping_offset(at))
    }
}
