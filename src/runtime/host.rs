//! Trampolines of compiled code, whose chain is the frame of a host procedure. A host may
//! leave without freeing them (`longjmp`, an exception, a cancelled thread), so they can be
//! told from what a program made for itself, and taken back.

#[cfg(all(target_os = "linux", not(loom)))]
pub use crate::os::{stack::first_stack, system};

use crate::pool::{Claim, FoundSlot, Owner, SLOTS, SlotPool};
use crate::trampoline::global::POOL;
use crate::trampoline::limit::limit;

/// Bits of a slot's number.
pub const INDEX_BITS: u32 = crate::pool::hosted::INDEX_BITS;

/// A trampoline in the slot that this thread freed last for `callee`: its address and its slot.
/// `None` if that slot is not free, or not known: then [`make`] looks further. `fill` fills the
/// slot's extra words before anyone can look the slot up by its content.
#[inline(always)]
pub fn make_fast(callee: *const (), chain: *mut (), fill: impl Fn(usize)) -> Option<(*const (), usize)> {
    let claim = POOL.claim_fast(callee, Owner::Compiler)?;
    Some(filled(claim, callee, chain, fill))
}

/// As [`make_fast`], also in a slot by which the table has grown.
pub fn make_listed(callee: *const (), chain: *mut (), fill: impl Fn(usize)) -> Option<(*const (), usize)> {
    let claim = POOL.claim_listed(callee, Owner::Compiler)?;
    Some(filled(claim, callee, chain, fill))
}

/// The usual and quick case of [`free`](crate::free). False, and nothing is done, in any other.
///
/// # Safety
/// As for [`free`](crate::free).
#[inline(always)]
#[cfg_attr(
    feature = "trace",
    expect(unused_variables, reason = "whoever traces wants to be told of each free")
)]
pub unsafe fn free_fast(address: *const ()) -> bool {
    #[cfg(feature = "trace")]
    return false;
    #[cfg(not(feature = "trace"))]
    POOL.release_fast(address.addr())
}

/// What [`make`] has made or found.
pub enum Made {
    /// A new trampoline: its address and its slot.
    New(*const (), usize),
    /// What `same` gave.
    Same(*const ()),
}

/// A trampoline in any slot; `None` if there can be no more. In this order: in a slot that is free;
/// in one that `reclaim` has freed, which says whether there was anything; what `same` gives
/// instead; in one by which the table grows. `fill` as for [`make_fast`].
pub fn make(
    callee: *const (),
    chain: *mut (),
    fill: &dyn Fn(usize),
    reclaim: fn() -> bool,
    same: &dyn Fn() -> Option<*const ()>,
) -> Option<Made> {
    Some(match POOL.find_slot(callee, Owner::Compiler, reclaim, same, limit)? {
        FoundSlot::Claimed(claim) => {
            let (address, slot) = filled(claim, callee, chain, fill);
            Made::New(address, slot)
        }
        FoundSlot::Same(address) => Made::Same(address),
    })
}

/// The extra words first: arming releases them to those who look a slot up by its content.
#[inline(always)]
fn filled(claim: Claim, callee: *const (), chain: *mut (), fill: impl Fn(usize)) -> (*const (), usize) {
    let slot = claim.index as usize;
    fill(slot);
    POOL.arm(claim, callee, chain);
    (POOL.stub(claim), slot)
}

/// Frees the trampolines of hosts that are gone, which `gone` tells by the slot and the chain.
/// Returns how many were freed.
///
/// # Safety
/// A host that `gone` says is gone never runs again, and neither calls nor frees its
/// trampolines.
pub unsafe fn reclaim(gone: impl Fn(usize, *mut ()) -> bool) -> usize {
    POOL.reclaim(|index, chain| gone(index as usize, chain))
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
    let most = if cfg!(growing) { 1 << INDEX_BITS } else { SLOTS };
    (slot < most).then_some(slot as u32)
}

/// The address of the trampoline in a slot, if it is a host's and has this very content.
pub fn equal_in(slot: usize, callee: *const (), chain: *mut ()) -> Option<*const ()> {
    let index = index(slot).filter(|&index| POOL.passes(index, chain))?;
    let (claim, its_callee, its_chain) = POOL.of_host(index)?;
    ((its_callee, its_chain) == (callee, chain)).then(|| POOL.stub(claim))
}

/// The callee and the chain of the trampoline in a slot, if it is live and belongs to a host.
pub fn content(slot: usize) -> Option<(*const (), *mut ())> {
    let (_, callee, chain) = POOL.of_host(index(slot)?)?;
    Some((callee, chain))
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
