//! A trampoline by itself: a callee, a static chain, and the address that joins them.

use crate::POOL;
use crate::pool::{Claim, Found};
use crate::slot::Kind;
use crate::table::{NotAStub, SLOTS};
use core::fmt;

/// A live trampoline: calling [`as_ptr`](Trampoline::as_ptr) enters the callee with the
/// chain in the static-chain register (r10 on x86-64). Dropping it frees the slot.
///
/// Takes one slot of the table and nothing else. `Send` and `Sync`: it may be called and
/// dropped on any thread; whether the callee may be is the callee's matter.
#[derive(Debug)]
#[must_use = "dropping a trampoline frees it"]
pub struct Trampoline(Claim);

/// Why a trampoline could not be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AllocError {
    /// The callee is null.
    NullCallee,
    /// All slots are in use.
    Full,
}

/// Why an address is not that of a trampoline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NotOurs {
    /// It is outside the table of stubs.
    Foreign,
    /// It is inside the table, but not where a stub begins.
    Interior,
}

/// Why a trampoline could not be freed. Nothing was changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FreeError {
    /// The address is not that of a trampoline.
    NotOurs(NotOurs),
    /// The trampoline is dead already, or was never made.
    Dead,
}

/// What [`lookup`] found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lookup {
    /// A live trampoline.
    Live {
        /// The number of its slot.
        slot: usize,
        /// What was given as callee: the procedure that is entered.
        callee: *const (),
        /// What was given as chain.
        chain: *mut (),
        /// What the stub jumps to: the callee, or an adapter on the way to it.
        entry: *const (),
    },
    /// A freed one: the callee it had. Null if it was never made.
    Dead {
        /// The late callee, or null.
        callee: *const (),
    },
}

impl Trampoline {
    /// Joins a callee and a static chain.
    ///
    /// Nothing is called here and neither pointer is looked into, so this is safe;
    /// calling the address is not.
    ///
    /// # Errors
    /// [`AllocError::NullCallee`], [`AllocError::Full`].
    #[inline]
    pub fn new(callee: *const (), chain: *mut ()) -> Result<Self, AllocError> {
        Self::by_way_of(callee, |_| (callee, chain))
    }

    /// Like [`new`](Trampoline::new), but the stub jumps to an adapter, which goes on to
    /// `callee`: `entry_and_chain` gives the adapter's address and the chain it gets, when
    /// the number of the [`slot`](Trampoline::slot) is known. It should not panic: the slot
    /// would stay live for ever.
    ///
    /// The slot still belongs to the callee: it is the callee that a freed slot is kept
    /// for, and that [`lookup`] and the diagnosis of a dead call name.
    ///
    /// # Errors
    /// As for [`new`](Trampoline::new).
    #[inline]
    pub fn by_way_of(
        callee: *const (),
        entry_and_chain: impl FnOnce(usize) -> (*const (), *mut ()),
    ) -> Result<Self, AllocError> {
        if callee.is_null() {
            return Err(AllocError::NullCallee);
        }
        let again = POOL.claim_again(callee, Kind::Own);
        let claim = again.or_else(|| claim_cold(callee)).ok_or(AllocError::Full)?;
        Ok(Self::armed(claim, entry_and_chain))
    }

    #[inline(always)]
    fn armed(claim: Claim, entry_and_chain: impl FnOnce(usize) -> (*const (), *mut ())) -> Self {
        let (entry, chain) = entry_and_chain(claim.index as usize);
        POOL.arm(claim, entry, chain);
        #[cfg(all(feature = "trace", not(loom)))]
        crate::trace::made(POOL.stub(claim), entry, chain);
        Trampoline(claim)
    }

    /// The usual and quick case of [`by_way_of`](Trampoline::by_way_of), for the C library:
    /// the slot that this thread freed last for the callee. `None` says nothing.
    #[doc(hidden)]
    #[inline(always)]
    pub fn again(
        callee: *const (),
        entry_and_chain: impl FnOnce(usize) -> (*const (), *mut ()),
    ) -> Option<Self> {
        POOL.claim_again(callee, Kind::Own).map(|claim| Self::armed(claim, entry_and_chain))
    }

    /// The unusual cases, for the C library: like [`by_way_of`](Trampoline::by_way_of), but
    /// before the table grows `make_room` may free slots, and says whether it has.
    ///
    /// # Errors
    /// As for [`new`](Trampoline::new).
    #[doc(hidden)]
    pub fn making_room(
        callee: *const (),
        entry_and_chain: impl FnOnce(usize) -> (*const (), *mut ()),
        make_room: impl FnOnce() -> bool,
    ) -> Result<Self, AllocError> {
        if callee.is_null() {
            return Err(AllocError::NullCallee);
        }
        let free = || POOL.claim_cold(callee, Kind::Own);
        let claim = free().or_else(|| if make_room() { free() } else { None });
        let claim = claim.or_else(|| claim_cold(callee)).ok_or(AllocError::Full)?;
        Ok(Self::armed(claim, entry_and_chain))
    }

    /// The address to call. It is valid until this is dropped; a call after that is
    /// diagnosed for as long as the slot is not made live again.
    #[inline]
    pub fn as_ptr(&self) -> *const () {
        POOL.stub(self.0)
    }

    /// The number of the slot, below [`capacity`].
    #[inline]
    pub fn slot(&self) -> usize {
        self.0.index as usize
    }

    /// What the stub does, in a model: the callee it would enter and the chain it would
    /// pass.
    ///
    /// # Panics
    /// If the trampoline is dead, where the stub would enter the diagnosis.
    #[cfg(loom)]
    pub fn enter(&self) -> (*const (), *mut ()) {
        POOL.enter(self.0.index)
    }

    /// Changes what the trampoline passes. One atomic store: a call that begins after it, as
    /// seen from its thread, passes the new chain, and none passes a mixture.
    #[inline]
    pub fn set_chain(&self, chain: *mut ()) {
        POOL.set_chain(self.0, chain);
    }

    /// Changes what the trampoline enters and passes. Each is stored atomically, the chain
    /// first, but not both at once: a call that comes meanwhile on another thread, or in a
    /// signal handler, may pass the new chain to the old callee. It never enters the new
    /// callee with the old chain, where the processor loads in the order of the stub (x86-64).
    ///
    /// A stale pointer means the new callee from now on, and a freed slot is kept for it.
    ///
    /// # Errors
    /// [`AllocError::NullCallee`]; nothing is changed then.
    pub fn retarget(&mut self, callee: *const (), chain: *mut ()) -> Result<(), AllocError> {
        if callee.is_null() {
            return Err(AllocError::NullCallee);
        }
        POOL.retarget(self.0, callee, chain);
        Ok(())
    }

    /// Keeps the trampoline alive; its address is all that is left to [`free`] it by.
    #[inline]
    pub fn into_raw(self) -> *const () {
        core::mem::ManuallyDrop::new(self).as_ptr()
    }
}

impl Drop for Trampoline {
    /// Aborts with a line if somebody has freed the trampoline by its address meanwhile,
    /// whether the slot is dead or serves again: this one would not be its to free.
    #[inline]
    fn drop(&mut self) {
        #[cfg(all(feature = "trace", not(loom)))]
        crate::trace::freed(self.as_ptr());
        if !POOL.release(self.0) {
            freed_already(self.0);
        }
    }
}

#[cold]
#[inline(never)]
fn freed_already(claim: Claim) -> ! {
    #[cfg(not(loom))]
    {
        let mut line = crate::line::Line::new("the trampoline of slot ");
        line.decimal(claim.index as usize).text(" was freed by its address while its owner still had it");
        line.print();
        crate::line::abort()
    }
    #[cfg(loom)]
    panic!("slot {} was freed by its address while its owner still had it", claim.index)
}

/// Any slot that is free; then what the table can grow by.
#[cold]
#[inline(never)]
fn claim_cold(callee: *const ()) -> Option<Claim> {
    growing(|| POOL.claim_cold(callee, Kind::Own))
}

/// Calls `claim` until it has something or the table cannot grow any more: other threads may
/// take all that was added.
pub(crate) fn growing<C>(claim: impl Fn() -> Option<C>) -> Option<C> {
    loop {
        let known = POOL.slots().added();
        let claimed = claim();
        if claimed.is_some() || !POOL.slots().grow(known, limit()) {
            return claimed;
        }
    }
}

/// Most slots to grow to; 0 until it is known.
#[cfg(all(growing, not(loom)))]
static LIMIT: crate::sync::AtomicUsize = crate::sync::AtomicUsize::new(0);

/// Sets how many slots there may be in all; what there is stays. Replaces what
/// `STATICTRAMP_LIMIT` in the environment says, which is read when the table grows for the
/// first time. 1,048,576 are the most in any case. Without the feature `grow` the table never
/// grows, and this does nothing.
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
    // SAFETY: a name that ends with 0; the result is null or a string that does.
    let text = unsafe {
        let text = libc::getenv(c"STATICTRAMP_LIMIT".as_ptr());
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

/// Frees the trampoline at `address`.
///
/// # Errors
/// [`FreeError`]; nothing is changed then. That the slot was freed and made live again
/// since cannot be told from its address.
///
/// # Safety
/// If the address is that of a live trampoline, it came from
/// [`into_raw`](Trampoline::into_raw) and nobody else frees it at the same time.
#[inline(always)]
pub unsafe fn free(address: *const ()) -> Result<(), FreeError> {
    #[cfg(all(feature = "trace", not(loom)))]
    if let Ok(Lookup::Live { .. }) = lookup(address) {
        crate::trace::freed(address);
    }
    if POOL.release_quickly(address.addr()) { Ok(()) } else { free_cold(address) }
}

#[cold]
#[inline(never)]
fn free_cold(address: *const ()) -> Result<(), FreeError> {
    Ok(POOL.release_at(address.addr())?)
}

/// What is at `address`: safe for any address whatever.
///
/// # Errors
/// [`NotOurs`] if no stub begins there.
pub fn lookup(address: *const ()) -> Result<Lookup, NotOurs> {
    match POOL.find(address.addr()) {
        Found::Live { claim, procedure, callee, chain } => {
            Ok(Lookup::Live { slot: claim.index as usize, callee: procedure, chain, entry: callee })
        }
        Found::Dead { procedure } => Ok(Lookup::Dead { callee: procedure }),
        Found::Unused => Ok(Lookup::Dead { callee: core::ptr::null() }),
        Found::Not(why) => Err(why.into()),
    }
}

/// The number of the slot whose stub begins at `address`, live or not.
pub fn slot_of(address: *const ()) -> Option<usize> {
    POOL.index_of(address.addr()).ok().map(|index| index as usize)
}

/// How many trampolines can live at once, now: the static table and what it has grown by.
pub fn capacity() -> usize {
    POOL.slots().capacity()
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
    POOL.live().filter_map(|claim| {
        let address = POOL.stub(claim);
        match lookup(address) {
            Ok(Lookup::Live { slot, callee, chain, entry }) => {
                Some(Live { address, slot, callee, chain, entry })
            }
            _ => None,
        }
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
    let used = POOL.slots().indices().filter(|&index| POOL.slots().is_open(index)).count();
    Statistics {
        capacity,
        grown: POOL.slots().added(),
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
    /// Bytes of everything else: the bitmaps, the lists of warm slots, the sweep.
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
        slot_stride: crate::slot::SLOT_STRIDE,
        bookkeeping: crate::BOOKKEEPING,
        landing_pads: cfg!(landing_pads),
        strict_reuse: cfg!(strict_reuse),
    }
}

impl From<NotAStub> for NotOurs {
    fn from(why: NotAStub) -> Self {
        match why {
            NotAStub::Foreign => NotOurs::Foreign,
            NotAStub::Interior => NotOurs::Interior,
        }
    }
}

impl From<Found> for FreeError {
    fn from(found: Found) -> Self {
        match found {
            Found::Not(why) => FreeError::NotOurs(why.into()),
            _ => FreeError::Dead,
        }
    }
}

impl fmt::Display for AllocError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AllocError::NullCallee => write!(f, "a trampoline needs a callee that is not null"),
            AllocError::Full => {
                write!(f, "all {} trampolines are in use: {}", capacity(), why_full())
            }
        }
    }
}

impl fmt::Display for NotOurs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotOurs::Foreign => "not an address in this copy's table of trampolines",
            NotOurs::Interior => "an address inside a trampoline, not of its beginning",
        })
    }
}

impl fmt::Display for FreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FreeError::NotOurs(why) => why.fmt(f),
            FreeError::Dead => f.write_str("the trampoline is dead already, or was never made"),
        }
    }
}

impl core::error::Error for AllocError {}
impl core::error::Error for NotOurs {}
impl core::error::Error for FreeError {}
