//! A trampoline by itself: a callee, a static chain, and the address that joins them.

use crate::POOL;
use crate::capacity::growing;
use crate::claim::{Claim, Found, Kind};
use crate::errors::{AllocError, FreeError, NotOurs};
#[cfg(loom)]
use crate::{
    sync::{AtomicUsize, Relaxed},
    table::SLOTS,
};

/// A live trampoline: calling [`as_ptr`](Trampoline::as_ptr) enters the callee with the chain in the static-chain
/// register (x86-64: r10, AArch64: x15 and x18, RISC-V: t2, Arm: r12). Dropping it frees the slot.
///
/// Takes one slot of the table and nothing else. `Send` and `Sync`: it may be called and
/// dropped on any thread; whether the callee may be is the callee's matter.
#[derive(Debug)]
#[must_use = "dropping a trampoline frees it"]
pub struct Trampoline(Claim);

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

    /// The number of the slot, below [`capacity`](crate::capacity()).
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

    /// Counts a call that runs, in a model, until the result is dropped. By the slot: the trampoline itself may be gone
    /// by then.
    #[cfg(loom)]
    pub(crate) fn running(&self) -> Running {
        let index = self.0.index as usize;
        // Relaxed, also below: a drop that comes after the end of a call in every order sees that end, and only then
        // has it seen it for sure.
        RUNNING[index].fetch_add(1, Relaxed);
        Running(index)
    }

    /// # Panics
    /// If a call runs, or may still run as far as this thread can know.
    #[cfg(loom)]
    pub(crate) fn assert_at_rest(&self) {
        let index = self.0.index as usize;
        if !std::thread::panicking() {
            let calls = RUNNING[index].load(Relaxed);
            assert!(calls == 0, "the guard of slot {index} is dropped while a call through it runs");
        }
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

// How many calls run through each slot, in a model.
#[cfg(loom)]
loom::lazy_static! {
    static ref RUNNING: [AtomicUsize; SLOTS] = core::array::from_fn(|_| AtomicUsize::new(0));
}

/// A call that runs.
#[cfg(loom)]
pub(crate) struct Running(usize);

#[cfg(loom)]
impl Drop for Running {
    fn drop(&mut self) {
        RUNNING[self.0].fetch_sub(1, Relaxed);
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
    #[cfg(not(any(loom, unix)))]
    {
        let _ = claim; // nobody to tell
        crate::line::abort()
    }
    #[cfg(all(not(loom), unix))]
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
