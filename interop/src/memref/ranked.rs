//! Memrefs with a rank that is known at compile time.

use super::any_rank::contiguous;
use super::{AnyRank, MemrefError};

/// The descriptor of a memref of rank `N`, with the memory layout that MLIR code uses. If the rank is 0, the descriptor
/// ends with the offset.
///
/// A descriptor contains only pointers and numbers, so it is safe to make one. The program must ensure that the pointers
/// are valid before it dereferences them.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ranked<T, const N: usize> {
    /// The allocated address, which is used only to free the memory, not to access elements.
    pub allocated: *mut T,
    /// The address to which the offset is added, aligned as the memref's type requires.
    pub aligned: *mut T,
    /// The distance in elements from `aligned` to the element whose indices are all 0.
    pub offset: isize,
    /// The size of each dimension in elements, beginning with the dimension whose index varies slowest.
    pub sizes: [isize; N],
    /// For each dimension, the distance in elements between elements with adjacent indices.
    pub strides: [isize; N],
}

impl<T, const N: usize> Ranked<T, N> {
    /// Makes a contiguous row-major memref of a whole slice.
    ///
    /// The descriptor's pointers are valid only while the slice is borrowed, but the compiler does not check this.
    ///
    /// # Errors
    /// [`MemrefError::OutOfBounds`] if the product of the sizes differs from the slice's length.
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

    /// Checks that every element is in the `len`-element array at `aligned`, and that `aligned` is non-null and
    /// aligned.
    ///
    /// # Errors
    /// [`MemrefError::NegativeSize`], [`MemrefError::Misaligned`], [`MemrefError::OutOfBounds`] or
    /// [`MemrefError::Null`].
    pub fn check(&self, len: usize) -> Result<(), MemrefError> {
        self.any_rank().check(len, align_of::<T>())
    }

    /// Checks that the memref has no offset and is contiguous and row-major, as a type without a layout implies.
    ///
    /// # Errors
    /// [`MemrefError::NotIdentity`] if it has an offset, or is not contiguous and row-major;
    /// [`MemrefError::NegativeSize`] or [`MemrefError::OutOfBounds`] if it is invalid.
    pub fn check_identity(&self) -> Result<(), MemrefError> {
        self.any_rank().check_identity()
    }

    /// Checks the sizes against the memref type. `None` stands for a dynamic size. Lowered MLIR code relies on the
    /// sizes in the type, and does not check memrefs that it receives and passes on.
    ///
    /// # Errors
    /// [`MemrefError::Size`].
    pub fn check_sizes(&self, sizes: [Option<isize>; N]) -> Result<(), MemrefError> {
        self.any_rank().check_sizes(&sizes)
    }

    /// Checks the strides and the offset against the memref type. `None` stands for a dynamic value.
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

    /// Returns the scalars that represent the memref in a call, in this order: the two pointers, the offset, all sizes,
    /// all strides.
    pub fn scalars(&self) -> impl Iterator<Item = usize> {
        let head =
            [self.allocated.expose_provenance(), self.aligned.expose_provenance(), self.offset as usize];
        let dimensions = self.sizes.into_iter().chain(self.strides);
        head.into_iter().chain(dimensions.map(|number| number as usize))
    }

    /// Makes a memref from its scalars, consuming only as many as it needs. Returns `None` if there are too few.
    pub fn from_scalars(scalars: impl IntoIterator<Item = usize>) -> Option<Self> {
        let mut scalars = scalars.into_iter();
        let mut pointer = || scalars.next().map(core::ptr::with_exposed_provenance_mut);
        let (allocated, aligned) = (pointer()?, pointer()?);
        let mut memref = Ranked { allocated, aligned, offset: 0, sizes: [0; N], strides: [0; N] };
        let Ranked { offset, sizes, strides, .. } = &mut memref;
        for number_at in core::iter::once(offset).chain(sizes).chain(strides) {
            *number_at = scalars.next()? as isize;
        }
        Some(memref)
    }

    /// Returns the address of an element, or `None` if an index is out of bounds. Does not access memory.
    pub fn element(&self, indices: [usize; N]) -> Option<*mut T> {
        let mut at = self.offset;
        for ((index, &size), &stride) in indices.into_iter().zip(&self.sizes).zip(&self.strides) {
            let index = isize::try_from(index).ok().filter(|&index| index < size)?;
            at = at.wrapping_add(index.wrapping_mul(stride));
        }
        Some(self.aligned.wrapping_offset(at))
    }
}
