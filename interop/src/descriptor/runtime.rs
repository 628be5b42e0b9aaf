//! Allocation and deallocation of arrays by a compiler's run-time library.

use super::{Attribute, DescriptorError, MOST_DIMENSIONS, View};
use core::ffi::c_int;

/// `CFI_allocate` and `CFI_deallocate`. Both must come from the run-time library of the code that shares the arrays,
/// because that code and the program may free each other's memory. The libraries of both compilers define functions
/// with these names. If a program uses both libraries, one of them must be linked as a separate shared library, or its
/// functions must be looked up at run time.
#[derive(Clone, Copy, Debug)]
pub struct Runtime {
    /// `CFI_allocate`, which takes the descriptor, the lower bounds, the upper bounds and, for characters, the element
    /// length in bytes.
    pub allocate: unsafe extern "C" fn(*mut (), *const isize, *const isize, usize) -> c_int,
    /// `CFI_deallocate`, which takes the descriptor.
    pub deallocate: unsafe extern "C" fn(*mut ()) -> c_int,
}

impl Runtime {
    /// Allocates an array with these lower and upper bounds for a pointer or an allocatable. `element_len` is used only
    /// for characters.
    ///
    /// # Errors
    /// [`DescriptorError::Unlike`] if the descriptor is neither a pointer nor allocatable, or has a different rank;
    /// [`DescriptorError::Allocated`] if an allocatable is already allocated; [`DescriptorError::Runtime`] with the
    /// library's error code; other errors if the descriptor is invalid.
    ///
    /// # Safety
    /// Same as for [`View::of`]. In addition, the descriptor must be writable, and the functions must belong to the
    /// run-time library that uses the descriptor's format.
    pub unsafe fn allocate(
        &self,
        descriptor: *mut (),
        bounds: &[(isize, isize)],
        element_len: usize,
    ) -> Result<(), DescriptorError> {
        // SAFETY: the caller upholds the safety contract.
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
        // SAFETY: the caller upholds the safety contract, and there is one lower and one upper bound for each
        // dimension.
        match unsafe { (self.allocate)(descriptor, lower.as_ptr(), upper.as_ptr(), element_len) } {
            0 => Ok(()),
            number => Err(DescriptorError::Runtime(number)),
        }
    }

    /// Frees the array of a pointer or an allocatable.
    ///
    /// # Errors
    /// [`DescriptorError::Unlike`] if the descriptor is neither a pointer nor allocatable; [`DescriptorError::Null`] if
    /// nothing is allocated; [`DescriptorError::Runtime`] with the library's error code; other errors if the descriptor
    /// is invalid.
    ///
    /// # Safety
    /// Same as for [`allocate`](Runtime::allocate). In addition, this run-time library must have allocated the array,
    /// and the array must no longer be in use.
    pub unsafe fn deallocate(&self, descriptor: *mut ()) -> Result<(), DescriptorError> {
        // SAFETY: the caller upholds the safety contract.
        let view = unsafe { View::of(descriptor)? };
        if view.attribute() == Attribute::Other {
            return Err(DescriptorError::Unlike);
        }
        if view.base().is_null() {
            return Err(DescriptorError::Null);
        }
        // SAFETY: the caller upholds the safety contract.
        match unsafe { (self.deallocate)(descriptor) } {
            0 => Ok(()),
            number => Err(DescriptorError::Runtime(number)),
        }
    }
}
