//! A memref without a rank, as a result.

use super::{MemrefError, Ranked};

/// A result that is a memref without a rank: its descriptor is in memory of `malloc`, for the caller to free.
#[repr(C)]
#[derive(Debug)]
pub struct UnrankedResult<T> {
    rank: isize,
    descriptor: *mut libc::c_void,
    element: core::marker::PhantomData<*mut T>,
}

impl<T> UnrankedResult<T> {
    /// Copies a descriptor to such memory.
    ///
    /// # Errors
    /// [`MemrefError::NoMemory`].
    pub fn new<const N: usize>(memref: Ranked<T, N>) -> Result<Self, MemrefError> {
        // SAFETY: the memref is here, and of this rank.
        unsafe { Self::copy_of(N, (&raw const memref).cast()) }
    }

    /// Copies a descriptor whose rank is not known before.
    ///
    /// # Errors
    /// [`MemrefError::NoMemory`].
    ///
    /// # Safety
    /// The descriptor of a memref of this rank can be read there.
    pub unsafe fn copy_of(rank: usize, descriptor: *const ()) -> Result<Self, MemrefError> {
        let bytes = size_of::<Ranked<T, 0>>() + 2 * rank * size_of::<isize>();
        // SAFETY: `malloc` may be asked for any number of bytes; what it returns, if not null, is aligned for every
        // word and as long as asked for. The caller's promise.
        unsafe {
            let copy = libc::malloc(bytes);
            if copy.is_null() {
                return Err(MemrefError::NoMemory);
            }
            copy.copy_from_nonoverlapping(descriptor.cast(), bytes);
            Ok(UnrankedResult { rank: rank as isize, descriptor: copy, element: core::marker::PhantomData })
        }
    }

    /// The rank and the descriptor, which whoever has them must free.
    pub fn into_raw(self) -> (isize, *mut ()) {
        let this = core::mem::ManuallyDrop::new(self);
        (this.rank, this.descriptor.cast())
    }
}

impl<T> Drop for UnrankedResult<T> {
    fn drop(&mut self) {
        // SAFETY: `new` allocated it, and it was not given away.
        unsafe { libc::free(self.descriptor) }
    }
}
