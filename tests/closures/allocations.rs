//! Counts this thread's allocations.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    static MADE: Cell<usize> = const { Cell::new(0) };
    static FREED: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is forwarded to `System`.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = MADE.try_with(|made| made.set(made.get() + 1));
        // SAFETY: the caller upholds the safety contract.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        let _ = FREED.try_with(|freed| freed.set(freed.get() + 1));
        // SAFETY: the caller upholds the safety contract.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Returns a function's result and the number of allocations during its call.
pub fn count<T>(f: impl FnOnce() -> T) -> (T, usize) {
    let before = MADE.get();
    let result = f();
    (result, MADE.get() - before)
}

/// Returns the number of this thread's allocations minus the number of this thread's frees.
pub fn balance() -> isize {
    MADE.get() as isize - FREED.get() as isize
}
