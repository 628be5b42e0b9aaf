//! A trampoline by itself: a callee, a static chain, and the address that joins them.

use crate::diagnosis::message::Message;
use crate::errors::{AllocError, FreeError, NotOurs};
use crate::global::POOL;
use crate::limit::limit;
use crate::pool::{Claim, FoundSlot, Owner, SlotPool, SlotState};
#[cfg(loom)]
use crate::{
    pool::SLOTS,
    sync::{AtomicUsize, Relaxed},
};
use core::convert::Infallible;

/// A live trampoline: calling [`as_ptr`](Trampoline::as_ptr) enters the callee with the chain in the static-chain
/// register (x86-64: r10; AArch64: x15 and x18, on macOS x15 and x16; RISC-V: t2; LoongArch: t8; PowerPC: r11; Arm: r12;
/// s390x: r0; 32-bit x86: ecx). Dropping it frees the slot.
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
        /// What was given as callee.
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
    /// [`AllocError::NullCallee`], [`AllocError::Full`]; [`AllocError::NoStubs`] on targets without stubs.
    #[inline]
    pub fn new(callee: *const (), chain: *mut ()) -> Result<Self, AllocError> {
        Self::with_adapter(callee, |_| (callee, chain))
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
    pub fn with_adapter(
        callee: *const (),
        entry_and_chain: impl FnOnce(usize) -> (*const (), *mut ()),
    ) -> Result<Self, AllocError> {
        #[cfg(portable)]
        {
            let _ = (callee, entry_and_chain);
            Err(AllocError::NoStubs)
        }
        #[cfg(not(portable))]
        {
            let claim = claim(callee, || ())?;
            let (entry, chain) = entry_and_chain(claim.index as usize);
            Ok(Self::armed(claim, entry, chain))
        }
    }

    /// The trampoline of a closure: `adapter` goes on to the closure. `note` is told where a slot is looked for at length,
    /// so before the adapter gets its first slot. `lead` is told the number of the slot: on targets without stubs it
    /// chooses the function that leads there.
    #[inline]
    pub(crate) fn of_closure(
        adapter: *const (),
        chain: *mut (),
        note: impl FnOnce(),
        lead: impl FnOnce(usize),
    ) -> Result<Self, AllocError> {
        let claim = claim(adapter, note)?;
        lead(claim.index as usize);
        Ok(Self::armed(claim, adapter, chain))
    }

    #[inline(always)]
    fn armed(claim: Claim, entry: *const (), chain: *mut ()) -> Self {
        POOL.arm(claim, entry, chain);
        #[cfg(all(feature = "trace", not(loom)))]
        crate::trace::made(POOL.stub(claim), entry, chain);
        Trampoline(claim)
    }

    /// The usual and quick case of [`with_adapter`](Trampoline::with_adapter), for the C library:
    /// in the slot that this thread freed last for the callee. `None` if that slot is not free, or
    /// not known: then [`with_reclaim`](Trampoline::with_reclaim) looks further.
    #[cfg(not(portable))]
    #[doc(hidden)]
    #[inline(always)]
    pub fn new_fast(
        callee: *const (),
        entry_and_chain: impl FnOnce(usize) -> (*const (), *mut ()),
    ) -> Option<Self> {
        let claim = POOL.claim_fast(callee, Owner::Program)?;
        let (entry, chain) = entry_and_chain(claim.index as usize);
        Some(Self::armed(claim, entry, chain))
    }

    /// The unusual cases, for the C library: like [`with_adapter`](Trampoline::with_adapter), but
    /// before the table grows `reclaim` may free slots, and says whether it has.
    ///
    /// # Errors
    /// As for [`new`](Trampoline::new).
    #[cfg(not(portable))]
    #[doc(hidden)]
    pub fn with_reclaim(
        callee: *const (),
        entry_and_chain: impl FnOnce(usize) -> (*const (), *mut ()),
        reclaim: fn() -> bool,
    ) -> Result<Self, AllocError> {
        let claim = claim_cold(callee, reclaim)?;
        let (entry, chain) = entry_and_chain(claim.index as usize);
        Ok(Self::armed(claim, entry, chain))
    }

    /// The address to call. It is valid until this is dropped; a call after that is
    /// diagnosed for as long as the slot is not made live again.
    #[inline]
    pub fn as_ptr(&self) -> *const () {
        POOL.stub(self.0)
    }

    /// The number of the slot: below [`capacity`](crate::capacity()), unless the limit was raised when the table had reached it
    /// (see [`set_limit`](crate::set_limit)); below 1,048,576 in any case.
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

    /// Changes what the trampoline enters and passes. Each is stored atomically, the chain first, but not both at once: a
    /// call that comes meanwhile on another thread may pass either chain to either callee, and one in a signal handler that
    /// interrupts this may pass the new chain to the old callee. So retarget only where no such call can come, or where each
    /// of the two callees takes either chain.
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
    if !Message::IS_READ {
        crate::diagnosis::message::abort()
    }
    let mut message = Message::new("the trampoline of slot ");
    message.decimal(claim.index as usize).text(" was freed by its address while its owner still had it");
    message.end()
}

/// A slot for a trampoline of the program. `at_length` comes first where none that served the callee is at hand.
#[inline]
fn claim(callee: *const (), at_length: impl FnOnce()) -> Result<Claim, AllocError> {
    // No slot serves null, so that is a case for `claim_cold`.
    POOL.claim_fast(callee, Owner::Program).map_or_else(
        || {
            at_length();
            claim_cold(callee, || false)
        },
        Ok,
    )
}

#[cold]
#[inline(never)]
fn claim_cold(callee: *const (), reclaim: fn() -> bool) -> Result<Claim, AllocError> {
    if callee.is_null() {
        return Err(AllocError::NullCallee);
    }
    match POOL.find_slot(callee, Owner::Program, reclaim, || None::<Infallible>, limit) {
        Some(FoundSlot::Claimed(claim)) => Ok(claim),
        None => Err(AllocError::Full),
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
    if POOL.release_fast(address.addr()) { Ok(()) } else { free_cold(address) }
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
        SlotState::Live { claim, callee, entry, chain } => {
            Ok(Lookup::Live { slot: claim.index as usize, callee, chain, entry })
        }
        SlotState::Dead { callee } => Ok(Lookup::Dead { callee }),
        SlotState::Unused => Ok(Lookup::Dead { callee: core::ptr::null() }),
        SlotState::Not(why) => Err(why.into()),
    }
}

/// The number of the slot whose stub begins at `address`, live or not.
pub fn slot_of(address: *const ()) -> Option<usize> {
    POOL.index_of(address.addr()).ok().map(|index| index as usize)
}
