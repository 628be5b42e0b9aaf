//! Tests of properties that the public interface does not show, on pools that have their own tables.

#[cfg(not(loom))]
mod bare;
#[cfg(not(loom))]
mod bitmap;
#[cfg_attr(not(loom), allow(dead_code))] // only models use this
mod exercise;
#[cfg(not(loom))]
mod hosted;
#[cfg(not(loom))]
mod message;
#[cfg(loom)]
mod models;
#[cfg(not(loom))]
mod rounds;
#[cfg(all(growing, not(any(target_os = "macos", loom, miri))))]
mod same_code;
#[cfg(not(loom))]
mod stubs;
#[cfg(all(target_os = "linux", not(loom)))]
mod symbol;

#[cfg(not(loom))]
use crate::pool::{Claim, SlotPool};
#[cfg(not(loom))]
use core::ops::Deref;
#[cfg(not(loom))]
use exercise::{alloc, callee};

/// Makes a trampoline for the callee with this number.
#[cfg(not(loom))]
fn alloc_for<P: SlotPool>(pool: &impl Deref<Target = P>, number: usize) -> Option<Claim> {
    alloc(pool, callee(number), 0)
}
