//! `statictramp_fn`, and conversions to and from this type.

use crate::errno::{EINVAL, ENOMEM, fail};
use statictramp::{AllocError, Trampoline};

/// A pointer to a function of any type. Cast it to the actual type before calling it.
pub type StatictrampFn = Option<unsafe extern "C" fn()>;

/// Returns the address that a function pointer contains, or null for NULL.
#[inline(always)]
pub fn address(function: StatictrampFn) -> *const () {
    function.map_or(core::ptr::null(), |function| function as *const ())
}

/// Converts an address to a function pointer, and null to NULL.
#[allow(clippy::not_unsafe_ptr_arg_deref, reason = "the address is not used, only returned")]
#[inline(always)]
pub fn function(address: *const ()) -> StatictrampFn {
    // SAFETY: an `Option` of a function pointer is represented as the function's address, or null for `None`. Only a
    // call requires a function at the address.
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
