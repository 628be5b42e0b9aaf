//! Trampolines for code that a compiler made, which cannot handle a failure: each ends the
//! program with one line.
//!
//! Such a trampoline belongs to a host procedure, whose frame is the chain. The side of its
//! slot says which thread made it, and how often it was shared since.
//!
//! A host that is left by `longjmp` does not free. Two rules put that right:
//!
//! - A host that is called again after a `longjmp` may find its dead predecessor's frame at
//!   its very address, and so ask for just the content that a live slot has. It is given that
//!   slot too, and counted: then it does not matter whether the other is dead, or is this
//!   host itself, which asks twice. Only what a thread made for a frame on its own stack is
//!   shared in this way, and only with itself, so the count needs no exchange. Threads of one
//!   parallel region, which ask for equal content at once, have a slot each.
//! - When no slot is free: a chain on this thread's own stack, below the frames that are
//!   there now, is that of a host that is gone, and its slot is taken back.
//!
//! A signal handler that comes between reading and writing a count frees what it makes before
//! it returns, or never returns; so the count is what it was.

use crate::stack;
use core::ffi::c_void;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use statictramp::host::INDEX_BITS;
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
    find_or_make(callee, chain, |slot| share(slot, callee, chain))
}

/// The address of a trampoline that has this content, whoever made it; of a new one if there is
/// none. Nobody counts who has it.
pub(crate) fn make_or_find(callee: *const (), chain: *mut ()) -> Option<*const ()> {
    find_or_make(callee, chain, |slot| host::equal_in(slot, callee, chain))
}

/// What `there` has in a slot that was made with this content lately; else a new trampoline;
/// before the table grows for one, what it has in any slot with this content.
fn find_or_make(
    callee: *const (),
    chain: *mut (),
    there: impl Fn(usize) -> Option<*const ()>,
) -> Option<*const ()> {
    let recent = Recent::new(callee, chain);
    if let Some(address) = recent.slots().find_map(&there) {
        return Some(address);
    }
    let made = claim_in_place(callee, chain);
    if made.is_none()
        && let Some(address) = host::equal(callee, chain).find_map(&there)
    {
        return Some(address);
    }
    let made = made.or_else(|| host::make_growing(callee, chain))?;
    recent.note(made.1);
    Some(owned(made))
}

/// A trampoline in a slot that is free, or that a host has left that is gone; not by growth.
fn claim_in_place(callee: *const (), chain: *mut ()) -> Option<(*const (), usize)> {
    host::make(callee, chain).or_else(|| if make_room() { host::make(callee, chain) } else { None })
}

/// The same, and by growth. The side of its slot is the caller's to fill.
pub(crate) fn claim(callee: *const (), chain: *mut ()) -> Option<(*const (), usize)> {
    claim_in_place(callee, chain).or_else(|| host::make_growing(callee, chain))
}

/// Takes back what hosts that are gone have left: true if there was anything.
#[cold]
#[inline(never)]
pub(crate) fn make_room() -> bool {
    let here = 0u8; // its address is below every frame that is not left
    let Some(left) = stack::left_below((&raw const here).addr()) else {
        return false;
    };
    crate::gcc::forget(&left);
    // SAFETY: a frame that was left never runs again.
    unsafe { host::reclaim(|chain| left.contains(&chain.addr())) > 0 }
}

/// Advice: slots by a hash of what they were made with. Whatever stands there is looked at
/// before it is used, so it may be wrong in any way.
static RECENT: [AtomicU32; 1024] = [const { AtomicU32::new(0) }; 1024];

/// The few places of `RECENT` in which a content is looked for.
pub(crate) struct Recent {
    home: usize,
    /// More of the hash, kept above a slot's index, so that few slots are looked at in vain.
    tag: u32,
}

const PLACES: usize = 8;

impl Recent {
    pub(crate) fn new(callee: *const (), chain: *mut ()) -> Self {
        let both = callee.addr() as u64 ^ (chain.addr() as u64).rotate_left(32);
        let hash = both.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Recent { home: (hash >> 48) as usize, tag: (hash >> 16) as u32 >> INDEX_BITS | 1 }
    }

    fn places(&self) -> impl Iterator<Item = &'static AtomicU32> {
        let home = self.home;
        (home..home + PLACES).map(|place| &RECENT[place % RECENT.len()])
    }

    pub(crate) fn slots(&self) -> impl Iterator<Item = usize> {
        let noted = self.places().map(|place| place.load(Relaxed));
        let like = noted.filter(|noted| noted >> INDEX_BITS == self.tag);
        like.map(|noted| (noted & ((1 << INDEX_BITS) - 1)) as usize)
    }

    /// In a place that is empty; else in one that gives way.
    pub(crate) fn note(&self, slot: usize) {
        let empty = self.places().find(|place| place.load(Relaxed) == 0);
        if let Some(place) = empty.or_else(|| self.places().nth(slot % PLACES)) {
            place.store(self.tag << INDEX_BITS | slot as u32, Relaxed);
        }
    }
}

/// The trampoline in a slot once more, if it is this thread's, for a frame on its stack, and
/// has this very content.
fn share(slot: usize, callee: *const (), chain: *mut ()) -> Option<*const ()> {
    if !stack::holds(chain.addr()) {
        return None;
    }
    let address = host::equal_in(slot, callee, chain)?;
    let side = side::of(slot);
    if side.first.load(Relaxed).addr() != host::thread() {
        return None;
    }
    side.second.store(side.second.load(Relaxed).wrapping_byte_add(1), Relaxed);
    Some(address)
}

/// Frees a trampoline, or one claim to a shared one.
///
/// # Safety
/// As for [`statictramp::free`].
#[inline(always)]
pub(crate) unsafe fn free(address: *const ()) -> Result<(), FreeError> {
    match host::slot_in_table(address) {
        Some(slot) if side::of(slot).second.load(Relaxed).is_null() => {
            // SAFETY: the caller's promise.
            unsafe { statictramp::free(address) }
        }
        _ => free_cold(address),
    }
}

#[cold]
#[inline(never)]
fn free_cold(address: *const ()) -> Result<(), FreeError> {
    match slot_of(address) {
        Some(slot) if !side::of(slot).second.load(Relaxed).is_null() && was_shared(slot) => Ok(()),
        // SAFETY: promised to `free`.
        _ => unsafe { statictramp::free(address) },
    }
}

/// Takes one from the count of a host's trampoline. The side of another's slot means
/// something else.
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
