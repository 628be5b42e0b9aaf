//! More stubs while the program runs: the code of the static table is mapped again beside fresh data, on Linux from the
//! file it came from (`pages_linux.rs`), on macOS from where it lies (`pages_macos.rs`).
//!
//! A stub finds its slot at a fixed distance from itself, so a copy of all stubs, mapped
//! elsewhere, needs nothing but zeroed pages at that distance:
//!
//! ```text
//!   the image         stubs ............ slots          from the file  | zeroed
//!   a copy            stubs'............ slots'         the same pages | anonymous
//!                       '--- distance ---'
//! ```
//!
//! Copies lie in *chunks*: as many as fit into the distance lie side by side, then their
//! data. Everything is computed from the image as it was linked and from the page size that
//! the kernel uses, so neither has to be known when the library is built.
//!
//! No mapping is ever writable and executable, and none becomes executable that was ever
//! writable: the code comes executable, or not at all.

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

/// Why the table did not grow when it was tried last: 0, or the number of an [`Obstacle`] plus one. Relaxed: only for
/// the text of an error.
static WHY: AtomicU32 = AtomicU32::new(0);

/// What stood in the way last, if anything did.
pub(crate) fn why_not() -> Option<&'static str> {
    pages::OBSTACLES.get((WHY.load(Relaxed) as usize).checked_sub(1)?).copied()
}

/// A segment that is made and not published yet.
type NewSegment = NonNull<Segment<MappedCopies>>;

/// How the image of this library lies in memory, in whole pages.
#[derive(Clone, Copy)]
struct Geometry {
    /// The pages of the stubs, and where in them the stubs begin.
    code: usize,
    code_len: usize,
    stubs_at: usize,
    /// The pages of the slots, and where in them the slots begin.
    data_len: usize,
    slots_at: usize,
    /// From the code's pages to the data's.
    distance: isize,
    page: usize,
}

/// Bytes of the pages, whose size is a power of two, that hold `len` bytes.
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

    /// Bytes from one copy to the next in a chunk.
    fn stride(&self) -> NonZeroUsize {
        NonZeroUsize::MIN.saturating_add(self.code_len.max(self.data_len) - 1)
    }

    /// How many copies fit into a chunk, up to `copies`.
    fn per_chunk(&self, copies: usize) -> NonZeroUsize {
        let fit = self.distance.unsigned_abs() / self.stride();
        NonZeroUsize::new(fit.min(copies)).unwrap_or(NonZeroUsize::MIN)
    }
}

/// Copies of the static table.
pub(crate) struct MappedCopies {
    /// Stubs and slots of the first copy; the others lie at the same distances.
    stubs: usize,
    slots: usize,
    per_chunk: NonZeroUsize,
    stride: NonZeroUsize,
    chunk: NonZeroUsize,
    /// Where what was reserved begins, and how many bytes that is.
    reserved: (usize, usize),
    count: u32,
    #[cfg(feature = "__slot-extra")]
    extras: NonNull<SlotExtra>,
}

// SAFETY: made of numbers, and of a pointer to atomics.
unsafe impl Sync for MappedCopies {}

impl MappedCopies {
    /// How far copy `number` lies after the first.
    fn offset(&self, number: usize) -> usize {
        number / self.per_chunk * self.chunk.get() + number % self.per_chunk * self.stride.get()
    }

    #[cfg(feature = "__slot-extra")]
    pub(crate) fn extra(&self, number: u32) -> &SlotExtra {
        // SAFETY: `map` made one for each slot.
        unsafe { self.extras.add(number as usize).as_ref() }
    }
}

impl Region for MappedCopies {
    fn slot(&self, number: u32) -> &Slot {
        let (copy, rest) = (number as usize / SLOTS, number as usize % SLOTS);
        let address = self.slots + self.offset(copy) + rest * SLOT_STRIDE;
        // SAFETY: `map` has mapped slots there for each number below the segment's length, and
        // a slot is made of atomics, for which zeroes are valid. Segments are never unmapped.
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
        // SAFETY: handed on.
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
    // Whichever of code and data lies lower comes first in a chunk.
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
    // The data of a chunk in one piece; nothing is left reserved between chunks.
    for start in (0..copies).step_by(per_chunk.get()) {
        let in_chunk = per_chunk.get().min(copies - start);
        let place = data + region.offset(start);
        // Where the data lies lower than the code, that may begin in the last stride.
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

/// What is kept of a segment, after its chunks: the struct, gdb's image, the bitmaps, the extra words.
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
        // SAFETY: an address in memory that was just mapped, so it is not null.
        let extras = unsafe { NonNull::new_unchecked(at(self.extras_at).cast()) };
        #[cfg(feature = "__slot-extra")]
        let region = MappedCopies { extras, ..region };
        // SAFETY: `self.len` bytes of zeroes were mapped at `place` for just this, which is right
        // for atomic words; they stay as long as the segment does.
        unsafe {
            let words =
                core::slice::from_raw_parts(at(self.words_at).cast(), Segment::<MappedCopies>::words(len));
            let all_taken = AtomicU32::new(0);
            segment.write(Segment { first: first as u32, len: len as u32, all_taken, words, region });
            NonNull::new_unchecked(segment)
        }
    }
}

/// Gives the stubs of a segment that was published a name in a debugger.
fn announce(segment: &Segment<MappedCopies>) {
    let place =
        core::ptr::from_ref(segment).expose_provenance() + TrailerLayout::new(segment.len as usize).image_at;
    let last = segment.region.stub(segment.len - 1).addr() + STUB_STRIDE;
    // SAFETY: `TrailerLayout` made room for it after the segment's struct, and whoever has published the segment calls
    // this, once.
    unsafe {
        gdb::announce(
            core::ptr::with_exposed_provenance_mut(place),
            segment.region.stubs,
            last - segment.region.stubs,
        )
    }
}

/// Gives back a segment that was not published.
///
/// # Safety
/// It came from [`map`], and nobody has a reference to it.
unsafe fn unmap(segment: NewSegment) {
    // SAFETY: the caller's promise.
    let (start, len) = unsafe { segment.as_ref() }.region.reserved;
    drop(pages::Reserved { start, len });
}
