//! A segment of slots with its bitmaps and its memory region, and the traits for the row and for a table that may grow.

use super::bitmap::Bitmap;
use super::heads::Shards;
use super::slot::Slot;
#[cfg(growing)]
use crate::pool::NotAStub;
use crate::pool::Stubs;
use crate::sync::AtomicU32;
#[cfg(growing)]
use crate::sync::{AtomicUsize, Ordering};
#[cfg(growing)]
use core::ptr::NonNull;

/// The bitmaps of a segment, one bit for each slot.
#[derive(Clone, Copy)]
pub(crate) struct SegmentBits<'a> {
    /// Index of the first slot.
    pub(crate) first: u32,
    /// Slots that have been handed out at least once. No slot is ever removed from this set.
    pub(crate) taken: Bitmap<'a>,
    /// 1 once every index in the segment has been taken. Never reset.
    pub(crate) all_taken: &'a AtomicU32,
    /// Slots that are open. An index that was read without Acquire is used only if its bit here is set.
    pub(crate) open: Bitmap<'a>,
    /// Hints for the sweep: slots that have been freed since the sweep last found them live.
    pub(crate) dead: Bitmap<'a>,
}

impl SegmentBits<'_> {
    /// Returns the number of slots in the segment.
    pub(crate) fn len(&self) -> u32 {
        self.taken.len() as u32
    }
}

/// A segment of slots that were added at run time.
#[cfg(growing)]
pub(crate) struct Segment<L> {
    pub(crate) first: u32,
    pub(crate) len: u32,
    pub(crate) all_taken: AtomicU32,
    /// The words of the bitmaps: first `taken`, then `open`, then `dead`.
    pub(crate) words: [&'static [AtomicUsize]; 3],
    /// The memory for this segment's stubs and slots.
    pub(crate) region: L,
}

#[cfg(growing)]
impl<L> Segment<L> {
    pub(crate) fn bits(&self) -> SegmentBits<'_> {
        let len = self.len as usize;
        let [taken, open, dead] = self.words.map(|words| Bitmap::new(words, len));
        SegmentBits { first: self.first, taken, all_taken: &self.all_taken, open, dead }
    }
}

/// The memory of a segment's stubs and slots, accessed by slot number within the segment.
#[cfg(growing)]
pub(crate) trait Region {
    /// Returns the slot with this number, which must be below the segment's length.
    fn slot(&self, number: u32) -> &Slot;
    /// Returns the stub of the slot with this number.
    fn stub(&self, number: u32) -> *const ();
    /// Returns the number of the slot whose stub begins at an address.
    fn number_of(&self, address: usize) -> Result<u32, NotAStub>;
}

/// The *row*: segments in one range of addresses, so that an index, its stub's address and its slot's address can be
/// computed from one another. The row contains the indices from the first index of its first segment up to a limit. The
/// pool must have established, with an Acquire load, that each index passed to these functions is in the row. A
/// returned index may be at or above the limit.
#[cfg(growing)]
pub(crate) trait Row {
    /// Whether a row is possible on this target.
    const MAY_EXIST: bool;
    /// Returns the slot with this index.
    fn slot(&self, index: u32) -> &Slot;
    /// Returns the stub of the slot with this index.
    fn stub(&self, index: u32) -> *const ();
    /// Returns the index for a stub's address if the stub is in the row. For any other address, returns an arbitrary
    /// number or `None`.
    fn index_at(&self, address: usize) -> Option<usize>;
    /// Like [`slot`](Row::slot), but the caller also passes the stub's address.
    fn slot_of(&self, index: u32, stub: usize) -> &Slot;
    /// Like [`stub`](Row::stub), but the caller also passes the slot.
    fn stub_of(&self, index: u32, slot: &Slot) -> *const ();
    /// Returns whether the slot with this index is open.
    fn is_open(&self, index: u32, order: Ordering) -> bool;
    /// Returns whether the slot with this index is marked as dead.
    fn is_marked(&self, index: u32, order: Ordering) -> bool;
}

/// A table of this pool's slots, which may grow.
pub(crate) trait Table: Stubs<Slot = Slot> + Shards {
    /// The memory of the added stubs and slots.
    #[cfg(growing)]
    type Region: Region + 'static;
    /// The row of segments.
    #[cfg(growing)]
    type Row: Row;
    /// Returns the row of segments.
    #[cfg(growing)]
    fn row(&self) -> &Self::Row;
    /// Returns whether a segment is in the row.
    #[cfg(growing)]
    fn is_in_row(&self, segment: &Segment<Self::Region>) -> bool;
    /// Returns whether another thread may soon publish the same segment in the row, which would make the segment that
    /// `map` has made outside the row unnecessary. The result is only a hint.
    #[cfg(growing)]
    fn is_expected_in_row(&self, _segment: &Segment<Self::Region>) -> bool {
        false
    }
    /// Maps a segment of `len` stubs and slots, whose indices begin at `first`. Returns `None` if that fails.
    #[cfg(growing)]
    fn map(&self, first: usize, len: usize) -> Option<NonNull<Segment<Self::Region>>>;
    /// Notifies the table that a segment made by `map` has been published.
    #[cfg(growing)]
    fn published(&self, _segment: &Segment<Self::Region>) {}
    /// Unmaps a segment that was not published.
    ///
    /// # Safety
    /// `segment` must have come from `map`, and no reference to it may remain.
    #[cfg(growing)]
    unsafe fn unmap(&self, segment: NonNull<Segment<Self::Region>>);
}
