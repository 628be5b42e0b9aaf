//! A single trampoline: a callee, a static chain, and an address to call.

mod by_address;
mod errors;
pub(crate) mod global;
pub(crate) mod limit;
#[cfg(loom)]
#[path = "../tests/running.rs"]
mod running;
mod statistics;

pub use by_address::{
    Lookup, free, free_all, free_fast, free_fast_in_row, free_in_row_or_slow, free_slow, lookup, slot_of,
};
pub use errors::{AllocError, FreeError, LookupError};
pub use limit::{reserve, set_limit};
pub use statistics::{
    Layout, LiveTrampoline, Statistics, capacity, layout, live, live_trampolines, statistics,
};

use crate::message::Message;
#[cfg(not(compact))]
use crate::pool::hosted::Packed;
use crate::pool::{Claim, Owner, SlotPool};
use global::POOL;
use limit::limit;

/// A live trampoline. A call to the address from [`as_ptr`](Trampoline::as_ptr) jumps to the callee with the chain in
/// the static-chain register: r10 on x86-64 (the documentation page on targets lists all processors). Dropping the
/// trampoline frees the slot.
///
/// A trampoline takes one slot of the table and no other memory. It is `Send` and `Sync`, so it may be called and
/// dropped on any thread that the callee allows.
#[derive(Debug)]
#[must_use = "dropping a trampoline frees it"]
pub struct Trampoline(Claim);

impl Trampoline {
    /// Makes a trampoline from a callee and a static chain.
    ///
    /// This is safe, because it calls nothing and dereferences neither pointer. Calling the resulting address is
    /// unsafe.
    ///
    /// # Errors
    /// [`AllocError::NullCallee`], [`AllocError::Full`]; [`AllocError::NoStubs`] on targets without stubs.
    #[inline]
    pub fn new(callee: *const (), chain: *mut ()) -> Result<Self, AllocError> {
        Self::with_adapter(callee, |_| (callee, chain))
    }

    /// Like [`new`](Trampoline::new), except that the stub jumps to an adapter, which calls `callee`. `entry_and_chain`
    /// receives the number of the [`slot`](Trampoline::slot), and returns the adapter's address and chain. If
    /// `entry_and_chain` panics, the slot is never freed.
    ///
    /// The slot belongs to the callee, not to the adapter: once freed, it is kept for the callee, and [`lookup`] and
    /// the diagnosis of a call after free report the callee.
    ///
    /// # Errors
    /// Same as for [`new`](Trampoline::new).
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
            let claim = claim_for_program(callee, || ())?;
            let (entry, chain) = entry_and_chain(claim.index as usize);
            Ok(Self::armed(claim, entry, chain))
        }
    }

    /// Makes the trampoline for a closure that `adapter` calls. `before_slow_path` runs on the slow path, and therefore
    /// before the adapter gets its first slot. `with_slot` receives the slot's number; on targets without stubs, it
    /// chooses the function for that slot.
    #[inline]
    pub(crate) fn of_closure(
        adapter: *const (),
        chain: *mut (),
        before_slow_path: impl FnOnce(),
        with_slot: impl FnOnce(usize),
    ) -> Result<Self, AllocError> {
        let claim = claim_for_program(adapter, before_slow_path)?;
        with_slot(claim.index as usize);
        Ok(Self::armed(claim, adapter, chain))
    }

    #[inline(always)]
    fn armed(claim: Claim, entry: *const (), chain: *mut ()) -> Self {
        POOL.arm(claim, entry, chain);
        Trampoline(claim)
    }

    /// Like [`with_adapter`](Trampoline::with_adapter), but takes only the fast path, which uses a slot that this
    /// thread recently freed for the callee. Returns `None` if no such slot is known or the slot is not free; the
    /// caller then tries [`with_reclaim`](Trampoline::with_reclaim). Only libstatictramp needs this function.
    #[cfg(not(portable))]
    #[doc(hidden)]
    #[inline(always)]
    pub fn new_fast(
        callee: *const (),
        entry_and_chain: impl FnOnce(usize) -> (*const (), *mut ()),
    ) -> Option<Self> {
        let claim = POOL.claim_fast_shared(callee, Owner::Program)?;
        let (entry, chain) = entry_and_chain(claim.index as usize);
        Some(Self::armed(claim, entry, chain))
    }

    /// Makes a trampoline that jumps directly to the callee, and returns its address as
    /// [`into_raw`](Trampoline::into_raw) does. Takes the fast path of [`new_fast`](Trampoline::new_fast), extended to
    /// most slots added by growth. If that path fails, returns the result of `otherwise` for the same callee and chain.
    #[cfg(not(portable))]
    #[doc(hidden)]
    #[inline(always)]
    pub fn make_fast(callee: *const (), chain: *mut (), otherwise: Make) -> *const () {
        #[cfg(not(compact))]
        {
            let Some(list) = POOL.list(callee) else { return otherwise(callee, chain) };
            match POOL.make_fast(list, callee, Owner::Program, callee, chain) {
                Some(stub) => stub,
                None => make_listed_for_program(callee, chain, list.packed(), otherwise),
            }
        }
        #[cfg(compact)]
        match POOL.claim_fast(callee, Owner::Program) {
            Some(claim) => Self::armed(claim, callee, chain).into_raw(),
            None => otherwise(callee, chain),
        }
    }

    /// Takes the slow path of [`with_adapter`](Trampoline::with_adapter), except that `reclaim` may free slots before
    /// the table grows. `reclaim` returns whether it has freed any slots. Only libstatictramp needs this function.
    ///
    /// # Errors
    /// Same as for [`new`](Trampoline::new).
    #[cfg(not(portable))]
    #[doc(hidden)]
    pub fn with_reclaim(
        callee: *const (),
        entry_and_chain: impl FnOnce(usize) -> (*const (), *mut ()),
        reclaim: fn() -> bool,
    ) -> Result<Self, AllocError> {
        let claim = claim_for_program_slow(callee, reclaim)?;
        let (entry, chain) = entry_and_chain(claim.index as usize);
        Ok(Self::armed(claim, entry, chain))
    }

    /// Returns the address to call, which is valid until the trampoline is dropped. A later call is diagnosed until the
    /// slot is reused.
    #[inline]
    pub fn as_ptr(&self) -> *const () {
        POOL.stub(self.0)
    }

    /// Returns the slot's number, which is below 1,048,576, and below [`capacity`](crate::capacity()) unless the limit
    /// was raised after the table had reached the old limit (see [`set_limit`](crate::set_limit)).
    #[inline]
    #[must_use]
    pub fn slot(&self) -> usize {
        self.0.index as usize
    }

    /// In a model, emulates the stub: returns the callee that the stub would jump to and the chain that it would pass.
    ///
    /// # Panics
    /// Panics if the trampoline is dead; a stub would jump to the dead procedure instead.
    #[cfg(loom)]
    pub fn enter(&self) -> (*const (), *mut ()) {
        POOL.enter(self.0.index)
    }

    /// Replaces the chain in one atomic store. Calls that happen after the store pass the new chain, and no call passes
    /// a mixture of the old and the new chain.
    ///
    /// With signed slots ([`Layout::signed`]), the store also replaces the signature of the entry, and a stub must load
    /// both words together. A concurrent call on another thread may therefore fault on AArch64 processors that have
    /// pointer authentication (HWCAP_PACA on Linux) but lack FEAT_LSE2 (HWCAP_USCAT), which is mandatory only from
    /// Armv8.4 on. Calls in signal handlers of the calling thread are not affected.
    ///
    /// # Aborts
    /// With signed slots, this function prints a message and aborts if other code has changed the slot's words. A
    /// processor with FEAT_FPAC raises SIGILL instead.
    #[inline]
    pub fn set_chain(&self, chain: *mut ()) {
        POOL.set_chain(self.0, chain);
    }

    /// Replaces the callee and the chain. The chain is stored first. Each store is atomic, but the two are separate: a
    /// concurrent call on another thread may pass either chain to either callee, and a call in a signal handler that
    /// interrupts this function may pass the new chain to the old callee. So retarget only if no such call can happen,
    /// or if both callees accept either chain.
    ///
    /// With signed slots ([`Layout::signed`]), both words are replaced in one atomic store. On processors with pointer
    /// authentication, each call then passes a chain only to the callee stored with it. Without FEAT_LSE2, however, a
    /// concurrent call on another thread may fault (see [`set_chain`](Trampoline::set_chain)).
    ///
    /// From then on, the diagnosis of a stale pointer names the new callee, and once freed, the slot is kept for the
    /// new callee.
    ///
    /// # Errors
    /// Returns [`AllocError::NullCallee`], and leaves the trampoline unchanged, if the callee is null.
    pub fn retarget(&mut self, callee: *const (), chain: *mut ()) -> Result<(), AllocError> {
        if callee.is_null() {
            return Err(AllocError::NullCallee);
        }
        POOL.retarget(self.0, callee, chain);
        Ok(())
    }

    /// Returns the address without freeing the trampoline; [`free`] can later free it by this address.
    #[inline]
    #[must_use]
    pub fn into_raw(self) -> *const () {
        core::mem::ManuallyDrop::new(self).as_ptr()
    }
}

/// A function that makes a trampoline from a callee and a chain, and returns the trampoline's address.
#[cfg(not(portable))]
type Make = fn(*const (), *mut ()) -> *const ();

/// The part of [`Trampoline::make_fast`] for slots added by growth, and for slots that are not on top of their list.
///
/// This function is not inlined, so that the common case stays small and saves no registers.
#[cfg(not(compact))]
#[inline(never)]
fn make_listed_for_program(callee: *const (), chain: *mut (), list: Packed, otherwise: Make) -> *const () {
    match POOL.make_listed(list, callee, Owner::Program, callee, chain) {
        Some(stub) => stub,
        None => otherwise(callee, chain),
    }
}

impl Drop for Trampoline {
    /// Frees the trampoline. If other code has already freed the trampoline through its address, prints a message and
    /// aborts, even if the slot is live again: the slot no longer belongs to this trampoline.
    #[inline]
    fn drop(&mut self) {
        if !POOL.release(self.0) {
            freed_already(self.0);
        }
    }
}

#[cold]
#[inline(never)]
fn freed_already(claim: Claim) -> ! {
    if !Message::IS_READ {
        crate::message::abort()
    }
    let mut message = Message::new("the trampoline of slot ");
    message
        .decimal(claim.index as usize)
        .text(" was freed through its address while its owner still held it");
    message.end()
}

/// Claims a slot for a trampoline that the program makes itself ([`Owner::Program`]). `before_slow_path` runs if the
/// free lists have no slot for the callee.
#[inline]
fn claim_for_program(callee: *const (), before_slow_path: impl FnOnce()) -> Result<Claim, AllocError> {
    // No slot has a null callee, so `claim_for_program_slow` handles null.
    POOL.claim_fast(callee, Owner::Program).or_else(|| claim_listed_for_program(callee)).map_or_else(
        || {
            before_slow_path();
            claim_for_program_slow(callee, || false)
        },
        Ok,
    )
}

/// Tries to claim any slot that this thread freed for the callee.
#[inline(never)]
fn claim_listed_for_program(callee: *const ()) -> Option<Claim> {
    POOL.claim_listed(callee, Owner::Program)
}

#[cold]
#[inline(never)]
fn claim_for_program_slow(callee: *const (), reclaim: fn() -> bool) -> Result<Claim, AllocError> {
    if callee.is_null() {
        return Err(AllocError::NullCallee);
    }
    let claim = POOL.claim_or_reclaim(callee, Owner::Program, reclaim);
    claim.or_else(|| POOL.claim_or_grow(callee, Owner::Program, limit)).ok_or(AllocError::Full)
}
