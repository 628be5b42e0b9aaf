//! The last resort: a stub in memory that the caller gives, as compilers put it there. That
//! memory is writable and executable, so this exists only where the feature `scratch` asks.

use crate::arch::scratch::{self, ALIGN};
use crate::os::maps::Mapping;
use crate::table::Dead;
use crate::trampoline::global::Diagnosed;

/// Bytes that are given: what flang reserves for LLVM's `llvm.init.trampoline`, on every target.
pub const ROOM: usize = 32;
static_assertions::const_assert!(scratch::SIZE <= ROOM);

/// Writes a stub that enters `callee` with `chain`, at the first address in the memory that is aligned as the target
/// wants code: that address, which is even, or `None` if the memory is null, too small from there on, or not executable.
///
/// # Safety
/// `memory` is null or has [`ROOM`] bytes, which stay while the result is called.
pub unsafe fn write(memory: *mut (), callee: *const (), chain: *mut ()) -> Option<*const ()> {
    if memory.is_null() {
        return None;
    }
    let at = memory.map_addr(|start| start.next_multiple_of(ALIGN));
    if at.addr() - memory.addr() + scratch::SIZE > ROOM {
        return None;
    }
    let last = at.addr() + (scratch::SIZE - 1);
    let mapping = Mapping::of(at.addr())?;
    // Two neighbours may be two mappings, and no page is smaller than a stub.
    if !mapping.executable || last >= mapping.end && !Mapping::of(last)?.executable {
        return None;
    }
    // SAFETY: the caller's promise.
    unsafe { scratch::write(at, callee, chain) };
    Some(at)
}

/// Makes such a stub a dead one: a call after that is diagnosed, until the memory is used for something else.
///
/// # Safety
/// [`write`] made it, and its memory is still there.
pub unsafe fn end(code: *mut ()) {
    let no_slot = core::ptr::without_provenance_mut(usize::MAX);
    // SAFETY: the caller's promise.
    unsafe { scratch::write(code, Diagnosed::procedure(), no_slot) };
}
