//! Models of a rejected design (ARCHITECTURE.md, "Rejected designs"), in which a thread announces a claim with a mark and
//! then claims the slot with a plain load and a plain store. The design works only if each running thread has a mark of
//! its own.

use super::*;
use crate::sync::ordered_by_barriers;

const DEAD: usize = 0;
const LIVE: usize = 1;

/// A dead slot and its owner's mark.
struct Marked {
    state: AtomicUsize,
    /// 1 while the owner claims the slot without an exchange.
    mark: AtomicUsize,
    /// 1 once another thread has revoked the owner's right to claim without an exchange.
    revoked: AtomicUsize,
}

impl Marked {
    fn new() -> Arc<Self> {
        let zero = || AtomicUsize::new(0);
        Arc::new(Marked { state: zero(), mark: zero(), revoked: zero() })
    }

    fn exchange(&self) -> bool {
        self.state.compare_exchange(DEAD, LIVE, Relaxed, Relaxed).is_ok()
    }

    /// Claims the slot for its owner.
    fn claim_own(&self) -> bool {
        self.claim_interrupted(|_| ())
    }

    /// Claims the slot for its owner. If the mark is set, a signal handler has interrupted a claim. Calls `handler`
    /// with a different number at each point at which a signal handler may interrupt the claim.
    ///
    /// Release: a thread that sees the mark cleared also sees the claim.
    fn claim_interrupted(&self, handler: impl Fn(usize)) -> bool {
        if self.mark.load(Relaxed) != 0 {
            return self.exchange();
        }
        handler(0);
        self.mark.store(1, Relaxed);
        ordered_by_barriers();
        let revoked = self.revoked.load(Relaxed) != 0;
        handler(1);
        let claimed = if revoked {
            self.exchange()
        } else {
            let is_dead = self.state.load(Relaxed) == DEAD;
            if is_dead {
                self.state.store(LIVE, Relaxed);
            }
            is_dead
        };
        handler(2);
        self.mark.store(0, Release);
        claimed
    }

    /// Claims the slot for a thread that is not its owner, unless the slot is marked.
    fn claim_revoked(&self) -> bool {
        self.revoked.store(1, Relaxed);
        ordered_by_barriers(); // as if by all threads (`barrier` in `tests/fake.rs`)
        self.mark.load(Acquire) == 0 && self.exchange()
    }
}

/// Two threads claim the same slot, the first one as its owner. Returns the number of claims that succeeded.
fn claims(by_other: fn(&Marked) -> bool) -> usize {
    claims_of(Marked::claim_own, by_other)
}

fn claims_of(by_owner: impl Fn(&Marked) -> bool, by_other: fn(&Marked) -> bool) -> usize {
    let slot = Marked::new();
    let other = {
        let slot = slot.clone();
        thread::spawn(move || by_other(&slot))
    };
    by_owner(&slot) as usize + other.join().unwrap() as usize
}

#[test]
fn a_marked_claim_and_a_revoking_claim_never_get_the_same_slot() {
    loom::model(|| assert!(claims(Marked::claim_revoked) <= 1));
}

/// A handler that claims and frees the slot leaves the mark of the claim that it has interrupted.
#[test]
fn a_marked_claim_interrupted_by_a_handler_and_a_revoking_claim_never_get_the_same_slot() {
    for point in 0..3 {
        let by_owner = move |slot: &Marked| {
            slot.claim_interrupted(|number| {
                if number == point && slot.claim_own() {
                    slot.state.store(DEAD, Release);
                }
            })
        };
        with_two_preemptions(move || assert!(claims_of(by_owner, Marked::claim_revoked) <= 1));
    }
}

/// A child made by `clone(CLONE_VM)` has its parent's thread pointer, and therefore its parent's mark.
#[test]
#[should_panic(expected = "two threads claimed the same slot")]
fn two_threads_with_the_same_mark_claim_the_same_slot() {
    with_two_preemptions(|| assert!(claims(Marked::claim_own) <= 1, "two threads claimed the same slot"));
}
