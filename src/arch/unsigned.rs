//! The replacement for `aarch64/signing.rs` in builds in which code pointers in writable memory are not signed.

/// Returns a pointer as it is stored in writable memory: unchanged.
#[cfg(feature = "__slot-extra")]
#[inline(always)]
pub(crate) fn sign(pointer: *const (), _context: *mut (), _words: *const ()) -> *const () {
    pointer
}

/// Returns the plain address for a stored pointer: the pointer itself.
#[cfg_attr(compact, allow(dead_code))]
#[inline(always)]
pub(crate) fn strip(pointer: *const ()) -> *const () {
    pointer
}
