//! A slot of the table: the words that its stub reads, and the rules for writing them.
//!
//! ```text
//!          0                8                16      20      24            32
//!   live   | static chain   | entry          | state | below | callee      |
//!   dead   | free record    | dead_procedure | state | below | last callee |
//!          '-- the stub reads these two ----'
//! ```
//!
//! `state` determines which code owns the slot. It is odd while the slot is live, and even while the slot is dead.
//!
//! ```text
//!   31                                     2      1      0
//!   | number of the slot's last free       | COMPILER | LIVE |
//! ```
//!
//! After [`Slot::open`], three operations change `state`. A claim sets `LIVE` with an exchange, and also `COMPILER` if
//! compiled code makes the trampoline: the word is then the slot's *generation*. A reclaim ([`Slot::seize`]) clears
//! `COMPILER` with an exchange. A free stores its own number. Each free has a later number than the slot's previous
//! free, so a value of the word normally recurs only after 2^30 frees have been counted. A number is considered later
//! than another if it is ahead by less than half the range. A value may therefore recur earlier once the counts of two
//! threads, which both begin at 0, are 2^29 frees apart. The thread that made one of the two exchanges owns the slot
//! until it stores the number of its free. Until that store, no other thread writes `chain`, `entry` or `callee`. Any
//! thread may write `below`, which is a hint.

#[cfg(signed)]
use crate::arch::signing::{Pair, resign, sign};
#[cfg(signed)]
use crate::message;
use crate::pool::{Generation, LIVE, Owner};
use crate::sync::{Acquire, AtomicPtr, AtomicU32, Relaxed, Release};

/// A slot, 32 bytes on a 64-bit target. Its contents are arbitrary until [`Slot::open`].
#[repr(C)]
#[cfg_attr(signed, repr(align(16)))]
pub(crate) struct Slot {
    /// The value that the stub puts into the static-chain register.
    pub(crate) chain: AtomicPtr<()>,
    /// The address that the stub jumps to. In builds with signed slots, it is signed for this chain and this slot
    /// (`impl Slot` below), except between [`Slot::open`] and the first [`Slot::arm`].
    pub(crate) entry: AtomicPtr<()>,
    /// The generation (odd), or the number of the last free (even).
    pub(crate) state: AtomicU32,
    /// The index of the slot below this one in a list of warm slots (`free_lists.rs`). The bottom slot contains its
    /// own index. [`ON_TOP`] is also set, except while this slot is live and not on top of a list.
    pub(crate) below: AtomicU32,
    /// The callee of a live slot, or the last callee of a dead slot (named in the diagnosis of a stale pointer). It
    /// differs from `entry` if the stub jumps to an adapter.
    pub(crate) callee: AtomicPtr<()>,
}

/// The flag that is set in `state`, together with [`LIVE`], while the slot belongs to [`Owner::Compiler`].
pub(super) const COMPILER: u32 = 2;
/// The difference between the numbers of successive frees. A free's number is stored in the bits above the two flags.
pub(super) const NEXT_FREE: u32 = 4;

/// The flag in `below` that is set for a live slot on top of a list, and for any dead slot on a list. Like the list,
/// this flag is a hint (`free_lists.rs`).
const ON_TOP: u32 = 1 << 31;

/// Returns whether the free with number `this` is later than the one with number `than`, that is, ahead of `than` by
/// less than half the range.
#[inline(always)]
fn is_later(this: u32, than: u32) -> bool {
    this.wrapping_sub(than) as i32 > 0
}

/// Returns the number of the free that ends a generation. It is later than `counted`, and later than the number of the
/// slot's last free, which is part of the generation.
#[inline(always)]
pub(crate) fn free_after(generation: u32, counted: u32) -> u32 {
    let last = generation & !(NEXT_FREE - 1);
    // `is_later` would also work, but because it is false for equal numbers, it would take one more instruction on
    // x86-64.
    let latest = if last.wrapping_sub(counted) as i32 >= 0 { last } else { counted };
    latest.wrapping_add(NEXT_FREE)
}

impl Owner {
    /// Returns the owner of a slot in this generation.
    pub(crate) fn of(generation: Generation) -> Self {
        if generation.get() & COMPILER != 0 { Owner::Compiler } else { Owner::Program }
    }

    #[inline(always)]
    fn generation(self, last_free: u32) -> Generation {
        Generation::MIN | last_free | if self == Owner::Compiler { COMPILER } else { 0 }
    }
}

/// The reason why a slot was not revived.
pub(super) enum Unrevived {
    /// The slot is live. Another thread may have claimed it just now.
    Live,
    /// The slot is dead, and its last callee was another function.
    OfAnother,
}

impl Slot {
    /// Makes a warm slot live for its last callee, unless another thread has already done so. Returns the generation.
    ///
    /// Acquire: the callee that is read next was stored before that free, and the former owner's stores happen before
    /// the new owner's. The exchange itself needs no ordering: it succeeds only if the word still has that free's
    /// number, so neither the slot nor its callee has changed since.
    #[inline(always)]
    pub(super) fn revive(&self, callee: *const (), owner: Owner) -> Result<Generation, Unrevived> {
        let last_free = self.state.load(Acquire);
        if last_free & LIVE != 0 {
            return Err(Unrevived::Live);
        }
        if self.callee.load(Relaxed).cast_const() != callee {
            return Err(Unrevived::OfAnother);
        }
        self.claim(last_free, owner).ok_or(Unrevived::Live)
    }

    /// Makes a dead slot live if `last_free` is still the number of its last free.
    #[inline(always)]
    pub(crate) fn claim(&self, last_free: u32, owner: Owner) -> Option<Generation> {
        let generation = owner.generation(last_free);
        self.state
            .compare_exchange(last_free, generation.get(), Relaxed, Relaxed)
            .is_ok()
            .then_some(generation)
    }

    /// Turns memory with unknown contents into a live slot in its first generation.
    ///
    /// The caller has claimed the index, which no other code knows yet. The Release with which the caller publishes the
    /// index also publishes these stores.
    pub(crate) fn open(&self, callee: *const (), dead_procedure: *const (), owner: Owner) -> Generation {
        let generation = owner.generation(0);
        self.entry.store(dead_procedure.cast_mut(), Relaxed);
        self.callee.store(callee.cast_mut(), Relaxed);
        self.state.store(generation.get(), Relaxed);
        generation
    }

    /// Takes a live slot from an abandoned frame, if the slot is still in the given generation. Returns true if the
    /// caller is now the owner.
    ///
    /// Relaxed: if two threads try to seize the slot, the exchange alone decides which one succeeds. The new owner
    /// reads the words before it overwrites them.
    pub(crate) fn seize(&self, generation: Generation) -> bool {
        self.state.compare_exchange(generation.get(), generation.get() & !COMPILER, Relaxed, Relaxed).is_ok()
    }

    /// Fills the two words that the stub reads. Only the owner may call this.
    ///
    /// The trampoline's address reaches a caller through synchronization that orders these stores before the call.
    /// Without such synchronization, code relies on Release: once it sees either of these stores, it also sees the
    /// generation in `state`. A call through a stale pointer may have loaded the free record already; if it then loads
    /// this entry, the entry receives the record.
    #[cfg(not(signed))]
    #[inline(always)]
    pub(crate) fn arm(&self, entry: *const (), chain: *mut ()) {
        self.chain.store(chain, Release);
        self.entry.store(entry.cast_mut(), Release);
    }

    /// Points the stub at the dead procedure. Only the owner may call this.
    ///
    /// A call through a stale pointer may run the stub concurrently. The stub reads the chain first, so the entry must
    /// change first. The former callee then never receives a free record as its chain, provided that the processor
    /// reads the stub's two words in program order. Release preserves the order of the stores.
    #[cfg(not(signed))]
    #[inline(always)]
    pub(crate) fn disarm(&self, dead_procedure: *const (), record: FreeRecord) {
        self.entry.store(dead_procedure.cast_mut(), Relaxed);
        self.chain.store(core::ptr::without_provenance_mut(record.0), Release);
    }

    /// Changes the chain. Only the owner may call this.
    ///
    /// Release: a call that passes the new chain sees the data prepared before it.
    #[cfg(not(signed))]
    #[inline(always)]
    pub(crate) fn set_chain(&self, chain: *mut ()) {
        let word = &self.chain;
        word.store(chain, Release);
    }

    /// Returns whether the stub jumps to this procedure.
    ///
    /// Relaxed: the owner reads its own store, or a store by other code that has already freed the trampoline by
    /// address. Such a double free need not be detected, so no stronger ordering is needed.
    #[inline(always)]
    pub(crate) fn enters(&self, procedure: *const ()) -> bool {
        crate::arch::signing::strip(self.entry.load(Relaxed).cast_const()) == procedure
    }

    /// Gives up the slot by storing the number of this free, `last_free`. Only the owner may call this.
    ///
    /// Release: the next owner sees the slot as this owner left it.
    #[inline(always)]
    pub(crate) fn give_up(&self, last_free: u32) {
        self.state.store(last_free, Release);
    }

    /// Returns whether a live slot is flagged as the top of a list. The flag of a slot that was never freed is
    /// arbitrary.
    #[inline(always)]
    pub(crate) fn is_on_top(&self) -> bool {
        self.below.load(Relaxed) & ON_TOP != 0
    }

    /// Returns the index of the slot below this one.
    #[inline(always)]
    pub(super) fn index_below(&self) -> u32 {
        self.below.load(Relaxed) & !ON_TOP
    }

    /// Stores the index of the slot below this one, and flags this slot as the top of its list.
    #[inline(always)]
    pub(super) fn put_on_top(&self, below: u32) {
        self.below.store(below | ON_TOP, Relaxed);
    }

    /// Clears the flag that marks this slot as the top of a list, and returns the index of the slot below. If another
    /// thread owns the slot and concurrently stores an index here, that index is lost.
    #[inline(always)]
    pub(crate) fn leave_top(&self) -> u32 {
        let below = self.index_below();
        self.below.store(below, Relaxed);
        below
    }

    /// Returns the record that [`disarm`](Slot::disarm) stored.
    #[inline(always)]
    pub(crate) fn record(&self) -> FreeRecord {
        FreeRecord(self.chain.load(Relaxed).addr())
    }

    /// Returns the slot's last free, whose number is in `state`.
    #[inline(always)]
    pub(crate) fn last_free(&self, state: u32) -> LastFree {
        LastFree { record: self.record(), number: state }
    }
}

/// The operations of a slot (`slot.rs`) whose entry is signed (`src/arch/aarch64/signing.rs`).
///
/// A stub faults if it reads an entry together with a chain for which the entry was not signed, so each operation
/// changes both words with one atomic store. If the processor also loads the stub's two words atomically, a concurrent
/// call passes either the old chain to the old entry, or the new chain to the new entry.
///
/// Library code that loads the two words one after the other relies on the orderings that `slot.rs` establishes. After
/// `arm`, a thread that sees the new entry also sees the new chain. After `disarm`, a thread that sees the new chain
/// also sees the new entry. An atomic store of both words guarantees both orderings, so the models of slots without
/// signatures cover this code.
#[cfg(signed)]
impl Slot {
    /// Returns the two words that the stub reads.
    #[inline(always)]
    fn pair(&self) -> &Pair {
        // SAFETY: a slot begins with its chain and its entry, and has the same alignment as a `Pair`.
        unsafe { &*core::ptr::from_ref(self).cast() }
    }

    /// Fills the two words that the stub reads. Only the owner may call this. Release: a thread that sees either word
    /// also sees the generation in `state`.
    #[inline(always)]
    pub(crate) fn arm(&self, entry: *const (), chain: *mut ()) {
        let pair = self.pair();
        pair.store(chain, sign(entry, chain, pair.address()));
    }

    /// Points the stub at the dead procedure. Only the owner may call this.
    ///
    /// Release: a thread that sees the record also sees the generation that this free ends.
    #[inline(always)]
    pub(crate) fn disarm(&self, dead_procedure: *const (), record: FreeRecord) {
        self.arm(dead_procedure, core::ptr::without_provenance_mut(record.0));
    }

    /// Changes the chain. Only the owner may call this.
    ///
    /// The entry's signature is checked before the entry is signed again. Otherwise this function would sign an entry
    /// that other code has stored. The slot contains no other signed copy of the entry: `callee` is not signed.
    ///
    /// Two threads of the owner may call this concurrently. Both sign the same entry, and each stores a valid pair.
    pub(crate) fn set_chain(&self, chain: *mut ()) {
        let pair = self.pair();
        let (old, entry) = pair.load();
        match resign(entry, pair.address(), old, chain) {
            Some(entry) => pair.store(chain, entry),
            None => {
                message::fatal("code outside the library has changed the entry or the chain of a live slot")
            }
        }
    }
}

/// The value stored as a dead slot's chain: the index by which the dead procedure identifies the slot, and the
/// age-clock time of the slot's free (`sweep.rs`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FreeRecord(pub(crate) usize);

/// The number of bits in an index, enough for the maximum number of slots (`build.rs`).
pub(crate) const INDEX_BITS: u32 = 20;
/// The bits of the age clock that fit above the index.
const AGE_MASK: usize = if usize::BITS == 64 { u32::MAX as usize } else { usize::MAX >> INDEX_BITS };

impl FreeRecord {
    #[inline(always)]
    pub(crate) fn new(index: u32, age_clock: u32) -> Self {
        FreeRecord(index as usize | (age_clock as usize & AGE_MASK) << INDEX_BITS)
    }

    /// Returns the slot's index.
    pub(crate) fn index(self) -> u32 {
        (self.0 & ((1 << INDEX_BITS) - 1)) as u32
    }
}

/// The age-clock time of a slot's free, and the number of that free. Both wrap around. The times and numbers of two
/// frees by the same thread compare correctly if they are less than half the range apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LastFree {
    pub(crate) record: FreeRecord,
    pub(crate) number: u32,
}

impl LastFree {
    /// Returns the time since this free. `now` is the current value of the age clock.
    pub(crate) fn age(self, now: u32) -> u32 {
        now.wrapping_sub((self.record.0 >> INDEX_BITS) as u32) & AGE_MASK as u32
    }

    /// Returns whether this free came before the other. `now` is the current value of the age clock.
    pub(crate) fn before(self, other: LastFree, now: u32) -> bool {
        let (mine, its) = (self.age(now), other.age(now));
        mine > its || mine == its && is_later(other.number, self.number)
    }
}

// A free record has room for the index.
static_assertions::const_assert!(crate::pool::SLOTS <= 1 << INDEX_BITS);
