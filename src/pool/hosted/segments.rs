//! All slots: those in the static table, and those in the segments that growth has added.
//!
//! ```text
//!   index   0 .. SLOTS | SLOTS .. 2 SLOTS | 2 SLOTS .. 4 SLOTS | 4 SLOTS .. 8 SLOTS | ...
//!           the table  | segment 1        | segment 2          | segment 3
//! ```
//!
//! On 64-bit Linux, the first segments, and usually all of them, are in the row (`segment.rs`). A slot in the row is
//! found by arithmetic, without a function call. `row_len` is the number of indices in the row; the first is `SLOTS`.
//! The slots of a segment that is not in the row are found through the pointers to the segments.
//!
//! Each segment doubles the number of slots, unless the limit shortens it. A few pointers therefore suffice for a
//! million slots, and the segment that contains an index is computed without a search. One exchange publishes a
//! segment. If two threads grow concurrently, each maps a segment, but only one segment is kept. Neither thread depends
//! on the progress of the other, although a thread that mapped its segment outside the row may wait for a bounded time.
//! Segments remain until the process ends, so that a stale pointer never points to unmapped memory.

use super::bitmap::{Bitmap, words};
use super::heads::Heads;
#[cfg(growing)]
use super::segment::{Region, Row, Segment};
use super::segment::{SegmentBits, Table};
use super::shard::Shard;
use super::slot::Slot;
use crate::pool::{NotAStub, SLOTS};
#[cfg(growing)]
use crate::sync::AtomicPtr;
use crate::sync::{Acquire, AtomicU32, AtomicUsize, Ordering, Relaxed, Release, atomics, const_fn};

/// The number of indices that fit into a death record (`slot.rs`).
#[cfg(growing)]
pub(crate) const MOST_SLOTS: usize = 1 << super::slot::INDEX_BITS;

/// The number of times that the table can double before it has `MOST_SLOTS` slots.
#[cfg(growing)]
const SEGMENTS: usize = (MOST_SLOTS.div_ceil(SLOTS)).next_power_of_two().ilog2() as usize;

pub(crate) struct Segments<T: Table> {
    table: T,
    taken: [AtomicUsize; words(SLOTS)],
    all_taken: AtomicU32,
    open: [AtomicUsize; words(SLOTS)],
    dead: [AtomicUsize; words(SLOTS)],
    /// The pointers to segments 1, 2, and so on. A pointer is null until its segment exists.
    #[cfg(growing)]
    more: [AtomicPtr<Segment<T::Region>>; SEGMENTS],
    /// The number of indices from `SLOTS` on that are in the row. It never decreases.
    #[cfg(growing)]
    row_len: AtomicU32,
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

    /// Returns the procedure that a freed trampoline enters.
    #[inline(always)]
    pub(crate) fn dead_procedure(&self) -> *const () {
        self.table.dead_procedure()
    }

    /// Returns the slot with this index. The index must have been handed out to the caller, or come from
    /// [`opened`](Segments::opened) or [`SegmentBits`].
    #[inline(always)]
    pub(crate) fn slot(&self, index: u32) -> &Slot {
        #[cfg(growing)]
        if index as usize >= SLOTS {
            return self.added_slot(index);
        }
        self.table.slot(index)
    }

    /// Returns the slot with this index, which another thread has put on top of a list. The Acquire load that read the
    /// top made both the slot's segment and the opening of the slot visible, so this function checks neither.
    #[inline(always)]
    pub(crate) fn listed(&self, index: u32) -> Option<&Slot> {
        #[cfg(growing)]
        if index as usize >= SLOTS {
            return self.added_listed(index);
        }
        Some(self.table.slot(index))
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

    /// Whether an index that was handed out belongs to the static table.
    #[inline(always)]
    pub(crate) fn is_in_table(&self, index: u32) -> bool {
        !cfg!(growing) || (index as usize) < SLOTS
    }

    /// Whether a slot of the static table is marked as dead.
    #[inline(always)]
    pub(crate) fn is_marked_in_table(&self, index: u32, order: Ordering) -> bool {
        Bitmap::new(&self.dead, SLOTS).contains(index as usize, order)
    }

    /// Marks a slot as having died. The slot must have been handed out.
    ///
    /// Relaxed for the load: a mark is a hint (`sweep.rs`). Release: a thread that sees the mark sees that the slot is
    /// open (`by_address.rs`). All other changes to the word are read-modify-write operations, so they extend this
    /// release sequence.
    pub(crate) fn mark(&self, index: u32) {
        let (bits, number) = self.bits(index);
        if !bits.dead.contains(number, Relaxed) {
            bits.dead.insert(number, Release);
        }
    }

    /// Returns the slot with this index if the slot is open, so that its memory may be read. The index may be any
    /// number. Acquire pairs with the Release that published the slot.
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

    /// Returns whether the table has not grown, and every slot has been used.
    ///
    /// Relaxed: the flag is never reset, and a growth that this thread does not see yet may come later.
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

/// Aborts the process, because the index that was passed cannot have been handed out.
#[cfg(growing)]
#[cold]
fn nowhere() -> ! {
    crate::message::fatal("BUG: a slot in a segment that is not there")
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

/// The row.
#[cfg(growing)]
impl<T: Table> Segments<T> {
    /// Returns the row if it contains the index, which may be any number.
    ///
    /// Acquire: the thread that stored the length had seen the row and its segments.
    #[inline(always)]
    pub(crate) fn in_row(&self, index: u32) -> Option<&T::Row> {
        let contains = T::Row::MAY_EXIST && index.wrapping_sub(SLOTS as u32) < self.row_len.load(Acquire);
        contains.then(|| self.table.row())
    }

    /// Returns the row, and the index in it of the slot whose stub begins at `address`.
    ///
    /// Acquire: as for `in_row`. The length is read first. If it is not 0, the code after this load sees a complete
    /// row. The order matters because the address is arbitrary: if only some of the row's fields were visible, the
    /// arithmetic could yield an index that is in the row.
    #[inline(always)]
    pub(crate) fn index_in_row(&self, address: usize) -> Option<(&T::Row, u32)> {
        if !T::Row::MAY_EXIST {
            return None;
        }
        let len = self.row_len.load(Acquire) as usize;
        let row = self.table.row();
        let index = row.index_at(address)?;
        (index.wrapping_sub(SLOTS) < len).then_some((row, index as u32))
    }

    /// Extends the length of the row over all segments in the row that follow the static table without a gap.
    ///
    /// Release: a thread that sees the length sees these segments. If an exchange fails, another thread has seen the
    /// same segment. Both threads then continue after that segment.
    fn extend_row(&self) {
        let all = (1..=SEGMENTS).map_while(|number| self.segment(number));
        for segment in all.take_while(|segment| T::Row::MAY_EXIST && self.table.is_in_row(segment)) {
            let before = segment.first - SLOTS as u32;
            let _ = self.row_len.compare_exchange(before, before + segment.len, Release, Relaxed);
        }
    }
}

/// Functions for the segments that were added. Added segments are rarely used, so functions that fast paths call are
/// never inlined.
#[cfg(growing)]
impl<T: Table> Segments<T> {
    /// Returns segment `number`, if it exists. The first segment is number 1.
    ///
    /// Acquire: the thread that published the segment had filled it in beforehand.
    fn segment(&self, number: usize) -> Option<&Segment<T::Region>> {
        let segment = self.more.get(number.wrapping_sub(1))?.load(Acquire);
        // SAFETY: the pointer is null, or points to a segment that was complete before it was published and that is
        // never unmapped.
        unsafe { segment.as_ref() }
    }

    /// Returns the segment that contains an index, if that segment exists, and the slot's number in the segment. The
    /// index must be at least `SLOTS`.
    fn of(&self, index: u32) -> Option<(&Segment<T::Region>, u32)> {
        let segment = self.segment((index as usize / SLOTS).checked_ilog2()? as usize + 1)?;
        Some((segment, index - segment.first))
    }

    /// Returns the result of [`of`](Segments::of) for an index that was handed out. The segment of such an index
    /// exists. The thread that handed out the index had seen the segment, and the transfer of the index to this
    /// thread made the segment visible here as well.
    #[cold]
    #[inline(never)]
    fn of_handed_out(&self, index: u32) -> (&Segment<T::Region>, u32) {
        self.of(index).unwrap_or_else(|| nowhere())
    }

    #[cold]
    #[inline(never)]
    fn added_slot(&self, index: u32) -> &Slot {
        if let Some(row) = self.in_row(index) {
            return row.slot(index);
        }
        let (segment, number) = self.of_handed_out(index);
        segment.region.slot(number)
    }

    #[cold]
    #[inline(never)]
    fn added_listed(&self, index: u32) -> Option<&Slot> {
        if let Some(row) = self.in_row(index) {
            return Some(row.slot(index));
        }
        let found = self.of(index);
        #[cfg(loom)]
        assert!(found.is_some(), "a list contains a slot of a segment that its reader has not seen");
        found.map(|(segment, number)| segment.region.slot(number))
    }

    #[cold]
    #[inline(never)]
    fn added_stub(&self, index: u32) -> *const () {
        if let Some(row) = self.in_row(index) {
            return row.stub(index);
        }
        let (segment, number) = self.of_handed_out(index);
        segment.region.stub(number)
    }

    fn bits_of_segment(&self, index: u32) -> (SegmentBits<'_>, usize) {
        let (segment, number) = self.of_handed_out(index);
        (segment.bits(), number as usize)
    }

    #[cold]
    #[inline(never)]
    fn added_opened(&self, index: u32) -> Option<&Slot> {
        #[cfg(loom)]
        assert!((index as usize) < MOST_SLOTS, "an index was read from an uninitialized slot");
        if let Some(row) = self.in_row(index) {
            return row.is_open(index, Acquire).then(|| row.slot(index));
        }
        let (segment, number) = self.of(index)?;
        let open = number < segment.len && segment.bits().open.contains(number as usize, Acquire);
        open.then(|| segment.region.slot(number))
    }

    #[cold]
    #[inline(never)]
    fn index_in_segments(&self, address: usize) -> Result<u32, NotAStub> {
        for segment in (1..=SEGMENTS).map_while(|number| self.segment(number)) {
            match segment.region.number_of(address) {
                Err(NotAStub::Foreign) => {}
                found => return found.map(|number| segment.first + number),
            }
        }
        Err(NotAStub::Foreign)
    }

    /// Returns the region that contains an index, and the slot's number there. The index must have been handed out in a
    /// segment.
    #[cfg(feature = "__slot-extra")]
    pub(crate) fn region(&self, index: u32) -> Option<(&T::Region, u32)> {
        self.of(index).map(|(segment, number)| (&segment.region, number))
    }

    /// Returns the number of segments that have been added.
    #[inline(never)]
    pub(crate) fn added(&self) -> usize {
        (1..=SEGMENTS).take_while(|&number| self.segment(number).is_some()).count()
    }

    /// Adds a segment after the `known` existing ones, up to a total of `limit` slots. Returns true if the segment was
    /// added, even if by another thread. Returns false if the limit is reached or the segment cannot be mapped.
    ///
    /// Release: a thread that sees the pointer sees the whole segment. The exchange fails only if another thread's
    /// exchange succeeded, and code that uses that segment then loads the pointer again.
    #[cold]
    #[inline(never)]
    pub(crate) fn grow(&self, known: usize, limit: usize) -> bool {
        let Some(place) = self.more.get(known) else {
            return false;
        };
        let number = known + 1;
        if self.segment(number).is_some() {
            return true;
        }
        let first = SLOTS << known;
        let most = limit.min(MOST_SLOTS).saturating_sub(first);
        if most == 0 {
            return false;
        }
        let Some(segment) = self.table.map(first, most.min(first)) else {
            // Another thread may have added the segment first, and used up the memory.
            return self.segment(number).is_some();
        };
        // SAFETY: `map` made the segment, and it is unmapped only below.
        if self.table.is_expected_in_row(unsafe { segment.as_ref() }) {
            // Slots in the row are faster, so this thread waits a fraction of a millisecond for the other thread.
            let added = |_| {
                core::hint::spin_loop();
                self.segment(number).is_some()
            };
            let _ = (0..1 << 14).any(added);
        }
        if place.compare_exchange(core::ptr::null_mut(), segment.as_ptr(), Release, Relaxed).is_err() {
            // SAFETY: this thread made the segment above and has not published it.
            unsafe { self.table.unmap(segment) };
        } else {
            self.extend_row();
            // SAFETY: a published segment is never unmapped.
            self.table.published(unsafe { segment.as_ref() });
        }
        true
    }
}
