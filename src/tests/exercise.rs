//! Pool operations that the tests and the models of both pools use.

use crate::pool::{Claim, Owner, SLOTS, SlotPool, SlotState};
use core::ops::Deref;

pub(crate) use crate::pool::fake::A;
/// A callee whose address differs from that of `A` in the low 32 bits, by which the free lists distinguish callees.
pub(crate) const B: *const () = core::ptr::without_provenance(0x1002_0000);

/// Returns the callee with this number. The callees' addresses differ in the low bits, as in a real program.
pub(crate) fn callee(number: usize) -> *const () {
    core::ptr::without_provenance(0x40_0000 + 16 * number)
}

/// Makes a trampoline whose entry is the callee itself.
pub(crate) fn alloc<P: SlotPool>(
    pool: &impl Deref<Target = P>,
    callee: *const (),
    chain: usize,
) -> Option<Claim> {
    let claim = pool.claim(callee, Owner::Program)?;
    pool.arm(claim, callee, core::ptr::without_provenance_mut(chain));
    Some(claim)
}

/// Returns the address of a live trampoline.
pub(crate) fn address<P: SlotPool>(pool: &impl Deref<Target = P>, claim: Claim) -> usize {
    pool.stub(claim).addr()
}

/// Checks the contents of a slot as its owner sees them.
pub(crate) fn assert_whole<P: SlotPool>(
    pool: &impl Deref<Target = P>,
    claim: Claim,
    callee: *const (),
    chain: usize,
) {
    let chain = core::ptr::without_provenance_mut(chain);
    let whole = SlotState::Live { claim, callee, entry: callee, chain };
    assert_eq!(pool.find(address(pool, claim)), whole);
}

/// Fills the table with trampolines for B, and checks that `live` slots were in use before.
pub(crate) fn all_slots_can_be_claimed<P: SlotPool>(pool: &impl Deref<Target = P>, live: usize) {
    for n in live..SLOTS {
        assert!(alloc(pool, B, n).is_some(), "a slot was lost");
    }
    assert!(alloc(pool, B, 0).is_none(), "a slot was found twice");
}

/// Fills an empty table with trampolines: the last one for A, all others for B. Returns the claim of the last
/// trampoline.
pub(crate) fn full_but_for_one<P: SlotPool>(pool: &impl Deref<Target = P>) -> Claim {
    for n in 1..SLOTS {
        alloc(pool, B, n).unwrap();
    }
    let claim = alloc(pool, A, SLOTS).unwrap();
    assert!(alloc(pool, B, 0).is_none());
    claim
}
