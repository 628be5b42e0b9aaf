//! MLIR's memrefs.

use crate::errno::{EINVAL, ENOMEM, fail};
use core::ffi::{c_uint, c_void};
use statictramp::interop::memref::{AnyRank, MemrefError, UnrankedResult};

/// What is wrong with a memref.
#[repr(C)]
pub enum StatictrampMemrefError {
    /// Nothing.
    None = 0,
    /// A dimension has a negative size.
    NegativeSize,
    /// An element lies outside of the memory that is there, or the product of the sizes is more than can be, or there are
    /// more than 255 dimensions.
    OutOfBounds,
    /// The aligned pointer is NULL though there are elements, or the descriptor's address is NULL.
    Null,
    /// The aligned pointer is not aligned for the element type, or the alignment is no power of two, or the descriptor's
    /// address is not a multiple of 8.
    Misaligned,
    /// There is an offset, or the strides are not those of the sizes.
    NotIdentity,
}

impl From<Result<(), MemrefError>> for StatictrampMemrefError {
    fn from(result: Result<(), MemrefError>) -> Self {
        match result {
            Ok(()) => Self::None,
            Err(MemrefError::NegativeSize { .. }) => Self::NegativeSize,
            Err(MemrefError::Null) => Self::Null,
            Err(MemrefError::Misaligned) => Self::Misaligned,
            Err(MemrefError::NotIdentity) => Self::NotIdentity,
            Err(_) => Self::OutOfBounds,
        }
    }
}

/// More dimensions than any program has: what is told to have more is not looked at.
const MOST_DIMENSIONS: c_uint = 255;

/// # Safety
/// The descriptor of a memref of this rank can be read there, unless the address is null or not aligned or the rank is
/// above [`MOST_DIMENSIONS`].
unsafe fn described<'m>(
    rank: c_uint,
    descriptor: *const c_void,
) -> Result<AnyRank<'m>, StatictrampMemrefError> {
    if descriptor.is_null() {
        return Err(StatictrampMemrefError::Null);
    }
    if !descriptor.cast::<usize>().is_aligned() {
        return Err(StatictrampMemrefError::Misaligned);
    }
    if rank > MOST_DIMENSIONS {
        return Err(StatictrampMemrefError::OutOfBounds);
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { AnyRank::of(rank as usize, descriptor.cast()) })
}

/// Checks that every element of a memref lies within the `len` elements from its aligned pointer on, and that this is a
/// multiple of `align` bytes, a power of two. `descriptor` points to what llvm.emit_c_interface passes: the allocated and the
/// aligned pointer, the offset, `rank` sizes, `rank` strides. Nothing else is read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_check_memref(
    rank: c_uint,
    descriptor: *const c_void,
    len: usize,
    align: usize,
) -> StatictrampMemrefError {
    // SAFETY: the comment above demands such a descriptor.
    unsafe { described(rank, descriptor) }
        .map_or_else(|wrong| wrong, |memref| memref.check(len, align).into())
}

/// Checks that a memref is what a type without a layout (memref<?x?xf32>) takes it for: no offset, no gaps, row-major.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_check_memref_identity(
    rank: c_uint,
    descriptor: *const c_void,
) -> StatictrampMemrefError {
    // SAFETY: as above.
    unsafe { described(rank, descriptor) }.map_or_else(|wrong| wrong, |memref| memref.check_identity().into())
}

/// Copies a memref's descriptor to memory of malloc, as a function returns it whose result has no rank (memref<*xf32>): its
/// caller frees it. Returns NULL and sets errno to ENOMEM if there is none, to EINVAL if the descriptor is NULL or not
/// aligned or has more than 255 dimensions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_unranked_result(rank: c_uint, descriptor: *const c_void) -> *mut c_void {
    // SAFETY: as above.
    if unsafe { described(rank, descriptor) }.is_err() {
        return fail(EINVAL, core::ptr::null_mut());
    }
    // SAFETY: the comment above demands such a descriptor.
    match unsafe { UnrankedResult::<c_void>::copy_of(rank as usize, descriptor.cast()) } {
        Ok(copy) => copy.into_raw().1.cast(),
        Err(_) => fail(ENOMEM, core::ptr::null_mut()),
    }
}
