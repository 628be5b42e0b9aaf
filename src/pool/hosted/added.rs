//! The segments that growth has added, and their publication.
//!
//! A slot in the row is found by arithmetic; any other slot is found through the pointer to its segment. Added segments
//! are rarely used, so the functions in this file that fast paths call are never inlined.
#![cfg(growing)]

use super::segment::{Region, Row, Segment, SegmentBits, Table};
use super::segments::{MOST_SLOTS, SEGMENTS, Segments};
use super::slot::Slot;
use crate::pool::{NotAStub, SLOTS};
use crate::sync::{Acquire, Relaxed, Release};

/// The row.
impl<T: Table> Segments<T> {
    /// Returns the row if it contains the index. Any index is allowed.
    ///
    /// Acquire: the thread that stored the length had seen the row and its segments.
    #[inline(always)]
    pub(crate) fn in_row(&self, index: u32) -> Option<&T::Row> {
        let contains = T::Row::MAY_EXIST && index.wrapping_sub(SLOTS as u32) < self.row_len.load(Acquire);
        contains.then(|| self.table.row())
    }

    /// Returns the row and the slot's index if the stub of a slot in the row begins at `address`.
    ///
    /// Acquire: same as for `in_row`. The length is read first: if it is not 0, the code after this load sees a
    /// complete row. If only some of the row's fields were visible, an arbitrary address could yield an index in the
    /// row.
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

    /// Extends the row's length to cover all segments in the row that follow the static table without a gap.
    ///
    /// Release: a thread that sees the length sees these segments. If an exchange fails, another thread has seen the
    /// same segment, and both threads continue with the next one.
    fn extend_row(&self) {
        let all = (1..=SEGMENTS).map_while(|number| self.segment(number));
        for segment in all.take_while(|segment| T::Row::MAY_EXIST && self.table.is_in_row(segment)) {
            let before = segment.first - SLOTS as u32;
            let _ = self.row_len.compare_exchange(before, before + segment.len, Release, Relaxed);
        }
    }
}

/// All added segments, in the row or outside it.
impl<T: Table> Segments<T> {
    /// Returns segment `number`, if it exists. Segments are numbered from 1.
    ///
    /// Acquire: the thread that published the segment had filled it in beforehand.
    pub(super) fn segment(&self, number: usize) -> Option<&Segment<T::Region>> {
        let segment = self.more.get(number.wrapping_sub(1))?.load(Acquire);
        // SAFETY: the pointer is null, or points to a segment that was complete before it was published and that is
        // never unmapped.
        unsafe { segment.as_ref() }
    }

    /// For an index of at least `SLOTS`, returns its segment, if that exists, and the slot's number in the segment.
    fn of(&self, index: u32) -> Option<(&Segment<T::Region>, u32)> {
        let segment = self.segment((index as usize / SLOTS).checked_ilog2()? as usize + 1)?;
        Some((segment, index - segment.first))
    }

    /// Like [`of`](Segments::of), but for an index whose segment must exist, because the index was handed out or is on
    /// top of a list. The thread that handed out or listed the index had seen the segment, and passing the index to
    /// this thread made the segment visible here as well.
    #[cold]
    #[inline(never)]
    fn of_handed_out(&self, index: u32) -> (&Segment<T::Region>, u32) {
        self.of(index).unwrap_or_else(|| nowhere())
    }

    #[cold]
    #[inline(never)]
    pub(super) fn added_slot(&self, index: u32) -> &Slot {
        if let Some(row) = self.in_row(index) {
            return row.slot(index);
        }
        let (segment, number) = self.of_handed_out(index);
        segment.region.slot(number)
    }

    #[cold]
    #[inline(never)]
    pub(super) fn added_stub(&self, index: u32) -> *const () {
        if let Some(row) = self.in_row(index) {
            return row.stub(index);
        }
        let (segment, number) = self.of_handed_out(index);
        segment.region.stub(number)
    }

    pub(super) fn bits_of_segment(&self, index: u32) -> (SegmentBits<'_>, usize) {
        let (segment, number) = self.of_handed_out(index);
        (segment.bits(), number as usize)
    }

    #[cold]
    #[inline(never)]
    pub(super) fn added_opened(&self, index: u32) -> Option<&Slot> {
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
    pub(super) fn index_in_segments(&self, address: usize) -> Result<u32, NotAStub> {
        for segment in (1..=SEGMENTS).map_while(|number| self.segment(number)) {
            match segment.region.number_of(address) {
                Err(NotAStub::Foreign) => {}
                found => return found.map(|number| segment.first + number),
            }
        }
        Err(NotAStub::Foreign)
    }

    /// Returns the region that contains an index, and the slot's number in that region. The index must have been handed
    /// out from a segment.
    #[cfg(feature = "__slot-extra")]
    pub(crate) fn region(&self, index: u32) -> Option<(&T::Region, u32)> {
        self.of(index).map(|(segment, number)| (&segment.region, number))
    }

    /// Returns the number of segments that have been added.
    #[inline(never)]
    pub(crate) fn added(&self) -> usize {
        (1..=SEGMENTS).take_while(|&number| self.segment(number).is_some()).count()
    }

    /// Adds a segment after the `known` existing ones, without exceeding `limit` slots in total. Returns true if the
    /// segment was added, even if by another thread. Returns false if the limit is reached or the segment cannot be
    /// mapped.
    ///
    /// Release: a thread that sees the pointer sees the whole segment. Relaxed on failure: the exchange fails only if
    /// another thread has published its segment, and this function does not access that segment. Code that accesses
    /// that segment loads the pointer again, with Acquire.
    #[cold]
    #[inline(never)]
    pub(crate) fn grow(&self, known: usize, limit: usize) -> bool {
        let Some(pointer) = self.more.get(known) else {
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
            // Another thread may have used the memory to add the segment first.
            return self.segment(number).is_some();
        };
        // SAFETY: `map` made the segment, and it is unmapped only below.
        if self.table.is_expected_in_row(unsafe { segment.as_ref() }) {
            // Slots in the row are faster, so the other thread gets a fraction of a millisecond to add the segment
            // there.
            let added = |_| {
                core::hint::spin_loop();
                self.segment(number).is_some()
            };
            let _ = (0..1 << 14).any(added);
        }
        if pointer.compare_exchange(core::ptr::null_mut(), segment.as_ptr(), Release, Relaxed).is_err() {
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

/// Aborts the process: the index cannot have been handed out.
#[cold]
fn nowhere() -> ! {
    crate::message::fatal("BUG: a slot in a segment that is not there")
}
