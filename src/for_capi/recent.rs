//! A small hash table of hints: the slots of trampolines that hosts made recently, keyed by callee and chain.

use super::host;
use crate::pool::hosted::INDEX_BITS;
use crate::sync::{AtomicU32, Relaxed};

/// Slots, indexed by a hash of the callee and the chain. Code that reads an entry checks the slot before using it, so
/// an entry may be wrong in any way. Therefore all accesses are Relaxed.
static RECENT: Table = Table([const { [const { AtomicU32::new(0) }; ENTRIES] }; 256]);

#[repr(align(64))]
struct Table([[AtomicU32; ENTRIES]; 256]);

/// The few entries of the table, in one cache line, that may contain the slot for a given callee and chain.
#[derive(PartialEq, Eq)]
pub struct Recent {
    home: u8,
    /// Further bits of the hash. An entry contains them above the slot's index, so that few slots are checked
    /// unnecessarily.
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
            (value >> INDEX_BITS == self.tag).then(|| slot_of(value))
        })
    }

    /// Records a slot, unless it is already recorded. Uses an empty entry or, if there is none, an entry whose slot no
    /// longer has the recorded contents. If there is no such entry either, replaces any entry.
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
        let content = host::content(slot_of(value));
        content.is_none_or(|(callee, chain)| {
            Recent::new(callee, chain) != Recent { home: self.home, tag: value >> INDEX_BITS }
        })
    }
}

fn slot_of(value: u32) -> usize {
    (value & ((1 << INDEX_BITS) - 1)) as usize
}
