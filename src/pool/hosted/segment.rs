//! One segment of the slots: its bitmaps, its region of memory, and the trait that maps more.

use super::bitmap::Bitmap;
#[cfg(growing)]
use super::bitmap::words;
use super::shard::Shards;
use super::slot::Slot;
#[cfg(growing)]
use crate::pool::NotAStub;
use crate::pool::Stubs;
use crate::sync::AtomicU32;
#[cfg(growing)]
use crate::sync::AtomicUsize;
#[cfg(growing)]
use core::ptr::NonNull;

/// The bitmaps of a segment, one bit for each slot.
#[derive(Clone, Copy)]
pub(crate) struct SegmentBits<'a> {
    /// Index of the first slot.
    pub(crate) first: u32,
    /// Slots that have been handed out at least once. Only grows.
    pub(crate) taken: Bitmap<'a>,
    /// 1 once every index is taken; never reset.
    pub(crate) all_taken: &'a AtomicU32,
    /// Slots that are open. An index that was read without an Acquire is used only if its bit here is found set.
    pub(crate) open: Bitmap<'a>,
    /// Hints for the sweep: slots that have died since the sweep last passed them.
    pub(crate) dead: Bitmap<'a>,
}

impl SegmentBits<'_> {
    /// The number of slots in the segment.
    pub(crate) fn len(&self) -> u32 {
        self.taken.len() as u32
    }
}

/// Slots that were added while the program ran.
#[cfg(growing)]
pub(crate) struct Segment<L> {
    pub(crate) first: u32,
    pub(crate) len: u32,
    pub(crate) all_taken: AtomicU32,
    /// Three bitmaps, one after the other, in the order of [`SegmentBits`].
    pub(crate) words: &'static [AtomicUsize],
    /// The memory of its stubs and slots.
    pub(crate) region: L,
}

#[cfg(growing)]
impl<L> Segment<L> {
    /// The number of words in the bitmaps of a segment with `len` slots.
    pub(crate) const fn words(len: usize) -> usize {
        3 * words(len)
    }

    pub(super) fn bits(&self) -> SegmentBits<'_> {
        let len = self.len as usize;
        let (taken, others) = self.words.split_at_checked(words(len)).unwrap_or_default();
        let (open, dead) = others.split_at_checked(words(len)).unwrap_or_default();
        SegmentBits {
            first: self.first,
            taken: Bitmap::new(taken, len),
            all_taken: &self.all_taken,
            open: Bitmap::new(open, len),
            dead: Bitmap::new(dead, len),
        }
    }
}

/// The memory of a segment's stubs and slots, accessed by their number in the segment.
#[cfg(growing)]
pub(crate) trait Region {
    /// The slot with this number, which must be below the segment's length.
    fn slot(&self, number: u32) -> &Slot;
    /// The stub of the slot with this number.
    fn stub(&self, number: u32) -> *const ();
    /// The number of the slot whose stub begins at an address.
    fn number_of(&self, address: usize) -> Result<u32, NotAStub>;
}

/// A table of this pool's slots, which may grow.
pub(crate) trait Table: Stubs<Slot = Slot> + Shards {
    /// The memory of stubs and slots that were added.
    #[cfg(growing)]
    type Region: Region + 'static;
    /// Makes `len` more stubs and slots, whose indices begin with `first`.
    #[cfg(growing)]
    fn map(&self, first: usize, len: usize) -> Option<NonNull<Segment<Self::Region>>>;
    /// Called after a segment that `map` made has been published.
    #[cfg(growing)]
    fn published(&self, _segment: &Segment<Self::Region>) {}
    /// Unmaps a segment that was not published.
    ///
    /// # Safety
    /// `segment` must have come from `map`, and no reference to it may remain.
    #[cfg(growing)]
    unsafe fn unmap(&self, segment: NonNull<Segment<Self::Region>>);
}
