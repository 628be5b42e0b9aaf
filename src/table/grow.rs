//! Growth of the table at run time: the code of the static table is mapped again beside new data, on Linux from its
//! file (`pages_linux.rs`), on macOS from memory (`pages_macos.rs`).
//!
//! A stub finds its slot at a fixed distance from itself, so a copy of all stubs, mapped elsewhere, needs only zeroed
//! pages at that distance:
//!
//! ```text
//!   the image         stubs ............ slots          from the file  | zeroed
//!   a copy            stubs'............ slots'         the same pages | anonymous
//!                       '--- distance ---'
//! ```
//!
//! Copies are grouped in *chunks*: as many as fit into the distance are adjacent, followed by their data. Everything is
//! computed from the linked image and from the kernel's page size, so neither has to be known when the library is
//! built.
//!
//! No mapping is ever writable and executable, and no mapping that was ever writable becomes executable: code pages are
//! executable from the start, or growth fails.

use super::gdb::{self, Image};
use super::pages::{self, Code, Obstacle};
use super::{Dead, StaticTable, linked};
use crate::arch::STUB_STRIDE;
#[cfg(feature = "__slot-extra")]
use crate::pool::hosted::SlotExtra;
use crate::pool::hosted::{Region, Segment, Table};
use crate::pool::stubs::{SLOT_STRIDE, number_of};
use crate::pool::{NotAStub, SLOTS, Slot};
use crate::sync::{AtomicU32, AtomicUsize, Relaxed};
use core::num::NonZeroUsize;
use core::ptr::NonNull;

/// The reason why the last attempt to grow failed: 0, or the number of an [`Obstacle`] plus one. Relaxed: used only for
/// the text of an error.
static WHY: AtomicU32 = AtomicU32::new(0);

/// The reason why the last attempt to grow failed, if it did.
pub(crate) fn why_not() -> Option<&'static str> {
    pages::OBSTACLES.get((WHY.load(Relaxed) as usize).checked_sub(1)?).copied()
}

/// A segment that is not published yet.
type NewSegment = NonNull<Segment<MappedCopies>>;

/// The layout of this library's image in memory, in whole pages.
#[derive(Clone, Copy)]
struct Geometry {
    /// The pages of the stubs, and the offset of the stubs in them.
    code: usize,
    code_len: usize,
    stubs_at: usize,
    /// The pages of the slots, and the offset of the slots in them.
    data_len: usize,
    slots_at: usize,
    /// The distance from the code pages to the data pages.
    distance: isize,
    page: usize,
}

/// The size of the pages that contain `len` bytes; the page size is a power of two.
fn whole_pages(len: usize, page: usize) -> usize {
    (len + (page - 1)) & !(page - 1)
}

impl Geometry {
    fn new() -> Self {
        let page = pages::size();
        let pages = |address: usize, len: usize| {
            let start = address & !(page - 1);
            (start, address - start, whole_pages(address - start + len, page))
        };
        let (code, stubs_at, code_len) = pages(linked::stubs().addr(), SLOTS * STUB_STRIDE);
        let (data, slots_at, data_len) = pages(linked::slots().addr(), SLOTS * SLOT_STRIDE);
        let distance = data.wrapping_sub(code) as isize;
        Geometry { code, code_len, stubs_at, data_len, slots_at, distance, page }
    }

    /// Bytes from one copy to the next within a chunk.
    fn stride(&self) -> NonZeroUsize {
        NonZeroUsize::MIN.saturating_add(self.code_len.max(self.data_len) - 1)
    }

    /// The number of copies in a chunk, at most `copies`.
    fn per_chunk(&self, copies: usize) -> NonZeroUsize {
        let fit = self.distance.unsigned_abs() / self.stride();
        NonZeroUsize::new(fit.min(copies)).unwrap_or(NonZeroUsize::MIN)
    }
}

/// Copies of the static table.
pub(crate) struct MappedCopies {
    /// Stubs and slots of the first copy; those of the others are at the same distances.
    stubs: usize,
    slots: usize,
    per_chunk: NonZeroUsize,
    stride: NonZeroUsize,
    chunk: NonZeroUsize,
    /// Start and length in bytes of the reserved memory.
    reserved: (usize, usize),
    count: u32,
    #[cfg(feature = "__slot-extra")]
    extras: NonNull<SlotExtra>,
}

// SAFETY: contains only numbers and a pointer to atomics.
unsafe impl Sync for MappedCopies {}

impl MappedCopies {
    /// The distance of copy `number` from the first.
    fn offset(&self, number: usize) -> usize {
        number / self.per_chunk * self.chunk.get() + number % self.per_chunk * self.stride.get()
    }

    #[cfg(feature = "__slot-extra")]
    pub(crate) fn extra(&self, number: u32) -> &SlotExtra {
        // SAFETY: `map` has made a `SlotExtra` for each slot.
        unsafe { self.extras.add(number as usize).as_ref() }
    }
}

impl Region for MappedCopies {
    fn slot(&self, number: u32) -> &Slot {
        let (copy, rest) = (number as usize / SLOTS, number as usize % SLOTS);
        let address = self.slots + self.offset(copy) + rest * SLOT_STRIDE;
        // SAFETY: `map` has mapped a slot there for each number below the segment's length, and a slot consists of
        // atomics, for which zeroes are valid. Published segments are never unmapped.
        unsafe { &*core::ptr::with_exposed_provenance::<Slot>(address) }
    }

    fn stub(&self, number: u32) -> *const () {
        let (copy, rest) = (number as usize / SLOTS, number as usize % SLOTS);
        core::ptr::with_exposed_provenance(self.stubs + self.offset(copy) + rest * STUB_STRIDE)
    }

    fn number_of(&self, address: usize) -> Result<u32, NotAStub> {
        let offset = address.wrapping_sub(self.stubs);
        if offset >= self.reserved.1 {
            return Err(NotAStub::Foreign);
        }
        let (in_chunk, chunk) = (offset % self.chunk, offset / self.chunk);
        let copy = in_chunk / self.stride;
        if copy >= self.per_chunk.get() {
            return Err(NotAStub::Foreign);
        }
        let first = (chunk * self.per_chunk.get() + copy) * SLOTS;
        let number = number_of(in_chunk % self.stride, SLOTS, STUB_STRIDE)? + first as u32;
        if number < self.count { Ok(number) } else { Err(NotAStub::Foreign) }
    }
}

impl<D: Dead> Table for StaticTable<D> {
    type Region = MappedCopies;

    fn map(&self, first: usize, len: usize) -> Option<NewSegment> {
        map(first, len)
    }

    fn published(&self, segment: &Segment<MappedCopies>) {
        announce(segment);
    }

    unsafe fn unmap(&self, segment: NewSegment) {
        // SAFETY: guaranteed by the caller.
        unsafe { unmap(segment) }
    }
}

/// Adds `len` slots, whose indices begin with `first`.
fn map(first: usize, len: usize) -> Option<NewSegment> {
    match try_map(first, len) {
        Ok(segment) => {
            WHY.store(0, Relaxed);
            Some(segment)
        }
        Err(obstacle) => {
            WHY.store(obstacle as u32 + 1, Relaxed);
            None
        }
    }
}

fn try_map(first: usize, len: usize) -> Result<NewSegment, Obstacle> {
    let geometry = Geometry::new();
    let pages_of_stubs = Code::find(geometry.code, geometry.code_len)?;
    let copies = len.div_ceil(SLOTS);
    let per_chunk = geometry.per_chunk(copies);
    let stride = geometry.stride();
    let chunk = stride.saturating_mul(per_chunk).saturating_add(geometry.distance.unsigned_abs());

    let chunks = (copies - 1) / per_chunk * chunk.get() + chunk.get();
    let trailer = TrailerLayout::new(len);
    let trailer_len = whole_pages(trailer.len, geometry.page);
    let reserved = pages::reserve(chunks + trailer_len)?;
    // Code or data comes first in a chunk, whichever has the lower address.
    let code = reserved.start + (-geometry.distance).max(0) as usize;
    let data = code.wrapping_add_signed(geometry.distance);
    let region = MappedCopies {
        stubs: code + geometry.stubs_at,
        slots: data + geometry.slots_at,
        per_chunk,
        stride,
        chunk,
        reserved: (reserved.start, reserved.len),
        count: len as u32,
        #[cfg(feature = "__slot-extra")]
        extras: NonNull::dangling(),
    };

    for number in 0..copies {
        let place = code + region.offset(number);
        if !pages_of_stubs.put(place) {
            return Err(Obstacle::Code);
        }
    }
    pages_of_stubs.check(code)?;
    // A chunk's data is contiguous; no memory between chunks remains reserved.
    for start in (0..copies).step_by(per_chunk.get()) {
        let in_chunk = per_chunk.get().min(copies - start);
        let place = data + region.offset(start);
        // If the data is below the code, it may begin in the last stride.
        let last = if geometry.distance < 0 { geometry.data_len } else { stride.get() };
        let len = (in_chunk - 1) * stride.get() + last;
        if !pages::put_zeroes(place, len) {
            return Err(Obstacle::Memory);
        }
    }
    let place = reserved.start + chunks;
    if !pages::put_zeroes(place, trailer_len) {
        return Err(Obstacle::Memory);
    }
    core::mem::forget(reserved);
    Ok(trailer.write(place, first, len, region))
}

/// The layout of the data of a segment that follows its chunks: the struct, gdb's image, the bitmaps, the extra words.
struct TrailerLayout {
    image_at: usize,
    words_at: usize,
    #[cfg(feature = "__slot-extra")]
    extras_at: usize,
    len: usize,
}

impl TrailerLayout {
    fn new(slots: usize) -> Self {
        let image_at = size_of::<Segment<MappedCopies>>().next_multiple_of(64);
        let words_at = (image_at + size_of::<Image>()).next_multiple_of(64);
        let end = words_at + Segment::<MappedCopies>::words(slots) * size_of::<AtomicUsize>();
        let extras_at = end.next_multiple_of(64);
        #[cfg(feature = "__slot-extra")]
        let end = extras_at + slots * size_of::<SlotExtra>();
        #[cfg(not(feature = "__slot-extra"))]
        let _ = extras_at;
        TrailerLayout {
            image_at,
            words_at,
            #[cfg(feature = "__slot-extra")]
            extras_at,
            len: end,
        }
    }

    fn write(&self, place: usize, first: usize, len: usize, region: MappedCopies) -> NewSegment {
        let at = |offset: usize| core::ptr::with_exposed_provenance_mut::<()>(place + offset);
        let segment: *mut Segment<MappedCopies> = at(0).cast();
        #[cfg(feature = "__slot-extra")]
        // SAFETY: an address in newly mapped memory is not null.
        let extras = unsafe { NonNull::new_unchecked(at(self.extras_at).cast()) };
        #[cfg(feature = "__slot-extra")]
        let region = MappedCopies { extras, ..region };
        // SAFETY: `self.len` zeroed bytes were mapped at `place` for this purpose, and zeroes are valid for atomic
        // words; they exist as long as the segment.
        unsafe {
            let words =
                core::slice::from_raw_parts(at(self.words_at).cast(), Segment::<MappedCopies>::words(len));
            let all_taken = AtomicU32::new(0);
            segment.write(Segment { first: first as u32, len: len as u32, all_taken, words, region });
            NonNull::new_unchecked(segment)
        }
    }
}

/// Gives the stubs of a published segment a name in debuggers.
fn announce(segment: &Segment<MappedCopies>) {
    let place =
        core::ptr::from_ref(segment).expose_provenance() + TrailerLayout::new(segment.len as usize).image_at;
    let last = segment.region.stub(segment.len - 1).addr() + STUB_STRIDE;
    // SAFETY: `TrailerLayout` reserves space for the image after the segment's struct, and only the thread that
    // published the segment calls this, once.
    unsafe {
        gdb::announce(
            core::ptr::with_exposed_provenance_mut(place),
            segment.region.stubs,
            last - segment.region.stubs,
        )
    }
}

/// Unmaps a segment that was not published.
///
/// # Safety
/// The segment must have come from [`map`], and no reference to it may remain.
unsafe fn unmap(segment: NewSegment) {
    // SAFETY: guaranteed by the caller.
    let (start, len) = unsafe { segment.as_ref() }.region.reserved;
    drop(pages::Reserved { start, len });
}
