//! The last resort: a stub in memory that the caller provides, similar to the code that compilers write to the stack.
//! The memory must be writable and executable, so this module exists only with the `scratch` feature.

use crate::arch::scratch::{self, ALIGN};
use crate::os::maps::Mapping;
use crate::table::Dead;
use crate::trampoline::global::Diagnosed;

/// Size in bytes of the memory that the caller provides. On every target, flang reserves this much for LLVM's
/// `llvm.init.trampoline`.
pub const ROOM: usize = 32;
static_assertions::const_assert!(scratch::SIZE <= ROOM);

/// Writes a stub to the first suitably aligned address in the memory. The stub jumps to `callee` with `chain`. Returns
/// the stub's address, which is even, or `None` if the memory is null or not executable, or the stub does not fit.
///
/// # Safety
/// `memory` must be null, or valid for writes of [`ROOM`] bytes. It must remain valid for as long as the result may be
/// called.
pub unsafe fn write(memory: *mut (), callee: *const (), chain: *mut ()) -> Option<*const ()> {
    if memory.is_null() {
        return None;
    }
    let at = memory.map_addr(|start| start.next_multiple_of(ALIGN));
    if at.addr() - memory.addr() + scratch::SIZE > ROOM {
        return None;
    }
    if !mapped(at.addr(), |mapping| mapping.executable)? {
        return None;
    }
    // SAFETY: the caller upholds the safety contract.
    unsafe { scratch::write(at, callee, chain) };
    Some(at)
}

/// Frees a stub that [`write`] made. A later call through the stub is diagnosed until the memory is reused. Returns
/// false, and changes nothing, if the memory is not both writable and executable, and therefore cannot contain a stub.
/// Addresses in such memory may be passed because they can look like handles, as that of a Thumb function does.
///
/// # Safety
/// `code` must be either a result of [`write`] whose memory still exists, or an address in memory that is not both
/// writable and executable.
pub unsafe fn end(code: *mut ()) -> bool {
    if !code.addr().is_multiple_of(ALIGN) || !may_contain_stub(code.addr()) {
        return false;
    }
    let no_slot = core::ptr::without_provenance_mut(usize::MAX);
    // SAFETY: the memory is writable, or `/proc` cannot be read, so the caller guarantees that this is a stub.
    unsafe { scratch::write(code, Diagnosed::procedure(), no_slot) };
    true
}

/// Returns whether the memory at an address can contain a stub. If `/proc` cannot be read, the result is true.
fn may_contain_stub(at: usize) -> bool {
    // This library's own code is always mapped, so if it is not listed, the list cannot be read.
    mapped(at, |mapping| mapping.writable && mapping.executable)
        .unwrap_or_else(|| Mapping::of(Diagnosed::procedure().addr()).is_none())
}

/// Returns whether every mapping that a stub at `at` would touch is accepted, or `None` if no mapping is listed for
/// `at`. A stub touches at most two pages, which may belong to different mappings.
fn mapped(at: usize, accepts: fn(&Mapping) -> bool) -> Option<bool> {
    let last = at.wrapping_add(scratch::SIZE - 1);
    let mapping = Mapping::of(at)?;
    Some(accepts(&mapping) && (last < mapping.end || Mapping::of(last).is_some_and(|next| accepts(&next))))
}
