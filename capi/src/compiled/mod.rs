//! Trampolines for code that a compiler made, which cannot handle a failure: each failure ends the
//! program with one line.
//!
//! Such a trampoline belongs to a host procedure, whose frame is the chain. Extra words of its slot
//! say where the stack pointer was when it was made (`place.rs`), and, for flang's code, how often
//! it was shared since.
//!
//! A host that is left by `longjmp` does not free. Two rules put that right:
//!
//! - A host that is called again after a `longjmp` may find its dead predecessor's frame at
//!   its very address, and so ask, at the same place, for just the content that a live slot
//!   has. It is given that slot too, and counted: then it does not matter whether the other
//!   is dead, or is this host itself, which asks twice. Both have had the stack pointer at one
//!   place, so they are on one stack, whose code runs on one thread at a time: the count needs
//!   no exchange. The same holds for two places on this thread's own stack that differ because
//!   a frame has grown by another amount (`alloca`). A host on another stack that asks for
//!   equal content is given a slot of its own.
//! - When no slot is free: a chain on this thread's own stack, below the frames that are
//!   there now, is that of a host that is gone, and its slot is taken back (`reclaim.rs`).
//!
//! A signal handler that comes between reading and writing a count frees what it makes before
//! it returns, or never returns; so the count is what it was.

pub(crate) mod at_work;
#[cfg(target_os = "linux")]
mod block;
mod flang;
mod gcc;
pub(crate) mod left;
pub(crate) mod place;
mod recent;
#[cfg_attr(any(target_os = "macos", windows), path = "stack_told.rs")]
pub(crate) mod stack;
pub(crate) mod thread_list;
#[cfg_attr(target_os = "macos", path = "keys.rs")]
pub(crate) mod tls;

use crate::reclaim::make_room;
use core::cell::Cell;
use core::ffi::c_void;
use core::sync::atomic::Ordering::Relaxed;
use recent::Recent;
use statictramp::runtime::host::Made;
use statictramp::runtime::message::{Message, abort, fatal};
use statictramp::runtime::{extra, host};
use statictramp::{FreeError, slot_of};

/// The address of a new trampoline of a host; what `last_resort` gives if there can be no more. `place` is where the
/// stack pointer is.
///
/// Whatever is not the usual case is the last thing done, so that the usual one saves no registers.
#[inline(always)]
fn make(
    scratch: *mut c_void,
    callee: *const (),
    chain: *mut c_void,
    place: usize,
    last_resort: fn(*mut c_void, *const (), *mut c_void) -> *const (),
) -> *const () {
    let was_here = Cell::new(true);
    let note = |slot| note_place(slot, place, &was_here);
    match host::make_fast(callee, chain.cast(), note) {
        Some((address, _)) if was_here.get() => address,
        Some((address, slot)) => share_instead(address, slot, callee, chain.cast(), place),
        None => make_cold(scratch, callee, chain.cast(), place, last_resort),
    }
}

/// Notes where a trampoline is made. `was_here`: whether the one before in this slot was made there, too.
#[inline(always)]
fn note_place(slot: usize, place: usize, was_here: &Cell<bool>) {
    was_here.set(place::is_at(slot, place));
    place::note(slot, place);
}

/// The trampoline in a slot that was just made again, but served a host at another place before;
/// a dead predecessor's in its stead, if there is one. Without this, each that a host leaves
/// could take another of the slots that a recursion has freed.
#[cold]
#[inline(never)]
fn share_instead(made: *const (), slot: usize, callee: *const (), chain: *mut (), place: usize) -> *const () {
    let recent = Recent::new(callee, chain);
    let mut others = recent.slots().filter(|&other| other != slot);
    let Some(address) = others.find_map(|other| share(other, callee, chain, place)) else {
        recent.note(slot);
        return made;
    };
    place::forget(slot);
    // SAFETY: made by this call, and nobody has it.
    if unsafe { statictramp::free(made) }.is_err() {
        fatal("BUG: a trampoline that was just made is dead")
    }
    address
}

#[cold]
#[inline(never)]
fn make_cold(
    scratch: *mut c_void,
    callee: *const (),
    chain: *mut (),
    place: usize,
    last_resort: fn(*mut c_void, *const (), *mut c_void) -> *const (),
) -> *const () {
    if callee.is_null() {
        fatal("an internal procedure with a null address cannot have a trampoline")
    }
    let was_here = Cell::new(true);
    let note = |slot| note_place(slot, place, &was_here);
    if let Some((address, slot)) = host::make_listed(callee, chain, note) {
        return if was_here.get() { address } else { share_instead(address, slot, callee, chain, place) };
    }
    let made = find_or_make(callee, chain, place, &|slot| share(slot, callee, chain, place));
    made.unwrap_or_else(|| last_resort(scratch, callee, chain.cast()))
}

/// The address of a trampoline that has this content, whoever made it; of a new one if there is
/// none. Nobody counts who has it.
fn make_or_find(callee: *const (), chain: *mut ()) -> Option<*const ()> {
    const NOWHERE: usize = 0; // whoever asks may be gone before the host is
    find_or_make(callee, chain, NOWHERE, &|slot| host::equal_in(slot, callee, chain))
}

/// What `there` has in a slot that was made with this content lately; else a new trampoline;
/// before the table grows for one, what it has in any slot with this content.
fn find_or_make(
    callee: *const (),
    chain: *mut (),
    place: usize,
    there: &dyn Fn(usize) -> Option<*const ()>,
) -> Option<*const ()> {
    let recent = Recent::new(callee, chain);
    if let Some(address) = recent.slots().find_map(there) {
        return Some(address);
    }
    let fill = |slot| place::note(slot, place);
    let same = || host::equal(callee, chain).find_map(there);
    match host::make(callee, chain, &fill, make_room, &same)? {
        Made::New(address, slot) => {
            recent.note(slot);
            Some(address)
        }
        Made::Same(address) => Some(address),
    }
}

/// The trampoline in a slot once more, if it was made for this very content at this very place, or at another on this
/// thread's own stack.
fn share(slot: usize, callee: *const (), chain: *mut (), place: usize) -> Option<*const ()> {
    let address = host::equal_in(slot, callee, chain)?;
    let made_at = place::made_at(slot)?;
    if made_at != place && !stack::are_own(place, made_at) {
        return None;
    }
    let count = &extra::of(slot).first;
    count.store(count.load(Relaxed).wrapping_byte_add(1), Relaxed);
    Some(address)
}

/// Frees a trampoline that is not shared, in the usual case. False, and nothing is done, in any other, which is a
/// matter for [`free_cold`].
///
/// # Safety
/// As for [`statictramp::free`].
#[inline(always)]
unsafe fn free_fast(address: *const ()) -> bool {
    let alone = |slot: usize| extra::of(slot).first.load(Relaxed).is_null();
    // SAFETY: the caller's promise.
    host::slot_in_table(address).is_some_and(alone) && unsafe { host::free_fast(address) }
}

/// Frees a trampoline, or one claim to a shared one. The caller has promised what [`statictramp::free`] demands.
fn free_cold(address: *const ()) -> Result<(), FreeError> {
    match slot_of(address) {
        Some(slot) if !extra::of(slot).first.load(Relaxed).is_null() && was_shared(slot) => Ok(()),
        // SAFETY: the caller's promise.
        _ => unsafe { statictramp::free(address) },
    }
}

/// Takes one from the count of a host's trampoline. The extra words of another's slot mean
/// something else.
fn was_shared(slot: usize) -> bool {
    let shared = host::content(slot).is_some() && place::made_at(slot).is_some();
    if shared {
        let count = &extra::of(slot).first;
        count.store(count.load(Relaxed).wrapping_byte_sub(1), Relaxed);
    }
    shared
}

/// Prints that there are no trampolines left, and what can be done, and ends the program.
#[cold]
fn full() -> ! {
    let mut message = Message::new("all ");
    message.decimal(statictramp::capacity()).text(" trampolines are in use, and the table cannot grow: ");
    message
        .text(statictramp::runtime::why_full())
        .text("; build the library with a larger STATICTRAMP_SLOTS")
        .print();
    abort()
}
