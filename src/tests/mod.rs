//! Tests of what the public interface does not show, on pools with a table of their own.

mod bare;
mod bitmap;
mod hosted;
mod message;
mod stubs;
#[cfg(target_os = "linux")]
mod symbol;

use crate::pool::exercise::{alloc, callee};
use crate::pool::{Claim, SlotPool};
use core::ops::Deref;

/// A trampoline of the callee of a number.
fn alloc_for<P: SlotPool>(pool: &impl Deref<Target = P>, number: usize) -> Option<Claim> {
    alloc(pool, callee(number), 0)
}
