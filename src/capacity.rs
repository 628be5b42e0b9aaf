//! How many trampolines there can be and are.

use crate::POOL;
use crate::claim::Found;
use crate::table::SLOTS;
#[cfg(all(growing, not(loom)))]
use core::ffi::c_char;

/// How many trampolines can live at once, now: the static table and what it has grown by.
pub fn capacity() -> usize {
    POOL.capacity()
}

/// Why the table is full, as the rest of a sentence: what stopped it from growing, or what to
/// do if it cannot.
#[doc(hidden)]
pub fn why_full() -> &'static str {
    #[cfg(all(growing, not(loom)))]
    {
        crate::grow::why_not().unwrap_or(if limit() < crate::areas::MOST_SLOTS {
            "STATICTRAMP_LIMIT, or the program, allows no more"
        } else {
            "1,048,576 are the most there can be"
        })
    }
    #[cfg(not(all(growing, not(loom))))]
    "build with a larger STATICTRAMP_SLOTS"
}

/// How many trampolines live now, counted one by one: exact if nobody makes or frees any
/// meanwhile.
pub fn live() -> usize {
    POOL.live().count()
}

/// A live trampoline as [`live_trampolines`] met it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Live {
    /// The address to call.
    pub address: *const (),
    /// The number of its slot.
    pub slot: usize,
    /// What was given as callee.
    pub callee: *const (),
    /// What was given as chain.
    pub chain: *mut (),
    /// What the stub jumps to: the callee, or an adapter on the way to it.
    pub entry: *const (),
}

/// The trampolines that live, in order of their slots, whoever made them. Each is whole as it
/// was at some moment; one that is made or freed meanwhile may be met or not.
pub fn live_trampolines() -> impl Iterator<Item = Live> {
    POOL.indices().filter_map(|index| match POOL.look(index) {
        Found::Live { claim, procedure, callee, chain } => {
            let (address, slot) = (POOL.stub(claim), index as usize);
            Some(Live { address, slot, callee: procedure, chain, entry: callee })
        }
        _ => None,
    })
}

/// How the slots are used: see [`statistics`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Statistics {
    /// Slots there are: the static table and what it has grown by.
    pub capacity: usize,
    /// How often the table has grown.
    pub grown: usize,
    /// Slots with a live trampoline.
    pub live: usize,
    /// Slots that have been used and are free.
    pub dead: usize,
    /// Slots that were never used: their memory was not touched.
    pub unused: usize,
}

/// Counts the slots one by one: the numbers belong together if nobody makes or frees any
/// meanwhile.
pub fn statistics() -> Statistics {
    let capacity = capacity();
    let live = live();
    let used = POOL.indices().filter(|&index| POOL.is_open(index)).count();
    Statistics {
        capacity,
        grown: POOL.added(),
        live,
        dead: used.saturating_sub(live),
        unused: capacity - used,
    }
}

/// How the table is laid out in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Number of stubs and of slots in the static table.
    pub slots: usize,
    /// Bytes from one stub to the next, in code.
    pub stub_stride: usize,
    /// Bytes from one slot to the next, in writable data.
    pub slot_stride: usize,
    /// Bytes of everything else: the bitmaps, the lists of warm slots, the sweep; without an operating system, for each
    /// slot its claim and its procedure.
    pub bookkeeping: usize,
    /// Whether each stub starts with a landing pad (`endbr64`).
    pub landing_pads: bool,
    /// Whether freed slots wait for the sweep even if their own procedure asks.
    pub strict_reuse: bool,
}

/// How the table of this build is laid out.
pub const fn layout() -> Layout {
    Layout {
        slots: SLOTS,
        stub_stride: crate::arch::STUB_STRIDE,
        slot_stride: crate::table::SLOT_STRIDE,
        bookkeeping: crate::BOOKKEEPING,
        landing_pads: cfg!(landing_pads),
        strict_reuse: cfg!(strict_reuse),
    }
}

/// Calls `claim` until it has something or the table cannot grow any more: other threads may
/// take all that was added.
pub(crate) fn growing<C>(claim: impl Fn() -> Option<C>) -> Option<C> {
    loop {
        let known = POOL.added();
        let claimed = claim();
        if claimed.is_some() || !POOL.grow(known, limit()) {
            return claimed;
        }
    }
}

/// Most slots to grow to; 0 until it is known.
#[cfg(all(growing, not(loom)))]
static LIMIT: crate::sync::AtomicUsize = crate::sync::AtomicUsize::new(0);

/// Sets how many slots there may be in all; what there is stays. Replaces what
/// `STATICTRAMP_LIMIT` in the environment says. 1,048,576 are the most in any case. Without the
/// feature `grow` the table never grows, and this does nothing.
///
/// The variable is read when the table grows for the first time, unless this was called before;
/// like every `getenv` that must not happen while another thread changes the environment
/// (`std::env::set_var` demands as much). A program with more rights than who has started it
/// (set-user-ID, set-group-ID, file capabilities) does not read it at all.
pub fn set_limit(slots: usize) {
    #[cfg(all(growing, not(loom)))]
    LIMIT.store(slots.max(1), crate::sync::Relaxed);
    let _ = slots;
}

/// A model's table grows where the model says so.
#[cfg(not(all(growing, not(loom))))]
fn limit() -> usize {
    0
}

/// Relaxed: a number by itself.
#[cfg(all(growing, not(loom)))]
fn limit() -> usize {
    use crate::sync::Relaxed;
    match LIMIT.load(Relaxed) {
        0 => {
            let _ = LIMIT.compare_exchange(0, limit_of_environment().max(1), Relaxed, Relaxed);
            LIMIT.load(Relaxed)
        }
        limit => limit,
    }
}

#[cfg(all(growing, not(loom)))]
fn limit_of_environment() -> usize {
    unsafe extern "C" {
        /// glibc and musl have it. Null in a program that has more rights than who has started it.
        fn secure_getenv(name: *const c_char) -> *const c_char;
    }
    // SAFETY: a name that ends with 0; the result is null or a string that does. If another thread changes the
    // environment meanwhile it may be neither, as of every such call: `set_limit` says so.
    let text = unsafe {
        let text = secure_getenv(c"STATICTRAMP_LIMIT".as_ptr());
        if text.is_null() {
            return usize::MAX;
        }
        core::ffi::CStr::from_ptr(text)
    };
    let number = text.to_bytes().iter().try_fold(0usize, |number, &byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10).then(|| number.saturating_mul(10).saturating_add(digit.into()))
    });
    match number {
        Some(number) if !text.is_empty() => number,
        _ => {
            let line = "STATICTRAMP_LIMIT is not a whole number, so the table does not grow";
            crate::line::Line::new(line).print();
            0
        }
    }
}
