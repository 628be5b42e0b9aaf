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

use crate::bitmap::{Bitmap, words};
use crate::slot::{Death, LIVE, Life, Slot};
use crate::sweep::{QUARANTINE, Sweep};
use crate::sync::{Acquire, AtomicU32, AtomicUsize, Relaxed, Release, atomics, const_fn};
use crate::table::{NotAStub, SLOTS, Table};
use crate::warm::Warm;

/// A live slot: its index and the number of its life, which no other life of it has
/// (`src/slot.rs`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Claim {
    pub(crate) index: u32,
    pub(crate) life: Life,
}

/// What an address turns out to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// A live trampoline.
    Live { claim: Claim, procedure: *const (), callee: *const (), chain: *mut () },
    /// A freed one, with the procedure it served last.
    Dead { procedure: *const () },
    /// A stub whose slot was never handed out.
    Unused,
    /// Not the address of a stub.
    Not(NotAStub),
}

pub(crate) struct Pool<T> {
    table: T,
    warm: Warm,
    /// Indices that have been handed out at least once. Only grows.
    taken: [AtomicUsize; words(SLOTS)],
    /// 1 once every index is taken, which it then stays.
    all_taken: AtomicU32,
    /// Those whose slot is open: no slot's memory is read before its bit is seen here.
    open: [AtomicUsize; words(SLOTS)],
    /// Advice to the sweep: slots that have died since it last passed them.
    dead: [AtomicUsize; words(SLOTS)],
    sweep: Sweep,
}

impl<T: Table> Pool<T> {
    const_fn! {
        pub(crate) fn new(table: T) -> Self {
            Pool {
                table,
                warm: Warm::new(),
                taken: atomics![AtomicUsize::new(0); words(SLOTS)],
                all_taken: AtomicU32::new(0),
                open: atomics![AtomicUsize::new(0); words(SLOTS)],
                dead: atomics![AtomicUsize::new(0); words(SLOTS)],
                sweep: Sweep::new(),
            }
        }
    }

    #[inline(always)]
    fn taken(&self) -> Bitmap<'_> {
        Bitmap::new(&self.taken, SLOTS)
    }

    #[inline(always)]
    fn open(&self) -> Bitmap<'_> {
        Bitmap::new(&self.open, SLOTS)
    }

    #[inline(always)]
    fn dead(&self) -> Bitmap<'_> {
        Bitmap::new(&self.dead, SLOTS)
    }

    /// What a stub reads: its slot's callee and chain, in the order of x86-64's loads.
    #[cfg(loom)]
    pub(crate) fn read_as_stub(&self, index: u32) -> (*const (), *mut ()) {
        let slot = self.table.slot(index);
        let chain = slot.chain.load(Acquire);
        (slot.callee.load(Relaxed).cast_const(), chain)
    }

    /// The same of a trampoline that must be live.
    #[cfg(loom)]
    pub(crate) fn enter(&self, index: u32) -> (*const (), *mut ()) {
        let (callee, chain) = self.read_as_stub(index);
        assert!(callee != self.table.dead_procedure(), "call through a freed trampoline: slot {index}");
        (callee, chain)
    }

    /// What a trampoline's user calls.
    #[inline(always)]
    pub(crate) fn stub(&self, claim: Claim) -> *const () {
        self.table.stub(claim.index)
    }

    /// Claims a slot on behalf of `procedure`; `None` if all are live. It must be armed.
    #[inline(always)]
    pub(crate) fn claim(&self, procedure: *const ()) -> Option<Claim> {
        match self.claim_again(procedure) {
            Some(claim) => Some(claim),
            None => self.claim_cold(procedure),
        }
    }

    /// The slot that this thread freed last for `procedure`, if it is still free. Small, to
    /// be inlined; what is not found here is a case for `claim_cold`, which looks again.
    #[inline(always)]
    pub(crate) fn claim_again(&self, procedure: *const ()) -> Option<Claim> {
        if cfg!(strict_reuse) {
            return None;
        }
        self.warm.take_top(&self.table, procedure).map(|(index, life)| Claim { index, life })
    }

    /// A slot that served `procedure` last, if this thread's advice has one.
    pub(crate) fn claim_warm(&self, procedure: *const ()) -> Option<Claim> {
        if cfg!(strict_reuse) {
            return None;
        }
        let taken = self.warm.take(&self.table, |index| self.opened(index), procedure);
        taken.map(|(index, life)| Claim { index, life })
    }

    /// Makes the stub of a claimed slot enter `callee` with `chain`.
    #[inline(always)]
    pub(crate) fn arm(&self, claim: Claim, callee: *const (), chain: *mut ()) {
        self.table.slot(claim.index).arm(callee, chain);
    }

    /// A warm slot, else an unused one, else one that is dead.
    #[cold]
    #[inline(never)]
    fn claim_cold(&self, procedure: *const ()) -> Option<Claim> {
        self.claim_warm(procedure)
            .or_else(|| self.claim_unused(procedure))
            .or_else(|| self.claim_by_sweep(procedure))
    }

    fn claim_unused(&self, procedure: *const ()) -> Option<Claim> {
        if self.all_taken.load(Relaxed) != 0 {
            return None;
        }
        let Some(index) = self.taken().claim_absent(self.warm.start(words(SLOTS))) else {
            self.all_taken.store(1, Relaxed);
            return None;
        };
        let number = index as u32;
        let life = self.table.slot(number).open(procedure, self.table.dead_procedure());
        // Release: whoever sees the bit sees an open slot.
        self.open().insert(index, Release);
        Some(Claim { index: number, life })
    }

    fn claim_by_sweep(&self, procedure: *const ()) -> Option<Claim> {
        let claim = self
            .of_batch()
            .or_else(|| self.long_dead())
            .or_else(|| {
                self.sweep.fill_batch(self.dead_slots().map(|(index, slot)| (index, slot.death())));
                self.of_batch()
            })
            .or_else(|| self.any_dead())?;
        self.hand_over(claim, procedure);
        Some(claim)
    }

    /// Gives a claimed slot to another procedure than it served.
    pub(crate) fn hand_over(&self, claim: Claim, procedure: *const ()) {
        let slot = self.table.slot(claim.index);
        slot.procedure.store(procedure.cast_mut(), Release); // as in `Slot::arm`
        self.sweep.handed_out();
        self.sweep.pass(claim.index);
    }

    /// The slot of an index that has been handed out. Acquire pairs with the Release that
    /// announced the slot as open.
    #[inline(always)]
    fn opened(&self, index: u32) -> Option<&Slot> {
        self.open().contains(index as usize, Acquire).then(|| self.table.slot(index))
    }

    /// Claims a slot that is dead at this moment.
    ///
    /// Acquire: what the late owner stored comes before what the new one will.
    pub(crate) fn claim_dead(&self, index: u32, still_wanted: impl Fn(Death) -> bool) -> Option<Claim> {
        let slot = self.opened(index)?;
        let death = slot.claim.load(Acquire);
        if death & LIVE != 0 || !still_wanted(slot.death()) {
            return None;
        }
        slot.claim(death).map(|life| Claim { index, life })
    }

    fn of_batch(&self) -> Option<Claim> {
        while let Some(index) = self.sweep.next_of_batch() {
            let claim = self.claim_dead(index, |death| self.sweep.still_of_batch(death));
            if claim.is_some() {
                return claim;
            }
        }
        None
    }

    fn long_dead(&self) -> Option<Claim> {
        let now = self.sweep.handouts();
        self.dead_slots()
            .find_map(|(index, _)| self.claim_dead(index, |death| death.handouts_since(now) >= QUARANTINE))
    }

    /// Any dead slot at all, with or without advice.
    fn any_dead(&self) -> Option<Claim> {
        (0..SLOTS as u32).find_map(|index| self.claim_dead(index, |_| true))
    }

    /// The slots marked as dead that are, going round; the mark of others is taken away.
    fn dead_slots(&self) -> impl Iterator<Item = (u32, &Slot)> {
        self.dead().members_from(self.sweep.cursor()).filter_map(|index| {
            let slot = self.opened(index as u32)?;
            let is_live = || slot.claim.load(Relaxed) & LIVE != 0;
            if is_live() {
                self.dead().remove(index, Relaxed);
                if is_live() {
                    return None; // its next release marks it again
                }
                self.dead().insert(index, Relaxed);
            }
            Some((index as u32, slot))
        })
    }

    /// Ends the life that `claim` names. False, and nothing is done, if the slot is dead.
    ///
    /// Only its owner may call this, so the check cannot come too early. It reads the
    /// callee: the claim word has just been exchanged, when a program makes and frees one
    /// trampoline after the other, and to read it back would wait for that (a load that
    /// runs ahead of the exchange is undone, which costs some 15 ns).
    #[inline(always)]
    pub(crate) fn release(&self, claim: Claim) -> bool {
        let slot = self.table.slot(claim.index);
        if self.is_disarmed(slot) {
            return false;
        }
        debug_assert!(
            slot.claim.load(Relaxed) == claim.life.get(),
            "not the owner's to free: it lives again"
        );
        self.end_life(claim.index, slot);
        true
    }

    #[inline(always)]
    fn is_disarmed(&self, slot: &Slot) -> bool {
        slot.callee.load(Relaxed).cast_const() == self.table.dead_procedure()
    }

    #[inline(always)]
    fn end_life(&self, index: u32, slot: &Slot) {
        // The mark is looked at before the death, so a sweep that meets the slot still live
        // may take it away in between. Then only `any_dead` finds the slot.
        let marked = !cfg!(strict_reuse) && self.dead().contains(index as usize, Relaxed);
        match if marked { self.warm.put_top(index, slot) } else { None } {
            Some(order) => self.die(index, slot, order),
            None => self.end_life_cold(index),
        }
    }

    #[cold]
    #[inline(never)]
    fn end_life_cold(&self, index: u32) {
        let slot = self.table.slot(index);
        let order = self.warm.put(&self.table, index, slot);
        self.die(index, slot, order);
        // Only now: the sweep takes a live slot's mark away.
        if !self.dead().contains(index as usize, Relaxed) {
            self.dead().insert(index as usize, Relaxed);
        }
    }

    #[inline(always)]
    fn die(&self, index: u32, slot: &Slot, order: u32) {
        slot.disarm(self.table.dead_procedure(), Death::new(index, self.sweep.handouts(), order));
        slot.give_up(order);
    }

    /// The index of the slot whose stub begins at `address`.
    #[inline(always)]
    pub(crate) fn index_of(&self, address: usize) -> Result<u32, NotAStub> {
        self.table.index_of(address)
    }

    /// Frees the trampoline at `address`, which only its owner may do.
    #[inline(always)]
    pub(crate) fn release_at(&self, address: usize) -> Result<(), Found> {
        let index = self.table.index_of(address).map_err(Found::Not)?;
        if !self.open().contains(index as usize, Acquire) {
            return Err(Found::Unused);
        }
        let slot = self.table.slot(index);
        if self.is_disarmed(slot) {
            return Err(Found::Dead { procedure: slot.procedure.load(Relaxed) });
        }
        self.end_life(index, slot);
        Ok(())
    }

    /// The claim of the live trampoline at `address`.
    #[inline(always)]
    pub(crate) fn claim_at(&self, address: usize) -> Result<Claim, Found> {
        let index = self.table.index_of(address).map_err(Found::Not)?;
        let slot = self.opened(index).ok_or(Found::Unused)?;
        let life = slot.claim.load(Acquire);
        match Life::new(life).filter(|life| life.get() & LIVE != 0) {
            Some(life) => Ok(Claim { index, life }),
            None => Err(Found::Dead { procedure: slot.procedure.load(Relaxed) }),
        }
    }

    /// What there is at `address`. Of a trampoline that is being made or freed meanwhile
    /// the answer is one that was right at some moment of this call.
    pub(crate) fn find(&self, address: usize) -> Found {
        loop {
            let claim = match self.claim_at(address) {
                Ok(claim) => claim,
                Err(found) => return found,
            };
            let slot = self.table.slot(claim.index);
            // Acquire: if one of these is of a later life, the claim word read behind them
            // is too. Making stores the chain, then the callee; freeing stores the dead
            // callee, then the record: so a callee that is the same on both sides of the
            // chain goes with it.
            let callee = slot.callee.load(Acquire).cast_const();
            let chain = slot.chain.load(Acquire);
            let procedure = slot.procedure.load(Acquire).cast_const();
            let callee_again = slot.callee.load(Acquire).cast_const();
            if slot.claim.load(Relaxed) == claim.life.get() {
                return if [callee, callee_again].contains(&self.table.dead_procedure()) {
                    Found::Dead { procedure }
                } else {
                    Found::Live { claim, procedure, callee, chain }
                };
            }
        }
    }

    /// The live trampolines, as they are met.
    pub(crate) fn live(&self) -> impl Iterator<Item = Claim> {
        (0..SLOTS as u32).filter_map(|index| self.claim_at(self.table.stub(index).addr()).ok())
    }

    /// The late procedure of a slot whose death record a stale call has brought.
    pub(crate) fn late_procedure(&self, record: usize) -> Option<(u32, *const ())> {
        let index = Death(record).index();
        if index as usize >= SLOTS {
            return None;
        }
        let slot = self.opened(index)?;
        let matches = slot.death() == Death(record);
        matches.then(|| (index, slot.procedure.load(Relaxed).cast_const()))
    }
}
