//! `statictramp_fn`, and conversions to and from this type.

use crate::errno::{EINVAL, ENOMEM, fail};
use statictramp::{AllocError, Trampoline};

/// A function pointer. Cast it to the function's type before calling it.
pub type StatictrampFn = Option<unsafe extern "C" fn()>;

/// Returns the address of a function pointer, or null for NULL.
#[inline(always)]
pub(crate) fn address(function: StatictrampFn) -> *const () {
    function.map_or(core::ptr::null(), |function| function as *const ())
}

/// Returns an address as a function pointer, or NULL for null.
#[inline(always)]
pub(crate) fn function(address: *const ()) -> StatictrampFn {
    // SAFETY: an `Option` of a function pointer is represented as the address or null. The address must be that of a
    // function only if the pointer is called.
    unsafe { core::mem::transmute::<*const (), StatictrampFn>(address) }
}

/// Returns the address of a trampoline that is never dropped, or returns NULL and sets errno.
#[inline(always)]
pub(crate) fn function_or_errno(made: Result<Trampoline, AllocError>) -> StatictrampFn {
    match made {
        Ok(trampoline) => function(trampoline.into_raw()),
        Err(AllocError::NullCallee) => fail(EINVAL, None),
        Err(_) => fail(ENOMEM, None),
    }
}
