//! The row on 64-bit Linux: copies of the static table at a fixed stride, in one reserved range of addresses, so that
//! an index, its stub's address and its slot's address can be computed from one another.
//!
//! ```text
//!   index        SLOTS ..      2 SLOTS ..      3 SLOTS ..
//!   row          | copy 1      | copy 2        | copy 3      | ...        | bitmaps
//!                '-- stride --'                '-- segment 2
//! ```
//!
//! The first growth reserves the range without access permissions, so it takes up addresses but no memory. Each segment
//! is then mapped at its place in the range. A segment outside the row reserves its own addresses, and its slots are
//! found through the pointer to the segment. A segment is outside the row:
//!
//! - if the process's address space is limited (`RLIMIT_AS`), because the range would count towards that limit, or if
//!   the range cannot be reserved;
//! - in 32-bit programs, in which the address space is always limited;
//! - if the static table's number of slots is not a multiple of 64, because a word of a bitmap would then belong to two
//!   segments;
//! - if an earlier segment is outside the row, or another thread that is growing the table concurrently holds this
//!   segment's addresses.

use super::geometry::Geometry;
use super::pages;
use crate::arch::{CODE_BIT, STUB_STRIDE};
use crate::pool::SLOT_STRIDE;
use crate::pool::hosted::{MOST_SLOTS, words};
use crate::pool::{SLOTS, Slot};
use crate::sync::{Acquire, AtomicU32, AtomicUsize, Ordering, Relaxed, Release};
use core::num::NonZeroU64;
use core::ptr::with_exposed_provenance;

/// The row. All fields except the first are stored once, before the first segment is published, so a thread that has
/// seen a segment of the row may read them.
#[repr(align(64))]
pub(crate) struct Row {
    /// The index at which the next segment in the row begins. It is 0 before the row exists, [`RESERVING`] while a
    /// thread reserves the row, and [`CLOSED`] if there is no row.
    next: AtomicUsize,
    /// The address at which the stubs of a nonexistent copy 0 would begin, one stride below the first copy. The slots
    /// of copy 0 would begin at `slots`.
    stubs: AtomicUsize,
    slots: AtomicUsize,
    stride: AtomicUsize,
    /// The distance in bytes from one copy to the next, minus the size of a copy's slots.
    more_slots: AtomicUsize,
    /// 2^32 divided by the stride in units of [`UNIT`], rounded up.
    reciprocal: AtomicU32,
    /// The address of the bitmaps.
    bits: AtomicUsize,
}

const CLOSED: usize = usize::MAX;
const RESERVING: usize = usize::MAX - 1;
/// The smallest page size.
const UNIT: usize = 4096;
/// The number of words in one bitmap, which has a bit for each index, starting at 0.
const WORDS: usize = words(MOST_SLOTS);

pub(crate) static ROW: Row = Row {
    next: AtomicUsize::new(0),
    stubs: AtomicUsize::new(0),
    slots: AtomicUsize::new(0),
    stride: AtomicUsize::new(0),
    more_slots: AtomicUsize::new(0),
    reciprocal: AtomicU32::new(0),
    bits: AtomicUsize::new(0),
};

impl Row {
    /// Takes the addresses in the row for a segment of `len` slots whose first index is `first`. Returns the code
    /// address for the segment's first copy, or `None` if the segment cannot be in the row. Only one caller at a time
    /// can hold these addresses.
    ///
    /// Acquire: this thread then sees the fields that were stored by the thread that reserved the row.
    pub(super) fn take(&self, first: usize, len: usize, geometry: &Geometry) -> Option<usize> {
        if first == SLOTS {
            self.reserve(geometry);
        }
        self.next.compare_exchange(first, first + len, Acquire, Relaxed).ok()?;
        let code = self.stubs.load(Relaxed) + first / SLOTS * geometry.stride - geometry.stubs_at;
        let (before, size) = geometry.extent(len.div_ceil(SLOTS));
        debug_assert!(
            code - before + size <= self.bits.load(Relaxed),
            "the segment overlaps the row's bitmaps"
        );
        Some(code)
    }

    /// Returns whether another thread is mapping the segment in the row, or has mapped it. Relaxed: the result is a
    /// hint.
    pub(super) fn is_taken(&self, first: usize, len: usize) -> bool {
        let next = self.next.load(Relaxed);
        next == first + len || next == RESERVING && first == SLOTS
    }

    /// Gives back the addresses that `take` returned, which must no longer be mapped. Does nothing if the next
    /// addresses in the row have been taken concurrently: the row then continues after those addresses.
    ///
    /// Relaxed on failure: nothing is read. Release: a later `take` of the same addresses happens after this call.
    pub(super) fn give_back(&self, first: usize, len: usize) {
        let _ = self.next.compare_exchange(first + len, first, Release, Relaxed);
    }

    /// Reserves the row's range, unless it is already reserved.
    ///
    /// Relaxed: the exchange alone decides which thread reserves the range. Release: the fields are visible to a thread
    /// that takes addresses.
    fn reserve(&self, geometry: &Geometry) {
        if <Row as crate::pool::hosted::Row>::MAY_EXIST
            && self.next.compare_exchange(0, RESERVING, Relaxed, Relaxed).is_ok()
        {
            let reserved = self.try_reserve(geometry).is_some();
            self.next.store(if reserved { SLOTS } else { CLOSED }, Release);
        }
    }

    /// Reserves the range and stores the row's fields. Returns `None` if no row can be reserved. Relaxed: see
    /// `reserve`.
    fn try_reserve(&self, geometry: &Geometry) -> Option<()> {
        if pages::addresses_are_limited() {
            return None;
        }
        // The whole last copy is mapped, even if only some of its slots are below the limit.
        let (before, len) = geometry.extent(MOST_SLOTS.div_ceil(SLOTS) - 1);
        let len_of_bits = geometry.whole_pages(2 * WORDS * size_of::<AtomicUsize>());
        let range = pages::reserve(len + len_of_bits).ok()?;
        if !pages::put_zeroes(range.start + len, len_of_bits) {
            return None;
        }
        let stride = geometry.stride;
        let units = NonZeroU64::new((stride / UNIT) as u64)?;
        let before = range.start + before - stride;
        self.stubs.store(before + geometry.stubs_at, Relaxed);
        self.slots.store(before.wrapping_add_signed(geometry.slots_from_code()), Relaxed);
        self.stride.store(stride, Relaxed);
        self.more_slots.store(stride.wrapping_sub(SLOTS * SLOT_STRIDE), Relaxed);
        self.reciprocal.store((((1u64 << 32) + units.get() - 1) / units) as u32, Relaxed);
        self.bits.store(range.start + len, Relaxed);
        core::mem::forget(range);
        Some(())
    }

    /// Returns the words of a segment's two bitmaps: the open slots and the dead slots.
    pub(super) fn words(&self, first: usize, len: usize) -> [&'static [AtomicUsize]; 2] {
        [0, 1].map(|number| {
            let word = self.word(number, first);
            // SAFETY: `word` returns one of WORDS contiguous words, which contain one bit for each index up to
            // MOST_SLOTS. The words for the segment's other indices therefore follow this word.
            unsafe { core::slice::from_raw_parts(word, words(len)) }
        })
    }

    /// Returns the word that contains the bit for an index below `MOST_SLOTS` in a bitmap. Bitmap 0 is for open slots,
    /// and bitmap 1 for dead slots.
    #[inline(always)]
    fn word(&self, bitmap: usize, index: usize) -> &'static AtomicUsize {
        let at = bitmap * WORDS + index / usize::BITS as usize;
        let bits: *const AtomicUsize = with_exposed_provenance(self.bits.load(Relaxed));
        // SAFETY: the pool passes indices of the row only if the row exists. In that case `try_reserve` has mapped two
        // bitmaps of WORDS zeroed words each, which are never unmapped. Zeroes are valid contents.
        unsafe { &*bits.add(at) }
    }

    /// Returns the address of a slot in the row.
    #[inline(always)]
    fn slot_at(&self, index: u32) -> usize {
        // This form of the computation needs no remainder operation.
        let before = (index as usize / SLOTS).wrapping_mul(self.more_slots.load(Relaxed));
        self.slots.load(Relaxed).wrapping_add(before).wrapping_add(index as usize * SLOT_STRIDE)
    }

    /// Returns the extra words of a slot in the row.
    #[cfg(feature = "__slot-extra")]
    #[inline(always)]
    pub(crate) fn extra(&self, index: u32) -> &crate::pool::hosted::SlotExtra {
        let first = self.slot_at(index / SLOTS as u32 * SLOTS as u32);
        super::geometry::extra_after(first, index as usize % SLOTS)
    }
}

impl crate::pool::hosted::Row for Row {
    // All bits of a bitmap word must belong to the same segment.
    const MAY_EXIST: bool = usize::BITS == 64 && SLOTS.is_multiple_of(64) && SLOTS < MOST_SLOTS;

    #[inline(always)]
    fn slot(&self, index: u32) -> &Slot {
        let slot = self.slot_at(index);
        // SAFETY: no mapping of the library is at address 0. A pointer that cannot be null saves a check wherever a
        // slot is optional.
        unsafe { core::hint::assert_unchecked(slot != 0) };
        // SAFETY: the pool passes indices of published segments of the row. `grow::map` has mapped a slot for each, and
        // a slot consists of atomics, for which zeroes are valid. Published segments are never unmapped.
        unsafe { &*with_exposed_provenance::<Slot>(slot) }
    }

    #[inline(always)]
    fn stub(&self, index: u32) -> *const () {
        let copy = (index as usize / SLOTS).wrapping_mul(self.stride.load(Relaxed));
        let stub = self.stubs.load(Relaxed).wrapping_add(copy) + index as usize % SLOTS * STUB_STRIDE;
        with_exposed_provenance(stub + CODE_BIT)
    }

    /// Computes the index without dividing by the stride. The quotient is exact for addresses in the row. For other
    /// addresses an inexact quotient is harmless, because the remainder is checked: a returned index always belongs to
    /// the address. Before the row exists, the fields are zero, and the result is `None` or an index below `SLOTS`.
    #[inline(always)]
    fn index_at(&self, address: usize) -> Option<usize> {
        let offset = address.wrapping_sub(self.stubs.load(Relaxed) + CODE_BIT);
        let copy = ((offset / UNIT) as u64).wrapping_mul(self.reciprocal.load(Relaxed).into()) >> 32;
        let rest = offset.wrapping_sub((copy as usize).wrapping_mul(self.stride.load(Relaxed)));
        let number = crate::pool::number_at(rest, SLOTS, STUB_STRIDE)?;
        // The result does not overflow, because `copy` is below 2^32.
        Some((copy as usize).wrapping_mul(SLOTS) + number as usize)
    }

    #[inline(always)]
    fn slot_of(&self, index: u32, stub: usize) -> &Slot {
        if SLOT_STRIDE != STUB_STRIDE {
            return self.slot(index);
        }
        let offset = stub - CODE_BIT - self.stubs.load(Relaxed);
        // SAFETY: same as in `slot`.
        unsafe { &*with_exposed_provenance::<Slot>(self.slots.load(Relaxed).wrapping_add(offset)) }
    }

    #[inline(always)]
    fn stub_of(&self, index: u32, slot: &Slot) -> *const () {
        if SLOT_STRIDE != STUB_STRIDE {
            return self.stub(index);
        }
        let offset = core::ptr::from_ref(slot).addr().wrapping_sub(self.slots.load(Relaxed));
        with_exposed_provenance(self.stubs.load(Relaxed).wrapping_add(offset) + CODE_BIT)
    }

    #[inline(always)]
    fn is_open(&self, index: u32, order: Ordering) -> bool {
        self.word(0, index as usize).load(order) >> (index % usize::BITS) & 1 != 0
    }

    #[inline(always)]
    fn is_marked(&self, index: u32, order: Ordering) -> bool {
        self.word(1, index as usize).load(order) >> (index % usize::BITS) & 1 != 0
    }
}
