//! The table with its free slots: claim, release, look up.
//!
//! A slot is *unused* until its index is taken from the bitmap for the first time, then
//! *live* and *dead* in turn; dead, it is warm for its own procedure (`src/warm.rs`) and
//! waits for the sweep to be given to another (`src/sweep.rs`).
//!
//! ```text
//!            taken                    release
//!   unused ---------> live <---------------------> dead
//!                      claim word, by exchange
//! ```

use crate::areas::{Areas, Marks};
pub(crate) use crate::claim::{Claim, Found};
use crate::claim::{Kind, LIVE, Life};
use crate::slot::{Death, Record, Slot};
use crate::sweep::{Batch, QUARANTINE, Sweep};
use crate::sync::{Acquire, Relaxed, Release, const_fn};
use crate::table::{NotAStub, Table};
use crate::warm::Warm;

pub(crate) struct Pool<T: Table> {
    slots: Areas<T>,
    warm: Warm,
    sweep: Sweep,
}

impl<T: Table> Pool<T> {
    const_fn! {
        pub(crate) fn new(table: T) -> Self {
            Pool { slots: Areas::new(table), warm: Warm::new(), sweep: Sweep::new() }
        }
    }

    /// All slots there are.
    pub(crate) fn slots(&self) -> &Areas<T> {
        &self.slots
    }

    /// How many slots there are.
    pub(crate) fn capacity(&self) -> usize {
        self.slots.capacity()
    }

    pub(crate) fn indices(&self) -> impl Iterator<Item = u32> {
        self.slots.indices()
    }

    /// Whether a slot has ever been handed out.
    pub(crate) fn is_open(&self, index: u32) -> bool {
        self.slots.opened(index).is_some()
    }

    /// How often the table has grown.
    pub(crate) fn added(&self) -> usize {
        self.slots.added()
    }

    /// Makes it grow; false if it cannot.
    pub(crate) fn grow(&self, known: usize, limit: usize) -> bool {
        self.slots.grow(known, limit)
    }

    /// What a stub reads: its slot's callee and chain, in the order of x86-64's loads.
    #[cfg(loom)]
    pub(crate) fn read_as_stub(&self, index: u32) -> (*const (), *mut ()) {
        let slot = self.slots.slot(index);
        let chain = slot.chain.load(Acquire);
        (slot.callee.load(Relaxed).cast_const(), chain)
    }

    /// The same of a trampoline that must be live.
    #[cfg(loom)]
    pub(crate) fn enter(&self, index: u32) -> (*const (), *mut ()) {
        let (callee, chain) = self.read_as_stub(index);
        assert!(callee != self.slots.dead_procedure(), "call through a freed trampoline: slot {index}");
        (callee, chain)
    }

    /// What a trampoline's user calls.
    #[inline(always)]
    pub(crate) fn stub(&self, claim: Claim) -> *const () {
        self.slots.stub(claim.index)
    }

    /// Claims a slot on behalf of `procedure`; `None` if all are live. It must be armed.
    #[cfg(any(test, loom))]
    pub(crate) fn claim(&self, procedure: *const (), kind: Kind) -> Option<Claim> {
        match self.claim_again(procedure, kind) {
            Some(claim) => Some(claim),
            None => self.claim_cold(procedure, kind),
        }
    }

    /// The slot that this thread freed last for `procedure`, if it is still free. Small, to
    /// be inlined; what is not found here is a case for `claim_cold`, which looks again.
    #[inline(always)]
    pub(crate) fn claim_again(&self, procedure: *const (), kind: Kind) -> Option<Claim> {
        if cfg!(strict_reuse) {
            return None;
        }
        self.warm.take_top(&self.slots, procedure, kind).map(|(index, life)| Claim { index, life })
    }

    /// A slot that served `procedure` last, if this thread's advice has one.
    pub(crate) fn claim_warm(&self, procedure: *const (), kind: Kind) -> Option<Claim> {
        if cfg!(strict_reuse) {
            return None;
        }
        let taken = self.warm.take(&self.slots, procedure, kind);
        taken.map(|(index, life)| Claim { index, life })
    }

    /// Makes the stub of a claimed slot enter `callee` with `chain`.
    #[inline(always)]
    pub(crate) fn arm(&self, claim: Claim, callee: *const (), chain: *mut ()) {
        self.slots.slot(claim.index).arm(callee, chain);
    }

    /// Changes the chain of a live trampoline. Only the owner may.
    ///
    /// Release: a call that passes the new chain finds what was prepared behind it.
    #[inline(always)]
    pub(crate) fn set_chain(&self, claim: Claim, chain: *mut ()) {
        let word = &self.slots.slot(claim.index).chain;
        word.store(chain, Release);
    }

    /// Changes both words, and what a stale pointer means. Only the owner may.
    ///
    /// Relaxed: the owner reads it at the slot's death, and others after that.
    pub(crate) fn retarget(&self, claim: Claim, callee: *const (), chain: *mut ()) {
        let slot = self.slots.slot(claim.index);
        slot.procedure.store(callee.cast_mut(), Relaxed);
        slot.arm(callee, chain);
    }

    /// A warm slot, else an unused one, else one that is dead.
    #[cold]
    #[inline(never)]
    pub(crate) fn claim_cold(&self, procedure: *const (), kind: Kind) -> Option<Claim> {
        self.claim_warm(procedure, kind)
            .or_else(|| self.claim_unused(procedure, kind))
            .or_else(|| self.claim_by_sweep(procedure, kind))
    }

    pub(crate) fn claim_unused(&self, procedure: *const (), kind: Kind) -> Option<Claim> {
        self.slots.all().find_map(|marks| {
            if marks.all_taken.load(Relaxed) != 0 {
                return None;
            }
            let Some(number) = marks.taken.claim_absent(self.warm.start(marks.taken.words())) else {
                marks.all_taken.store(1, Relaxed);
                return None;
            };
            let index = marks.first + number as u32;
            let life = self.slots.slot(index).open(procedure, self.slots.dead_procedure(), kind);
            // Release: whoever sees the bit sees an open slot.
            marks.open.insert(number, Release);
            Some(Claim { index, life })
        })
    }

    fn claim_by_sweep(&self, procedure: *const (), kind: Kind) -> Option<Claim> {
        let claim = self
            .of_batch(kind)
            .or_else(|| self.long_dead(kind))
            .or_else(|| {
                self.fill_batch();
                self.of_batch(kind)
            })
            .or_else(|| self.any_dead(kind))?;
        self.hand_over(claim, procedure);
        Some(claim)
    }

    /// Gives a claimed slot to another procedure than it served.
    pub(crate) fn hand_over(&self, claim: Claim, procedure: *const ()) {
        let slot = self.slots.slot(claim.index);
        slot.procedure.store(procedure.cast_mut(), Release); // as in `Slot::arm`
        self.sweep.handed_out();
        self.sweep.pass(claim.index);
    }

    /// Claims a slot that is dead at this moment.
    ///
    /// Acquire: what the late owner stored comes before what the new one will.
    pub(crate) fn claim_dead(
        &self,
        index: u32,
        kind: Kind,
        still_wanted: impl Fn(Death) -> bool,
    ) -> Option<Claim> {
        let slot = self.slots.opened(index)?;
        let death = slot.claim.load(Acquire);
        if death & LIVE != 0 || !still_wanted(slot.death(death)) {
            return None;
        }
        slot.claim(death, kind).map(|life| Claim { index, life })
    }

    fn of_batch(&self, kind: Kind) -> Option<Claim> {
        while let Some(index) = self.sweep.next_of_batch() {
            let claim = self.claim_dead(index, kind, |death| self.sweep.still_of_batch(death));
            if claim.is_some() {
                return claim;
            }
        }
        None
    }

    fn long_dead(&self, kind: Kind) -> Option<Claim> {
        let now = self.sweep.handouts();
        let mut claim = None;
        self.for_each_dead(&mut |index, _| {
            claim = self.claim_dead(index, kind, |death| death.handouts_since(now) >= QUARANTINE);
            claim.is_none()
        });
        claim
    }

    fn fill_batch(&self) {
        let mut batch = Batch::new(self.sweep.handouts());
        self.for_each_dead(&mut |index, slot| {
            batch.add(index, slot.death(slot.claim.load(Relaxed)));
            true
        });
        self.sweep.keep(&batch);
    }

    /// Any dead slot at all, with or without advice.
    fn any_dead(&self, kind: Kind) -> Option<Claim> {
        self.slots.indices().find_map(|index| self.claim_dead(index, kind, |_| true))
    }

    /// Visits the slots marked as dead that are, going round, while `go_on` says so. The mark
    /// of others is taken away.
    #[inline(never)]
    fn for_each_dead(&self, go_on: &mut dyn FnMut(u32, &Slot) -> bool) {
        // The cursor's area, whole, and those behind it; then those before it.
        let cursor = self.sweep.cursor();
        for behind in [true, false] {
            for marks in self.slots.all() {
                if (cursor < marks.first + marks.len()) == behind && !self.visit_dead(&marks, cursor, go_on) {
                    return;
                }
            }
        }
    }

    /// The same in one area.
    fn visit_dead(&self, marks: &Marks, cursor: u32, go_on: &mut dyn FnMut(u32, &Slot) -> bool) -> bool {
        let start = cursor.saturating_sub(marks.first);
        let start = if start < marks.len() { start } else { 0 };
        marks.dead.members_from(start as usize).all(|number| {
            let index = marks.first + number as u32;
            let Some(slot) = self.slots.opened(index) else {
                return true;
            };
            let is_live = || slot.claim.load(Relaxed) & LIVE != 0;
            if is_live() {
                marks.dead.remove(number, Relaxed);
                if is_live() {
                    return true; // its next release marks it again
                }
                marks.dead.insert(number, Relaxed);
            }
            go_on(index, slot)
        })
    }

    /// Ends the life that `claim` names. False, and nothing is done, if that is over, whether
    /// the slot is dead or lives again.
    ///
    /// Relaxed: the owner reads back its own number, or a later one that whoever freed the
    /// slot behind its back has brought about.
    #[inline(always)]
    pub(crate) fn release(&self, claim: Claim) -> bool {
        let slot = self.slots.slot(claim.index);
        if slot.claim.load(Relaxed) != claim.life.get() {
            return false;
        }
        self.end_life(claim.index, slot, claim.life.get());
        true
    }

    #[inline(always)]
    fn is_disarmed(&self, slot: &Slot) -> bool {
        slot.callee.load(Relaxed).cast_const() == self.slots.dead_procedure()
    }

    #[inline(always)]
    fn end_life(&self, index: u32, slot: &Slot, life: u32) {
        if !self.end_life_quickly(index, slot, life) {
            self.end_life_cold(index, life);
        }
    }

    /// The usual case, in which only a count changes besides the slot: it is in the static
    /// table, marked, and on top of its thread's list. False, and nothing is done, if not.
    #[inline(always)]
    fn end_life_quickly(&self, index: u32, slot: &Slot, life: u32) -> bool {
        // The mark is looked at before the death, so a sweep that meets the slot still live
        // may take it away in between. Then only `any_dead` finds the slot.
        if !self.slots.is_in_table(index) || !self.slots.is_marked_in_table(index) {
            return false;
        }
        let Some(death) = self.warm.put_quickly(index, slot, life) else {
            return false;
        };
        self.die(index, slot, death);
        true
    }

    #[cold]
    #[inline(never)]
    fn end_life_cold(&self, index: u32, life: u32) {
        let slot = self.slots.slot(index);
        let death = self.warm.put(&self.slots, index, slot, life);
        self.die(index, slot, death);
        // Only now: the sweep takes a live slot's mark away.
        let (marks, number) = self.slots.marks(index);
        if !marks.dead.contains(number, Relaxed) {
            marks.dead.insert(number, Relaxed);
        }
    }

    #[inline(always)]
    fn die(&self, index: u32, slot: &Slot, death: u32) {
        slot.disarm(self.slots.dead_procedure(), Record::new(index, self.sweep.handouts()));
        slot.give_up(death);
    }

    /// The index of the slot whose stub begins at `address`.
    #[inline(always)]
    pub(crate) fn index_of(&self, address: usize) -> Result<u32, NotAStub> {
        self.slots.index_of(address)
    }

    /// The usual case of [`release_at`](Pool::release_at); false, and nothing is done, in any
    /// other.
    ///
    /// The callee tells a dead slot, not the claim word, which a program that makes and frees
    /// in turn has just exchanged and would wait for.
    #[inline(always)]
    pub(crate) fn release_quickly(&self, address: usize) -> bool {
        let Some(index) = self.slots.index_in_table(address) else {
            return false;
        };
        let Some(slot) = self.slots.opened(index) else {
            return false;
        };
        // Relaxed: the owner reads back the number of its own life.
        !self.is_disarmed(slot) && self.end_life_quickly(index, slot, slot.claim.load(Relaxed))
    }

    /// Frees the trampoline at `address`, which only its owner may do. Of a slot that was
    /// freed and lives again it frees the new trampoline: an address says no more.
    pub(crate) fn release_at(&self, address: usize) -> Result<(), Found> {
        let index = self.slots.index_of(address).map_err(Found::Not)?;
        let slot = self.slots.opened(index).ok_or(Found::Unused)?;
        if self.is_disarmed(slot) {
            return Err(Found::Dead { procedure: slot.procedure.load(Relaxed) });
        }
        self.end_life_cold(index, slot.claim.load(Relaxed));
        Ok(())
    }

    /// The claim of the live trampoline with this index.
    pub(crate) fn claim_of(&self, index: u32) -> Result<Claim, Found> {
        let slot = self.slots.opened(index).ok_or(Found::Unused)?;
        let life = slot.claim.load(Acquire);
        match Life::new(life).filter(|life| life.get() & LIVE != 0) {
            Some(life) => Ok(Claim { index, life }),
            None => Err(Found::Dead { procedure: slot.procedure.load(Relaxed) }),
        }
    }

    /// What there is at `address`. Of a trampoline that is being made or freed meanwhile
    /// the answer is one that was right at some moment of this call.
    pub(crate) fn find(&self, address: usize) -> Found {
        self.slots.index_of(address).map_or_else(Found::Not, |index| self.look(index))
    }

    /// The same of a slot.
    pub(crate) fn look(&self, index: u32) -> Found {
        loop {
            let claim = match self.claim_of(index) {
                Ok(claim) => claim,
                Err(found) => return found,
            };
            let slot = self.slots.slot(index);
            // Acquire: if one of these is of a later life, the claim word read behind them
            // is too. Making stores the chain, then the callee; freeing stores the dead
            // callee, then the record: so a callee that is the same on both sides of the
            // chain goes with it.
            let callee = slot.callee.load(Acquire).cast_const();
            let chain = slot.chain.load(Acquire);
            let procedure = slot.procedure.load(Acquire).cast_const();
            let callee_again = slot.callee.load(Acquire).cast_const();
            if slot.claim.load(Relaxed) == claim.life.get() {
                return if [callee, callee_again].contains(&self.slots.dead_procedure()) {
                    Found::Dead { procedure }
                } else {
                    Found::Live { claim, procedure, callee, chain }
                };
            }
        }
    }

    /// The live trampoline in a slot, if it belongs to a host: with its callee and its chain.
    pub(crate) fn of_host(&self, index: u32) -> Option<(Claim, *const (), *mut ())> {
        match self.look(index) {
            Found::Live { claim, procedure, chain, .. } if Kind::of(claim.life) == Kind::Host => {
                Some((claim, procedure, chain))
            }
            _ => None,
        }
    }

    /// All of these.
    pub(crate) fn of_hosts(&self) -> impl Iterator<Item = (Claim, *const (), *mut ())> {
        self.slots.indices().filter_map(|index| self.of_host(index))
    }

    /// Frees the trampolines of hosts that left without freeing them, `gone` telling by the
    /// index and the chain. How many there were.
    pub(crate) fn reclaim(&self, gone: impl Fn(u32, *mut ()) -> bool) -> usize {
        self.slots.indices().filter(|&index| self.reclaim_slot(index, &gone)).count()
    }

    /// The same of one slot. Whether it was.
    pub(crate) fn reclaim_slot(&self, index: u32, gone: &impl Fn(u32, *mut ()) -> bool) -> bool {
        let Some((claim, _, chain)) = self.of_host(index) else {
            return false;
        };
        let slot = self.slots.slot(index);
        let seized = gone(index, chain) && slot.seize(claim.life);
        if seized {
            self.end_life(index, slot, claim.life.get());
        }
        seized
    }

    /// The live trampolines, as they are met.
    pub(crate) fn live(&self) -> impl Iterator<Item = Claim> {
        self.slots.indices().filter_map(|index| self.claim_of(index).ok())
    }

    /// The late procedure of a slot whose death record a stale call has brought.
    pub(crate) fn late_procedure(&self, record: usize) -> Option<(u32, *const ())> {
        let index = Record(record).index();
        let slot = self.slots.opened(index)?;
        let matches = slot.record() == Record(record);
        matches.then(|| (index, slot.procedure.load(Relaxed).cast_const()))
    }
}
