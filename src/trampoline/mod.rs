//! A single trampoline: a callee, a static chain, and an address to call.

mod errors;
pub(crate) mod global;
pub(crate) mod limit;
mod reserve;
mod statistics;
pub mod trace;

pub use errors::{AllocError, FreeError, LookupError};
pub use limit::set_limit;
pub use reserve::reserve;
pub use statistics::{
    Layout, LiveTrampoline, Statistics, capacity, layout, live, live_trampolines, statistics,
};

use crate::message::Message;
#[cfg(not(compact))]
use crate::pool::hosted::Packed;
use crate::pool::{Claim, Owner, SlotPool, SlotState};
#[cfg(loom)]
use crate::{
    pool::SLOTS,
    sync::{AtomicUsize, Relaxed},
};
use global::POOL;
use limit::limit;

/// A live trampoline. A call to the address that [`as_ptr`](Trampoline::as_ptr) returns enters the callee with the
/// chain in the static-chain register. On x86-64, this register is r10. The documentation page on targets lists the
/// register of each processor. Dropping the trampoline frees the slot.
///
/// A trampoline takes one slot of the table and no other memory. It is `Send` and `Sync`, so it may be called and
/// dropped on any thread that the callee allows.
#[derive(Debug)]
#[must_use = "dropping a trampoline frees it"]
pub struct Trampoline(Claim);

/// The result of [`lookup`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lookup {
    /// A live trampoline.
    Live {
        /// The slot's number.
        slot: usize,
        /// The callee for which the trampoline was made. For a closure, this is its adapter.
        callee: *const (),
        /// The chain that the stub passes.
        chain: *mut (),
        /// The address that the stub jumps to: the callee, or an adapter that calls it.
        entry: *const (),
    },
    /// A freed trampoline, or a stub that has never been used.
    Dead {
        /// The former callee, or null if the stub has never been used or the callee is not known.
        callee: *const (),
    },
}

impl Trampoline {
    /// Makes a trampoline from a callee and a static chain.
    ///
    /// This function calls nothing and dereferences neither pointer, so it is safe. Calling the resulting address is
    /// unsafe.
    ///
    /// # Errors
    /// [`AllocError::NullCallee`], [`AllocError::Full`]; [`AllocError::NoStubs`] on targets without stubs.
    #[inline]
    pub fn new(callee: *const (), chain: *mut ()) -> Result<Self, AllocError> {
        Self::with_adapter(callee, |_| (callee, chain))
    }

    /// Like [`new`](Trampoline::new), except that the stub jumps to an adapter, which calls `callee`. `entry_and_chain`
    /// receives the number of the [`slot`](Trampoline::slot), and returns the adapter's address and the adapter's
    /// chain. If `entry_and_chain` panics, the slot is never freed.
    ///
    /// The slot belongs to the callee, not to the adapter. A freed slot is kept for the callee. [`lookup`] and the
    /// diagnosis of a dead call report the callee.
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
            let claim = claim(callee, || ())?;
            let (entry, chain) = entry_and_chain(claim.index as usize);
            Ok(Self::armed(claim, entry, chain))
        }
    }

    /// Makes the trampoline for a closure that `adapter` calls. `note` runs on the slow path, and therefore before the
    /// adapter gets its first slot. `lead` receives the number of the slot. On targets without stubs, `lead` chooses
    /// the function for that slot.
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
        trace::made(POOL.stub(claim), entry, chain);
        Trampoline(claim)
    }

    /// Takes only the fast path of [`with_adapter`](Trampoline::with_adapter), which uses a slot that this thread
    /// recently freed for the callee. Returns `None` if no such slot is known and free. The caller then calls
    /// [`with_reclaim`](Trampoline::with_reclaim). Only libstatictramp needs this function.
    #[cfg(not(portable))]
    #[doc(hidden)]
    #[inline(always)]
    pub fn new_fast(
        callee: *const (),
        entry_and_chain: impl FnOnce(usize) -> (*const (), *mut ()),
    ) -> Option<Self> {
        #[cfg(not(compact))]
        let claim = POOL.claim_in_table::<true>(callee, Owner::Program)?;
        #[cfg(compact)]
        let claim = POOL.claim_fast(callee, Owner::Program)?;
        let (entry, chain) = entry_and_chain(claim.index as usize);
        Some(Self::armed(claim, entry, chain))
    }

    /// Makes a trampoline that enters the callee directly. Takes the fast path as [`new_fast`](Trampoline::new_fast)
    /// does, but also for most slots that growth has added. Returns the address, as
    /// [`into_raw`](Trampoline::into_raw) does. On any other path, returns the result of `otherwise` for the same
    /// callee and chain.
    #[cfg(not(portable))]
    #[doc(hidden)]
    #[inline(always)]
    pub fn make_fast(callee: *const (), chain: *mut (), otherwise: Make) -> *const () {
        #[cfg(not(compact))]
        {
            let Some(list) = POOL.list(callee) else { return otherwise(callee, chain) };
            match POOL.make_on_top(list, callee, Owner::Program, callee, chain) {
                Some(stub) => made(stub, callee, chain),
                None => make_near(callee, chain, list.packed(), otherwise),
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
        let claim = claim_cold(callee, reclaim)?;
        let (entry, chain) = entry_and_chain(claim.index as usize);
        Ok(Self::armed(claim, entry, chain))
    }

    /// Returns the address to call. The address is valid until the trampoline is dropped. A later call is diagnosed
    /// until the slot is reused.
    #[inline]
    pub fn as_ptr(&self) -> *const () {
        POOL.stub(self.0)
    }

    /// Returns the number of the slot. The number is always below 1,048,576. It is also below
    /// [`capacity`](crate::capacity()), unless the limit was raised after the table had reached it (see
    /// [`set_limit`](crate::set_limit)).
    #[inline]
    pub fn slot(&self) -> usize {
        self.0.index as usize
    }

    /// In a model, emulates the stub: returns the callee that the stub would jump to and the chain that it would pass.
    ///
    /// # Panics
    /// Panics if the trampoline is dead. A stub would jump to the dead procedure.
    #[cfg(loom)]
    pub fn enter(&self) -> (*const (), *mut ()) {
        POOL.enter(self.0.index)
    }

    /// In a model, counts a running call until the result is dropped. The count belongs to the slot, because the
    /// trampoline may be dropped before the call ends.
    #[cfg(loom)]
    pub(crate) fn running(&self) -> Running {
        let index = self.0.index as usize;
        // Relaxed, here and in `drop`: the program must use other operations to make the end of a call happen before
        // the drop of the guard. Only then is the drop certain to see that the call has ended.
        RUNNING[index].fetch_add(1, Relaxed);
        Running(index)
    }

    /// In a model, checks that no call through the trampoline is running.
    ///
    /// # Panics
    /// Panics if a call is running, or if the end of a call does not happen before this check.
    #[cfg(loom)]
    pub(crate) fn assert_at_rest(&self) {
        let index = self.0.index as usize;
        if !std::thread::panicking() {
            let calls = RUNNING[index].load(Relaxed);
            assert!(calls == 0, "the guard of slot {index} was dropped during a call through its pointer");
        }
    }

    /// Replaces the chain in one atomic store. A call that happens after the store passes the new chain. No call passes
    /// a mixture of the old and the new chain.
    ///
    /// With signed slots ([`Layout::signed`]), the store also replaces the signature of the entry, and a stub must load
    /// both words together. Some AArch64 processors have pointer authentication (Linux reports HWCAP_PACA), but not
    /// FEAT_LSE2 (HWCAP_USCAT), which is mandatory only from Armv8.4 on. On such a processor, a concurrent call on
    /// another thread may fault. Calls in signal handlers of the calling thread are not affected.
    ///
    /// # Aborts
    /// With signed slots, this function prints a message and aborts if other code has changed the slot's words. A processor with
    /// FEAT_FPAC raises SIGILL instead.
    #[inline]
    pub fn set_chain(&self, chain: *mut ()) {
        POOL.set_chain(self.0, chain);
    }

    /// Replaces the callee and the chain. Each is stored atomically, the chain first, but not both together. A
    /// concurrent call on another thread may pass either chain to either callee, and a call in a signal handler that
    /// interrupts this one may pass the new chain to the old callee. Therefore retarget only if no such call can happen,
    /// or if both callees accept either chain.
    ///
    /// With signed slots ([`Layout::signed`]), both words are replaced in one atomic store. On a processor with pointer
    /// authentication and FEAT_LSE2, each call passes one of the chains to the callee that belongs to it. On a
    /// processor with pointer authentication but without FEAT_LSE2 (see [`set_chain`](Trampoline::set_chain)), a
    /// concurrent call on another thread may fault.
    ///
    /// After this call, the diagnosis of a stale pointer names the new callee. Once the slot is freed, the slot is kept
    /// for the new callee.
    ///
    /// # Errors
    /// [`AllocError::NullCallee`]. If it is returned, nothing has changed.
    pub fn retarget(&mut self, callee: *const (), chain: *mut ()) -> Result<(), AllocError> {
        if callee.is_null() {
            return Err(AllocError::NullCallee);
        }
        POOL.retarget(self.0, callee, chain);
        Ok(())
    }

    /// Returns the address without freeing the trampoline. [`free`] can later free the trampoline by this address.
    #[inline]
    pub fn into_raw(self) -> *const () {
        core::mem::ManuallyDrop::new(self).as_ptr()
    }
}

/// A function that makes a trampoline from a callee and a chain, and returns its address.
#[cfg(not(portable))]
type Make = fn(*const (), *mut ()) -> *const ();

/// The part of [`Trampoline::make_fast`] that handles a slot that growth has added, or a slot that is not on top of its
/// list.
///
/// This function is not inlined, so that the common case is a small function that saves no registers.
#[cfg(not(compact))]
#[inline(never)]
fn make_near(callee: *const (), chain: *mut (), list: Packed, otherwise: Make) -> *const () {
    match POOL.make_near(list, callee, Owner::Program, callee, chain) {
        Some(stub) => made(stub, callee, chain),
        None => otherwise(callee, chain),
    }
}

/// Reports to the hook that a trampoline was made with the address `stub`, and returns `stub`.
#[cfg(not(compact))]
#[inline(always)]
fn made(stub: *const (), callee: *const (), chain: *mut ()) -> *const () {
    #[cfg(all(feature = "trace", not(loom)))]
    trace::made(stub, callee, chain);
    let _ = (callee, chain);
    stub
}

// In a model, the number of running calls through each slot.
#[cfg(loom)]
loom::lazy_static! {
    static ref RUNNING: [AtomicUsize; SLOTS] = core::array::from_fn(|_| AtomicUsize::new(0));
}

/// A running call.
#[cfg(loom)]
pub(crate) struct Running(usize);

#[cfg(loom)]
impl Drop for Running {
    fn drop(&mut self) {
        RUNNING[self.0].fetch_sub(1, Relaxed);
    }
}

impl Drop for Trampoline {
    /// Frees the trampoline. If other code has freed it through its address, prints a message and aborts, whether the
    /// slot is dead or live again. In both cases the slot no longer belongs to this trampoline.
    #[inline]
    fn drop(&mut self) {
        #[cfg(all(feature = "trace", not(loom)))]
        trace::freed(self.as_ptr());
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

/// Claims a slot for a trampoline of the program. `before_slow_path` runs if the free lists have no slot for the callee.
#[inline]
fn claim(callee: *const (), before_slow_path: impl FnOnce()) -> Result<Claim, AllocError> {
    // No slot has a null callee, so `claim_cold` handles null.
    POOL.claim_fast(callee, Owner::Program).or_else(|| claim_listed(callee)).map_or_else(
        || {
            before_slow_path();
            claim_cold(callee, || false)
        },
        Ok,
    )
}

/// Tries to claim a slot that this thread freed for the callee. The slot may be in any segment, and the head of its
/// list may be in the shard or in the shared array.
#[inline(never)]
fn claim_listed(callee: *const ()) -> Option<Claim> {
    #[cfg(not(compact))]
    return POOL.claim_listed(callee, Owner::Program);
    #[cfg(compact)]
    {
        let _ = callee;
        None
    }
}

#[cold]
#[inline(never)]
fn claim_cold(callee: *const (), reclaim: fn() -> bool) -> Result<Claim, AllocError> {
    if callee.is_null() {
        return Err(AllocError::NullCallee);
    }
    let claim = POOL.claim_or_reclaim(callee, Owner::Program, reclaim);
    claim.or_else(|| POOL.claim_by_growth(callee, Owner::Program, limit)).ok_or(AllocError::Full)
}

/// Frees the trampoline at `address`.
///
/// # Errors
/// [`FreeError`]. If this error is returned, nothing has changed. If the trampoline was already freed and its slot is
/// live again, the address does not show this. In that case, this function frees the new trampoline and returns no
/// error.
///
/// # Safety
/// If a live trampoline is at the address, the address must come from [`into_raw`](Trampoline::into_raw), and no other
/// code may free it concurrently.
#[inline(always)]
pub unsafe fn free(address: *const ()) -> Result<(), FreeError> {
    // SAFETY: the caller upholds the safety contract.
    unsafe { if free_fast(address) { Ok(()) } else { free_cold(address) } }
}

/// Frees all trampolines, even if their slots lost their contents, as in a RAM bank without power. A later call is a
/// call through a freed trampoline.
///
/// # Safety
/// While this function runs, no other code may call, make, change or free a trampoline. Afterwards, existing guards must
/// be [forgotten](core::mem::forget), because dropping one aborts. What they borrow is no longer in use.
pub unsafe fn free_all() {
    #[cfg(all(feature = "trace", not(loom)))]
    POOL.live().for_each(|claim| trace::freed(POOL.stub(claim)));
    POOL.release_all();
}

/// Takes the fast path of [`free`] if it applies. Otherwise does nothing and returns false.
///
/// # Safety
/// Same as for [`free`].
#[inline(always)]
pub unsafe fn free_fast(address: *const ()) -> bool {
    #[cfg(fast_free)]
    return POOL.release_in_table(address.addr());
    #[cfg(not(fast_free))]
    {
        let _ = address;
        false
    }
}

/// Takes the fast path of [`free`] for a slot in the row, if it applies. Otherwise does nothing and returns false. The
/// row contains most of the slots that growth has added.
///
/// # Safety
/// Same as for [`free`].
#[inline(always)]
pub unsafe fn free_fast_grown(address: *const ()) -> bool {
    #[cfg(all(growing, fast_free))]
    return POOL.release_in_row(address.addr());
    #[cfg(not(all(growing, fast_free)))]
    {
        let _ = address;
        false
    }
}

/// Like [`free`], but without the fast path for the static table.
///
/// # Errors
/// Same as for [`free`].
///
/// # Safety
/// Same as for [`free`].
#[cfg_attr(growing, inline(never))]
pub unsafe fn free_cold(address: *const ()) -> Result<(), FreeError> {
    // SAFETY: the caller upholds the safety contract.
    unsafe { if free_fast_grown(address) { Ok(()) } else { free_anywhere(address) } }
}

/// Like [`free`], but without a fast path. If the table can grow, this function is not inlined, so that its caller
/// saves fewer registers.
///
/// # Errors
/// Same as for [`free`].
///
/// # Safety
/// Same as for [`free`].
#[cold]
#[cfg_attr(growing, inline(never))]
pub unsafe fn free_anywhere(address: *const ()) -> Result<(), FreeError> {
    #[cfg(all(feature = "trace", not(loom)))]
    return free_traced(address);
    #[cfg(not(all(feature = "trace", not(loom))))]
    Ok(POOL.release_at(address.addr())?)
}

/// Looks up the trampoline at `address`, reports the free to the hook, and frees the trampoline. If the hook itself has
/// freed the trampoline, returns an error. In that case, a new trampoline in the same slot is not freed.
#[cfg(all(feature = "trace", not(loom)))]
fn free_traced(address: *const ()) -> Result<(), FreeError> {
    match POOL.find(address.addr()) {
        SlotState::Live { claim, .. } => {
            trace::freed(address);
            if POOL.release(claim) { Ok(()) } else { Err(FreeError::Dead) }
        }
        found => Err(found.into()),
    }
}

/// Looks up the trampoline at `address`, which may be any address.
///
/// # Errors
/// [`LookupError`] if no stub begins there.
pub fn lookup(address: *const ()) -> Result<Lookup, LookupError> {
    match POOL.find(address.addr()) {
        SlotState::Live { claim, callee, entry, chain } => {
            Ok(Lookup::Live { slot: claim.index as usize, callee, chain, entry })
        }
        SlotState::Dead { callee } => Ok(Lookup::Dead { callee }),
        SlotState::Unused => Ok(Lookup::Dead { callee: core::ptr::null() }),
        SlotState::Not(reason) => Err(reason.into()),
    }
}

/// Returns the number of the slot whose stub begins at `address`, or `None` if no stub begins there. The slot need
/// not be live.
pub fn slot_of(address: *const ()) -> Option<usize> {
    POOL.index_of(address.addr()).ok().map(|index| index as usize)
}
