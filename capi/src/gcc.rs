//! What GCC's code calls from GCC 14 on, under `-ftrampoline-impl=heap`: a host makes one
//! trampoline for each of its nested functions when it begins, and deletes them when it ends,
//! the newest first. A deletion does not say whose.
//!
//! Each thread keeps a list of its trampolines, from the newest, in the sides of their slots:
//! `{the one before, the stack pointer of the call that made it}`. A host that calls for a
//! deletion has the stack pointer it had when it called for the making, so what it means is the
//! newest with that. Hosts that were inlined into each other share it, and delete in order.
//! Between those may lie
//!
//! - what belongs to other stacks (fibers), which is left alone;
//! - on the thread's own stack, what belongs to frames further down, which are gone
//!   (`longjmp`, non-local goto): those are freed.
//!
//! A host that is called again where it was left by `longjmp` finds its own trampoline on top,
//! made with the same words at the same place. It takes that over.

use crate::arch;
use crate::compiled::{self, Recent};
use crate::stack;
use crate::tls::Word::Newest;
use core::ffi::c_void;
use core::ops::Range;
use core::ptr::{with_exposed_provenance, without_provenance_mut};
use core::sync::atomic::Ordering::Relaxed;
use statictramp::line::fatal;
use statictramp::side::Side;
use statictramp::{host, side, slot_of};

/// Makes a trampoline for a nested function and stores its address at `destination`.
///
/// Naked, to pass the stack pointer of the call on as a fourth argument.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn __gcc_nested_func_ptr_created(
    chain: *mut c_void,
    function: *const (),
    destination: *mut *const (),
) {
    arch::go_on!(stack_pointer fourth, created)
}

unsafe extern "C" fn created(
    chain: *mut c_void,
    function: *const (),
    destination: *mut *const (),
    here: usize,
) {
    let address = match host::again(function, chain.cast()) {
        Some((address, slot)) => {
            push(address, side::of(slot), here);
            address
        }
        None => created_cold(chain.cast(), function, here),
    };
    // SAFETY: compiled code passes the address of a variable for this.
    unsafe { destination.write(address) }
}

fn push(address: *const (), side: &Side, here: usize) {
    // Relaxed: only this thread reads them, until it has deleted the trampoline.
    side.first.store(without_provenance_mut(Newest.get()), Relaxed);
    side.second.store(without_provenance_mut(here), Relaxed);
    Newest.set(address.addr());
}

/// Apart, so that the usual case is a small function.
#[cold]
#[inline(never)]
fn created_cold(chain: *mut (), function: *const (), here: usize) -> *const () {
    if function.is_null() {
        fatal("a nested function with a null address cannot have a trampoline")
    }
    stack::learn_first();
    for made in Made::all().take_while(|made| made.place == here) {
        if host::equal_in(made.slot, function, chain).is_some() {
            return made.address; // left there by a dead predecessor
        }
    }
    let recent = Recent::new(function, chain);
    let left = recent.slots().find_map(|slot| left_by_a_thread(slot, function, chain, here));
    let Some((address, slot)) = left.or_else(|| compiled::claim(function, chain)) else { compiled::full() };
    recent.note(slot);
    push(address, side::of(slot), here);
    address
}

/// The trampoline in a slot, if it was made for just this frame of this stack. It is not on
/// this thread's list, so it is that of a thread that had the stack before and has ended.
fn left_by_a_thread(
    slot: usize,
    function: *const (),
    chain: *mut (),
    here: usize,
) -> Option<(*const (), usize)> {
    let address = host::equal_in(slot, function, chain)?;
    let is_here = side::of(slot).second.load(Relaxed).addr() == here && stack::holds(here);
    (is_here && Made::all().all(|made| made.slot != slot)).then_some((address, slot))
}

/// Frees the newest trampoline of the host that calls.
#[unsafe(no_mangle)]
#[unsafe(naked)]
extern "C" fn __gcc_nested_func_ptr_deleted() {
    arch::go_on!(stack_pointer first, deleted)
}

extern "C" fn deleted(here: usize) {
    let newest: *const () = with_exposed_provenance(Newest.get());
    if let Some(slot) = host::slot_in_table(newest) {
        let side = side::of(slot);
        if side.second.load(Relaxed).addr() == here {
            Newest.set(side.first.load(Relaxed).addr());
            return free(newest);
        }
    }
    deleted_cold(here)
}

fn free(address: *const ()) {
    // SAFETY: only this thread had it on its list, and now no more.
    if unsafe { statictramp::free(address) }.is_err() {
        fatal("a nested function's trampoline was freed before GCC's code deleted it")
    }
}

/// The newest is another's.
#[cold]
#[inline(never)]
fn deleted_cold(here: usize) {
    if let Some(left) = stack::left_below(here) {
        unlink(|made| left.contains(&made.place), free);
    }
    // A host that has moved its stack pointer since (alloca) is the next above.
    let wanted = match Made::all().find(|made| made.place == here) {
        Some(made) => Some(made),
        None => Made::all().filter(|made| made.place > here).min_by_key(|made| made.place),
    };
    let Some(wanted) = wanted else {
        fatal("a nested function's trampoline was deleted, but this thread has none on this stack")
    };
    unlink(|made| made.address == wanted.address, free);
}

/// Takes off this thread's list what belongs to frames that are gone, before their slots are
/// taken back.
pub(crate) fn forget(left: &Range<usize>) {
    unlink(|made| left.contains(&made.place), |_| {});
}

/// An entry of this thread's list.
#[derive(Clone, Copy)]
struct Made {
    address: *const (),
    slot: usize,
    /// The stack pointer of the call that made it.
    place: usize,
}

impl Made {
    /// The entry at an address, and the address of the one before.
    fn at(address: usize) -> Option<(Made, usize)> {
        let address: *const () = with_exposed_provenance(address);
        let slot = slot_of(address)?; // none for null, the end of the list
        let side = side::of(slot);
        let place = side.second.load(Relaxed).addr();
        Some((Made { address, slot, place }, side.first.load(Relaxed).addr()))
    }

    /// This thread's list, from the newest.
    fn all() -> impl Iterator<Item = Made> {
        let mut next = Newest.get();
        core::iter::from_fn(move || {
            let (made, before) = Made::at(next)?;
            next = before;
            Some(made)
        })
    }
}

/// Takes entries off the list; `then` is called for each when it is off.
fn unlink(which: impl Fn(Made) -> bool, then: impl Fn(*const ())) {
    let mut next = Newest.get();
    let mut newer: Option<&Side> = None;
    while let Some((made, before)) = Made::at(next) {
        if which(made) {
            match newer {
                Some(side) => side.first.store(without_provenance_mut(before), Relaxed),
                None => Newest.set(before),
            }
            then(made.address);
        } else {
            newer = Some(side::of(made.slot));
        }
        next = before;
    }
}
