//! MLIR's memrefs, as code that `--finalize-memref-to-llvm` and `--convert-func-to-llvm` have lowered passes them
//! (MLIR documentation, "LLVM IR Target", section "Calling Conventions"; run with LLVM 19 and 22).
//!
//! A memref is a descriptor, [`Ranked`]: two pointers, an offset, sizes and strides. As an argument it is taken
//! apart into scalars: the pointers, the offset, all sizes, then all strides. As a result it is a struct. One
//! without a rank, [`Unranked`], is a rank and a pointer to such a descriptor. `bind` makes a function pointer of a
//! closure that takes and returns whole descriptors, for MLIR code to call through `func.call_indirect` (x86-64,
//! AArch64 and RISC-V Linux); in C's form (`llvm.emit_c_interface`) a pointer to a [`Ranked`] is passed, which any closure may take.

#[cfg(memref_closures)]
mod bound;

#[cfg(memref_closures)]
pub use bound::{Argument, Callback, Callee, Outcome, bind};

use super::with_dimension;
use core::fmt;

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

/// What is wrong with a memref.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum MemrefError {
    /// A dimension has a negative size.
    NegativeSize {
        /// Which dimension, from 0.
        dimension: usize,
    },
    /// An element lies outside of the memory that is there, or the product of the sizes is more than can be.
    OutOfBounds,
    /// The aligned pointer is null though there are elements.
    Null,
    /// The aligned pointer is not aligned for the element type, or the alignment is no power of two.
    Misaligned,
    /// There is an offset, or the strides are not those of the sizes: a `memref<?x?xf32>` without a layout in its type
    /// ignores both.
    NotIdentity,
    /// It has another rank.
    Rank {
        /// The rank it has.
        has: isize,
    },
    /// There is no memory for a descriptor.
    NoMemory,
}

impl fmt::Display for MemrefError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NegativeSize { dimension } => write!(f, "dimension {dimension} has a negative size"),
            Self::OutOfBounds => f.write_str("an element lies outside of the memory that is there"),
            Self::Null => f.write_str("the pointer is null"),
            Self::Misaligned => f.write_str("the pointer is not aligned for the element type"),
            Self::NotIdentity => {
                f.write_str("there is an offset or a stride, which a type without a layout ignores")
            }
            Self::Rank { has } => write!(f, "the memref has rank {has}"),
            Self::NoMemory => f.write_str("there is no memory for a descriptor"),
        }
    }
}

impl core::error::Error for MemrefError {}

/// The number of elements, and what goes through the strides of sizes that lie without gaps, from the last dimension to the
/// first; `None` if a number is more than an `isize` holds. Without an element there may be any strides: they wrap then, as
/// they do where MLIR's code computes them. No size is negative.
fn contiguous(sizes: &[isize], mut stride_of: impl FnMut(usize, isize)) -> Option<isize> {
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
    aligned: *const (),
    offset: isize,
    sizes: &'m [isize],
    strides: &'m [isize],
}

impl<'m> AnyRank<'m> {
    /// Of a descriptor in memory.
    ///
    /// # Safety
    /// The descriptor of a memref of this rank can be read there for as long as the result is used: 3 words, and 2 for each
    /// dimension.
    pub unsafe fn of(rank: usize, descriptor: *const ()) -> Self {
        // SAFETY: the caller's promise; sizes and strides are behind the head.
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

    fn check_sizes(&self) -> Result<(), MemrefError> {
        let negative = self.sizes.iter().position(|&size| size < 0);
        negative.map_or(Ok(()), |dimension| Err(MemrefError::NegativeSize { dimension }))
    }

    /// Checks that every element lies within the `len` elements from the aligned pointer on, and that this is a multiple
    /// of `align` bytes, a power of two.
    ///
    /// # Errors
    /// [`MemrefError`], but for the layout and the rank.
    pub fn check(&self, len: usize, align: usize) -> Result<(), MemrefError> {
        self.check_sizes()?;
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
        self.check_sizes()?;
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

/// A result that is a memref without a rank: its descriptor is in memory of `malloc`, for the caller to free.
#[cfg(target_os = "linux")]
#[repr(C)]
#[derive(Debug)]
pub struct UnrankedResult<T> {
    rank: isize,
    descriptor: *mut libc::c_void,
    element: core::marker::PhantomData<*mut T>,
}

#[cfg(target_os = "linux")]
impl<T> UnrankedResult<T> {
    /// Copies a descriptor to such memory.
    ///
    /// # Errors
    /// [`MemrefError::NoMemory`].
    pub fn new<const N: usize>(memref: Ranked<T, N>) -> Result<Self, MemrefError> {
        // SAFETY: the memref is here, and of this rank.
        unsafe { Self::copy_of(N, (&raw const memref).cast()) }
    }

    /// Copies a descriptor whose rank is not known before.
    ///
    /// # Errors
    /// [`MemrefError::NoMemory`].
    ///
    /// # Safety
    /// The descriptor of a memref of this rank can be read there.
    pub unsafe fn copy_of(rank: usize, descriptor: *const ()) -> Result<Self, MemrefError> {
        let bytes = size_of::<Ranked<T, 0>>() + 2 * rank * size_of::<isize>();
        // SAFETY: `malloc` may be asked for any number of bytes; what it returns, if not null, is aligned for every
        // word and as long as asked for. The caller's promise.
        unsafe {
            let copy = libc::malloc(bytes);
            if copy.is_null() {
                return Err(MemrefError::NoMemory);
            }
            copy.copy_from_nonoverlapping(descriptor.cast(), bytes);
            Ok(UnrankedResult { rank: rank as isize, descriptor: copy, element: core::marker::PhantomData })
        }
    }

    /// The rank and the descriptor, which whoever has them must free.
    pub fn into_raw(self) -> (isize, *mut ()) {
        let this = core::mem::ManuallyDrop::new(self);
        (this.rank, this.descriptor.cast())
    }
}

#[cfg(target_os = "linux")]
impl<T> Drop for UnrankedResult<T> {
    fn drop(&mut self) {
        // SAFETY: `new` allocated it, and it was not given away.
        unsafe { libc::free(self.descriptor) }
    }
}
