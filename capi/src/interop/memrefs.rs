//! MLIR's memrefs.

use crate::errno::{ENOMEM, fail};
use core::ffi::{c_uint, c_void};
use statictramp::interop::memref::{AnyRank, MemrefError, UnrankedResult};

/// What is wrong with a memref.
#[repr(C)]
pub enum StatictrampMemrefError {
    /// Nothing.
    None = 0,
    /// A dimension has a negative size.
    NegativeSize,
    /// An element lies outside of the memory that is there, or the product of the sizes is more than can be.
    OutOfBounds,
    /// The aligned pointer is NULL though there are elements.
    Null,
    /// The aligned pointer is not aligned for the element type.
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
    unsafe { AnyRank::of(rank as usize, descriptor.cast()) }.check(len, align).into()
}

/// Checks that a memref is what a type without a layout (memref<?x?xf32>) takes it for: no offset, no gaps, row-major.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_check_memref_identity(
    rank: c_uint,
    descriptor: *const c_void,
) -> StatictrampMemrefError {
    // SAFETY: as above.
    unsafe { AnyRank::of(rank as usize, descriptor.cast()) }.check_identity().into()
}

/// Copies a memref's descriptor to memory of malloc, as a function returns it whose result has no rank (memref<*xf32>): its
/// caller frees it. Returns NULL and sets errno to ENOMEM if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_unranked_result(rank: c_uint, descriptor: *const c_void) -> *mut c_void {
    // SAFETY: the comment above demands such a descriptor.
    match unsafe { UnrankedResult::<c_void>::copy_of(rank as usize, descriptor.cast()) } {
        Ok(copy) => copy.into_raw().1.cast(),
        Err(_) => fail(ENOMEM, core::ptr::null_mut()),
    }
}
