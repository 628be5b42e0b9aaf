//! All slots, both in the static table and in the segments that growth has added.
//!
//! ```text
//!   index   0 .. SLOTS | SLOTS .. 2 SLOTS | 2 SLOTS .. 4 SLOTS | 4 SLOTS .. 8 SLOTS | ...
//!           the table  | segment 1        | segment 2          | segment 3
//! ```
//!
//! On 64-bit Linux, the first segments, and usually all of them, are in the row (`segment.rs`). The row contains
//! `row_len` indices, beginning with `SLOTS`. Slots in the row are found by arithmetic, without a function call. Slots
//! outside the row are found through the pointers to their segments.
//!
//! Each segment doubles the number of slots, unless the limit shortens it. A few pointers therefore suffice for a
//! million slots, and the segment of an index is computed without a search. One exchange publishes a segment. If two
//! threads grow the table concurrently, each maps a segment, but only one segment is kept. Neither thread depends on
//! the other's progress, although a thread that mapped its segment outside the row may wait for a bounded time.
//! Segments remain until the process ends, so a stale pointer never points to unmapped memory.

use super::bitmap::{Bitmap, words};
use super::free_lists::Shard;
use super::heads::Heads;
#[cfg(growing)]
use super::segment::{Row, Segment};
use super::segment::{SegmentBits, Table};
use super::slot::Slot;
use crate::pool::{NotAStub, SLOTS};
#[cfg(growing)]
use crate::sync::AtomicPtr;
use crate::sync::{Acquire, AtomicU32, AtomicUsize, Ordering, Relaxed, Release, atomics, const_fn};

/// The number of indices that fit into a free record (`slot.rs`).
#[cfg(growing)]
pub(crate) const MOST_SLOTS: usize = 1 << super::slot::INDEX_BITS;

/// The number of times that the table can double before it reaches `MOST_SLOTS`.
#[cfg(growing)]
pub(super) const SEGMENTS: usize = (MOST_SLOTS.div_ceil(SLOTS)).next_power_of_two().ilog2() as usize;

pub(crate) struct Segments<T: Table> {
    pub(super) table: T,
    taken: [AtomicUsize; words(SLOTS)],
    all_taken: AtomicU32,
    open: [AtomicUsize; words(SLOTS)],
    dead: [AtomicUsize; words(SLOTS)],
    /// The pointers to segments 1, 2, and so on. A pointer is null until its segment exists.
    #[cfg(growing)]
    pub(super) more: [AtomicPtr<Segment<T::Region>>; SEGMENTS],
    /// The number of indices in the row, the first of which is `SLOTS`. It never decreases.
    #[cfg(growing)]
    pub(super) row_len: AtomicU32,
}

impl<T: Table> Segments<T> {
    const_fn! {
        pub(crate) fn new(table: T) -> Self {
            Segments {
                table,
                taken: atomics![AtomicUsize::new(0); words(SLOTS)],
                all_taken: AtomicU32::new(0),
                open: atomics![AtomicUsize::new(0); words(SLOTS)],
                dead: atomics![AtomicUsize::new(0); words(SLOTS)],
                #[cfg(growing)]
                more: atomics![AtomicPtr::new(core::ptr::null_mut()); SEGMENTS],
                #[cfg(growing)]
                row_len: AtomicU32::new(0),
            }
        }
    }

    /// Returns the table.
    #[inline(always)]
    pub(crate) fn table(&self) -> &T {
        &self.table
    }

    /// Returns the free lists of the running thread.
    #[inline(always)]
    pub(crate) fn shard(&self) -> &Shard {
        self.table.shard()
    }

    /// Returns the list heads that all threads share.
    #[inline(always)]
    pub(crate) fn heads(&self) -> &Heads {
        self.table.heads()
    }

    /// Returns the dead procedure, to which a freed trampoline's stub jumps.
    #[inline(always)]
    pub(crate) fn dead_procedure(&self) -> *const () {
        self.table.dead_procedure()
    }

    /// Returns the slot with this index. The index must have been handed out to the caller, or obtained from
    /// [`opened`](Segments::opened), [`SegmentBits`] or the top of a list.
    #[inline(always)]
    pub(crate) fn slot(&self, index: u32) -> &Slot {
        #[cfg(growing)]
        if index as usize >= SLOTS {
            return self.added_slot(index);
        }
        self.table.slot(index)
    }

    /// Returns the stub of the slot with this index. The conditions of [`slot`](Segments::slot) apply.
    #[inline(always)]
    pub(crate) fn stub(&self, index: u32) -> *const () {
        #[cfg(growing)]
        if index as usize >= SLOTS {
            return self.added_stub(index);
        }
        self.table.stub(index)
    }

    /// Returns the index of the slot whose stub begins at `address`.
    #[inline(never)]
    pub(crate) fn index_of(&self, address: usize) -> Result<u32, NotAStub> {
        match self.table.index_of(address) {
            #[cfg(growing)]
            Err(NotAStub::Foreign) => self
                .index_in_row(address)
                .map_or_else(|| self.index_in_segments(address), |(_, index)| Ok(index)),
            found => found,
        }
    }

    /// Returns the index of the slot whose stub begins at `address` if the slot is in the static table, or `None` for
    /// any other address.
    #[inline(always)]
    pub(crate) fn index_in_table(&self, address: usize) -> Option<u32> {
        self.table.index_at(address)
    }

    /// Returns whether an index that was handed out belongs to the static table.
    #[inline(always)]
    pub(crate) fn is_in_table(&self, index: u32) -> bool {
        !cfg!(growing) || (index as usize) < SLOTS
    }

    /// Returns whether a slot of the static table is marked as dead.
    #[inline(always)]
    pub(crate) fn is_marked_in_table(&self, index: u32, order: Ordering) -> bool {
        Bitmap::new(&self.dead, SLOTS).contains(index as usize, order)
    }

    /// Marks a slot as having been freed. The slot must have been handed out.
    ///
    /// Relaxed for the load: a mark is a hint (`sweep.rs`). Release: a thread that sees the mark sees that the slot is
    /// open (`release.rs`). All other changes to the word are read-modify-write operations, which extend this release
    /// sequence.
    pub(crate) fn mark(&self, index: u32) {
        let (bits, number) = self.bits(index);
        if !bits.dead.contains(number, Relaxed) {
            bits.dead.insert(number, Release);
        }
    }

    /// Returns the slot with this index if the slot is open and may therefore be read. Any index is allowed. Acquire
    /// pairs with the Release that published the slot.
    #[inline(always)]
    pub(crate) fn opened(&self, index: u32) -> Option<&Slot> {
        if index as usize >= SLOTS {
            #[cfg(growing)]
            return self.added_opened(index);
            #[cfg(not(growing))]
            return None;
        }
        let open = Bitmap::new(&self.open, SLOTS).contains(index as usize, Acquire);
        open.then(|| self.table.slot(index))
    }

    /// Returns the bits of the segment that contains an index, and the slot's number in that segment. The index must
    /// have been handed out.
    #[inline(always)]
    pub(crate) fn bits(&self, index: u32) -> (SegmentBits<'_>, usize) {
        #[cfg(growing)]
        if index as usize >= SLOTS {
            return self.bits_of_segment(index);
        }
        (self.bits_of_table(), index as usize)
    }

    #[inline(always)]
    fn bits_of_table(&self) -> SegmentBits<'_> {
        SegmentBits {
            first: 0,
            taken: Bitmap::new(&self.taken, SLOTS),
            all_taken: &self.all_taken,
            open: Bitmap::new(&self.open, SLOTS),
            dead: Bitmap::new(&self.dead, SLOTS),
        }
    }

    /// Returns the bits of segment `number`, if that segment exists. The static table is number 0.
    #[inline(always)]
    pub(crate) fn numbered(&self, number: usize) -> Option<SegmentBits<'_>> {
        if number == 0 {
            return Some(self.bits_of_table());
        }
        #[cfg(growing)]
        return self.segment(number).map(Segment::bits);
        #[cfg(not(growing))]
        None
    }

    /// Returns the bits of every segment, in order.
    #[inline]
    pub(crate) fn all(&self) -> impl Iterator<Item = SegmentBits<'_>> {
        (0..).map_while(|number| self.numbered(number))
    }

    /// Returns the indices of all slots that exist now.
    pub(crate) fn indices(&self) -> impl Iterator<Item = u32> {
        self.all().flat_map(|bits| bits.first..bits.first + bits.len())
    }

    /// Returns true if every slot has been used and the table has not grown.
    ///
    /// Relaxed: the flag is never reset, and growth that this thread does not see yet is treated as happening later.
    #[inline(always)]
    pub(crate) fn has_no_unused(&self) -> bool {
        #[cfg(growing)]
        let has_grown = self.more.first().is_some_and(|segment| !segment.load(Relaxed).is_null());
        #[cfg(not(growing))]
        let has_grown = false;
        self.all_taken.load(Relaxed) != 0 && !has_grown
    }

    /// Returns the first existing index for which `accepts` returns true.
    #[cold]
    #[inline(never)]
    pub(crate) fn first_index(&self, accepts: &mut dyn FnMut(u32) -> bool) -> Option<u32> {
        self.indices().find(|&index| accepts(index))
    }

    /// Returns the number of slots that exist now.
    pub(crate) fn capacity(&self) -> usize {
        self.all().map(|bits| bits.len() as usize).sum()
    }
}

/// A strategy for finding the slots of a list. `Inlined` finds fewer slots, takes less code, and calls no function:
///
/// | strategy | slots that it finds | used by |
/// |---|---|---|
/// | `Inlined` | those of the static table | `claim_fast`, `claim_fast_shared`, `make_fast`, `make_swept`, `claim_swept_fast` |
/// | `Inlined` with `IN_ROW` | those of the static table and the row | `make_listed`, `release_listed` |
/// | `&Segments` | all; calls a function for slots outside the static table | `claim_listed`, `release_unlisted` |
pub(super) trait Find<'a> {
    /// Returns the slot for an index that was on top of a list. The Acquire load of that top made the segment and the
    /// open slot visible, so this function checks neither.
    fn listed(&self, index: u32) -> Option<&'a Slot>;
    /// Returns the slot with this index if the slot is open. Any index is allowed.
    fn opened(&self, index: u32) -> Option<&'a Slot>;
}

pub(super) struct Inlined<'a, T: Table, const IN_ROW: bool>(pub(super) &'a Segments<T>);

impl<'a, T: Table, const IN_ROW: bool> Find<'a> for Inlined<'a, T, IN_ROW> {
    #[inline(always)]
    fn listed(&self, index: u32) -> Option<&'a Slot> {
        if self.0.is_in_table(index) {
            return Some(self.0.table.slot(index));
        }
        #[cfg(growing)]
        if IN_ROW {
            return if let Some(row) = self.0.in_row(index) { Some(row.slot(index)) } else { None };
        }
        None
    }

    #[inline(always)]
    fn opened(&self, index: u32) -> Option<&'a Slot> {
        if self.0.is_in_table(index) {
            return self.0.opened(index);
        }
        #[cfg(growing)]
        if IN_ROW {
            return match self.0.in_row(index) {
                Some(row) if row.is_open(index, Acquire) => Some(row.slot(index)),
                _ => None,
            };
        }
        None
    }
}

impl<'a, T: Table> Find<'a> for &'a Segments<T> {
    #[inline(always)]
    fn listed(&self, index: u32) -> Option<&'a Slot> {
        Some(self.slot(index))
    }

    fn opened(&self, index: u32) -> Option<&'a Slot> {
        Segments::opened(self, index)
    }
}

/// A table that does not grow.
#[cfg(not(growing))]
impl<T: Table> Segments<T> {
    pub(crate) fn added(&self) -> usize {
        0
    }

    pub(crate) fn grow(&self, _known: usize, _limit: usize) -> bool {
        false
    }
}
