//! The functions that flang-compiled code calls. They have two sets of names: those in flang's document on internal
//! procedures, and those used by `-fsafe-trampoline` in flang 23.
//!
//! Compiled code cannot handle a failure, so each failure prints a message and aborts the program.

use super::maker::{self, UNKNOWN};
use super::reclaim::make_room;
use crate::arch;
use crate::reclaim::enable;
use core::ffi::c_void;
use statictramp::for_capi::host::{self, Claimed, Recent};
use statictramp::for_capi::message::{Message, abort, fatal};
use statictramp::{FreeError, for_capi, slot_of};

/// Makes a trampoline and returns its handle. `scratch` is null, or points to memory that is used only if no slot is left
/// and the library was built with the `scratch` feature.
#[unsafe(no_mangle)]
extern "C" fn _FortranATrampolineInit(
    scratch: *mut c_void,
    callee: *const (),
    chain: *mut c_void,
) -> *const () {
    make(scratch, callee, chain.cast(), arch::stack_pointer())
}

/// Makes a trampoline. `stack_pointer` is the stack pointer at the call. In the common case, the trampoline gets the
/// slot that this thread last freed for the same callee, if the slot was last used with exactly this stack pointer.
///
/// All other cases go through a tail call, so that the common case need not save registers.
#[inline(always)]
fn make(scratch: *mut c_void, callee: *const (), chain: *mut (), stack_pointer: usize) -> *const () {
    match host::claim_fast(callee) {
        Some(claimed) if maker::was_made_at(claimed.slot(), stack_pointer) => claimed.arm(callee, chain),
        claimed => make_slow(stack_pointer, callee, chain, claimed, scratch),
    }
}

/// Makes a trampoline in the cases that `make` does not handle. The first choice is a slot that this thread freed for
/// the callee after use by a host with the same stack pointer. The second choice is a recent trampoline with the same
/// contents, usually left by an abandoned predecessor of the host. Then come a free or reclaimed slot, any trampoline
/// with the same contents, growth, and scratch memory. `claimed` is a slot claimed by the fast path, but last used by a
/// host with a different stack pointer. On x86-64, the parameters are in the order in which the fast path keeps them in
/// registers, so that no value has to be moved.
#[cold]
#[inline(never)]
fn make_slow(
    stack_pointer: usize,
    callee: *const (),
    chain: *mut (),
    claimed: Option<Claimed>,
    scratch: *mut c_void,
) -> *const () {
    if callee.is_null() {
        fatal("an internal procedure with a null address cannot have a trampoline")
    }
    enable(make_room);
    let listed = || if stack_pointer == UNKNOWN { None } else { host::claim_listed(callee) };
    let made = claimed.or_else(listed).map(|claimed| {
        let (slot, again) = (claimed.slot(), maker::was_made_at(claimed.slot(), stack_pointer));
        maker::record(slot, stack_pointer);
        (claimed.arm(callee, chain), slot, again)
    });
    if let Some((address, _, true)) = made {
        return address;
    }
    // Even if a slot is claimed, a recent trampoline is preferred: otherwise, a recursion that frees slots could lose a
    // slot to every abandoned frame. The claimed slot is armed before the search, so that it can be reclaimed if a
    // handler jumps out of the search.
    let recent = Recent::new(callee, chain);
    let equal = |slot| host::equal_in(slot, callee, chain).filter(|_| maker::share(slot, stack_pointer));
    let own = made.map_or(usize::MAX, |(_, slot, _)| slot);
    let found = recent.slots().filter(|&slot| slot != own).find_map(equal);
    match (found, made) {
        (Some(address), Some((unwanted, slot, _))) => {
            maker::clear(slot);
            // SAFETY: this call made the trampoline, so no other code has its address.
            if unsafe { for_capi::free_in_row_or_slow(unwanted) }.is_err() {
                fatal("BUG: a trampoline that was just made is dead")
            }
            return address;
        }
        (Some(address), None) => return address,
        (None, Some((address, slot, _))) => {
            recent.record(slot);
            return address;
        }
        (None, None) => {}
    }
    let mut claimed = host::claim(callee, make_room);
    if claimed.is_none() {
        if let Some(address) = host::equal(callee, chain).find_map(equal) {
            return address;
        }
        claimed = host::claim_or_grow(callee);
    }
    if let Some(claimed) = claimed {
        let slot = claimed.slot();
        maker::record(slot, stack_pointer);
        let address = claimed.arm(callee, chain);
        recent.record(slot);
        return address;
    }
    #[cfg(all(feature = "scratch", target_os = "linux"))]
    // SAFETY: compiled code passes a writable buffer of the size of a stack trampoline. The buffer remains valid until
    // the code frees the handle.
    if let Some(code) = unsafe { statictramp::for_capi::scratch::write(scratch.cast(), callee, chain) } {
        return code.wrapping_byte_add(IN_SCRATCH);
    }
    let _ = scratch;
    super::abort_table_full()
}

/// The bit that is set in the handle of a trampoline in scratch memory. Any other handle is a stub's address, and is
/// even.
#[cfg(all(feature = "scratch", target_os = "linux"))]
const IN_SCRATCH: usize = 1;

/// Returns the address to call for a handle: the handle itself, without the bit that marks scratch memory.
#[unsafe(no_mangle)]
extern "C" fn _FortranATrampolineAdjust(handle: *const ()) -> *const () {
    adjust(handle)
}

#[inline(always)]
fn adjust(handle: *const ()) -> *const () {
    #[cfg(all(feature = "scratch", target_os = "linux"))]
    return handle.map_addr(|handle| handle & !IN_SCRATCH);
    #[cfg(not(all(feature = "scratch", target_os = "linux")))]
    handle
}

/// Frees the trampoline that a handle refers to. Ignores NULL.
#[unsafe(no_mangle)]
unsafe extern "C" fn _FortranATrampolineFree(handle: *const ()) {
    // SAFETY: compiled code frees each handle once, at the exit of the host that made it.
    unsafe { free(handle) }
}

/// # Safety
/// Same as for [`statictramp::free`], except that null is allowed.
#[inline(always)]
unsafe fn free(handle: *const ()) {
    // The common case is a trampoline that is not shared. A null handle and a handle in scratch memory have no slot.
    let is_alone = host::slot_in_table(handle).is_some_and(|slot| !maker::has_been_shared(slot));
    // SAFETY: the caller upholds the safety contract.
    if !is_alone || !unsafe { for_capi::free_fast(handle) } {
        free_or_unshare(handle)
    }
}

/// Frees a trampoline or, if it is shared, decrements its use count. The caller of `free` upholds the safety contract
/// of [`statictramp::free`].
///
/// This function is not inlined, so that the common case stays small and saves no registers.
#[cold]
#[inline(never)]
fn free_or_unshare(handle: *const ()) {
    if handle.is_null() {
        return;
    }
    #[cfg(all(feature = "scratch", target_os = "linux"))]
    if handle.addr() & IN_SCRATCH != 0 {
        // SAFETY: `make_slow` made the handle, and the host's memory still exists. A caller may erroneously pass the
        // address of a function or of data, but such memory is not both writable and executable.
        if unsafe { statictramp::for_capi::scratch::end(adjust(handle).cast_mut()) } {
            return;
        }
    }
    if slot_of(handle).is_some_and(maker::unshare) {
        return;
    }
    // SAFETY: the caller upholds the safety contract.
    if let Err(why) = unsafe { for_capi::free_in_row_or_slow(handle) } {
        cannot_free(handle, why)
    }
}

// Other names for the three functions above. They do not call the functions above, because in the shared library a call
// to an exported function goes through the PLT.

#[unsafe(no_mangle)]
extern "C" fn _FortranAInitTrampoline(
    scratch: *mut c_void,
    callee: *const (),
    chain: *mut c_void,
) -> *const () {
    make(scratch, callee, chain.cast(), arch::stack_pointer())
}

#[unsafe(no_mangle)]
extern "C" fn _FortranAAdjustTrampoline(handle: *const ()) -> *const () {
    adjust(handle)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn _FortranAFreeTrampoline(handle: *const ()) {
    // SAFETY: compiled code frees each handle once, at the exit of the host that made it.
    unsafe { free(handle) }
}

/// Returns the address of a trampoline for a callee and a chain. Usually shares a recent live trampoline with the same
/// callee and chain, if one exists, and otherwise makes a new one. The flang plugin inserts calls to this function if
/// the exits of a host cannot be determined from the code. The trampoline is freed with the host's other trampolines,
/// or reclaimed when the table is full and the host's frame has been abandoned.
#[unsafe(no_mangle)]
extern "C" fn statictramp_share(callee: *const (), chain: *mut c_void) -> *const () {
    make_slow(UNKNOWN, callee, chain.cast(), None, core::ptr::null_mut())
}

#[cold]
fn cannot_free(handle: *const (), why: FreeError) -> ! {
    #[cfg(any(target_os = "linux", windows))]
    if matches!(why, FreeError::Lookup(statictramp::LookupError::Foreign))
        && statictramp::for_capi::other_copy::report(handle)
    {
        abort()
    }
    let mut message = Message::new("cannot free ");
    message.address(handle);
    message.text(match why {
        FreeError::Dead => ": the trampoline is already dead",
        _ => ": not a trampoline of this copy of the library",
    });
    message.print();
    abort()
}
