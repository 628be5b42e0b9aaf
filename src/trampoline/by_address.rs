//! Operations on the trampoline at an address: free and lookup.

use super::errors::{FreeError, LookupError};
use super::global::POOL;
use crate::pool::{SlotPool, SlotState};

/// The result of [`lookup`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Lookup {
    /// A live trampoline.
    #[non_exhaustive]
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
    #[non_exhaustive]
    Dead {
        /// The former callee, or null if the stub has never been used or the callee is not known.
        callee: *const (),
    },
}

/// Frees the trampoline at `address`.
///
/// # Errors
/// Returns [`FreeError`], and changes nothing, if no live trampoline is at the address. No error is returned if the
/// trampoline was already freed and its slot has been reused: this function then frees the new trampoline, which has
/// the same address.
///
/// # Safety
/// If a live trampoline is at the address, the address must come from [`into_raw`](super::Trampoline::into_raw), and no
/// other code may free it concurrently.
#[inline(always)]
pub unsafe fn free(address: *const ()) -> Result<(), FreeError> {
    // SAFETY: the caller upholds the safety contract.
    unsafe { if free_fast(address) { Ok(()) } else { free_in_row_or_slow(address) } }
}

/// Frees all trampolines, even if their slots have lost their contents, as in a RAM bank that was powered down. Any
/// later call is a call through a freed trampoline.
///
/// # Safety
/// While this function runs, no other code may call, make, change or free a trampoline. Existing guards must then be
/// [forgotten](core::mem::forget), because dropping one aborts the process. The library no longer uses the data that
/// these guards borrow.
pub unsafe fn free_all() {
    POOL.release_all();
}

/// Takes the fast path of [`free`] if that path applies. Otherwise does nothing and returns false.
///
/// # Safety
/// Same as for [`free`].
#[inline(always)]
pub unsafe fn free_fast(address: *const ()) -> bool {
    #[cfg(not(compact))]
    return POOL.release_fast(address.addr());
    #[cfg(compact)]
    {
        let _ = address;
        false
    }
}

/// Takes the fast path of [`free`] for a slot in the row, if that path applies. Otherwise does nothing and returns
/// false. Most slots added by growth are in the row.
///
/// # Safety
/// Same as for [`free`].
#[inline(always)]
pub unsafe fn free_fast_in_row(address: *const ()) -> bool {
    #[cfg(all(growing, not(compact)))]
    return POOL.release_fast_in_row(address.addr());
    #[cfg(not(all(growing, not(compact))))]
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
pub unsafe fn free_in_row_or_slow(address: *const ()) -> Result<(), FreeError> {
    // SAFETY: the caller upholds the safety contract.
    unsafe { if free_fast_in_row(address) { Ok(()) } else { free_slow(address) } }
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
pub unsafe fn free_slow(address: *const ()) -> Result<(), FreeError> {
    Ok(POOL.release_slow(address.addr())?)
}

/// Looks up the trampoline at `address`, which may be any address.
///
/// # Errors
/// [`LookupError`] if no stub begins at `address`.
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
