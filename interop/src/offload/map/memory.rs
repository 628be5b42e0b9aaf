//! Where the tables of a map lie.

use core::alloc::Layout;

/// Where a map has the memory of its tables from.
///
/// # Safety
/// What `allocate` returns is null, or memory of that layout that nobody else uses until it is freed.
pub unsafe trait TableMemory {
    /// Memory, or null.
    fn allocate(&self, layout: Layout) -> *mut u8;

    /// Takes it back.
    ///
    /// # Safety
    /// `memory` came from `allocate` with this layout, and is not used any more.
    unsafe fn free(&self, memory: *mut u8, layout: Layout);
}

/// The heap of the program.
#[cfg(feature = "alloc")]
#[derive(Clone, Copy, Default, Debug)]
pub struct Heap;

#[cfg(feature = "alloc")]
// SAFETY: the allocator keeps what the trait asks for.
unsafe impl TableMemory for Heap {
    fn allocate(&self, layout: Layout) -> *mut u8 {
        if layout.size() == 0 {
            return core::ptr::null_mut(); // which the allocator need not know; a block is never of that size
        }
        // SAFETY: the size is not 0.
        unsafe { alloc::alloc::alloc(layout) }
    }

    unsafe fn free(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: handed on.
        unsafe { alloc::alloc::dealloc(memory, layout) }
    }
}
