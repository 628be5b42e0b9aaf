//! Trampolines for code that a compiler made, which cannot handle a failure: each ends the
//! program with one line.
//!
//! Such a trampoline belongs to a host procedure, whose frame is the chain. The side of its
//! slot says how often it was shared since it was made, and at which *place*: where the stack
//! pointer was then. Its lowest bit is set, to tell it from what GCC's code made (`gcc.rs`).
//!
//! A host that is left by `longjmp` does not free. Two rules put that right:
//!
//! - A host that is called again after a `longjmp` may find its dead predecessor's frame at
//!   its very address, and so ask, at the same place, for just the content that a live slot
//!   has. It is given that slot too, and counted: then it does not matter whether the other
//!   is dead, or is this host itself, which asks twice. Both have had the stack pointer at one
//!   place, so they are on one stack, whose code runs on one thread at a time: the count needs
//!   no exchange, whatever stack it is, and whoever asks elsewhere for equal content. So it is
//!   with two places on this thread's own stack: a frame may grow by another amount each time.
//! - When no slot is free: a chain on this thread's own stack, below the frames that are
//!   there now, is that of a host that is gone, and its slot is taken back.
//!
//! A signal handler that comes between reading and writing a count frees what it makes before
//! it returns, or never returns; so the count is what it was.

use crate::gcc;
use crate::stack;
use crate::tls::Word;
use core::cell::Cell;
use core::ffi::c_void;
use core::ops::Range;
use core::ptr::{null_mut, without_provenance_mut};
use core::sync::atomic::Ordering::{Relaxed, SeqCst};
use core::sync::atomic::{AtomicU32, compiler_fence};
use statictramp::host::INDEX_BITS;
use statictramp::line::{Line, abort, fatal};
use statictramp::{FreeError, host, side, slot_of};

/// Set in the second word of a side here, beside the place.
const NOT_OF_GCC: usize = 1;

/// The address of a new trampoline of a host, `None` if there can be no more. `place` is where
/// the stack pointer is.
#[inline(always)]
pub(crate) fn make(callee: *const (), chain: *mut c_void, place: usize) -> Option<*const ()> {
    let was_here = Cell::new(true);
    let note = |slot| {
        was_here.set(side::of(slot).second.load(Relaxed).addr() == place | NOT_OF_GCC);
        note_place(slot, place)
    };
    match host::again(callee, chain.cast(), note) {
        Some((address, _)) if was_here.get() => Some(address),
        Some((address, slot)) => Some(share_instead(address, slot, callee, chain.cast(), place)),
        None => make_cold(callee, chain.cast(), place),
    }
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
    // It served nobody here.
    side::of(slot).second.store(null_mut(), Relaxed);
    // SAFETY: made by this call, and nobody has it.
    if unsafe { statictramp::free(made) }.is_err() {
        fatal("BUG: a trampoline that was just made is dead")
    }
    address
}

/// Notes where a trampoline is made, and that it is not shared.
///
/// Relaxed: arming releases it.
#[inline(always)]
fn note_place(slot: usize, place: usize) {
    let side = side::of(slot);
    side.first.store(null_mut(), Relaxed);
    side.second.store(without_provenance_mut(place | NOT_OF_GCC), Relaxed);
}

/// Whether a live trampoline of a host was made here, not by GCC's code.
fn is_not_of_gcc(slot: usize) -> bool {
    side::of(slot).second.load(Relaxed).addr() & NOT_OF_GCC != 0
}

/// Apart, so that the usual case is a small function that saves no registers.
#[cold]
#[inline(never)]
fn make_cold(callee: *const (), chain: *mut (), place: usize) -> Option<*const ()> {
    if callee.is_null() {
        fatal("an internal procedure with a null address cannot have a trampoline")
    }
    find_or_make(callee, chain, place, |slot| share(slot, callee, chain, place))
}

/// The address of a trampoline that has this content, whoever made it; of a new one if there is
/// none. Nobody counts who has it.
pub(crate) fn make_or_find(callee: *const (), chain: *mut ()) -> Option<*const ()> {
    const NOWHERE: usize = 0; // whoever asks may be gone before the host is
    find_or_make(callee, chain, NOWHERE, |slot| host::equal_in(slot, callee, chain))
}

/// What `there` has in a slot that was made with this content lately; else a new trampoline;
/// before the table grows for one, what it has in any slot with this content.
fn find_or_make(
    callee: *const (),
    chain: *mut (),
    place: usize,
    there: impl Fn(usize) -> Option<*const ()>,
) -> Option<*const ()> {
    let recent = Recent::new(callee, chain);
    if let Some(address) = recent.slots().find_map(&there) {
        return Some(address);
    }
    let fill = |slot| note_place(slot, place);
    let made = claim_in_place(callee, chain, &fill);
    if made.is_none()
        && let Some(address) = host::equal(callee, chain).find_map(&there)
    {
        return Some(address);
    }
    let (address, slot) = made.or_else(|| host::make_growing(callee, chain, fill))?;
    recent.note(slot);
    Some(address)
}

/// A trampoline in a slot that is free, or that a host has left that is gone; not by growth.
fn claim_in_place(callee: *const (), chain: *mut (), fill: &dyn Fn(usize)) -> Option<(*const (), usize)> {
    let claim = || host::make(callee, chain, fill);
    claim().or_else(|| if make_room() { claim() } else { None })
}

/// The same, and by growth. `fill` fills the side of the slot.
pub(crate) fn claim(callee: *const (), chain: *mut (), fill: &dyn Fn(usize)) -> Option<(*const (), usize)> {
    claim_in_place(callee, chain, fill).or_else(|| host::make_growing(callee, chain, fill))
}

/// Takes back what hosts that are gone have left: true if there was anything.
#[cold]
#[inline(never)]
pub(crate) fn make_room() -> bool {
    let here = 0u8; // its address is below every frame that is not left
    let here = (&raw const here).addr();
    stack::left_below(here).is_some_and(|left| take_back(&left))
        || stack::left_below_besides(here).is_some_and(|left| take_back(&left))
}

/// What was made by GCC's code is on some thread's list, as long as that thread is there; so a
/// thread takes back only its own.
fn take_back(left: &Range<usize>) -> bool {
    let gone = |slot, chain: *mut ()| {
        left.contains(&chain.addr()) && (is_not_of_gcc(slot) || gcc::is_left(slot, left))
    };
    let take = || {
        let listed = gcc::free_left(left);
        // SAFETY: a frame that was left never runs again.
        listed + unsafe { host::reclaim(gone) } > 0
    };
    at_work(left.end, |place| left.contains(&place), take).unwrap_or(false)
}

/// Does what a signal handler must not do while it has interrupted the same, on its thread;
/// then it is not done. `here` is above this work and below every frame that is not left;
/// `left` tells where work was left by a jump out of a handler.
#[inline(always)]
pub(crate) fn at_work<T>(here: usize, left: impl Fn(usize) -> bool, work: impl FnOnce() -> T) -> Option<T> {
    let before = Word::AtWork.get();
    if before != 0 && !left(before) {
        return None;
    }
    Word::AtWork.set(here - 1);
    // Only this thread and its handlers look, so the compiler alone must keep the order.
    compiler_fence(SeqCst);
    let result = work();
    compiler_fence(SeqCst);
    Word::AtWork.set(0);
    Some(result)
}

/// Ends work that was left by a jump out of a handler, where that can be told.
pub(crate) fn end_left_work(here: usize) {
    let place = Word::AtWork.get();
    if place != 0 && stack::left_with(place, here).is_some() {
        Word::AtWork.set(0);
    }
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

/// The trampoline in a slot once more, if it was made for this very content at this very place, or at another on this
/// thread's own stack.
fn share(slot: usize, callee: *const (), chain: *mut (), place: usize) -> Option<*const ()> {
    let address = host::equal_in(slot, callee, chain)?;
    let side = side::of(slot);
    let made_at = side.second.load(Relaxed).addr();
    if made_at != place | NOT_OF_GCC
        && (made_at & NOT_OF_GCC == 0 || !stack::are_own(place, made_at & !NOT_OF_GCC))
    {
        return None;
    }
    side.first.store(side.first.load(Relaxed).wrapping_byte_add(1), Relaxed);
    Some(address)
}

/// Frees a trampoline, or one claim to a shared one.
///
/// # Safety
/// As for [`statictramp::free`].
#[inline(always)]
pub(crate) unsafe fn free(address: *const ()) -> Result<(), FreeError> {
    match host::slot_in_table(address) {
        Some(slot) if side::of(slot).first.load(Relaxed).is_null() => {
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
        Some(slot) if !side::of(slot).first.load(Relaxed).is_null() && was_shared(slot) => Ok(()),
        // SAFETY: promised to `free`.
        _ => unsafe { statictramp::free(address) },
    }
}

/// Takes one from the count of a host's trampoline. The side of another's slot means
/// something else.
fn was_shared(slot: usize) -> bool {
    let shared = host::owns(slot) && is_not_of_gcc(slot);
    if shared {
        let count = &side::of(slot).first;
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
