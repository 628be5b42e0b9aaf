//! A per-thread list of the trampolines that GCC-compiled code has made on the thread, newest first. The entries are
//! linked through the extra words of their slots. `gcc.rs` explains the purpose of the lists.
//!
//! A signal handler may run between any two steps. If the interrupted code is changing the list (`at_work.rs`), the
//! handler only pushes its own entries on top and removes them again. It neither changes nor takes over an existing
//! entry, not even the newest one, so the values that the interrupted code has read from an entry stay valid. An entry
//! that the handler leaves on top may later be lost from the list; its slot is then found by its contents, or reclaimed
//! when the table is full.

use super::abandoned::Abandoned;
use super::at_work::at_work;
use super::tls::Word::Newest;
use super::{maker, stack};
use core::cell::Cell;
use core::ptr::{with_exposed_provenance, without_provenance_mut};
use core::sync::atomic::Ordering::Relaxed;
use statictramp::for_capi::extra::SlotExtra;
use statictramp::for_capi::message::fatal;
use statictramp::for_capi::{self, extra, host};
use statictramp::slot_of;

/// The maximum length of a list that is searched whenever a trampoline is made or deleted. For a longer list, it is
/// faster to query the stack's bounds.
pub(super) const SHORT: usize = 32;

/// An entry of this thread's list.
#[derive(Clone, Copy)]
struct Listed {
    address: *const (),
    slot: usize,
    /// The stack pointer of the call that made the trampoline.
    stack_pointer: usize,
}

impl Listed {
    /// Returns the entry for the trampoline at an address, and the address of the next older trampoline, or `None` if
    /// there is no trampoline at the address.
    fn at(address: usize) -> Option<(Listed, usize)> {
        let address: *const () = with_exposed_provenance(address);
        let slot = slot_of(address)?; // null, the end of the list, has no slot
        // Relaxed: the link was stored by this thread or by a thread that has ended.
        let before = extra::of(slot).first.load(Relaxed).addr();
        Some((Listed { address, slot, stack_pointer: maker::made_by_gcc_at(slot) }, before))
    }

    /// Returns the static chain (an address in the host's frame).
    fn chain(&self) -> usize {
        host::content(self.slot).map_or(0, |(_, chain)| chain.addr())
    }

    /// Iterates over this thread's list, newest first.
    fn all() -> impl Iterator<Item = Listed> {
        let mut next = Newest.get();
        core::iter::from_fn(move || {
            let (entry, before) = Listed::at(next)?;
            next = before;
            Some(entry)
        })
    }
}

/// Returns whether the list is empty, or begins with an entry that was made above `here`, and so does not belong to an
/// abandoned frame on this stack.
#[inline(always)]
pub(super) fn is_further_up(here: usize) -> bool {
    match Newest.get() {
        0 => true,
        newest => host::slot_in_table(with_exposed_provenance(newest))
            .is_some_and(|slot| maker::made_by_gcc_at(slot) > here),
    }
}

/// Pushes a trampoline on top of the list.
#[inline(always)]
pub(super) fn push(address: *const (), slot: usize, here: usize) {
    let push = || push_at_work(address, slot);
    // A handler may push while other code is changing the list, because the handler either removes its own entry again
    // or never returns.
    at_work(here, |_| false, push).unwrap_or_else(push);
}

/// Pushes a trampoline without taking the guard for the list. (`push` takes it.) Relaxed: only this thread reads the
/// link.
#[inline(always)]
fn push_at_work(address: *const (), slot: usize) {
    extra::of(slot).first.store(without_provenance_mut(Newest.get()), Relaxed);
    Newest.set(address.addr());
}

/// Removes and frees the newest trampoline if it was made with exactly the stack pointer `here` and is in the static
/// table. Returns whether the trampoline was freed.
#[inline(always)]
pub(super) fn free_newest(here: usize) -> bool {
    match at_work(here, |_| false, || take_newest(here)).flatten() {
        Some(newest) => {
            // SAFETY: the trampoline was only on this thread's list, and it has been removed from the list.
            if !unsafe { for_capi::free_fast(newest) } {
                free(newest);
            }
            true
        }
        None => false,
    }
}

#[inline(always)]
fn take_newest(here: usize) -> Option<*const ()> {
    let newest: *const () = with_exposed_provenance(Newest.get());
    let slot = host::slot_in_table(newest)?;
    (maker::made_by_gcc_at(slot) == here).then(|| {
        Newest.set(extra::of(slot).first.load(Relaxed).addr());
        newest
    })
}

/// Frees the abandoned entries on top of the list, and then the newest entry of an active host on this stack. The host
/// may have moved its stack pointer since it made the trampoline (`alloca`), or the trampoline may have been made by a
/// function that has since returned. If the bounds of the stack are unknown, frees the newest entry made at `here` or,
/// if there is none, at the nearest address above. Returns whether an active host's entry was found.
pub(super) fn free_newest_active(here: usize) -> bool {
    let taken = if newest_is_nearest_above(here) { take_off_top(here) } else { take_newest_active(here) };
    taken.map(free).is_some()
}

/// Returns whether the newest entry was made above `here` and is the nearest such entry. For a long list, always
/// returns false. If the result is true, the newest entry must be deleted, regardless of the stack's bounds, because a
/// frame does not contain another stack. An ordinary host with `alloca` therefore needs no system call.
fn newest_is_nearest_above(here: usize) -> bool {
    let Some(newest) = Listed::all().next() else { return false };
    newest.stack_pointer > here
        && Listed::all().nth(SHORT).is_none()
        && Listed::all().all(|entry| entry.stack_pointer >= newest.stack_pointer)
}

fn take_off_top(here: usize) -> Option<*const ()> {
    let take = || {
        let newest = Listed::all().next()?;
        unlink_one(newest.slot);
        Some(newest.address)
    };
    // A handler may also take entries, because its own entries are above all entries of the code that it has
    // interrupted.
    at_work(here, |_| false, take).unwrap_or_else(take)
}

fn take_newest_active(here: usize) -> Option<*const ()> {
    let own = stack::own_with(here);
    let is_above = |entry: &Listed| {
        entry.stack_pointer > here && own.as_ref().is_some_and(|own| own.contains(&entry.stack_pointer))
    };
    let newer = || Listed::all().take_while(|entry| entry.stack_pointer != here && !is_above(entry));
    let abandoned =
        if newer().any(|entry| entry.stack_pointer < here) { stack::abandoned_below(here) } else { None };
    if let Some(abandoned) = &abandoned {
        at_work(here, |stack_pointer| abandoned.contains(stack_pointer), || free_on_top(abandoned));
    }
    // If an active frame has grown (`alloca`) and now partly covers an abandoned frame, the abandoned frame may be
    // mistaken for an active one. The abandoned frame's entry is then freed instead of the grown frame's, and the
    // latter is treated as abandoned when the grown frame ends.
    let is_below = |entry: &Listed| {
        abandoned
            .as_ref()
            .is_some_and(|abandoned| abandoned.was_made_for_active(entry.stack_pointer, entry.chain()))
    };
    let take = || {
        let wanted =
            Listed::all().find(|entry| entry.stack_pointer == here || is_above(entry) || is_below(entry));
        let next_above = || {
            Listed::all().filter(|entry| entry.stack_pointer > here).min_by_key(|entry| entry.stack_pointer)
        };
        let wanted = wanted.or_else(|| if own.is_none() { next_above() } else { None })?;
        unlink_one(wanted.slot);
        Some(wanted.address)
    };
    // A handler may also take entries, because its own entries are above all entries of the code that it has
    // interrupted.
    at_work(here, |_| false, take).unwrap_or_else(take)
}

/// Starting at the head of the list, frees abandoned entries of this thread's own stack that were made below `here`.
pub(super) fn free_abandoned_on_top(here: usize) {
    if let Some((top, _)) = Listed::at(Newest.get())
        && let Some(abandoned) = stack::abandoned_with(top.stack_pointer, here)
    {
        at_work(here, |stack_pointer| abandoned.contains(stack_pointer), || free_on_top(&abandoned));
    }
}

/// Frees abandoned entries from the top of the list up to but excluding the first entry whose stack pointer is not in
/// an abandoned frame.
fn free_on_top(abandoned: &Abandoned) {
    free_until(abandoned, |entry| !abandoned.contains(entry.stack_pointer));
}

/// Frees every abandoned entry and returns their number. The caller must hold the guard for the list (`at_work.rs`).
pub(crate) fn free_abandoned(abandoned: &Abandoned) -> usize {
    free_until(abandoned, |_| false)
}

fn free_until(abandoned: &Abandoned, end: impl Fn(&Listed) -> bool) -> usize {
    let count = Cell::new(0);
    let is_abandoned = |entry: &Listed| abandoned.has_host(entry.stack_pointer, entry.chain());
    let free = |address| {
        free(address);
        count.set(count.get() + 1);
        Go::On
    };
    unlink(end, is_abandoned, free);
    count.get()
}

/// Returns whether a live trampoline was abandoned by an earlier thread with the same identifier and the same stack.
/// Code compiled by GCC must have made the trampoline, and it must not be on this thread's list.
pub(crate) fn is_abandoned(slot: usize, abandoned: &Abandoned) -> bool {
    maker::is_of_this_thread(slot) && abandoned.contains(maker::made_by_gcc_at(slot))
}

/// Searches for an entry that an abandoned frame left at the stack address `here`: first in the slots in `others`,
/// which are only hints, then in up to `most` entries on top of the list. `same` checks whether a slot has the
/// requested contents. If such an entry exists, moves it to the top of the list and returns its address.
pub(super) fn take_over(
    here: usize,
    others: impl Iterator<Item = usize>,
    most: usize,
    same: impl Fn(usize) -> Option<*const ()>,
) -> Option<*const ()> {
    // `same` compares the contents first, because only a slot with equal contents is known to have filled extra words.
    let is_mine = |slot| maker::made_by_gcc_at(slot) == here && maker::is_of_this_thread(slot);
    let take = || {
        let on_top = Listed::all().take_while(|entry| entry.stack_pointer == here).map(|entry| entry.slot);
        let mine = |slot| same(slot).filter(|_| is_mine(slot)).map(|address| (slot, address));
        let (slot, address) = others.chain(on_top.take(most)).find_map(mine)?;
        if Newest.get() != address.addr() {
            unlink_one(slot);
            push_at_work(address, slot);
        }
        Some(address)
    };
    // A handler that has interrupted work on the list makes a new trampoline instead.
    at_work(here, |_| false, take)?
}

#[inline(never)]
fn free(address: *const ()) {
    // SAFETY: the trampoline was only on this thread's list, and it has been removed from the list.
    if unsafe { for_capi::free_in_row_or_slow(address) }.is_err() {
        fatal("a nested function's trampoline was freed before code compiled by GCC deleted it")
    }
}

/// Whether [`unlink`] continues with the next entry.
#[derive(PartialEq)]
enum Go {
    On,
    Stop,
}

fn unlink_one(slot: usize) {
    unlink(|_| false, |entry| entry.slot == slot, |_| Go::Stop);
}

/// Removes the entries for which `which` returns true, down to the first entry for which `end` returns true. Calls
/// `then` after each removal.
fn unlink(end: impl Fn(&Listed) -> bool, which: impl Fn(&Listed) -> bool, then: impl Fn(*const ()) -> Go) {
    let mut next = Newest.get();
    let mut newer: Option<&SlotExtra> = None;
    while let Some((entry, before)) = Listed::at(next).filter(|(entry, _)| !end(entry)) {
        if which(&entry) {
            match newer {
                Some(extra) => extra.first.store(without_provenance_mut(before), Relaxed),
                None => Newest.set(before),
            }
            if then(entry.address) == Go::Stop {
                return;
            }
        } else {
            newer = Some(extra::of(entry.slot));
        }
        next = before;
    }
}
