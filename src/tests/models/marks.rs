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

    /// Claims the slot for its owner. If the mark is set, a signal handler has interrupted a claim.
    ///
    /// Release: a thread that sees the mark cleared also sees the claim.
    fn claim_own(&self) -> bool {
        if self.mark.load(Relaxed) != 0 {
            return self.exchange();
        }
        self.mark.store(1, Relaxed);
        ordered_by_barriers();
        let claimed = if self.revoked.load(Relaxed) != 0 {
            self.exchange()
        } else {
            let is_dead = self.state.load(Relaxed) == DEAD;
            if is_dead {
                self.state.store(LIVE, Relaxed);
            }
            is_dead
        };
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
    let slot = Marked::new();
    let other = {
        let slot = slot.clone();
        thread::spawn(move || by_other(&slot))
    };
    slot.claim_own() as usize + other.join().unwrap() as usize
}

#[test]
fn a_marked_claim_and_a_revoking_claim_never_get_the_same_slot() {
    loom::model(|| assert!(claims(Marked::claim_revoked) <= 1));
}

/// A child made by `clone(CLONE_VM)` has its parent's thread pointer, and therefore its parent's mark.
#[test]
#[should_panic(expected = "two threads claimed the same slot")]
fn two_threads_with_the_same_mark_claim_the_same_slot() {
    with_two_preemptions(|| assert!(claims(Marked::claim_own) <= 1, "two threads claimed the same slot"));
}
