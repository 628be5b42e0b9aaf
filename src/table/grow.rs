//! Growth of the table at run time. The code of the static table is mapped again next to new data: on Linux from its
//! file (`pages_linux.rs`), and on macOS from memory (`pages_macos.rs`).
//!
//! A stub finds its slot at a fixed distance from itself, so a copy of all stubs needs only zeroed pages at that
//! distance from the copy:
//!
//! ```text
//!   the image         stubs ............ slots          from the file  | zeroed
//!   a copy            stubs'............ slots'         the same pages | anonymous
//!                       '--- distance ---'
//! ```
//!
//! Copies follow one another at a fixed *stride*, the shortest distance at which code and data do not overlap. The data
//! of each copy is between the code of two others:
//!
//! ```text
//!   | code 0 | -      | code 1 | -      | code 2 | data 0 | code 3 | data 1 | -      | data 2 | -      | data 3 |
//!     '---- stride ----'                             ^
//!     '------------------ distance ------------------'
//! ```
//!
//! All sizes and distances are computed from the linked image and from the kernel's page size, so none of these values
//! needs to be known when the library is built. On 64-bit Linux, all copies are usually in one contiguous range of
//! addresses (`row.rs`).
//!
//! No mapping is ever writable and executable, and no mapping that was ever writable becomes executable. Growth fails
//! if the system does not make code pages executable when they are mapped.

use super::gdb::{self, Image};
use super::geometry::Geometry;
#[cfg(feature = "__slot-extra")]
use super::geometry::extra_after;
use super::pages::{self, Code, Obstacle};
use super::row::{ROW, Row};
use super::{Dead, StaticTable};
use crate::arch::STUB_STRIDE;
#[cfg(feature = "__slot-extra")]
use crate::pool::hosted::SlotExtra;
use crate::pool::hosted::{Region, Segment, Table, words};
use crate::pool::{NotAStub, SLOTS, Slot};
use crate::pool::{SLOT_STRIDE, number_of};
use crate::sync::{AtomicU32, AtomicUsize, Relaxed};
use core::num::NonZeroUsize;
use core::ptr::NonNull;

/// The reason why the last attempt to grow failed: the number of an [`Obstacle`] plus one, or 0 if there was no
/// failure. Relaxed: the value is used only in an error message.
static WHY: AtomicU32 = AtomicU32::new(0);

/// Returns the reason why the last attempt to grow failed, if it did.
pub(crate) fn why_not() -> Option<&'static str> {
    pages::OBSTACLES.get((WHY.load(Relaxed) as usize).checked_sub(1)?).copied()
}

/// A segment that has not been published yet.
type NewSegment = NonNull<Segment<MappedCopies>>;

/// Copies of the static table.
pub(crate) struct MappedCopies {
    /// The address of the first copy's stubs; the first copy's slots are at `slots`. Each additional copy begins one
    /// stride after the previous copy.
    stubs: usize,
    slots: usize,
    stride: NonZeroUsize,
    count: u32,
    reservation: Reservation,
    /// Size in bytes, rounded up to whole pages, of the memory for the segment's data other than its copies.
    trailer_len: usize,
}

/// The addresses of a segment.
#[derive(Clone, Copy)]
enum Reservation {
    /// In the row: the segment's first index and its number of slots.
    #[cfg(target_os = "linux")]
    InRow(usize, usize),
    /// In its own range of addresses: the start of the range and its length in bytes.
    Own(usize, usize),
}

impl MappedCopies {
    /// Returns whether the segment is in the row. Reads only the segment, because another thread may be storing the
    /// row's fields.
    fn is_in_row(&self) -> bool {
        #[cfg(target_os = "linux")]
        return matches!(self.reservation, Reservation::InRow(..));
        #[cfg(not(target_os = "linux"))]
        false
    }

    /// Returns the distance in bytes from the first copy to the copy that contains a slot, and the slot's number in
    /// that copy.
    fn copy(&self, number: u32) -> (usize, usize) {
        (number as usize / SLOTS * self.stride.get(), number as usize % SLOTS)
    }

    #[cfg(feature = "__slot-extra")]
    pub(crate) fn extra(&self, number: u32) -> &SlotExtra {
        let (copy, rest) = self.copy(number);
        extra_after(self.slots + copy, rest)
    }
}

impl Region for MappedCopies {
    fn slot(&self, number: u32) -> &Slot {
        let (copy, rest) = self.copy(number);
        let address = self.slots + copy + rest * SLOT_STRIDE;
        // SAFETY: `map` has mapped a slot at this address for each number below the segment's length. A slot consists
        // of atomics, for which zeroes are valid. Published segments are never unmapped.
        unsafe { &*core::ptr::with_exposed_provenance::<Slot>(address) }
    }

    fn stub(&self, number: u32) -> *const () {
        let (copy, rest) = self.copy(number);
        core::ptr::with_exposed_provenance(self.stubs + copy + rest * STUB_STRIDE)
    }

    fn number_of(&self, address: usize) -> Result<u32, NotAStub> {
        let offset = address.wrapping_sub(self.stubs);
        let first = offset / self.stride * SLOTS;
        if first >= self.count as usize {
            return Err(NotAStub::Foreign);
        }
        let number = number_of(offset % self.stride, SLOTS, STUB_STRIDE)? + first as u32;
        if number < self.count { Ok(number) } else { Err(NotAStub::Foreign) }
    }
}

impl<D: Dead> Table for StaticTable<D> {
    type Region = MappedCopies;
    type Row = Row;

    #[inline(always)]
    fn row(&self) -> &Row {
        &ROW
    }

    fn is_in_row(&self, segment: &Segment<MappedCopies>) -> bool {
        segment.region.is_in_row()
    }

    fn is_expected_in_row(&self, segment: &Segment<MappedCopies>) -> bool {
        !segment.region.is_in_row() && ROW.is_taken(segment.first as usize, segment.len as usize)
    }

    fn map(&self, first: usize, len: usize) -> Option<NewSegment> {
        map(first, len)
    }

    fn published(&self, segment: &Segment<MappedCopies>) {
        announce(segment);
    }

    unsafe fn unmap(&self, segment: NewSegment) {
        // SAFETY: the caller upholds the safety contract.
        unsafe { unmap(segment) }
    }
}

/// Maps a segment of `len` slots, whose indices begin at `first`. If that fails, records the reason.
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
    let geometry = Geometry::new()?;
    let pages_of_stubs = Code::find(geometry.code, geometry.code_len)?;
    let copies = len.div_ceil(SLOTS);
    let trailer = TrailerLayout::new(len);
    let trailer_len = geometry.whole_pages(trailer.len);
    let trailer_memory = pages::reserve(trailer_len)?;
    if !pages::put_zeroes(trailer_memory.start, trailer_len) {
        return Err(Obstacle::Memory);
    }
    let held = Held::new(first, len, &geometry)?;
    for number in 0..copies {
        let code = held.code + number * geometry.stride;
        if !pages_of_stubs.put(code) {
            return Err(Obstacle::Code);
        }
        // Each copy takes several mappings, and the number of mappings in a process is limited.
        if !pages::put_zeroes(code.wrapping_add_signed(geometry.gap_from_code()), geometry.gap_len()) {
            return Err(Obstacle::Memory);
        }
    }
    pages_of_stubs.check(held.code)?;
    let region = MappedCopies {
        stubs: held.code + geometry.stubs_at,
        slots: held.code.wrapping_add_signed(geometry.slots_from_code()),
        stride: NonZeroUsize::MIN.saturating_add(geometry.stride - 1),
        count: len as u32,
        reservation: held.reservation,
        trailer_len,
    };
    core::mem::forget(held);
    let trailer_start = trailer_memory.start;
    core::mem::forget(trailer_memory);
    Ok(trailer.write(trailer_start, first, len, region))
}

/// The address range of a segment that is being mapped. Dropping this value gives the addresses back.
struct Held {
    reservation: Reservation,
    /// The code of the first copy.
    code: usize,
}

impl Held {
    fn new(first: usize, len: usize, geometry: &Geometry) -> Result<Self, Obstacle> {
        #[cfg(target_os = "linux")]
        if let Some(code) = ROW.take(first, len, geometry) {
            return Ok(Held { reservation: Reservation::InRow(first, len), code });
        }
        #[cfg(not(target_os = "linux"))]
        let _ = first;
        let (before, size) = geometry.extent(len.div_ceil(SLOTS));
        let reserved = pages::reserve(size)?;
        let (reservation, code) = (Reservation::Own(reserved.start, reserved.len), reserved.start + before);
        core::mem::forget(reserved);
        Ok(Held { reservation, code })
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        match self.reservation {
            Reservation::Own(start, len) => drop(pages::Reserved { start, len }),
            #[cfg(target_os = "linux")]
            Reservation::InRow(first, len) => {
                // This call has succeeded before, in `try_map`, and its result does not change.
                let Ok(geometry) = Geometry::new() else { return };
                for number in 0..len.div_ceil(SLOTS) {
                    let code = self.code + number * geometry.stride;
                    let gap = code.wrapping_add_signed(geometry.gap_from_code());
                    if !pages::put_nothing(code, geometry.code_len)
                        || !pages::put_nothing(gap, geometry.gap_len())
                    {
                        return; // no later segment gets these addresses in the row
                    }
                }
                ROW.give_back(first, len);
            }
        }
    }
}

/// The layout of the trailer, the part of a segment's data that is not a copy of the table: the struct, the image for
/// gdb, and the bitmaps.
struct TrailerLayout {
    image_at: usize,
    words_at: usize,
    len: usize,
}

impl TrailerLayout {
    fn new(slots: usize) -> Self {
        let image_at = size_of::<Segment<MappedCopies>>().next_multiple_of(64);
        let words_at = (image_at + size_of::<Image>()).next_multiple_of(64);
        TrailerLayout { image_at, words_at, len: words_at + 3 * words(slots) * size_of::<AtomicUsize>() }
    }

    fn write(&self, address: usize, first: usize, len: usize, region: MappedCopies) -> NewSegment {
        let at = |offset: usize| core::ptr::with_exposed_provenance_mut::<()>(address + offset);
        let segment: *mut Segment<MappedCopies> = at(0).cast();
        // SAFETY: `self.len` zeroed bytes were mapped at `address` for this purpose, and zeroes are valid for atomic
        // words. They stay mapped as long as the segment exists.
        unsafe {
            let of_bitmap = |number: usize| {
                let words_at = self.words_at + number * words(len) * size_of::<AtomicUsize>();
                core::slice::from_raw_parts(at(words_at).cast(), words(len))
            };
            let words = match region.reservation {
                #[cfg(target_os = "linux")]
                Reservation::InRow(..) => {
                    let [open, dead] = ROW.words(first, len);
                    [of_bitmap(0), open, dead]
                }
                Reservation::Own(..) => [of_bitmap(0), of_bitmap(1), of_bitmap(2)],
            };
            let all_taken = AtomicU32::new(0);
            segment.write(Segment { first: first as u32, len: len as u32, all_taken, words, region });
            NonNull::new_unchecked(segment)
        }
    }
}

/// Makes debuggers show a name for the stubs of a published segment.
fn announce(segment: &Segment<MappedCopies>) {
    let image =
        core::ptr::from_ref(segment).expose_provenance() + TrailerLayout::new(segment.len as usize).image_at;
    let last = segment.region.stub(segment.len - 1).addr() + STUB_STRIDE;
    // SAFETY: `TrailerLayout` reserves space for the image after the segment's struct, and only the thread that
    // published the segment calls this, once.
    unsafe {
        gdb::announce(
            core::ptr::with_exposed_provenance_mut(image),
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
    // SAFETY: the caller upholds the safety contract.
    let region = &unsafe { segment.as_ref() }.region;
    // This segment is unmapped because another thread has added slots with the same indices. If the segment is in the
    // row, its addresses are given back. No later segment reuses these addresses, because none begins at the same
    // index.
    let code = region.stubs & !(pages::size() - 1);
    let (reservation, trailer_len) = (region.reservation, region.trailer_len);
    drop(Held { reservation, code });
    drop(pages::Reserved { start: segment.addr().get(), len: trailer_len });
}
