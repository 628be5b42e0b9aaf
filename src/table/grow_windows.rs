//! Growth of the table at run time on Windows. The image is mapped again as the loader maps images, with executable
//! code and writable data. A stub finds its slot at a fixed distance from itself, so each view's stubs read that view's
//! slots:
//!
//! ```text
//!   the image         ... stubs ... slots ...       one view for each SLOTS more:
//!   a view of it      ... stubs'... slots'...       the same file, separate data
//! ```
//!
//! The loader knows nothing about the views. Only a view's slots and stubs are used, and stubs need no relocations. No
//! memory is ever writable and executable, and no memory that was ever writable becomes executable.
//!
//! The file may have been renamed and replaced by another file, so each view is checked. The kernel must report the
//! same name for the view's file as for this image's file. The view's stubs must be executable, not writable, and byte
//! for byte equal to the running stubs, apart from a debugger's breakpoints in the running stubs (`same_code.rs`). The
//! view's slots must be writable.

use super::row::{ROW, Row};
use super::same_code::{Compared, compare};
use super::{Dead, StaticTable, linked};
use crate::arch::STUB_STRIDE;
use crate::os::{self, LastError, View};
#[cfg(feature = "__slot-extra")]
use crate::pool::hosted::SlotExtra;
use crate::pool::hosted::{Region, Segment, Table, words};
use crate::pool::{NotAStub, SLOTS, Slot};
use crate::pool::{SLOT_STRIDE, number_of};
use crate::sync::{AtomicU32, AtomicUsize, Relaxed};
use core::ptr::{NonNull, with_exposed_provenance, with_exposed_provenance_mut};

/// The reason why the last attempt to grow failed: the number of an [`Obstacle`] plus one, or 0 if there was no
/// failure. Relaxed: the value is used only in an error message.
static WHY: AtomicU32 = AtomicU32::new(0);

/// An obstacle to growth. Its text completes "the table cannot grow: ".
#[derive(Clone, Copy)]
enum Obstacle {
    File,
    Code,
    Rights,
    Changed,
    Memory,
}

const OBSTACLES: [&str; 5] = [
    "the file that this code came from was deleted or renamed, has a path of more than 1,023 characters, or cannot be read",
    "the file that this code came from cannot be mapped as code a second time, or has been replaced",
    "a second mapping of the file that this code came from does not have the permissions of an image",
    "this code and the file that it came from differ: one of them was changed after the program was loaded",
    "no memory is left",
];

/// Returns the reason why the last attempt to grow failed, if it did.
pub(crate) fn why_not() -> Option<&'static str> {
    OBSTACLES.get((WHY.load(Relaxed) as usize).checked_sub(1)?).copied()
}

/// A segment that has not been published yet.
type NewSegment = NonNull<Segment<Views>>;

/// The views of a segment, sorted by address.
pub(crate) struct Views {
    starts: &'static [usize],
    count: u32,
    #[cfg(feature = "__slot-extra")]
    extras: NonNull<SlotExtra>,
}

// SAFETY: the struct contains only numbers and a pointer to atomics.
unsafe impl Sync for Views {}

/// Returns the offset of the stubs in the image.
fn stubs_at() -> usize {
    linked::stubs().addr() - os::image().addr()
}
fn slots_at() -> usize {
    linked::slots().addr() - os::image().addr()
}

impl Views {
    #[cfg(feature = "__slot-extra")]
    pub(crate) fn extra(&self, number: u32) -> &SlotExtra {
        // SAFETY: `map` has made a `SlotExtra` for each slot.
        unsafe { self.extras.add(number as usize).as_ref() }
    }

    fn start(&self, number: u32) -> (usize, usize) {
        let start = self.starts.get(number as usize / SLOTS).copied().unwrap_or_else(|| nowhere());
        (start, number as usize % SLOTS)
    }
}

#[cold]
fn nowhere() -> ! {
    crate::message::fatal("BUG: a slot in a view that is not there")
}

impl Region for Views {
    fn slot(&self, number: u32) -> &Slot {
        let (start, rest) = self.start(number);
        // SAFETY: `map` has checked that the slots are writable, and a slot consists of atomics, for which any contents
        // are valid. Published segments are never unmapped.
        unsafe { &*with_exposed_provenance::<Slot>(start + slots_at() + rest * SLOT_STRIDE) }
    }

    fn stub(&self, number: u32) -> *const () {
        let (start, rest) = self.start(number);
        with_exposed_provenance(start + stubs_at() + rest * STUB_STRIDE)
    }

    fn number_of(&self, address: usize) -> Result<u32, NotAStub> {
        let above = self.starts.partition_point(|&start| start + stubs_at() <= address);
        let view = above.checked_sub(1).ok_or(NotAStub::Foreign)?;
        let start = self.starts.get(view).ok_or(NotAStub::Foreign)?;
        let number = number_of(address - start - stubs_at(), SLOTS, STUB_STRIDE)? + (view * SLOTS) as u32;
        if number < self.count { Ok(number) } else { Err(NotAStub::Foreign) }
    }
}

impl<D: Dead> Table for StaticTable<D> {
    type Region = Views;
    type Row = Row;

    fn row(&self) -> &Row {
        &ROW
    }

    fn is_in_row(&self, _segment: &Segment<Views>) -> bool {
        false
    }

    fn map(&self, first: usize, len: usize) -> Option<NewSegment> {
        let _last_error = LastError::kept();
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

    unsafe fn unmap(&self, segment: NewSegment) {
        let _last_error = LastError::kept();
        // SAFETY: the caller upholds the safety contract: `try_map` made the segment from these views and this memory,
        // and there are no references to it.
        unsafe {
            segment.as_ref().region.starts.iter().for_each(|&start| os::unmap(start));
            os::free(segment.as_ptr().cast());
        }
    }
}

fn try_map(first: usize, len: usize) -> Result<NewSegment, Obstacle> {
    let image = os::ImageFile::of_this().ok_or(Obstacle::File)?;
    let copies = len.div_ceil(SLOTS);
    let layout = Layout::new(len, copies);
    let memory = os::Memory::zeroed(layout.len).ok_or(Obstacle::Memory)?;
    let starts_at = memory.start() + layout.starts_at;
    // SAFETY: the memory contains this number of zeroed words, and only this function uses it.
    let starts = unsafe { core::slice::from_raw_parts_mut(with_exposed_provenance_mut(starts_at), copies) };
    for number in 0..copies {
        match image.map().ok_or(Obstacle::Code).and_then(checked) {
            Ok(view) => starts[number] = view.keep(),
            Err(obstacle) => {
                starts.iter().take(number).for_each(|&start| {
                    // SAFETY: this function mapped the view, and no other code knows its address.
                    unsafe { os::unmap(start) }
                });
                return Err(obstacle);
            }
        }
    }
    starts.sort_unstable();
    Ok(layout.write(memory.keep(), first, len, starts))
}

/// Returns `view` if it belongs to this image's file, its slots are writable, and its stubs are executable, read-only
/// and identical to those in use.
fn checked(view: View) -> Result<View, Obstacle> {
    let (code, slots) = (view.start() + stubs_at(), view.start() + slots_at());
    if !os::is_of_this_file(&view) {
        return Err(Obstacle::Code);
    }
    if !os::is_code(code, SLOTS * STUB_STRIDE) || !os::is_data(slots, SLOTS * SLOT_STRIDE) {
        return Err(Obstacle::Rights);
    }
    match compare(linked::stubs().addr(), code, SLOTS * STUB_STRIDE, os::read) {
        Compared::Same => Ok(view),
        Compared::Different | Compared::Unreadable => Err(Obstacle::Changed),
    }
}

/// The layout of a segment's data: the struct, the addresses of the views, the bitmaps, and the extra words.
struct Layout {
    starts_at: usize,
    words_at: usize,
    #[cfg(feature = "__slot-extra")]
    extras_at: usize,
    len: usize,
}

impl Layout {
    fn new(slots: usize, copies: usize) -> Self {
        let starts_at = size_of::<Segment<Views>>().next_multiple_of(64);
        let words_at = (starts_at + copies * size_of::<usize>()).next_multiple_of(64);
        let end = words_at + 3 * words(slots) * size_of::<AtomicUsize>();
        #[cfg(feature = "__slot-extra")]
        let (extras_at, end) = {
            let extras_at = end.next_multiple_of(64);
            (extras_at, extras_at + slots * size_of::<SlotExtra>())
        };
        Layout {
            starts_at,
            words_at,
            #[cfg(feature = "__slot-extra")]
            extras_at,
            len: end,
        }
    }

    fn write(&self, address: usize, first: usize, len: usize, starts: &'static [usize]) -> NewSegment {
        let at = |offset: usize| with_exposed_provenance_mut::<()>(address + offset);
        let segment: *mut Segment<Views> = at(0).cast();
        // SAFETY: `self.len` zeroed bytes were allocated for this purpose at `address`, which is not null. Zeroes are
        // valid for atomic words. The words exist as long as the segment.
        unsafe {
            let words = [0, 1, 2].map(|number| {
                let words_at = self.words_at + number * words(len) * size_of::<AtomicUsize>();
                core::slice::from_raw_parts(at(words_at).cast(), words(len))
            });
            let region = Views {
                starts,
                count: len as u32,
                #[cfg(feature = "__slot-extra")]
                extras: NonNull::new_unchecked(at(self.extras_at).cast()),
            };
            let all_taken = AtomicU32::new(0);
            segment.write(Segment { first: first as u32, len: len as u32, all_taken, words, region });
            NonNull::new_unchecked(segment)
        }
    }
}
