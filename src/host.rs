//! Trampolines of compiled code, whose chain is the frame of a host procedure. A host may
//! leave without freeing them (`longjmp`, an exception, a cancelled thread), so they can be
//! told from what a program made for itself, and taken back.
//!
//! For the C library of this workspace.

use crate::POOL;
use crate::claim::{Claim, Kind};

/// Bits of a slot's number.
pub const INDEX_BITS: u32 = crate::slot::INDEX_BITS;

/// The trampoline that this thread freed last for `callee`, made anew: its address and its
/// slot. `None` says nothing. `fill` fills the slot's side before anyone can see what it is.
#[inline(always)]
pub fn again(callee: *const (), chain: *mut (), fill: impl Fn(usize)) -> Option<(*const (), usize)> {
    let claim = POOL.claim_again(callee, Kind::Host)?;
    Some(filled(claim, callee, chain, fill))
}

/// A trampoline in any slot that is free, without growing: its address and its slot.
pub fn make(callee: *const (), chain: *mut (), fill: impl Fn(usize)) -> Option<(*const (), usize)> {
    let claim = POOL.claim_cold(callee, Kind::Host)?;
    Some(filled(claim, callee, chain, fill))
}

/// Like [`make`], and the table grows if it may.
pub fn make_growing(callee: *const (), chain: *mut (), fill: impl Fn(usize)) -> Option<(*const (), usize)> {
    crate::capacity::growing(|| make(callee, chain, &fill))
}

/// The side first: arming releases it to those who look a slot up by its content.
#[inline(always)]
fn filled(claim: Claim, callee: *const (), chain: *mut (), fill: impl Fn(usize)) -> (*const (), usize) {
    let slot = claim.index as usize;
    fill(slot);
    POOL.arm(claim, callee, chain);
    (POOL.stub(claim), slot)
}

/// Frees the trampolines of hosts that are gone, which `gone` tells by the slot and the chain.
/// How many there were.
///
/// # Safety
/// A host of which `gone` says so never runs again, and neither calls nor frees its
/// trampolines.
pub unsafe fn reclaim(gone: impl Fn(usize, *mut ()) -> bool) -> usize {
    POOL.reclaim(|index, chain| gone(index as usize, chain))
}

/// The mapping of the stack on which the process began, as it is now; `None` if that cannot be
/// told. Async-signal-safe, but errno may change.
#[cfg(all(target_os = "linux", not(loom)))]
pub fn first_stack() -> Option<core::ops::Range<usize>> {
    // SAFETY: reads a number that the kernel has passed to the process: the address of some
    // bytes that it has laid on that stack.
    let on_it = unsafe { libc::getauxval(libc::AT_RANDOM) } as usize;
    let mapping = crate::maps::Mapping::of(on_it)?;
    (mapping.path() == c"[stack]").then_some(mapping.start..mapping.end)
}

/// The slots of hosts' live trampolines that have this very content.
pub fn equal(callee: *const (), chain: *mut ()) -> impl Iterator<Item = usize> {
    let all =
        POOL.of_hosts().filter(move |&(_, its_callee, its_chain)| (its_callee, its_chain) == (callee, chain));
    all.map(|(claim, ..)| claim.index as usize)
}

/// The index of a slot by any number at all: below the most that there can be.
#[inline(always)]
fn index(slot: usize) -> Option<u32> {
    let most = if cfg!(growing) { 1 << INDEX_BITS } else { crate::table::SLOTS };
    (slot < most).then_some(slot as u32)
}

/// The address of the trampoline in a slot, if it is a host's and has this very content.
pub fn equal_in(slot: usize, callee: *const (), chain: *mut ()) -> Option<*const ()> {
    let (claim, its_callee, its_chain) = POOL.of_host(index(slot)?)?;
    ((its_callee, its_chain) == (callee, chain)).then(|| POOL.stub(claim))
}

/// Whether the trampoline in a slot is live and belongs to a host.
pub fn owns(slot: usize) -> bool {
    index(slot).is_some_and(|index| POOL.of_host(index).is_some())
}

/// What tells the running thread from others.
#[inline(always)]
pub fn thread() -> usize {
    crate::arch::thread()
}

/// The slot of a stub of the static table; `None` for any other address.
#[inline(always)]
pub fn slot_in_table(address: *const ()) -> Option<usize> {
    POOL.slots().index_in_table(address.addr()).map(|index| index as usize)
}
