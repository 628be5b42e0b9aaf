//! The pool of parts without an operating system: little memory, little code, no threads but interrupts, and perhaps a
//! second core.
//!
//! A slot is what its stub reads, so a power of two of slots fills an MPU region. Its state and its callee are kept
//! in the pool, in memory that is zero at the start. The slots' memory need not be: nothing is read from a slot that
//! was never handed out.
//!
//! ```text
//!            slot                                state | callee
//!   live   | static chain | entry          |     odd   | what it was made for
//!   dead   | death record | dead_procedure |     even  | what it served last
//!   unused | anything                      |     0     |
//! ```
//!
//! One scan finds the slot to take: one that served the same callee last, else one that was never used, else the one
//! that has been dead longest. It begins where the last death was, so a program that makes and frees in turn finds its
//! slot at once. The scan is of bounded length, and is repeated only if somebody else has made or freed a trampoline
//! meanwhile: never, on one core, but for each interrupt that came between.
//!
//! Where an exchange is a critical section, an interrupt that no critical section keeps away could make its own claim
//! between the load and the store of another: so every claim in Armv6-M's non-maskable interrupt is refused, and in a thread
//! without privilege, which cannot mask interrupts. Freeing and looking up need no exchange that another could spoil: of two
//! deaths counted at the same time one is lost, and the two slots have the same age.

use super::{Claim, Generation, LIVE, NotAStub, Owner, SLOTS, SlotPool, SlotState, Stubs};
use crate::sync::{Acquire, AtomicPtr, AtomicU32, AtomicUsize, Relaxed, Release, atomics, const_fn, fence};

/// What a stub reads.
#[repr(C)]
pub(crate) struct Slot {
    pub(crate) chain: AtomicPtr<()>,
    pub(crate) entry: AtomicPtr<()>,
}

/// Set in a state word together with [`LIVE`] once the slot holds what it was claimed for.
const ARMED: u32 = 2;
/// A death adds this to the state, so that each generation differs from those before.
const NEXT: u32 = 4;

/// A death record has the slot's index in its lower half, and in its upper half the time: how many deaths there were
/// before. The order of deaths is exact while fewer lie between than that half can count (65,535, of 32 bits).
const HALF: u32 = usize::BITS / 2;
const MASK: usize = (1 << HALF) - 1;
static_assertions::const_assert!(SLOTS - 1 <= MASK);

pub(crate) struct Pool<T: Stubs<Slot = Slot>> {
    table: T,
    /// For each slot, its generation (odd) or the number of its last death (even). Whoever makes it odd owns the slot until
    /// making it even.
    states: [AtomicU32; SLOTS],
    /// What a stale pointer still means. It differs from the entry where an adapter stands between.
    callees: [AtomicPtr<()>; SLOTS],
    /// How many trampolines have died; wraps.
    deaths: AtomicUsize,
    /// The slot of the last one.
    last: AtomicUsize,
}

impl<T: Stubs<Slot = Slot>> Pool<T> {
    const_fn! {
        pub(crate) fn new(table: T) -> Self {
            Pool {
                table,
                states: atomics![AtomicU32::new(0); SLOTS],
                callees: atomics![AtomicPtr::new(core::ptr::null_mut()); SLOTS],
                deaths: AtomicUsize::new(0),
                last: AtomicUsize::new(0),
            }
        }
    }

    fn state(&self, index: u32) -> &AtomicU32 {
        debug_assert!((index as usize) < SLOTS);
        // SAFETY: every index comes from this pool or from an address that the table knows, and is below SLOTS.
        unsafe { self.states.get_unchecked(index as usize) }
    }

    fn callee(&self, index: u32) -> &AtomicPtr<()> {
        debug_assert!((index as usize) < SLOTS);
        // SAFETY: as above.
        unsafe { self.callees.get_unchecked(index as usize) }
    }

    /// The slot to take, and the number of its death.
    ///
    /// Acquire: the callee and the record read next are those of that death or of a later one; of a later one the
    /// exchange will not succeed. So these two are Relaxed; `last` is advice, and any slot is right to begin with.
    fn best_for(&self, callee: *const (), deaths: usize) -> Option<(u32, u32)> {
        let mut best = None;
        let mut best_age = 0;
        let mut index = self.last.load(Relaxed) as u32;
        for _ in 0..SLOTS {
            let death = self.state(index).load(Acquire);
            if death & LIVE == 0 {
                let age = if death == 0 {
                    usize::MAX
                } else {
                    if !cfg!(strict_reuse) && self.callee(index).load(Relaxed).cast_const() == callee {
                        return Some((index, death));
                    }
                    // More than 0 also of a slot that died a moment ago.
                    let record = self.table.slot(index).chain.load(Relaxed).addr();
                    (deaths.wrapping_sub(record >> HALF) & MASK) + 1
                };
                if age > best_age {
                    (best, best_age) = (Some((index, death)), age);
                }
            }
            index += 1;
            if index as usize == SLOTS {
                index = 0;
            }
        }
        best
    }

    /// A stale pointer may be called at any moment of this. The stub reads the chain first, so the entry must change
    /// first: then the late callee never gets a death record as its chain.
    ///
    /// Release, of the record: whoever looks the slot up and sees it sees that the slot is not armed any more. Of the
    /// state: whoever claims the slot next sees it as its owner left it. Of `deaths`: as in `claim_cold`; a death is
    /// counted last, so that whoever knows of it can claim the slot. Relaxed, of the others: `last` is advice, and the
    /// count, read for the record, says how old the slot is, not whose.
    #[inline(never)]
    fn end_life(&self, index: u32, generation: u32) {
        let (word, slot) = (self.state(index), self.table.slot(index));
        let record = self.deaths.load(Relaxed) << HALF | index as usize;
        word.store(generation & !ARMED, Relaxed);
        slot.entry.store(self.table.dead_procedure().cast_mut(), Release);
        slot.chain.store(core::ptr::without_provenance_mut(record), Release);
        let next = (generation & !(NEXT - 1)).wrapping_add(NEXT);
        word.store(if next == 0 { NEXT } else { next }, Release);
        self.last.store(index as usize, Relaxed);
        self.deaths.fetch_add(1, Release);
    }

    /// The state of an armed slot.
    ///
    /// Acquire: `look` reads the words of this generation, or of a later one. Relaxed, of a dead slot's callee: it is one that
    /// the slot serves or has served; who must know which asks `late_callee`.
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

    // Relaxed: nothing of the slot is read because of it.
    fn is_open(&self, index: u32) -> bool {
        self.state(index).load(Relaxed) != 0
    }

    fn stub(&self, claim: Claim) -> *const () {
        self.table.stub(claim.index)
    }

    // The exchange succeeds only if the slot is still as dead as it was when it was chosen. Release: who sees this
    // slot live also sees that another died before, if this thread knew it; so nobody finds the table full while a
    // slot is free. For the same reason `deaths` is read with Acquire: who knows of a death finds the slot dead. Relaxed the
    // second time: it only tells whether another has died since.
    //
    // The fence is for the stores of the new generation, here and in `arm`: whoever looks the slot up without having
    // been given its address, and sees one of them, sees that the generation before is over.
    #[inline(never)]
    fn claim_cold(&self, callee: *const (), _: Owner) -> Option<Claim> {
        #[cfg(all(compact, target_arch = "arm", not(target_has_atomic = "ptr")))]
        if crate::arch::no_exchange_here() {
            return None;
        }
        loop {
            let deaths = self.deaths.load(Acquire);
            let Some((index, death)) = self.best_for(callee, deaths) else {
                if self.deaths.load(Relaxed) == deaths {
                    return None;
                }
                continue;
            };
            let generation = death | LIVE;
            if self.state(index).compare_exchange(death, generation, Release, Relaxed).is_err() {
                continue;
            }
            fence(Release);
            self.callee(index).store(callee.cast_mut(), Relaxed);
            return Generation::new(generation).map(|generation| Claim { index, generation });
        }
    }

    // Whoever may call the trampoline got its address from the owner, by something that orders these stores before
    // the call. Release is for others, who look a slot up although nobody gave them its address, and
    // find it armed: of the state, after which they read the words.
    fn arm(&self, claim: Claim, entry: *const (), chain: *mut ()) {
        let slot = self.table.slot(claim.index);
        slot.chain.store(chain, Relaxed);
        slot.entry.store(entry.cast_mut(), Relaxed);
        self.state(claim.index).store(claim.generation.get() | ARMED, Release);
    }

    // Release: a call that passes the new chain finds what was prepared before it.
    fn set_chain(&self, claim: Claim, chain: *mut ()) {
        self.table.slot(claim.index).chain.store(chain, Release);
    }

    // Relaxed, of the callee: the owner reads it at the slot's death, and a lookup meanwhile may show either callee with
    // either words. Release, twice: a call that passes the new chain, or enters the new callee, finds what was prepared
    // before it.
    fn retarget(&self, claim: Claim, callee: *const (), chain: *mut ()) {
        let slot = self.table.slot(claim.index);
        self.callee(claim.index).store(callee.cast_mut(), Relaxed);
        slot.chain.store(chain, Release);
        slot.entry.store(callee.cast_mut(), Release);
    }

    // Relaxed: the owner reads back its own generation, or a later value if somebody else has freed the slot by its
    // address.
    fn release(&self, claim: Claim) -> bool {
        let owned = self.state(claim.index).load(Relaxed) | ARMED == claim.generation.get() | ARMED;
        if owned {
            self.end_life(claim.index, claim.generation.get());
        }
        owned
    }

    fn index_of(&self, address: usize) -> Result<u32, NotAStub> {
        self.table.index_of(address)
    }

    fn release_at(&self, address: usize) -> Result<(), SlotState> {
        let index = self.table.index_of(address).map_err(SlotState::Not)?;
        self.end_life(index, self.armed(index)?);
        Ok(())
    }

    fn claim_of(&self, index: u32) -> Result<Claim, SlotState> {
        let generation = self.armed(index)? & !ARMED;
        Generation::new(generation).map(|generation| Claim { index, generation }).ok_or(SlotState::Unused)
    }

    // Acquire: if one of the words is of a later generation, or a death record, the state read after them is too, Relaxed.
    fn look(&self, index: u32) -> SlotState {
        loop {
            let claim = match self.claim_of(index) {
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

    // Acquire, of the state: callee and chain are those of this death, or of what came after it. Of the callee: if the next
    // owner stored it, the state read last is that owner's. Of the chain: likewise, if the record is that of a later death.
    fn late_callee(&self, record: usize) -> Option<(u32, *const ())> {
        let index = (record & MASK) as u32;
        if index as usize >= SLOTS {
            return None;
        }
        let death = self.state(index).load(Acquire);
        let callee = self.callee(index).load(Acquire).cast_const();
        let matches = death & LIVE == 0
            && death != 0
            && self.table.slot(index).chain.load(Acquire).addr() == record
            && self.state(index).load(Relaxed) == death;
        matches.then_some((index, callee))
    }

    // Relaxed, of the entry: a stub's loads have no ordering but that of the processor, which `order` stands for.
    #[cfg(loom)]
    fn read_as_stub(&self, index: u32, order: crate::sync::Ordering) -> (*const (), *mut ()) {
        let slot = self.table.slot(index);
        let chain = slot.chain.load(order);
        (slot.entry.load(Relaxed).cast_const(), chain)
    }
}
