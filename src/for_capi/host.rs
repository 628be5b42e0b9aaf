//! Trampolines made by compiled code. The chain of such a trampoline points into a host procedure's frame. A host may
//! be abandoned (by `longjmp`, an exception or thread cancellation) before it frees its trampolines. Unlike trampolines
//! that a program makes for itself, these trampolines can therefore be reclaimed.

#[cfg(windows)]
pub use crate::os::windows::memory;
#[cfg(all(target_os = "linux", not(loom)))]
pub use crate::os::{stack::first_stack, system};

use crate::pool::hosted::INDEX_BITS;
use crate::pool::{Claim, Owner, SLOTS, SlotPool};
use crate::trampoline::global::POOL;
use crate::trampoline::limit::limit;

/// A slot claimed for a callee, but with a stub that does not jump to the callee yet.
///
/// No code is given the stub's address before [`arm`](Claimed::arm) returns it. Until then, a call through a stale
/// pointer to the stub reaches the dead procedure, and [`content`], [`equal`] and [`reclaim`] skip the slot. Dropping
/// the claim releases the slot. If a signal handler exits with `longjmp` between the claim and `arm`, the slot stays
/// claimed until the process ends. Between the claim and `arm`, callers must therefore only fill the extra words: any
/// search with the functions named above must precede the claim or follow `arm`.
#[must_use = "dropping a claimed slot gives it back"]
pub struct Claimed(Claim); // two words in registers, even as an `Option`

impl Claimed {
    /// Returns the slot's number. The caller must fill the slot's extra words ([`extra`](super::extra)) before arming
    /// the slot: arming makes the words visible to code that looks up the slot by its content.
    #[inline(always)]
    pub fn slot(&self) -> usize {
        self.0.index as usize
    }

    /// Makes the stub jump to `callee` with `chain`, and returns the trampoline's address. The slot must have been
    /// claimed for `callee`.
    #[inline(always)]
    pub fn arm(self, callee: *const (), chain: *mut ()) -> *const () {
        let claim = core::mem::ManuallyDrop::new(self).0;
        POOL.arm(claim, callee, chain);
        POOL.stub(claim)
    }
}

impl Drop for Claimed {
    #[cold]
    fn drop(&mut self) {
        // The release succeeds, because only the owner can free a slot that is not armed: `reclaim` skips the slot, and
        // no code has been given the stub's address.
        POOL.release(self.0);
    }
}

/// Claims a slot of the static table that this thread recently freed for `callee`. Returns `None` if this thread knows
/// of no such slot; the caller may then try [`claim_listed`] and [`claim`], which search further. No slot has a null
/// callee.
#[inline(always)]
pub fn claim_fast(callee: *const ()) -> Option<Claimed> {
    POOL.claim_fast(callee, Owner::Compiler).map(Claimed)
}

/// Like [`claim_fast`], but may also claim a slot outside the static table.
pub fn claim_listed(callee: *const ()) -> Option<Claimed> {
    POOL.claim_listed(callee, Owner::Compiler).map(Claimed)
}

/// Claims any free slot. If no slot is free, calls `reclaim`, which returns whether it has freed any slots.
pub fn claim(callee: *const (), reclaim: fn() -> bool) -> Option<Claimed> {
    POOL.claim_or_reclaim(callee, Owner::Compiler, reclaim).map(Claimed)
}

/// Claims a slot by growing the table, after [`claim`] has found no slot and [`equal`] has found no trampoline that can
/// be shared. Returns `None` if the table cannot grow.
pub fn claim_or_grow(callee: *const ()) -> Option<Claimed> {
    POOL.claim_or_grow(callee, Owner::Compiler, limit).map(Claimed)
}

/// Frees the trampolines of abandoned frames. `abandoned` recognises such a trampoline by its slot and its chain.
/// Returns the number of trampolines freed.
///
/// # Safety
/// A host that `abandoned` reports must never run again, and its trampolines must be neither called nor freed.
pub unsafe fn reclaim(abandoned: impl Fn(usize, *mut ()) -> bool) -> usize {
    POOL.reclaim(|index, chain| abandoned(index as usize, chain))
}

/// Returns the slots of all live trampolines that hosts made with exactly this callee and chain.
pub fn equal(callee: *const (), chain: *mut ()) -> impl Iterator<Item = usize> {
    let all =
        POOL.of_hosts().filter(move |&(_, its_callee, its_chain)| (its_callee, its_chain) == (callee, chain));
    all.map(|(claim, ..)| claim.index as usize)
}

/// Returns the index for a slot number, or `None` if the number is not less than the maximum number of slots. Any
/// number may be passed.
#[inline(always)]
fn index(slot: usize) -> Option<u32> {
    let most = if cfg!(growing) { 1 << INDEX_BITS } else { SLOTS };
    (slot < most).then_some(slot as u32)
}

/// Returns the address of the trampoline in a slot, if the trampoline belongs to a host and has exactly this callee and
/// chain.
pub fn equal_in(slot: usize, callee: *const (), chain: *mut ()) -> Option<*const ()> {
    let index = index(slot).filter(|&index| POOL.passes(index, chain))?;
    let (claim, its_callee, its_chain) = POOL.of_host(index)?;
    ((its_callee, its_chain) == (callee, chain)).then(|| POOL.stub(claim))
}

/// Returns the callee and the chain of the trampoline in a slot, if the trampoline is live and belongs to a host.
pub fn content(slot: usize) -> Option<(*const (), *mut ())> {
    let (_, callee, chain) = POOL.of_host(index(slot)?)?;
    Some((callee, chain))
}

/// Returns the identity of the calling thread.
#[inline(always)]
pub fn thread() -> usize {
    crate::arch::thread()
}

/// Returns the slot for a stub's address in the static table, or `None` for any other address.
#[inline(always)]
pub fn slot_in_table(address: *const ()) -> Option<usize> {
    POOL.slots().index_in_table(address.addr()).map(|index| index as usize)
}

#[cfg(stubs)]
pub use recent::Recent;

/// A small table of hints: the slots of trampolines that hosts made recently.
#[cfg(stubs)]
mod recent {
    use crate::pool::hosted::INDEX_BITS;
    use crate::sync::{AtomicU32, Relaxed};

    /// Slots, indexed by a hash of the callee and the chain. All accesses are Relaxed, because an entry may be wrong
    /// in any way: code that reads it checks the slot before using it.
    static RECENT: RecentSlots = RecentSlots([const { [const { AtomicU32::new(0) }; ENTRIES] }; 256]);

    #[repr(align(64))]
    struct RecentSlots([[AtomicU32; ENTRIES]; 256]);

    /// One cache line of the table of recent trampolines: the few entries that may contain the slot for a callee and
    /// chain.
    #[derive(PartialEq, Eq)]
    pub struct Recent {
        home: u8,
        /// Further bits of the hash, stored above the slot's index in each entry to avoid most needless checks of
        /// slots.
        tag: u32,
    }

    const ENTRIES: usize = 8;

    impl Recent {
        /// Returns the entries for a callee and a chain.
        pub fn new(callee: *const (), chain: *mut ()) -> Self {
            let both = callee.addr() as u64 ^ (chain.addr() as u64).rotate_left(32);
            let hash = both.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let home = (hash >> 48) as u8;
            Recent { home, tag: (hash >> 16) as u32 >> INDEX_BITS | 1 }
        }

        fn entries(&self) -> &'static [AtomicU32; ENTRIES] {
            &RECENT.0[usize::from(self.home)]
        }

        /// Returns the slots that were recorded for this callee and chain, or for another pair with the same tag. The
        /// caller must check the slots.
        pub fn slots(&self) -> impl Iterator<Item = usize> {
            self.entries().iter().filter_map(|entry| {
                let value = entry.load(Relaxed);
                (value >> INDEX_BITS == self.tag).then(|| slot_in(value))
            })
        }

        /// Records a slot, unless it is already recorded. Prefers an empty entry, then a stale entry, then any entry.
        pub fn record(&self, slot: usize) {
            let value = self.tag << INDEX_BITS | slot as u32;
            let fits = |entry: &&AtomicU32| [0, value].contains(&entry.load(Relaxed));
            let stale = |entry: &&AtomicU32| self.is_stale(entry.load(Relaxed));
            let entries = self.entries();
            let entry = entries.iter().find(fits).or_else(|| entries.iter().find(stale));
            if let Some(entry) = entry.or(entries.get(slot % ENTRIES)) {
                entry.store(value, Relaxed);
            }
        }

        /// Returns whether the slot in one of these entries is dead, or now has a different callee or chain.
        fn is_stale(&self, value: u32) -> bool {
            let content = super::content(slot_in(value));
            content.is_none_or(|(callee, chain)| {
                Recent::new(callee, chain) != Recent { home: self.home, tag: value >> INDEX_BITS }
            })
        }
    }

    fn slot_in(value: u32) -> usize {
        (value & ((1 << INDEX_BITS) - 1)) as usize
    }
}
