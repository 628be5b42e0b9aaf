//! The last resort: a stub in memory that the caller gives, as compilers put it there. That
//! memory is writable and executable, so this exists only where the feature `scratch` asks.

use crate::arch;
use crate::maps::Mapping;

/// Bytes that are written.
pub const SIZE: usize = arch::SCRATCH_STUB;
// What flang reserves for LLVM's `llvm.init.trampoline`, on every target.
static_assertions::const_assert!(SIZE <= 32);

/// Writes a stub that enters `callee` with `chain`: its address, or `None` if the memory is
/// null, not aligned as the target wants code, or not executable.
///
/// # Safety
/// `scratch` is null or has [`SIZE`] bytes, which stay while the result is called.
pub unsafe fn write(scratch: *mut (), callee: *const (), chain: *mut ()) -> Option<*const ()> {
    if scratch.is_null() || !scratch.addr().is_multiple_of(arch::SCRATCH_ALIGN) {
        return None;
    }
    let mapping = Mapping::of(scratch.addr())?;
    if !mapping.executable || mapping.end - scratch.addr() < SIZE {
        return None;
    }
    // SAFETY: the caller's promise.
    unsafe { arch::write_stub(scratch, callee, chain) };
    Some(scratch)
}

/// Ends such a stub's life: a call after that is diagnosed while the memory holds.
///
/// # Safety
/// [`write`] made it, and its memory is still there.
pub unsafe fn end(code: *mut ()) {
    let no_slot = core::ptr::without_provenance_mut(usize::MAX);
    // SAFETY: the caller's promise.
    unsafe { arch::write_stub(code, arch::dead_procedure as *const (), no_slot) };
}
