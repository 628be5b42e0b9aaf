//! More stubs while the program runs: the code of the static table is mapped again, from the
//! file it came from, beside fresh data.
//!
//! A stub finds its slot at a fixed distance from itself, so a copy of all stubs, mapped
//! elsewhere, needs nothing but zeroed pages at that distance:
//!
//! ```text
//!   the image         stubs ............ slots          from the file | zeroed
//!   a copy            stubs'............ slots'         the same file | anonymous
//!                       '--- distance ---'
//! ```
//!
//! Copies lie in *chunks*: as many as fit into the distance lie side by side, then their
//! data. Everything is computed from the image as it was linked and from the page size that
//! the kernel uses, so neither has to be known when the library is built.
//!
//! The file is the one that is mapped already, as the kernel says, never just one of that name.
//!
//! No mapping is ever writable and executable, and none becomes executable that was ever
//! writable: the code comes executable from the file, or not at all.

use crate::arch::STUB_STRIDE;
use crate::areas::{Area, Land};
use crate::debugger::{self, Image};
use crate::maps::{File, Mapping};
use crate::slot::Slot;
use crate::sync::{AtomicU32, AtomicUsize, Relaxed};
use crate::table::{NotAStub, SLOT_STRIDE, SLOTS, StaticTable, number_of};
use crate::unnoticed::Unnoticed;
use core::num::NonZeroUsize;
use core::ptr::{NonNull, null_mut};

/// Why the table did not grow when it was tried last. Only for the words of an error.
static WHY: AtomicU32 = AtomicU32::new(0);

/// What stands in the way of an area. Its text completes "the table cannot grow: ".
#[derive(Clone, Copy)]
enum Obstacle {
    Maps,
    File,
    Code,
    Memory,
}

const OBSTACLES: [&str; 4] = [
    "/proc/self/maps cannot be read, which tells what file this code came from",
    "the file that this code came from was deleted or replaced, or cannot be read",
    "that file may not be mapped as code a second time",
    "there is no memory left, or the process may have no more mappings",
];

/// What stood in the way last, if anything did.
pub(crate) fn why_not() -> Option<&'static str> {
    OBSTACLES.get((WHY.load(Relaxed) as usize).checked_sub(1)?).copied()
}

/// An area that is made and not published yet.
pub(crate) type NewArea = NonNull<Area<Copies>>;

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
        // SAFETY: reads a number that the kernel has passed to the process.
        let page = unsafe { libc::getauxval(libc::AT_PAGESZ) } as usize;
        let pages = |address: usize, len: usize| {
            let start = address & !(page - 1);
            (start, address - start, whole_pages(address - start + len, page))
        };
        let (code, stubs_at, code_len) = pages(StaticTable.stubs().addr(), SLOTS * STUB_STRIDE);
        let (data, slots_at, data_len) = pages(StaticTable.slots().addr(), SLOTS * SLOT_STRIDE);
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
pub(crate) struct Copies {
    /// Stubs and slots of the first copy; the others lie at the same distances.
    stubs: usize,
    slots: usize,
    per_chunk: NonZeroUsize,
    stride: NonZeroUsize,
    chunk: NonZeroUsize,
    /// What was reserved, and what of it this struct and the bitmaps take.
    reserved: (usize, usize),
    count: u32,
    #[cfg(feature = "sides")]
    sides: NonNull<crate::side::Side>,
}

// SAFETY: made of numbers, and of a pointer to atomics.
unsafe impl Sync for Copies {}

impl Copies {
    /// How far copy `number` lies behind the first.
    fn offset(&self, number: usize) -> usize {
        number / self.per_chunk * self.chunk.get() + number % self.per_chunk * self.stride.get()
    }

    #[cfg(feature = "sides")]
    pub(crate) fn side(&self, number: u32) -> &crate::side::Side {
        // SAFETY: `map` made one for each slot.
        unsafe { self.sides.add(number as usize).as_ref() }
    }
}

impl Land for Copies {
    fn slot(&self, number: u32) -> &Slot {
        let (copy, rest) = (number as usize / SLOTS, number as usize % SLOTS);
        let address = self.slots + self.offset(copy) + rest * SLOT_STRIDE;
        // SAFETY: `map` has mapped slots there for each number below the area's length, and
        // a slot is made of atomics, for which zeroes are valid. Areas are never unmapped.
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

/// Memory that was asked for and is given back unless all goes well.
struct Reserved {
    start: usize,
    len: usize,
}

impl Drop for Reserved {
    fn drop(&mut self) {
        // SAFETY: `reserve` mapped it, and nobody else knows it.
        unsafe { libc::munmap(core::ptr::with_exposed_provenance_mut(self.start), self.len) };
    }
}

/// Address space without rights.
fn reserve(len: usize) -> Result<Reserved, Obstacle> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping, at an address that is free.
    let start = unsafe { libc::mmap(null_mut(), len, libc::PROT_NONE, flags, -1, 0) };
    if start == libc::MAP_FAILED {
        return Err(Obstacle::Memory);
    }
    Ok(Reserved { start: start.expose_provenance(), len })
}

/// Puts a mapping in the place of a part of reserved memory.
fn fill(at: usize, len: usize, rights: i32, file: Option<(&File, usize)>) -> bool {
    let (flags, descriptor, offset) = match file {
        Some((file, offset)) => (libc::MAP_PRIVATE, file.descriptor(), offset),
        None => (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0),
    };
    let place = core::ptr::with_exposed_provenance_mut(at);
    // SAFETY: every caller passes pages inside of what it has reserved.
    let mapped =
        unsafe { libc::mmap(place, len, rights, flags | libc::MAP_FIXED, descriptor, offset as libc::off_t) };
    mapped != libc::MAP_FAILED
}

/// The file of this library's code, and where in it the code's pages are.
///
/// It is the very file that the code runs from, so a copy is as good as the original, which
/// shares its pages. Nothing needs to be compared, and a breakpoint in a stub is no difference.
#[inline(never)]
fn code_file(geometry: &Geometry) -> Result<(File, usize), Obstacle> {
    let mut mapping = Mapping::NONE;
    if !mapping.find(geometry.code) {
        return Err(Obstacle::Maps);
    }
    if !mapping.executable || mapping.end < geometry.code + geometry.code_len {
        return Err(Obstacle::File); // somebody has changed the rights of a part
    }
    let file = mapping.open().ok_or(Obstacle::File)?;
    Ok((file, mapping.offset_of(geometry.code)))
}

/// Adds `len` slots, whose indices begin with `first`.
pub(crate) fn map(first: usize, len: usize) -> Option<NewArea> {
    let _unnoticed = Unnoticed::new();
    match try_map(first, len) {
        Ok(area) => {
            WHY.store(0, Relaxed);
            Some(area)
        }
        Err(obstacle) => {
            WHY.store(obstacle as u32 + 1, Relaxed);
            None
        }
    }
}

fn try_map(first: usize, len: usize) -> Result<NewArea, Obstacle> {
    let geometry = Geometry::new();
    let (file, offset) = code_file(&geometry)?;
    let copies = len.div_ceil(SLOTS);
    let per_chunk = geometry.per_chunk(copies);
    let stride = geometry.stride();
    let chunk = stride.saturating_mul(per_chunk).saturating_add(geometry.distance.unsigned_abs());

    let chunks = (copies - 1) / per_chunk * chunk.get() + chunk.get();
    let books = Books::new(len);
    let books_len = whole_pages(books.len, geometry.page);
    let reserved = reserve(chunks + books_len)?;
    // Whichever of code and data lies lower comes first in a chunk.
    let code = reserved.start + (-geometry.distance).max(0) as usize;
    let data = code.wrapping_add_signed(geometry.distance);
    let land = Copies {
        stubs: code + geometry.stubs_at,
        slots: data + geometry.slots_at,
        per_chunk,
        stride,
        chunk,
        reserved: (reserved.start, reserved.len),
        count: len as u32,
        #[cfg(feature = "sides")]
        sides: NonNull::dangling(),
    };

    for number in 0..copies {
        let place = code + land.offset(number);
        if !fill(place, geometry.code_len, libc::PROT_READ | libc::PROT_EXEC, Some((&file, offset))) {
            return Err(Obstacle::Code);
        }
    }
    // The data of a chunk in one piece; nothing is left reserved between chunks.
    for start in (0..copies).step_by(per_chunk.get()) {
        let in_chunk = per_chunk.get().min(copies - start);
        let place = data + land.offset(start);
        // Where the data lies lower than the code, that may begin in the last stride.
        let last = if geometry.distance < 0 { geometry.data_len } else { stride.get() };
        let len = (in_chunk - 1) * stride.get() + last;
        if !fill(place, len, libc::PROT_READ | libc::PROT_WRITE, None) {
            return Err(Obstacle::Memory);
        }
    }
    let place = reserved.start + chunks;
    if !fill(place, books_len, libc::PROT_READ | libc::PROT_WRITE, None) {
        return Err(Obstacle::Memory);
    }
    core::mem::forget(reserved);
    Ok(books.write(place, first, len, land))
}

/// What is kept of an area, behind its chunks: the struct, the bitmaps, the sides.
struct Books {
    image_at: usize,
    words_at: usize,
    #[cfg(feature = "sides")]
    sides_at: usize,
    len: usize,
}

impl Books {
    fn new(slots: usize) -> Self {
        let image_at = size_of::<Area<Copies>>().next_multiple_of(64);
        let words_at = (image_at + size_of::<Image>()).next_multiple_of(64);
        let end = words_at + Area::<Copies>::words(slots) * size_of::<AtomicUsize>();
        let sides_at = end.next_multiple_of(64);
        #[cfg(feature = "sides")]
        let end = sides_at + slots * size_of::<crate::side::Side>();
        #[cfg(not(feature = "sides"))]
        let _ = sides_at;
        Books {
            image_at,
            words_at,
            #[cfg(feature = "sides")]
            sides_at,
            len: end,
        }
    }

    fn write(&self, place: usize, first: usize, len: usize, land: Copies) -> NewArea {
        let at = |offset: usize| core::ptr::with_exposed_provenance_mut::<()>(place + offset);
        let area: *mut Area<Copies> = at(0).cast();
        #[cfg(feature = "sides")]
        // SAFETY: an address in memory that was just mapped, so it is not null.
        let land = Copies { sides: unsafe { NonNull::new_unchecked(at(self.sides_at).cast()) }, ..land };
        // SAFETY: `len` bytes of zeroes were mapped at `place` for just this, which is right
        // for atomic words; they stay as long as the area does.
        unsafe {
            let words = core::slice::from_raw_parts(at(self.words_at).cast(), Area::<Copies>::words(len));
            let all_taken = AtomicU32::new(0);
            area.write(Area { first: first as u32, len: len as u32, all_taken, words, land });
            NonNull::new_unchecked(area)
        }
    }
}

/// Gives the stubs of an area that was published a name in a debugger.
pub(crate) fn announce(area: &Area<Copies>) {
    let place = core::ptr::from_ref(area).expose_provenance() + Books::new(area.len as usize).image_at;
    let last = area.land.stub(area.len - 1).addr() + STUB_STRIDE;
    // SAFETY: room for it was made behind the area, and whoever has published the area calls
    // this, once.
    unsafe {
        debugger::announce(
            core::ptr::with_exposed_provenance_mut(place),
            area.land.stubs,
            last - area.land.stubs,
        )
    }
}

/// Gives back an area that was not published.
///
/// # Safety
/// It came from [`map`], and nobody has a reference to it.
pub(crate) unsafe fn unmap(area: NewArea) {
    // SAFETY: the caller's promise.
    let (start, len) = unsafe { area.as_ref() }.land.reserved;
    drop(Reserved { start, len });
}
