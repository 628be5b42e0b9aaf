//! Unranked memrefs as function results.

use crate::memrefs::described;
use core::ffi::{c_uint, c_void};
use statictramp_capi::for_interop::{EINVAL, ENOMEM, fail};
use statictramp_interop::memref::UnrankedResult;

/// Copies a memref's descriptor to memory allocated with malloc, so that a function can return it as an unranked memref
/// (memref<*xf32>). The function's caller must free the memory. Returns NULL and sets errno to ENOMEM if no memory is
/// available, or to EINVAL if the descriptor is NULL or misaligned or has more than 255 dimensions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_unranked_result(rank: c_uint, descriptor: *const c_void) -> *mut c_void {
    // SAFETY: the contract in the doc comment requires a memref's descriptor.
    if unsafe { described(rank, descriptor) }.is_err() {
        return fail(EINVAL, core::ptr::null_mut());
    }
    // SAFETY: the contract in the doc comment requires a memref's descriptor.
    match unsafe { UnrankedResult::<c_void>::copy_of(rank as usize, descriptor.cast()) } {
        Ok(copy) => copy.into_raw().1.cast(),
        Err(_) => fail(ENOMEM, core::ptr::null_mut()),
    }
}
