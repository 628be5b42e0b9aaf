//! What GCC's code calls from GCC 14 on, under `-ftrampoline-impl=heap`: a host makes one
//! trampoline for each of its nested functions when it begins, and deletes them when it ends,
//! the newest first. A deletion does not say whose.
//!
//! Each thread keeps a list of its trampolines, from the newest, in the sides of their slots:
//! `{the one before, the place, the thread}`, the place being the stack pointer of the call that
//! made it. A host that calls for a deletion has the stack pointer it had when it called for the
//! making, so what it means is the newest with that. Hosts that were inlined into each other
//! share it, and delete in order.
//!
//! Hosts that are left by `longjmp` or a non-local goto do not call for a deletion. What they
//! leave is told in two ways:
//!
//! - On the thread's own stack, what was made further down than where the stack pointer is now
//!   belongs to frames that are gone. The next that makes or deletes frees that much from the
//!   top of the list, down to the first that may be alive: so each is met once, and what is
//!   left never piles up. What belongs to other stacks (fibers) is left alone.
//! - A host that is called again where its predecessor was left makes the same words at the
//!   same place, on whatever stack. GCC's code makes when a host begins, before that moves its
//!   stack pointer: so no two that are alive were at one place, and it takes that over, to the
//!   top of the list.
//!
//! A signal handler may come between any two steps. While what it has interrupted is at work on
//! the list (`compiled::at_work`), the handler leaves every entry that it finds there alone: it
//! pushes its own on top and deletes those, and takes over none, not even the newest. So what
//! the work has read of an entry stays true. What the handler leaves on top may get lost from
//! the list then; its slot is found by its content, or when the table is full.

use crate::arch;
use crate::compiled::{self, Recent, at_work, end_left_work};
use crate::stack;
use crate::tls::Word::Newest;
use core::cell::Cell;
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
    let made = if is_further_up(here) { make_again(chain.cast(), function, here) } else { None };
    let address = made.unwrap_or_else(|| created_cold(chain.cast(), function, here));
    // SAFETY: compiled code passes the address of a variable for this.
    unsafe { destination.write(address) }
}

/// Whether the newest was made further up than `here`, or there is none: then nothing on top of
/// the list was left on this stack.
#[inline(always)]
fn is_further_up(here: usize) -> bool {
    match Newest.get() {
        0 => true,
        newest => host::slot_in_table(with_exposed_provenance(newest))
            .is_some_and(|slot| side::of(slot).second.load(Relaxed).addr() > here),
    }
}

#[inline(always)]
fn make_again(chain: *mut (), function: *const (), here: usize) -> Option<*const ()> {
    let (address, slot) = host::again(function, chain, |slot| fill(slot, here))?;
    push(address, slot, here);
    Some(address)
}

/// Notes where a trampoline is made, and by whom. Relaxed: arming releases it to those who look
/// whose it is.
#[inline(always)]
fn fill(slot: usize, here: usize) {
    let side = side::of(slot);
    side.second.store(without_provenance_mut(here), Relaxed);
    side.third.store(without_provenance_mut(host::thread()), Relaxed);
}

/// Puts a trampoline on the list.
#[inline(always)]
fn push(address: *const (), slot: usize, here: usize) {
    let push = || push_at_work(address, slot);
    // A handler may, too: it takes its own off again, or never returns.
    at_work(here, |_| false, push).unwrap_or_else(push);
}

/// Relaxed: only this thread reads the link.
#[inline(always)]
fn push_at_work(address: *const (), slot: usize) {
    side::of(slot).first.store(without_provenance_mut(Newest.get()), Relaxed);
    Newest.set(address.addr());
}

/// Apart, so that the usual case is a small function.
#[cold]
#[inline(never)]
fn created_cold(chain: *mut (), function: *const (), here: usize) -> *const () {
    if function.is_null() {
        fatal("a nested function with a null address cannot have a trampoline")
    }
    end_left_work(here);
    free_top_left(here);
    let recent = Recent::new(function, chain);
    if let Some(address) = take_over(&recent, chain, function, here) {
        return address;
    }
    let fill = |slot| fill(slot, here);
    let again = host::again(function, chain, fill);
    let Some((address, slot)) = again.or_else(|| compiled::claim(function, chain, &fill)) else {
        compiled::full()
    };
    push(address, slot, here);
    recent.note(slot);
    address
}

/// Frees what is on top of the list and was left.
fn free_top_left(here: usize) {
    let Some((top, _)) = Made::at(Newest.get()) else { return };
    let Some(left) = stack::left_with(top.place, here) else { return };
    let is_left = |place: usize| left.contains(&place);
    at_work(here, is_left, || {
        while let Some((made, before)) = Made::at(Newest.get())
            && is_left(made.place)
        {
            Newest.set(before);
            free(made.address);
        }
    });
}

/// A trampoline of this thread that was made for just this at just this place: that of a dead
/// predecessor, of this thread or of one that had its memory before.
fn take_over(recent: &Recent, chain: *mut (), function: *const (), here: usize) -> Option<*const ()> {
    let is_mine = |slot: usize| {
        let side = side::of(slot);
        side.second.load(Relaxed).addr() == here && side.third.load(Relaxed).addr() == host::thread()
    };
    // Equal content first: it shows that the slot has a side that is filled.
    let same = |slot| host::equal_in(slot, function, chain).filter(|_| is_mine(slot));
    // A handler that has interrupted work on the list makes one of its own instead.
    at_work(
        here,
        |_| false,
        || {
            let on_top = Made::all().take_while(|made| made.place == here).map(|made| made.slot);
            let found =
                on_top.chain(recent.slots()).find_map(|slot| same(slot).map(|address| (slot, address)));
            let (slot, address) = found?;
            if Newest.get() != address.addr() {
                unlink(|made| made.slot == slot, |_| Go::Stop);
                push_at_work(address, slot);
            }
            Some(address)
        },
    )?
}

/// Frees the newest trampoline of the host that calls.
#[unsafe(no_mangle)]
#[unsafe(naked)]
extern "C" fn __gcc_nested_func_ptr_deleted() {
    arch::go_on!(stack_pointer first, deleted)
}

extern "C" fn deleted(here: usize) {
    match at_work(here, |_| false, || take_newest(here)).flatten() {
        Some(newest) => free(newest),
        None => deleted_cold(here),
    }
}

/// Takes the newest off the list, if it was made at just this place and is in the static table.
#[inline(always)]
fn take_newest(here: usize) -> Option<*const ()> {
    let newest: *const () = with_exposed_provenance(Newest.get());
    let side = side::of(host::slot_in_table(newest)?);
    (side.second.load(Relaxed).addr() == here).then(|| {
        Newest.set(side.first.load(Relaxed).addr());
        newest
    })
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
    end_left_work(here);
    free_top_left(here);
    let take = || {
        // A host that has moved its stack pointer since (alloca) is the next above.
        let wanted = match Made::all().find(|made| made.place == here) {
            Some(made) => Some(made),
            None => Made::all().filter(|made| made.place > here).min_by_key(|made| made.place),
        };
        let wanted = wanted?;
        unlink(|made| made.slot == wanted.slot, |_| Go::Stop);
        Some(wanted.address)
    };
    // A handler may, too: its own is above all that it has interrupted.
    match at_work(here, |_| false, take).unwrap_or_else(take) {
        Some(address) => free(address),
        None => fatal("a nested function's trampoline was deleted, but this thread has none on this stack"),
    }
}

/// Frees all that was left on this thread's list. How many there were.
pub(crate) fn free_left(left: &Range<usize>) -> usize {
    let count = Cell::new(0);
    unlink(
        |made| left.contains(&made.place),
        |address| {
            free(address);
            count.set(count.get() + 1);
            Go::On
        },
    );
    count.get()
}

/// Whether a live trampoline of GCC's code that is not on this thread's list was left there by a
/// thread that was the same to the system, and had this stack.
pub(crate) fn is_left(slot: usize, left: &Range<usize>) -> bool {
    let side = side::of(slot);
    side.third.load(Relaxed).addr() == host::thread() && left.contains(&side.second.load(Relaxed).addr())
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

/// Whether [`unlink`] goes on to the next.
#[derive(PartialEq)]
enum Go {
    On,
    Stop,
}

/// Takes entries off the list; `then` is called for each when it is off.
fn unlink(which: impl Fn(Made) -> bool, then: impl Fn(*const ()) -> Go) {
    let mut next = Newest.get();
    let mut newer: Option<&Side> = None;
    while let Some((made, before)) = Made::at(next) {
        if which(made) {
            match newer {
                Some(side) => side.first.store(without_provenance_mut(before), Relaxed),
                None => Newest.set(before),
            }
            if then(made.address) == Go::Stop {
                return;
            }
        } else {
            newer = Some(side::of(made.slot));
        }
        next = before;
    }
}
