//! Unranked memrefs as results.

use super::{MemrefError, Ranked};

/// An unranked memref as a result. Its descriptor is allocated with `malloc`, and the function's caller must free it.
#[repr(C)]
#[derive(Debug)]
pub struct UnrankedResult<T> {
    rank: isize,
    descriptor: *mut libc::c_void,
    element: core::marker::PhantomData<*mut T>,
}

impl<T> UnrankedResult<T> {
    /// Copies the descriptor of a memref into memory allocated with `malloc`.
    ///
    /// # Errors
    /// [`MemrefError::NoMemory`] if `malloc` fails.
    pub fn new<const N: usize>(memref: Ranked<T, N>) -> Result<Self, MemrefError> {
        // SAFETY: the memref is a valid descriptor of rank `N`.
        unsafe { Self::copy_of(N, (&raw const memref).cast()) }
    }

    /// Like [`new`](Self::new), but for a rank that is known only at run time.
    ///
    /// # Errors
    /// [`MemrefError::NoMemory`] if `malloc` fails.
    ///
    /// # Safety
    /// The descriptor of a memref of this rank must be readable at the address.
    pub unsafe fn copy_of(rank: usize, descriptor: *const ()) -> Result<Self, MemrefError> {
        let bytes = size_of::<Ranked<T, 0>>() + 2 * rank * size_of::<isize>();
        // SAFETY: `malloc` accepts any size. Memory that it returns has that size and is aligned for words. The caller
        // guarantees that the descriptor is readable.
        unsafe {
            let copy = libc::malloc(bytes);
            if copy.is_null() {
                return Err(MemrefError::NoMemory);
            }
            copy.copy_from_nonoverlapping(descriptor.cast(), bytes);
            Ok(UnrankedResult { rank: rank as isize, descriptor: copy, element: core::marker::PhantomData })
        }
    }

    /// Returns the rank and the address of the descriptor, which the recipient must free.
    pub fn into_raw(self) -> (isize, *mut ()) {
        let this = core::mem::ManuallyDrop::new(self);
        (this.rank, this.descriptor.cast())
    }
}

impl<T> Drop for UnrankedResult<T> {
    fn drop(&mut self) {
        // SAFETY: `copy_of` allocated the descriptor with `malloc`, and this value still owns it.
        unsafe { libc::free(self.descriptor) }
    }
}
