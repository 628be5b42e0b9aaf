//! The layout of the pages of the static table and of its copies. `grow.rs` contains a diagram of both.

use super::linked;
use super::pages::{self, Obstacle};
use crate::arch::STUB_STRIDE;
use crate::pool::SLOT_STRIDE;
use crate::pool::SLOTS;
#[cfg(feature = "__slot-extra")]
use crate::pool::hosted::SlotExtra;
use core::num::NonZeroUsize;

/// The memory layout of this library's image, in whole pages, and that of the copies.
#[derive(Clone, Copy)]
pub(super) struct Geometry {
    /// The address of the first page that contains stubs or the bytes before them. The pages take `code_len` bytes, and
    /// the stubs begin at offset `stubs_at`.
    pub(super) code: usize,
    pub(super) code_len: usize,
    pub(super) stubs_at: usize,
    /// The offset of the slots within their pages.
    slots_at: usize,
    /// The distance from the code pages to the data pages.
    distance: isize,
    /// The distance in bytes from one copy to the next.
    pub(super) stride: usize,
    page: usize,
}

/// How many bytes before the first stub must be readable in each copy: code compiled with clang's `-fsanitize=function`
/// reads the 8 bytes before each function that it calls through a pointer. The files in `asm/` put padding before the
/// first stub.
const PREFIX: usize = 8;

/// The distance in bytes from the first slot of a copy to the extra words of that copy.
#[cfg(feature = "__slot-extra")]
const EXTRAS_AT: usize = SLOTS * SLOT_STRIDE;

/// The size in bytes of a copy's slots, together with their extra words.
const DATA: usize = {
    #[cfg(feature = "__slot-extra")]
    let extras = SLOTS * size_of::<SlotExtra>();
    #[cfg(not(feature = "__slot-extra"))]
    let extras = 0;
    SLOTS * SLOT_STRIDE + extras
};

/// Returns `len`, rounded up to whole pages. `page` is a power of two.
fn rounded_up(len: usize, page: usize) -> usize {
    (len + page - 1) & !(page - 1)
}

/// Returns the non-negative remainder of `distance` divided by `stride`. The compiler sees that the division cannot
/// panic.
fn modulo(distance: isize, stride: usize) -> usize {
    let stride = NonZeroUsize::new(stride).unwrap_or(NonZeroUsize::MIN);
    let rest = distance.unsigned_abs() % stride;
    if distance < 0 && rest != 0 { stride.get() - rest } else { rest }
}

impl Geometry {
    #[inline(never)]
    pub(super) fn new() -> Result<Self, Obstacle> {
        let page = pages::size();
        let pages = |address: usize, len: usize| {
            let start = address & !(page - 1);
            (start, address - start, rounded_up(address - start + len, page))
        };
        let (code, prefix_at, code_len) =
            pages(linked::stubs().addr() - PREFIX, PREFIX + SLOTS * STUB_STRIDE);
        let stubs_at = prefix_at + PREFIX;
        let (data, slots_at, data_len) = pages(linked::slots().addr(), DATA);
        let distance = data.wrapping_sub(code) as isize;
        // A stride equal to the whole distance plus the sizes of code and data is always long enough.
        let longest = distance.unsigned_abs() + code_len + data_len;
        let mut stride = code_len + data_len;
        while stride <= longest {
            let data = modulo(distance, stride);
            if data >= code_len && data + data_len <= stride {
                return Ok(Geometry { code, code_len, stubs_at, slots_at, distance, stride, page });
            }
            stride += page;
        }
        Err(Obstacle::Memory)
    }

    /// Returns the distance in bytes from the code pages to the first slot.
    pub(super) fn slots_from_code(&self) -> isize {
        self.distance + self.slots_at as isize
    }

    pub(super) fn whole_pages(&self, len: usize) -> usize {
        rounded_up(len, self.page)
    }

    /// Returns the distance in bytes from a copy's code to the gap that contains the copy's data. A gap is the space
    /// between the code of two copies.
    #[inline(never)]
    pub(super) fn gap_from_code(&self) -> isize {
        self.distance - modulo(self.distance, self.stride) as isize + self.code_len as isize
    }

    /// Returns the size of a gap between the code of two copies. The whole gap is mapped as data, which takes fewer
    /// mappings than mapping only the parts in use.
    pub(super) fn gap_len(&self) -> usize {
        self.stride - self.code_len
    }

    /// Returns, for `copies` copies, the distance in bytes from their lowest address to the first copy's code, and
    /// their total size.
    pub(super) fn extent(&self, copies: usize) -> (usize, usize) {
        let before = (-self.gap_from_code()).max(0) as usize;
        let after = self.code_len.max((self.gap_from_code() + self.gap_len() as isize).max(0) as usize);
        (before, before + copies.saturating_sub(1) * self.stride + after)
    }
}

/// Returns the extra words of slot number `number` in the copy whose first slot is at the address `first`.
#[cfg(feature = "__slot-extra")]
#[inline(always)]
pub(super) fn extra_after(first: usize, number: usize) -> &'static SlotExtra {
    let extras: *const SlotExtra = core::ptr::with_exposed_provenance(first + EXTRAS_AT);
    // SAFETY: the caller passes a copy in a published segment and a number below SLOTS. For such slots, `map` has
    // mapped zeroes, which are valid and are never unmapped.
    unsafe { &*extras.add(number) }
}
