//! A slot of the table: what its stub reads, and who may write it.
//!
//! ```text
//!          0                8                16      20      24               32
//!   live   | static chain   | callee         | claim | below | procedure      |
//!   dead   | death record   | dead_procedure | claim | below | late procedure |
//!          '-- read by the stub, plainly ----'
//! ```
//!
//! `claim` says who owns the slot: odd while it is live, even while it is dead. It is the
//! number of the last death, and of the life since: a birth sets the lowest bit, and the one
//! above it if the life is a host's, which whoever takes the slot from the host clears again.
//! Each death has a later number than the one before, so no number of a slot comes back
//! until 2^30 deaths have been counted. Whoever makes the word odd, or takes it from a host,
//! by an exchange owns every other word of the slot until making it even again by a plain
//! store: nobody else writes them.

use crate::claim::{Kind, LIVE, Life};
use crate::sync::{Acquire, AtomicPtr, AtomicU32, Relaxed, Release};

/// A slot, 32 bytes on a 64-bit target. Its memory may hold anything until [`Slot::open`].
#[repr(C)]
pub(crate) struct Slot {
    /// What the stub puts into the static-chain register.
    pub(crate) chain: AtomicPtr<()>,
    /// Where the stub jumps.
    pub(crate) callee: AtomicPtr<()>,
    /// The number of this life (odd), or of the last death (even).
    pub(crate) claim: AtomicU32,
    /// The slot below this one in its thread's list of warm slots (`src/warm.rs`);
    /// itself at the bottom.
    pub(crate) below: AtomicU32,
    /// The procedure this slot serves, or served last: what a stale pointer still means.
    /// Differs from `callee` where an adapter stands between.
    pub(crate) procedure: AtomicPtr<()>,
}

/// Set in `claim` besides [`LIVE`], while it belongs to a host.
const HOST: u32 = 2;
/// From one number of a death to the next: they are above these bits.
pub(crate) const DEATH: u32 = 4;

/// Whether a number of a death is later than another: by less than half of all there are.
#[inline(always)]
fn is_later(this: u32, than: u32) -> bool {
    this.wrapping_sub(than) as i32 > 0
}

/// The number of the death that ends `life`: later than the slot's last, which is part of the
/// number of the life, and than `counted`.
#[inline(always)]
pub(crate) fn death_of(life: u32, counted: u32) -> u32 {
    let last = life & !(DEATH - 1);
    let latest = if is_later(last, counted) { last } else { counted };
    latest.wrapping_add(DEATH)
}

impl Kind {
    /// That of a life.
    pub(crate) fn of(life: Life) -> Self {
        if life.get() & HOST != 0 { Kind::Host } else { Kind::Own }
    }

    #[inline(always)]
    fn life(self, death: u32) -> Life {
        Life::MIN | death | if self == Kind::Host { HOST } else { 0 }
    }
}

impl Slot {
    /// Makes a warm slot live for the procedure it served, if nobody was faster: the
    /// number of its life.
    ///
    /// Acquire: the procedure read next is the one stored before that death, and what the
    /// late owner stored comes before what the new one will. The exchange succeeds only if
    /// the word is still that very death's, whose number does not come back: then the
    /// procedure is still the same, and the exchange needs no ordering of its own.
    #[inline(always)]
    pub(crate) fn revive(&self, procedure: *const (), kind: Kind) -> Option<Life> {
        let death = self.claim.load(Acquire);
        if death & LIVE != 0 || self.procedure.load(Relaxed).cast_const() != procedure {
            return None;
        }
        self.claim(death, kind)
    }

    /// Makes a dead slot live, if `death` is still its last.
    #[inline(always)]
    pub(crate) fn claim(&self, death: u32, kind: Kind) -> Option<Life> {
        let life = kind.life(death);
        self.claim.compare_exchange(death, life.get(), Relaxed, Relaxed).is_ok().then_some(life)
    }

    /// Makes memory of unknown content a live slot, in its first life.
    ///
    /// The caller has claimed the index and nobody else knows it yet; announcing it
    /// (a Release of its own) publishes these stores.
    pub(crate) fn open(&self, procedure: *const (), dead_procedure: *const (), kind: Kind) -> Life {
        let life = kind.life(0);
        self.callee.store(dead_procedure.cast_mut(), Relaxed);
        self.procedure.store(procedure.cast_mut(), Relaxed);
        self.claim.store(life.get(), Relaxed);
        life
    }

    /// Takes a live slot from a host that is gone, if it is still in the life that was
    /// looked at. Who does is its owner then.
    ///
    /// Relaxed: the exchange alone decides between two who try, and the words that its new
    /// owner overwrites it has read before.
    pub(crate) fn seize(&self, life: Life) -> bool {
        self.claim.compare_exchange(life.get(), life.get() & !HOST, Relaxed, Relaxed).is_ok()
    }

    /// Fills what the stub reads. Only the owner may.
    ///
    /// Whoever may call the trampoline got its address from the owner, by something that
    /// orders these stores before the call. Release is for others, who look a slot up
    /// unasked: having seen a word of this life they see its number in `claim`.
    #[inline(always)]
    pub(crate) fn arm(&self, callee: *const (), chain: *mut ()) {
        self.chain.store(chain, Release);
        self.callee.store(callee.cast_mut(), Release);
    }

    /// Points the stub at the dead procedure. Only the owner may.
    ///
    /// A stale pointer may be called at this moment. The stub reads the chain first, so
    /// the callee must change first: then the late callee never sees a death record as its
    /// chain. Release keeps that order; where a processor reads the stub's two words in
    /// another order it is only likely.
    #[inline(always)]
    pub(crate) fn disarm(&self, dead_procedure: *const (), record: Record) {
        self.callee.store(dead_procedure.cast_mut(), Relaxed);
        self.chain.store(core::ptr::without_provenance_mut(record.0), Release);
    }

    /// Gives the slot up; `death` is the number of its death. Only the owner may.
    ///
    /// Release: who claims the slot next sees it as its owner left it.
    #[inline(always)]
    pub(crate) fn give_up(&self, death: u32) {
        self.claim.store(death, Release);
    }

    /// What [`disarm`](Slot::disarm) left.
    #[inline(always)]
    pub(crate) fn record(&self) -> Record {
        Record(self.chain.load(Relaxed).addr())
    }

    /// The death whose number `claim` is.
    #[inline(always)]
    pub(crate) fn death(&self, claim: u32) -> Death {
        Death { record: self.record(), number: claim }
    }
}

/// What stands in a dead slot's chain: which slot it is (the dead procedure gets nothing
/// else to know it by), and how many slots sweeps had handed out when it died.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Record(pub(crate) usize);

/// Enough for the most slots there can be (`build.rs`).
pub(crate) const INDEX_BITS: u32 = 20;
/// As much of a count as there is room for above it.
const HANDOUTS: usize = if usize::BITS == 64 { u32::MAX as usize } else { usize::MAX >> INDEX_BITS };

impl Record {
    #[inline(always)]
    pub(crate) fn new(index: u32, handouts: u32) -> Self {
        Record(index as usize | (handouts as usize & HANDOUTS) << INDEX_BITS)
    }

    /// The slot's index.
    pub(crate) fn index(self) -> u32 {
        (self.0 & ((1 << INDEX_BITS) - 1)) as u32
    }
}

/// When a slot died: how many slots sweeps had handed out by then, and the number of the
/// death. Both wrap; within one thread the order is exact as long as fewer than half the
/// range lies between.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Death {
    pub(crate) record: Record,
    pub(crate) number: u32,
}

impl Death {
    /// How many slots sweeps have handed out since, `now` being the count of today.
    pub(crate) fn handouts_since(self, now: u32) -> u32 {
        now.wrapping_sub((self.record.0 >> INDEX_BITS) as u32) & HANDOUTS as u32
    }

    /// Whether this death came before the other, `now` as above.
    pub(crate) fn before(self, other: Death, now: u32) -> bool {
        let (mine, its) = (self.handouts_since(now), other.handouts_since(now));
        mine > its || mine == its && is_later(other.number, self.number)
    }
}

// A dead slot keeps its index.
static_assertions::const_assert!(crate::table::SLOTS <= 1 << INDEX_BITS);
