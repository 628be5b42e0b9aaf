//! Trampolines for code that a compiler made, which cannot handle a failure: each ends the
//! program with one line.
//!
//! Such a trampoline belongs to a host procedure, whose frame is the chain. The side of its
//! slot says which thread made it, and how often it was shared since.
//!
//! A host that is left by `longjmp` does not free. That is put right when no slot is free:
//!
//! - a chain on this thread's own stack, below the frames that are there now, is that of a
//!   host that is gone: its slot is taken back;
//! - a host that is called again after a `longjmp` may find its dead predecessor's frame at
//!   its very address, and a live slot with just the content it asks for. That slot is given
//!   to it too, and counted: then it does not matter whether the other is dead, or is this
//!   host itself, which asks twice. Only a thread's own trampolines are shared in this way,
//!   so the count needs no exchange. Threads of one parallel region, which ask for equal
//!   content at once, have a slot each.

use crate::stack;
use core::ffi::c_void;
use core::sync::atomic::Ordering::Relaxed;
use statictramp::line::{Line, abort, fatal};
use statictramp::{FreeError, host, side, slot_of};

/// The address of a new trampoline of a host, `None` if there can be no more.
#[inline(always)]
pub(crate) fn make(callee: *const (), chain: *mut c_void) -> Option<*const ()> {
    match host::again(callee, chain.cast()) {
        Some(made) => Some(owned(made)),
        None => make_cold(callee, chain.cast()),
    }
}

/// Notes that this thread made the trampoline in a slot.
///
/// Relaxed: only this thread compares, or who frees.
#[inline(always)]
fn owned((address, slot): (*const (), usize)) -> *const () {
    let side = side::of(slot);
    side.first.store(core::ptr::without_provenance_mut(host::thread()), Relaxed);
    side.second.store(core::ptr::null_mut(), Relaxed);
    address
}

/// Apart, so that the usual case is a small function that saves no registers.
#[cold]
#[inline(never)]
fn make_cold(callee: *const (), chain: *mut ()) -> Option<*const ()> {
    if callee.is_null() {
        fatal("an internal procedure with a null address cannot have a trampoline")
    }
    stack::learn_first();
    host::make(callee, chain)
        .map(owned)
        .or_else(|| make_of_gone(callee, chain))
        .or_else(|| host::make_growing(callee, chain).map(owned))
}

/// Takes back what hosts that are gone have left, or shares it.
#[cold]
#[inline(never)]
fn make_of_gone(callee: *const (), chain: *mut ()) -> Option<*const ()> {
    let here = 0u8; // its address is below every frame that is not left
    let left = stack::left_below((&raw const here).addr())?;
    // SAFETY: a frame that was left never runs again.
    if unsafe { host::reclaim(|chain| left.contains(&chain.addr())) } > 0 {
        let made = host::make(callee, chain).map(owned);
        if made.is_some() {
            return made;
        }
    }
    let me = core::ptr::without_provenance_mut(host::thread());
    let (address, slot) =
        host::equal(callee, chain).find(|&(_, slot)| side::of(slot).first.load(Relaxed) == me)?;
    let count = &side::of(slot).second;
    count.store(count.load(Relaxed).wrapping_byte_add(1), Relaxed);
    Some(address)
}

/// Frees a trampoline, or one claim to a shared one.
///
/// # Safety
/// As for [`statictramp::free`].
#[inline(always)]
pub(crate) unsafe fn free(address: *const ()) -> Result<(), FreeError> {
    if let Some(slot) = slot_of(address)
        && !side::of(slot).second.load(Relaxed).is_null()
        && was_shared(slot)
    {
        return Ok(());
    }
    // SAFETY: the caller's promise.
    unsafe { statictramp::free(address) }
}

/// Takes one from the count of a host's trampoline. The side of another's slot means
/// something else.
#[cold]
#[inline(never)]
fn was_shared(slot: usize) -> bool {
    let shared = host::owns(slot);
    if shared {
        let count = &side::of(slot).second;
        count.store(count.load(Relaxed).wrapping_byte_sub(1), Relaxed);
    }
    shared
}

/// Says that there are no trampolines left, and what can be done.
#[cold]
pub(crate) fn full() -> ! {
    let mut line = Line::new("all ");
    line.decimal(statictramp::capacity());
    line.text(" trampolines are in use, and the table cannot grow: ").text(statictramp::why_full());
    line.text("; build the library with a larger STATICTRAMP_SLOTS").print();
    abort()
}
