//! Ownership of slots: claiming, arming, releasing and looking up.
//!
//! Two pools implement the [`SlotPool`] trait. [`hosted`] is for programs on an operating system: it supports many
//! threads, growth of the table, and compiled code that abandons trampolines without freeing them. [`bare`] is for
//! boards, which have little memory and no operating system, and for targets without stubs. Both get the addresses of
//! stubs and slots from the table (`src/table/`), which implements [`Stubs`].
//!
//! # The six verbs
//!
//! The name of a function for one of these steps begins with the step's verb, except where the table shows otherwise. A
//! `_fast` function is inlined and handles only the usual case; a `_slow` function handles all cases. The other endings
//! name the slots from which a step chooses: *listed*, on a free list of this thread; *unused*; *swept*, found by the
//! sweep; *marked*, freed before; *in the row*, in an added segment of the row (`src/table/row.rs`).
//!
//! | verb | fast path | slow path, in the order of its steps |
//! |---|---|---|
//! | claim | `claim_fast`, `claim_fast_shared` | `claim_slow`: `claim_listed`, `claim_unused`, `claim_swept` |
//! | claim and arm | `make_fast` | `make_listed`, `make_swept` |
//! | arm | `arm` | |
//! | release | `release_marked`; by address: `release_fast`, `release_fast_in_row` | `release_and_mark`, `release_listed`, `release_unlisted`; by address: `release_slow` |
//! | find | `index_in_table`, `index_in_row` | `index_of`, `find`, `find_claim` |
//! | reclaim | | `claim_or_reclaim`, `reclaim` |
//! | grow | | `claim_or_grow`, `grow` |
//!
//! Other functions change or describe a slot in use: `set_chain`, `retarget`, `stub`, `state_of`, `of_host`,
//! `former_callee`. The rest are parts of the sweep (`of_batch`, `any_dead`, `hand_over`), of the free lists (`list`,
//! `pop`, `push`), and of the free or the claim of one slot (`make_dead`, `revive`, `open`, `seize`).
//!
//! The trait determines the order of the search for a slot: first the free slots, then the reclaimed slots
//! ([`claim_or_reclaim`](SlotPool::claim_or_reclaim)), and finally growth ([`claim_or_grow`](SlotPool::claim_or_grow)).
//! The functions of `Trampoline` have the same endings: `make_fast`, `free_fast`, `free_slow`. In
//! `src/trampoline/mod.rs`, functions that call the pool for a program's own trampolines also end in `_for_program`.

#[cfg(any(compact, test))]
#[cfg_attr(not(compact), allow(dead_code))] // the tests use only parts of this module
pub(crate) mod bare;
mod extra;
#[cfg(any(loom, test))]
#[path = "../tests/fake.rs"]
pub(crate) mod fake;
#[cfg(not(compact))]
pub(crate) mod hosted;

#[cfg(loom)]
use crate::sync::Ordering;
#[cfg(compact)]
pub(crate) use bare::{Pool, Slot};
#[cfg(feature = "__slot-extra")]
pub use extra::SlotExtra;
#[cfg(not(compact))]
pub(crate) use hosted::{Pool, Slot};

/// The operations of a pool. Each index passed to a method must come from this pool.
pub(crate) trait SlotPool {
    /// Returns the number of slots.
    fn capacity(&self) -> usize;

    /// Returns the indices of all slots.
    fn indices(&self) -> impl Iterator<Item = u32>;

    /// Returns whether a slot has ever been handed out.
    fn is_open(&self, index: u32) -> bool;

    /// Returns the number of times that the table has grown.
    fn added(&self) -> usize {
        0
    }

    /// Grows the table to at most `limit` slots, unless it has already grown more than `known` times. Returns false if
    /// the table cannot grow.
    fn grow(&self, _known: usize, _limit: usize) -> bool {
        false
    }

    /// Returns the address to call for a claimed slot.
    fn stub(&self, claim: Claim) -> *const ();

    /// Tries to claim the slot that this thread last freed for `callee`. The code is small enough to be inlined. If
    /// this returns `None`, `claim_slow` may still find a slot.
    fn claim_fast(&self, _callee: *const (), _owner: Owner) -> Option<Claim> {
        None
    }

    /// Like [`claim_fast`](SlotPool::claim_fast), but longer, because it also uses the lists with shared heads.
    #[cfg(not(portable))]
    fn claim_fast_shared(&self, callee: *const (), owner: Owner) -> Option<Claim> {
        self.claim_fast(callee, owner)
    }

    /// Tries to claim a slot that this thread freed for `callee`, in any segment and from any list, including lists
    /// with shared heads.
    fn claim_listed(&self, _callee: *const (), _owner: Owner) -> Option<Claim> {
        None
    }

    /// Claims any slot on behalf of `callee`. Returns `None` if all slots are live, or if no slot can be claimed in
    /// this context (`bare.rs`). The caller must arm the slot.
    fn claim_slow(&self, callee: *const (), owner: Owner) -> Option<Claim>;

    /// Claims a slot with [`claim_fast`](SlotPool::claim_fast) or, if that fails, with
    /// [`claim_slow`](SlotPool::claim_slow).
    #[cfg(test)]
    fn claim(&self, callee: *const (), owner: Owner) -> Option<Claim> {
        self.claim_fast(callee, owner).or_else(|| self.claim_slow(callee, owner))
    }

    /// Claims a free slot on behalf of `callee`, whether or not the slot was used before. If no slot is free, calls
    /// `reclaim` and, if `reclaim` returns true, claims a slot that it has freed. If this also fails, a caller that can
    /// share a trampoline searches for an equal one; the last resort is [`claim_or_grow`](SlotPool::claim_or_grow).
    fn claim_or_reclaim(
        &self,
        callee: *const (),
        owner: Owner,
        reclaim: impl FnOnce() -> bool,
    ) -> Option<Claim> {
        let free = || self.claim_slow(callee, owner);
        free().or_else(|| if !self.has_nothing_to_reclaim() && reclaim() { free() } else { None })
    }

    /// Grows the table to at most `limit` slots in total, and claims a slot. Claims a slot freed in the meantime, if
    /// any, instead of growing the table.
    ///
    /// In a build with growth, returns `None` only if no slot stayed free from the beginning to the end of the call.
    /// `full.rs` states the exception.
    fn claim_or_grow(&self, callee: *const (), owner: Owner, limit: impl Fn() -> usize) -> Option<Claim> {
        while cfg!(growing) {
            // The number of growths is read before the search: if another thread adds a segment in between, that
            // segment is searched as well.
            let known = self.added();
            let found = self.claim_slow(callee, owner);
            if found.is_some() {
                return found;
            }
            if !self.grow(known, limit()) {
                break;
            }
        }
        self.rejected();
        None
    }

    /// Returns whether all slots are known to be live and to belong to the program.
    fn has_nothing_to_reclaim(&self) -> bool {
        false
    }

    /// Notifies the pool that no slot was found and that the table could not grow.
    fn rejected(&self) {}

    /// Makes the stub of a claimed slot jump to `entry` with `chain`.
    fn arm(&self, claim: Claim, entry: *const (), chain: *mut ());

    /// Changes the chain of a live trampoline. Only the owner may call this.
    fn set_chain(&self, claim: Claim, chain: *mut ());

    /// Changes the entry, the chain, and the callee that the diagnosis of a stale pointer names. Only the owner may
    /// call this.
    fn retarget(&self, claim: Claim, callee: *const (), chain: *mut ());

    /// Frees the trampoline in a claimed slot. Does nothing and returns false if the claim's generation has ended,
    /// whether the slot is now dead or live again.
    fn release(&self, claim: Claim) -> bool;

    /// Frees every trampoline, regardless of the contents of its slot. No other code may use the pool concurrently.
    fn release_all(&self) {
        for claim in self.live() {
            self.release(claim);
        }
    }

    /// Returns the index of the slot whose stub begins at `address`.
    fn index_of(&self, address: usize) -> Result<u32, NotAStub>;

    /// Frees the trampoline at `address`. Only the owner may call this. If the slot was freed and is live again, this
    /// frees the new trampoline, because both have the same address.
    fn release_slow(&self, address: usize) -> Result<(), SlotState>;

    /// Returns the claim of the live trampoline in the slot with this index, or the state of a slot that is not live.
    fn find_claim(&self, index: u32) -> Result<Claim, SlotState>;

    /// Returns the state of a slot. If a trampoline is made or freed concurrently, the result was correct at some
    /// moment during this call.
    fn state_of(&self, index: u32) -> SlotState;

    /// Returns the state of the slot whose stub is at `address`, as [`state_of`](SlotPool::state_of) does.
    fn find(&self, address: usize) -> SlotState {
        self.index_of(address).map_or_else(SlotState::Not, |index| self.state_of(index))
    }

    /// Returns the live trampolines, in the order of their slots.
    fn live(&self) -> impl Iterator<Item = Claim> {
        self.indices().filter_map(|index| self.find_claim(index).ok())
    }

    /// Given the free record that a stale call passed, returns the index and the former callee of the record's slot.
    /// Returns `None` if that slot is still being freed or has been claimed again, or if the call passed a callee's
    /// chain instead.
    fn former_callee(&self, record: usize) -> Option<(u32, *const ())>;

    /// Returns the entry and the chain of a slot, loaded as a stub does: the chain first, and then the entry. If
    /// `order` is Acquire, the load of the entry cannot move before the load of the chain.
    #[cfg(loom)]
    fn read_as_stub(&self, index: u32, order: Ordering) -> (*const (), *mut ());
}

/// A number that identifies one use of a slot, from a claim to its release. A number recurs only after many other uses
/// of the slot (`hosted/slot.rs` states when). A generation is odd and therefore not 0, so an `Option<Generation>` fits
/// in one register.
pub(crate) type Generation = core::num::NonZeroU32;

/// The bit that is set in every generation number and clear in the number of every free.
pub(crate) const LIVE: u32 = 1;

/// A live slot: its index and its generation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Claim {
    pub(crate) index: u32,
    pub(crate) generation: Generation,
}

/// The kind of code that made a trampoline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Owner {
    /// A program, which frees its trampolines itself.
    Program,
    /// Compiled code, for an internal procedure or a nested function. The chain points to a host's frame, and `longjmp`
    /// may leave the host before the trampoline is freed.
    #[cfg(not(compact))]
    Compiler,
}

/// The state of the slot whose stub begins at an address, or the reason why no stub begins there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SlotState {
    /// A live trampoline.
    Live { claim: Claim, callee: *const (), entry: *const (), chain: *mut () },
    /// A freed trampoline, and its last callee.
    Dead { callee: *const () },
    /// A stub whose slot was never handed out.
    Unused,
    /// No stub begins at the address.
    Not(NotAStub),
}

/// The number of stubs and slots in the static table. Loom models use only a few slots.
pub(crate) const SLOTS: usize = if cfg!(loom) { 4 } else { number(env!("STATICTRAMP_SLOTS")) };

/// The distance in bytes between the starts of neighbouring slots, as passed to the assembler.
#[cfg(not(loom))]
pub(crate) const SLOT_STRIDE: usize = number(env!("STATICTRAMP_SLOT_STRIDE"));

/// The reason why no stub begins at an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NotAStub {
    /// The address is outside the table.
    Foreign,
    /// The address is inside the table, but not where a stub begins.
    Interior,
}

/// The slots of a table, and the address to call for each slot.
pub(crate) trait Stubs {
    /// The struct from which a stub reads its words.
    type Slot;
    /// Returns the slot with this index, which must be below [`SLOTS`].
    fn slot(&self, index: u32) -> &Self::Slot;
    /// Returns the address to call for the slot with this index.
    fn stub(&self, index: u32) -> *const ();
    /// Returns the index for a stub's address, or `None` for any other address.
    #[cfg(not(compact))]
    fn index_at(&self, address: usize) -> Option<u32>;
    /// Returns the index for a stub's address, or an error for any other address.
    fn index_of(&self, address: usize) -> Result<u32, NotAStub>;
    /// Returns the dead procedure, to which a freed trampoline's stub jumps.
    fn dead_procedure(&self) -> *const ();
}

/// Returns the number of the stub that begins `offset` bytes after the first of `count` stubs, which are `stride`
/// bytes apart. Returns `None` if no stub begins at the offset.
#[cfg_attr(portable, allow(dead_code))] // a table without stubs has no addresses to compute with
#[inline(always)]
pub(crate) fn number_at(offset: usize, count: usize, stride: usize) -> Option<u32> {
    (offset < count * stride && offset.is_multiple_of(stride)).then_some((offset / stride) as u32)
}

/// Like [`number_at`], but returns an error if no stub begins at the offset.
#[cfg(any(growing, loom, test))]
pub(crate) fn number_of(offset: usize, count: usize, stride: usize) -> Result<u32, NotAStub> {
    number_called(offset, count, stride, 0)
}

/// Like [`number_of`], but for an address to call, which has `bit` set, as Thumb code requires. Returns an error if the
/// bit is not set.
#[cfg_attr(portable, allow(dead_code))]
pub(crate) fn number_called(offset: usize, count: usize, stride: usize, bit: usize) -> Result<u32, NotAStub> {
    if offset >= count * stride {
        return Err(NotAStub::Foreign);
    }
    number_at(offset.wrapping_sub(bit), count, stride).ok_or(NotAStub::Interior)
}

const fn number(digits: &str) -> usize {
    match usize::from_str_radix(digits, 10) {
        Ok(number) => number,
        Err(_) => panic!("build.rs passes a number"),
    }
}
