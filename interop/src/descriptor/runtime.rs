//! Memory of arrays, by the runtime that owns it.

use super::{Attribute, DescriptorError, MOST_DIMENSIONS, View};
use core::ffi::c_int;

/// `CFI_allocate` and `CFI_deallocate` of a compiler's runtime, which must be that of the code that uses the array: it frees
/// what it has not allocated, and the other way round. Two runtimes in one program have functions of one name: link one of
/// them as a shared library of its own, or look its functions up there.
#[derive(Clone, Copy, Debug)]
pub struct Runtime {
    /// `CFI_allocate`: a descriptor, lower bounds, upper bounds, the bytes of an element of a character.
    pub allocate: unsafe extern "C" fn(*mut (), *const isize, *const isize, usize) -> c_int,
    /// `CFI_deallocate`: a descriptor.
    pub deallocate: unsafe extern "C" fn(*mut ()) -> c_int,
}

impl Runtime {
    /// Allocates an array from the lower to the upper bound in each dimension; `element_len` counts for characters alone.
    ///
    /// # Errors
    /// [`DescriptorError::Unlike`] if the descriptor is neither a pointer's nor an allocatable's, or has not as many
    /// dimensions; [`DescriptorError::Allocated`] if an allocatable has memory already; [`DescriptorError::Runtime`] with the
    /// number by which the runtime refuses; others if the descriptor is wrong in itself.
    ///
    /// # Safety
    /// As for [`View::of`], and the descriptor can be written. The functions are those of the runtime of its format.
    pub unsafe fn allocate(
        &self,
        descriptor: *mut (),
        bounds: &[(isize, isize)],
        element_len: usize,
    ) -> Result<(), DescriptorError> {
        // SAFETY: the caller's promise.
        let view = unsafe { View::of(descriptor)? };
        if view.attribute() == Attribute::Other || view.dimensions().len() != bounds.len() {
            return Err(DescriptorError::Unlike);
        }
        if view.attribute() == Attribute::Allocatable && !view.base().is_null() {
            return Err(DescriptorError::Allocated);
        }
        let (mut lower, mut upper) = ([0; MOST_DIMENSIONS], [0; MOST_DIMENSIONS]);
        for ((lower, upper), &bound) in lower.iter_mut().zip(&mut upper).zip(bounds) {
            (*lower, *upper) = bound;
        }
        // SAFETY: the caller's promise; there are as many bounds as dimensions.
        match unsafe { (self.allocate)(descriptor, lower.as_ptr(), upper.as_ptr(), element_len) } {
            0 => Ok(()),
            number => Err(DescriptorError::Runtime(number)),
        }
    }

    /// Frees the array of a pointer or an allocatable.
    ///
    /// # Errors
    /// [`DescriptorError::Unlike`] if the descriptor is neither a pointer's nor an allocatable's, [`DescriptorError::Null`] if
    /// nothing is allocated; [`DescriptorError::Runtime`]; others if the descriptor is wrong in itself.
    ///
    /// # Safety
    /// As for [`allocate`](Runtime::allocate). The runtime has allocated what is freed, and nobody uses it any more.
    pub unsafe fn deallocate(&self, descriptor: *mut ()) -> Result<(), DescriptorError> {
        // SAFETY: the caller's promise.
        let view = unsafe { View::of(descriptor)? };
        if view.attribute() == Attribute::Other {
            return Err(DescriptorError::Unlike);
        }
        if view.base().is_null() {
            return Err(DescriptorError::Null);
        }
        // SAFETY: the caller's promise.
        match unsafe { (self.deallocate)(descriptor) } {
            0 => Ok(()),
            number => Err(DescriptorError::Runtime(number)),
        }
    }
}
