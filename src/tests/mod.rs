//! Tests of properties that the public interface does not expose, run on pools with their own tables.

#[cfg(not(loom))]
mod bare;
#[cfg(not(loom))]
mod bitmap;
#[cfg_attr(not(loom), allow(dead_code))] // only models use this
mod exercise;
#[cfg(all(growing, not(loom)))]
mod growth;
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
#[cfg(not(any(compact, loom, windows)))]
mod shards;
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

#[cfg(not(loom))]
extern crate std;

/// Makes a pool on the heap, on a thread with a 16 MiB stack: unoptimized code copies the pool several times, and a
/// test's own stack is too small for a large table.
#[cfg(not(loom))]
fn boxed<P: Send>(make: impl FnOnce() -> P + Send) -> std::boxed::Box<P> {
    std::thread::scope(|scope| {
        let on_heap = move || std::boxed::Box::new(make());
        let thread = std::thread::Builder::new().stack_size(16 << 20).spawn_scoped(scope, on_heap);
        thread.unwrap().join().unwrap()
    })
}

/// Makes a trampoline for the callee with this number.
#[cfg(not(loom))]
fn alloc_for<P: SlotPool>(pool: &impl Deref<Target = P>, number: usize) -> Option<Claim> {
    alloc(pool, callee(number), 0)
}
