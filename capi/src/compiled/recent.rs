//! Where trampolines with a given content were made lately: a small hash table of advice.

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;
use statictramp::runtime::host::{self, INDEX_BITS};

/// Slots by a hash of what they were made with. Whoever reads an entry checks the slot before it is
/// used, so an entry may be wrong in any way. Relaxed, for the same reason.
static RECENT: Table = Table([const { AtomicU32::new(0) }; 2048]);

#[repr(align(64))]
struct Table([AtomicU32; 2048]);

/// The few places of `RECENT` in which one content is looked for, in one line of memory.
#[derive(PartialEq, Eq)]
pub(super) struct Recent {
    home: usize,
    /// More bits of the hash, kept above a slot's index, so that few slots are checked in vain.
    tag: u32,
}

const PLACES: usize = 8;

impl Recent {
    pub(super) fn new(callee: *const (), chain: *mut ()) -> Self {
        let both = callee.addr() as u64 ^ (chain.addr() as u64).rotate_left(32);
        let hash = both.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let home = (hash >> 48) as usize % (RECENT.0.len() / PLACES) * PLACES;
        Recent { home, tag: (hash >> 16) as u32 >> INDEX_BITS | 1 }
    }

    fn places(&self) -> impl Iterator<Item = &'static AtomicU32> {
        RECENT.0[self.home..].iter().take(PLACES)
    }

    /// The slots that were noted for this content, or for one with the same tag.
    pub(super) fn slots(&self) -> impl Iterator<Item = usize> {
        let noted = self.places().map(|place| place.load(Relaxed));
        noted.filter(|noted| noted >> INDEX_BITS == self.tag).map(slot_of)
    }

    /// Notes a slot, once: in an empty place, or in that of a slot that has another content now; if there is none, in
    /// place of another.
    pub(super) fn note(&self, slot: usize) {
        let noted = self.tag << INDEX_BITS | slot as u32;
        let fits = |place: &&AtomicU32| [0, noted].contains(&place.load(Relaxed));
        let stale = |place: &&AtomicU32| self.is_stale(place.load(Relaxed));
        let mut places = self.places();
        let place = self.places().find(fits).or_else(|| places.find(stale));
        if let Some(place) = place.or_else(|| self.places().nth(slot % PLACES)) {
            place.store(noted, Relaxed);
        }
    }

    /// Whether the slot of an entry in these places is dead, or has another content than it was noted for.
    fn is_stale(&self, noted: u32) -> bool {
        let content = host::content(slot_of(noted));
        content.is_none_or(|(callee, chain)| {
            Recent::new(callee, chain) != Recent { home: self.home, tag: noted >> INDEX_BITS }
        })
    }
}

fn slot_of(noted: u32) -> usize {
    (noted & ((1 << INDEX_BITS) - 1)) as usize
}
