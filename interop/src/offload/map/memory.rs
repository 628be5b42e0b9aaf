//! Allocators for the tables of a map.

use core::alloc::Layout;

/// An allocator for the tables of a map.
///
/// # Safety
/// `allocate` must return null, or memory with the requested layout that no other code uses until it is freed.
pub unsafe trait TableMemory {
    /// Allocates memory with this layout. Returns null if no memory is available.
    fn allocate(&self, layout: Layout) -> *mut u8;

    /// Frees memory that `allocate` returned.
    ///
    /// # Safety
    /// `memory` must have been returned by `allocate` for this layout, and must no longer be in use.
    unsafe fn free(&self, memory: *mut u8, layout: Layout);
}

/// The program's heap.
#[cfg(feature = "alloc")]
#[derive(Clone, Copy, Default, Debug)]
pub struct Heap;

#[cfg(feature = "alloc")]
// SAFETY: the global allocator fulfils the trait's conditions.
unsafe impl TableMemory for Heap {
    fn allocate(&self, layout: Layout) -> *mut u8 {
        if layout.size() == 0 {
            return core::ptr::null_mut(); // the global allocator does not accept a size of 0, but no block is empty
        }
        // SAFETY: the size is not 0.
        unsafe { alloc::alloc::alloc(layout) }
    }

    unsafe fn free(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller upholds the safety contract.
        unsafe { alloc::alloc::dealloc(memory, layout) }
    }
}
