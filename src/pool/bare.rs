//! The pool for boards, which have little memory, interrupts instead of threads, and possibly a second core. Targets
//! without stubs also use this pool.
//!
//! A slot contains only the words that its stub reads, so a power-of-two number of slots exactly fills an MPU region.
//! Each slot's state and callee are kept in the pool, in zero-initialised memory. The slots themselves need no
//! initialisation, because no code reads a slot that was never handed out.
//!
//! ```text
//!            slot                                state | callee
//!   live   | static chain | entry          |     odd   | its callee
//!   dead   | free record  | dead_procedure |     even  | its last callee
//!   unused | anything                      |     0     |
//! ```
//!
//! A single scan finds the slot to claim. In order of preference, the scan chooses a slot whose last callee was the new
//! trampoline's callee (unless reuse is strict), a slot that was never used, or the slot that has been dead longest.
//! The scan begins at the slot freed last, so it succeeds immediately in a program that alternately makes and frees a
//! trampoline for one callee. It visits each slot at most once, and is repeated only if other code makes or frees a
//! trampoline during the scan: on a single core, at most once per interrupt that does so.
//!
//! On processors without atomic exchange, claiming is the only operation that enters a critical section
//! (`src/sync/exchange.rs`). An unmasked interrupt handler could claim the same slot between the load and the store of
//! a claim. On Armv6-M, every claim therefore fails in NMI and HardFault handlers, and in unprivileged threads, which
//! cannot mask interrupts.
//!
//! On these processors, a free is not counted if it interrupts the two instructions that count another free. Both slots
//! then get the same age, and after several such frees, the most recently freed slot might even be reused first. A
//! claim can also fail even though some slot was free at every moment, but only if two frees by other threads or cores
//! overlap in this way during the claim. Interrupt handlers do not cause this, because a handler that interrupts a
//! claim has counted its frees before the claim continues.

use super::{Claim, Generation, LIVE, NotAStub, Owner, SLOTS, SlotPool, SlotState, Stubs};
use crate::sync::{
    Acquire, AtomicPtr, AtomicU32, AtomicUsize, Relaxed, Release, atomics, const_fn, exchange, fence,
};

/// The words that a stub reads.
#[repr(C)]
pub(crate) struct Slot {
    pub(crate) chain: AtomicPtr<()>,
    pub(crate) entry: AtomicPtr<()>,
}

/// The flag that is set in a state word, together with [`LIVE`], once the slot's words have been stored.
const ARMED: u32 = 2;
/// The number that each free adds to the state, to make the next generation differ from earlier ones. A value of the
/// state recurs only after 2^30 frees of the slot.
const NEXT: u32 = 4;

/// A free record holds the slot's index in its lower half. Its upper half holds the time of the free, expressed as the
/// number of earlier frees. Two times compare correctly if the number of frees since the older one, inclusive, fits
/// into the upper half (at most 65,535 on 32-bit targets).
const HALF: u32 = usize::BITS / 2;
const MASK: usize = (1 << HALF) - 1;
static_assertions::const_assert!(SLOTS - 1 <= MASK);

pub(crate) struct Pool<T: Stubs<Slot = Slot>> {
    table: T,
    /// The state of each slot: its generation (odd) or the number of its last free (even). Code that makes the state
    /// odd owns the slot until it makes the state even again.
    states: [AtomicU32; SLOTS],
    /// The current or last callee of each slot. It differs from the entry if the stub jumps to an adapter.
    callees: [AtomicPtr<()>; SLOTS],
    /// The number of frees, which wraps around.
    frees: AtomicUsize,
    /// The index of the slot that was freed last (a hint).
    last: AtomicUsize,
}

impl<T: Stubs<Slot = Slot>> Pool<T> {
    const_fn! {
        pub(crate) fn new(table: T) -> Self {
            Pool {
                table,
                states: atomics![AtomicU32::new(0); SLOTS],
                callees: atomics![AtomicPtr::new(core::ptr::null_mut()); SLOTS],
                frees: AtomicUsize::new(0),
                last: AtomicUsize::new(0),
            }
        }
    }

    fn state(&self, index: u32) -> &AtomicU32 {
        debug_assert!((index as usize) < SLOTS);
        // SAFETY: every index comes from this pool or from an address that the table has recognised, and is below
        // SLOTS.
        unsafe { self.states.get_unchecked(index as usize) }
    }

    fn callee(&self, index: u32) -> &AtomicPtr<()> {
        debug_assert!((index as usize) < SLOTS);
        // SAFETY: as above.
        unsafe { self.callees.get_unchecked(index as usize) }
    }

    /// Returns the slot to claim, and the number of its last free.
    ///
    /// Acquire: the callee and the record that are read next belong to that free or to a later one. If the callee or
    /// the record belongs to a later free, the exchange will fail, so both may be loaded with Relaxed. `last` is a
    /// hint: the scan may begin at any slot.
    fn best_for(&self, callee: *const (), frees: usize) -> Option<(u32, u32)> {
        let mut best = None;
        let mut best_age = 0;
        let mut index = self.last.load(Relaxed) as u32;
        for _ in 0..SLOTS {
            let last_free = self.state(index).load(Acquire);
            if last_free & LIVE == 0 {
                let age = if last_free == 0 {
                    usize::MAX
                } else {
                    if !cfg!(strict_reuse) && self.callee(index).load(Relaxed).cast_const() == callee {
                        return Some((index, last_free));
                    }
                    // The age is greater than 0 even if the slot has just been freed.
                    let record = self.table.slot(index).chain.load(Relaxed).addr();
                    (frees.wrapping_sub(record >> HALF) & MASK) + 1
                };
                if age > best_age {
                    (best, best_age) = (Some((index, last_free)), age);
                }
            }
            index += 1;
            if index as usize == SLOTS {
                index = 0;
            }
        }
        best
    }

    /// Returns whether an unused slot that the caller has claimed is in writable memory. Stores the slot's own address,
    /// a value that read-only memory will not happen to contain, and reads it back. The accesses are volatile, so the
    /// compiler cannot replace the load with the stored value.
    fn can_store(&self, index: u32) -> bool {
        let slot = self.table.slot(index);
        let mark = core::ptr::from_ref(slot).cast_mut().cast();
        slot.chain.store(mark, Relaxed);
        #[cfg(loom)]
        let found = slot.chain.load(Relaxed);
        // SAFETY: only the owner of a slot stores to it, and the caller owns this slot.
        #[cfg(not(loom))]
        let found = unsafe { slot.chain.as_ptr().read_volatile() };
        found == mark
    }

    /// Frees the slot. A call through a stale pointer may run the stub at any time. The stub reads the chain first, so
    /// the entry must change first: otherwise the former callee could receive a free record as its chain.
    ///
    /// Release for the record: code that looks up the slot and sees the record also sees that the slot is no longer
    /// armed. Release for the state: the next owner sees the slot as this owner left it. Release for `frees`: see
    /// `claim_slow`. The count changes last, so any code that sees the new count finds the slot dead. The other
    /// accesses are Relaxed: `last` is a hint, and the count in the record determines the slot's age, not its owner.
    #[inline(never)]
    fn release_slot(&self, index: u32, generation: u32) {
        let (word, slot) = (self.state(index), self.table.slot(index));
        let record = self.frees.load(Relaxed) << HALF | index as usize;
        word.store(generation & !ARMED, Relaxed);
        slot.entry.store(self.table.dead_procedure().cast_mut(), Release);
        slot.chain.store(core::ptr::without_provenance_mut(record), Release);
        let next = (generation & !(NEXT - 1)).wrapping_add(NEXT);
        word.store(if next == 0 { NEXT } else { next }, Release);
        self.last.store(index as usize, Relaxed);
        exchange::count(&self.frees);
    }

    /// Returns the state word of an armed slot, or, for a slot that is not armed, the result of a lookup.
    ///
    /// Acquire: `state_of` reads the words of this generation, or of a later one. Relaxed for a dead slot's callee: it
    /// may be a former callee or a new owner's, and code that needs the exact one calls `former_callee`.
    fn armed(&self, index: u32) -> Result<u32, SlotState> {
        let state = self.state(index).load(Acquire);
        match state & (LIVE | ARMED) {
            _ if state == 0 => Err(SlotState::Unused),
            0 => Err(SlotState::Dead { callee: self.callee(index).load(Relaxed) }),
            LIVE => Err(SlotState::Dead { callee: core::ptr::null() }),
            _ => Ok(state),
        }
    }
}

impl<T: Stubs<Slot = Slot>> SlotPool for Pool<T> {
    fn capacity(&self) -> usize {
        SLOTS
    }

    fn indices(&self) -> impl Iterator<Item = u32> {
        0..SLOTS as u32
    }

    // Relaxed: no read of the slot depends on this load.
    fn is_open(&self, index: u32) -> bool {
        self.state(index).load(Relaxed) != 0
    }

    fn stub(&self, claim: Claim) -> *const () {
        self.table.stub(claim.index)
    }

    // The exchange succeeds only if the slot has stayed dead since `best_for` chose it. Release: code that sees this
    // slot live also sees every free that this thread knew of, so no claim finds the table full while a slot is free.
    // Acquire for the first load of `frees`, for the same reason: code that sees a free finds the freed slot dead.
    // Relaxed for the second load, which only shows whether another slot has been freed in the meantime.
    //
    // The fence orders the exchange before the new generation's stores, here and in `arm`. Code that looks up the slot
    // without having been given its address, and sees one of these stores, also sees that the previous generation has
    // ended.
    #[inline(never)]
    fn claim_slow(&self, callee: *const (), _: Owner) -> Option<Claim> {
        #[cfg(all(compact, target_arch = "arm", not(target_has_atomic = "ptr")))]
        if crate::arch::no_exchange_here() {
            return None;
        }
        loop {
            let frees = self.frees.load(Acquire);
            let Some((index, last_free)) = self.best_for(callee, frees) else {
                if self.frees.load(Relaxed) == frees {
                    return None;
                }
                continue;
            };
            let generation = last_free | LIVE;
            if !exchange::replace(self.state(index), last_free, generation) {
                continue;
            }
            fence(Release);
            if last_free == 0 && !self.can_store(index) {
                self.state(index).store(0, Relaxed);
                return None;
            }
            self.callee(index).store(callee.cast_mut(), Relaxed);
            return Generation::new(generation).map(|generation| Claim { index, generation });
        }
    }

    // The trampoline's address reaches a caller through synchronization that orders these stores before the call. Code
    // that finds a slot in any other way relies on the Release: once it sees the armed state, it reads the words of
    // this generation, or of a later one.
    fn arm(&self, claim: Claim, entry: *const (), chain: *mut ()) {
        let slot = self.table.slot(claim.index);
        slot.chain.store(chain, Relaxed);
        slot.entry.store(entry.cast_mut(), Relaxed);
        self.state(claim.index).store(claim.generation.get() | ARMED, Release);
    }

    // Release: a call that passes the new chain sees the data prepared before it.
    fn set_chain(&self, claim: Claim, chain: *mut ()) {
        self.table.slot(claim.index).chain.store(chain, Release);
    }

    // Relaxed for the callee: the owner reads it when freeing the slot, and a concurrent lookup may combine the old or
    // new callee with the old or new words. Release for both words: a call that passes the new chain, or reaches the
    // new callee, sees the data prepared before it.
    fn retarget(&self, claim: Claim, callee: *const (), chain: *mut ()) {
        let slot = self.table.slot(claim.index);
        self.callee(claim.index).store(callee.cast_mut(), Relaxed);
        slot.chain.store(chain, Release);
        slot.entry.store(callee.cast_mut(), Release);
    }

    // Relaxed: the owner reads back its own generation, or a later value if other code has freed the slot by address.
    fn release(&self, claim: Claim) -> bool {
        let owned = self.state(claim.index).load(Relaxed) | ARMED == claim.generation.get() | ARMED;
        if owned {
            self.release_slot(claim.index, claim.generation.get());
        }
        owned
    }

    // Dead slots also get a new record and entry, because the board's RAM might have lost the old ones.
    fn release_all(&self) {
        for index in 0..SLOTS as u32 {
            let state = self.state(index).load(Relaxed);
            if state != 0 {
                self.release_slot(index, state);
            }
        }
    }

    fn index_of(&self, address: usize) -> Result<u32, NotAStub> {
        self.table.index_of(address)
    }

    fn release_slow(&self, address: usize) -> Result<(), SlotState> {
        let index = self.table.index_of(address).map_err(SlotState::Not)?;
        self.release_slot(index, self.armed(index)?);
        Ok(())
    }

    fn find_claim(&self, index: u32) -> Result<Claim, SlotState> {
        let generation = self.armed(index)? & !ARMED;
        Generation::new(generation).map(|generation| Claim { index, generation }).ok_or(SlotState::Unused)
    }

    // Acquire: if one of the words belongs to a later generation or is a free record, the state that is read
    // afterwards (Relaxed) is at least as recent as that word.
    fn state_of(&self, index: u32) -> SlotState {
        loop {
            let claim = match self.find_claim(index) {
                Ok(claim) => claim,
                Err(found) => return found,
            };
            let slot = self.table.slot(index);
            let entry = slot.entry.load(Acquire).cast_const();
            let chain = slot.chain.load(Acquire);
            let callee = self.callee(index).load(Acquire).cast_const();
            if self.state(index).load(Relaxed) == claim.generation.get() | ARMED {
                return SlotState::Live { claim, callee, entry, chain };
            }
        }
    }

    // Acquire for the state: the callee and the chain that are read next belong to this free or to a later one. Acquire
    // for the callee: if a later owner stored this callee, the last load of the state returns that owner's state or a
    // newer one. Acquire for the chain: if a later free stored this record, the last load returns a state that is newer
    // than `last_free`. In both cases the comparison with `last_free` fails.
    fn former_callee(&self, record: usize) -> Option<(u32, *const ())> {
        let index = (record & MASK) as u32;
        if index as usize >= SLOTS {
            return None;
        }
        let last_free = self.state(index).load(Acquire);
        let callee = self.callee(index).load(Acquire).cast_const();
        let matches = last_free & LIVE == 0
            && last_free != 0
            && self.table.slot(index).chain.load(Acquire).addr() == record
            && self.state(index).load(Relaxed) == last_free;
        matches.then_some((index, callee))
    }

    // Relaxed for the entry: only the processor orders a stub's loads, and `order` represents that ordering.
    #[cfg(loom)]
    fn read_as_stub(&self, index: u32, order: crate::sync::Ordering) -> (*const (), *mut ()) {
        let slot = self.table.slot(index);
        let chain = slot.chain.load(order);
        (slot.entry.load(Relaxed).cast_const(), chain)
    }
}
