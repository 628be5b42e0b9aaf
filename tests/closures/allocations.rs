//! How often this thread has asked for memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    static MADE: Cell<usize> = const { Cell::new(0) };
    static FREED: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: everything is passed on.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = MADE.try_with(|made| made.set(made.get() + 1));
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        let _ = FREED.try_with(|freed| freed.set(freed.get() + 1));
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// What a function returns, and how many allocations it has made.
pub fn count<T>(f: impl FnOnce() -> T) -> (T, usize) {
    let before = MADE.get();
    let result = f();
    (result, MADE.get() - before)
}

/// How many allocations of this thread are not freed, or were freed by others.
pub fn balance() -> isize {
    MADE.get() as isize - FREED.get() as isize
}
