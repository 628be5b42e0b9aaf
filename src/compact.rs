//! The pool of parts without an operating system: little memory, little code, no threads but interrupts, and perhaps a
//! second core.
//!
//! A slot is what its stub reads, so a power of two of slots fills an MPU region. Whose it is stands beside the
//! table, in memory that is zero at the start, which the slots' need not be: nothing is read from a slot that
//! nobody was handed.
//!
//! ```text
//!            slot                                claim | procedure
//!   live   | static chain | callee         |     odd   | what it was made for
//!   dead   | death record | dead_procedure |     even  | what it served last
//!   unused | anything                      |     0     |
//! ```
//!
//! One scan finds the slot to take: one that served the same procedure last, else one that was never used, else the one
//! that has been dead longest. It begins where the last death was, so a program that makes and frees in turn finds its
//! slot at once. The scan is of bounded length, and is repeated only if somebody else has made or freed a trampoline
//! meanwhile: never, on one core, but for each interrupt that came between.
//!
//! Where an exchange is a critical section, a claim in an interrupt that none keeps away could come between its load and its
//! store: Armv6-M's non-maskable interrupt is refused every claim. To free and to look up takes no exchange that another
//! could spoil: of two deaths counted at once one is lost, and the two are of one age.

use crate::claim::{Claim, Found, Kind, LIVE, Life};
use crate::sync::{Acquire, AtomicPtr, AtomicU32, AtomicUsize, Relaxed, Release, atomics, const_fn, fence};
use crate::table::{NotAStub, SLOTS, Stubs};

/// What a stub reads.
#[repr(C)]
pub(crate) struct Slot {
    pub(crate) chain: AtomicPtr<()>,
    pub(crate) callee: AtomicPtr<()>,
}

/// Set in a claim besides [`LIVE`] once the slot holds what it was claimed for.
const ARMED: u32 = 2;
/// A death adds this to the number, so that each life has one of its own.
const NEXT: u32 = 4;

/// A death record has the slot's index in its lower half, and in its upper half the time: how many deaths there were
/// before. The order of deaths is exact while fewer lie between than that half can count (65,535, of 32 bits).
const HALF: u32 = usize::BITS / 2;
const MASK: usize = (1 << HALF) - 1;
static_assertions::const_assert!(SLOTS - 1 <= MASK);

pub(crate) struct Pool<T: Stubs<Slot = Slot>> {
    table: T,
    /// For each slot, the number of its life or death. Whoever makes it odd owns the slot until making it even.
    claims: [AtomicU32; SLOTS],
    /// What a stale pointer still means. It differs from the callee where an adapter stands between.
    procedures: [AtomicPtr<()>; SLOTS],
    /// How many lives have ended; wraps.
    deaths: AtomicUsize,
    /// Where the last one did.
    last: AtomicUsize,
}

impl<T: Stubs<Slot = Slot>> Pool<T> {
    const_fn! {
        pub(crate) fn new(table: T) -> Self {
            Pool {
                table,
                claims: atomics![AtomicU32::new(0); SLOTS],
                procedures: atomics![AtomicPtr::new(core::ptr::null_mut()); SLOTS],
                deaths: AtomicUsize::new(0),
                last: AtomicUsize::new(0),
            }
        }
    }

    fn claim_word(&self, index: u32) -> &AtomicU32 {
        debug_assert!((index as usize) < SLOTS);
        // SAFETY: every index comes from this pool or from an address that the table knows, and is below SLOTS.
        unsafe { self.claims.get_unchecked(index as usize) }
    }

    fn procedure(&self, index: u32) -> &AtomicPtr<()> {
        debug_assert!((index as usize) < SLOTS);
        // SAFETY: as above.
        unsafe { self.procedures.get_unchecked(index as usize) }
    }

    /// What a trampoline's user calls.
    pub(crate) fn stub(&self, claim: Claim) -> *const () {
        self.table.stub(claim.index)
    }

    /// Claims a slot on behalf of `procedure`; `None` if all are live. It must be armed.
    ///
    /// The exchange succeeds only if the slot is still as dead as it was when it was chosen. Release: who sees this
    /// slot live also sees that another died before, if this thread knew it; so nobody finds the table full while a
    /// slot is free. For the same reason `deaths` is read with Acquire: who knows of a death finds the slot dead.
    ///
    /// The fence is for the stores of the new life, here and in `arm`: who looks the slot up unasked and sees one of
    /// them sees that the life before is over.
    #[inline(never)]
    pub(crate) fn claim_cold(&self, procedure: *const (), _: Kind) -> Option<Claim> {
        #[cfg(all(compact, target_arch = "arm", not(target_has_atomic = "ptr")))]
        if crate::arch::no_exchange_here() {
            return None;
        }
        loop {
            let deaths = self.deaths.load(Acquire);
            let Some((index, death)) = self.best_for(procedure, deaths) else {
                if self.deaths.load(Relaxed) == deaths {
                    return None;
                }
                continue;
            };
            let life = death | LIVE;
            if self.claim_word(index).compare_exchange(death, life, Release, Relaxed).is_err() {
                continue;
            }
            fence(Release);
            self.procedure(index).store(procedure.cast_mut(), Relaxed);
            return Life::new(life).map(|life| Claim { index, life });
        }
    }

    /// The same: there is no quicker way here.
    pub(crate) fn claim_again(&self, _: *const (), _: Kind) -> Option<Claim> {
        None
    }

    /// The slot to take, and the number of its death.
    ///
    /// Acquire: the procedure and the record read next are those of that death or of a later one; of a later one the
    /// exchange will not succeed.
    fn best_for(&self, procedure: *const (), deaths: usize) -> Option<(u32, u32)> {
        let mut best = None;
        let mut best_age = 0;
        let mut index = self.last.load(Relaxed) as u32;
        for _ in 0..SLOTS {
            let death = self.claim_word(index).load(Acquire);
            if death & LIVE == 0 {
                let age = if death == 0 {
                    usize::MAX
                } else {
                    if !cfg!(strict_reuse) && self.procedure(index).load(Relaxed).cast_const() == procedure {
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

    /// Makes the stub of a claimed slot enter `callee` with `chain`.
    ///
    /// Whoever may call the trampoline got its address from the owner, by something that orders these stores before
    /// the call. Release is for others, who look a slot up unasked and find it armed.
    pub(crate) fn arm(&self, claim: Claim, callee: *const (), chain: *mut ()) {
        let slot = self.table.slot(claim.index);
        slot.chain.store(chain, Relaxed);
        slot.callee.store(callee.cast_mut(), Relaxed);
        self.claim_word(claim.index).store(claim.life.get() | ARMED, Release);
    }

    /// Changes the chain of a live trampoline. Only the owner may.
    ///
    /// Release: a call that passes the new chain finds what was prepared behind it.
    pub(crate) fn set_chain(&self, claim: Claim, chain: *mut ()) {
        self.table.slot(claim.index).chain.store(chain, Release);
    }

    /// Changes both words, and what a stale pointer means. Only the owner may.
    pub(crate) fn retarget(&self, claim: Claim, callee: *const (), chain: *mut ()) {
        let slot = self.table.slot(claim.index);
        self.procedure(claim.index).store(callee.cast_mut(), Relaxed);
        slot.chain.store(chain, Release);
        slot.callee.store(callee.cast_mut(), Release);
    }

    /// Ends the life that `claim` names. False, and nothing is done, if that is over, whether the slot is dead or
    /// lives again.
    pub(crate) fn release(&self, claim: Claim) -> bool {
        let owned = self.claim_word(claim.index).load(Relaxed) | ARMED == claim.life.get() | ARMED;
        if owned {
            self.end_life(claim.index, claim.life.get());
        }
        owned
    }

    /// A stale pointer may be called at any moment of this. The stub reads the chain first, so the callee must change
    /// first: then the late callee never sees a death record as its chain.
    ///
    /// Release, of the record: who looks the slot up and sees it sees that the slot is not armed any more. Of the
    /// claim: who claims the slot next sees it as its owner left it. Of `deaths`: as in `claim_cold`; it is counted
    /// last, so that the slot can be claimed by whoever knows.
    #[inline(never)]
    fn end_life(&self, index: u32, life: u32) {
        let (word, slot) = (self.claim_word(index), self.table.slot(index));
        let record = self.deaths.load(Relaxed) << HALF | index as usize;
        word.store(life & !ARMED, Relaxed);
        slot.callee.store(self.table.dead_procedure().cast_mut(), Release);
        slot.chain.store(core::ptr::without_provenance_mut(record), Release);
        let next = (life & !(NEXT - 1)).wrapping_add(NEXT);
        word.store(if next == 0 { NEXT } else { next }, Release);
        self.last.store(index as usize, Relaxed);
        self.deaths.fetch_add(1, Release);
    }

    /// The index of the slot whose stub begins at `address`.
    pub(crate) fn index_of(&self, address: usize) -> Result<u32, NotAStub> {
        self.table.index_of(address)
    }

    /// There is no quicker way than [`release_at`](Pool::release_at).
    pub(crate) fn release_quickly(&self, _: usize) -> bool {
        false
    }

    /// Frees the trampoline at `address`, which only its owner may do. Of a slot that was freed and lives again it
    /// frees the new trampoline: an address says no more.
    pub(crate) fn release_at(&self, address: usize) -> Result<(), Found> {
        let index = self.table.index_of(address).map_err(Found::Not)?;
        self.end_life(index, self.armed(index)?);
        Ok(())
    }

    /// The number of the life of an armed slot.
    fn armed(&self, index: u32) -> Result<u32, Found> {
        let claim = self.claim_word(index).load(Acquire);
        match claim & (LIVE | ARMED) {
            _ if claim == 0 => Err(Found::Unused),
            0 => Err(Found::Dead { procedure: self.procedure(index).load(Relaxed) }),
            LIVE => Err(Found::Dead { procedure: core::ptr::null() }),
            _ => Ok(claim),
        }
    }

    /// The claim of the live trampoline with this index.
    pub(crate) fn claim_of(&self, index: u32) -> Result<Claim, Found> {
        let life = self.armed(index)? & !ARMED;
        Life::new(life).map(|life| Claim { index, life }).ok_or(Found::Unused)
    }

    /// What there is at `address`. Of a trampoline that is being made or freed meanwhile the answer is one that was
    /// right at some moment of this call.
    pub(crate) fn find(&self, address: usize) -> Found {
        self.table.index_of(address).map_or_else(Found::Not, |index| self.look(index))
    }

    /// The same of a slot.
    ///
    /// Acquire: if one of the words is of a later life, or a death record, the claim read behind them is too.
    pub(crate) fn look(&self, index: u32) -> Found {
        loop {
            let claim = match self.claim_of(index) {
                Ok(claim) => claim,
                Err(found) => return found,
            };
            let slot = self.table.slot(index);
            let callee = slot.callee.load(Acquire).cast_const();
            let chain = slot.chain.load(Acquire);
            let procedure = self.procedure(index).load(Acquire).cast_const();
            if self.claim_word(index).load(Relaxed) == claim.life.get() | ARMED {
                return Found::Live { claim, procedure, callee, chain };
            }
        }
    }

    /// The live trampolines, as they are met.
    pub(crate) fn live(&self) -> impl Iterator<Item = Claim> {
        self.indices().filter_map(|index| self.claim_of(index).ok())
    }

    /// The late procedure of a slot whose death record a stale call has brought; `None` if the slot serves again.
    pub(crate) fn late_procedure(&self, record: usize) -> Option<(u32, *const ())> {
        let index = (record & MASK) as u32;
        if index as usize >= SLOTS {
            return None;
        }
        let death = self.claim_word(index).load(Acquire);
        let procedure = self.procedure(index).load(Acquire).cast_const();
        let matches = death & LIVE == 0
            && death != 0
            && self.table.slot(index).chain.load(Acquire).addr() == record
            && self.claim_word(index).load(Relaxed) == death;
        matches.then_some((index, procedure))
    }

    /// How many slots there are.
    pub(crate) fn capacity(&self) -> usize {
        SLOTS
    }

    pub(crate) fn indices(&self) -> impl Iterator<Item = u32> {
        0..SLOTS as u32
    }

    /// Whether a slot has ever been handed out.
    pub(crate) fn is_open(&self, index: u32) -> bool {
        self.claim_word(index).load(Relaxed) != 0
    }

    /// How often the table has grown: it does not.
    pub(crate) fn added(&self) -> usize {
        0
    }

    /// Cannot.
    pub(crate) fn grow(&self, _known: usize, _limit: usize) -> bool {
        false
    }

    /// What a stub reads: its slot's callee and chain, one behind the other if `order` is Acquire.
    #[cfg(loom)]
    pub(crate) fn read_as_stub(
        &self,
        index: u32,
        order: core::sync::atomic::Ordering,
    ) -> (*const (), *mut ()) {
        let slot = self.table.slot(index);
        let chain = slot.chain.load(order);
        (slot.callee.load(Relaxed).cast_const(), chain)
    }
}

#[cfg(test)]
impl crate::table::Junk for Slot {
    fn junk() -> Self {
        use crate::table::junk;
        Slot { chain: junk(), callee: junk() }
    }
}
