//! C functions for deep copies of objects of derived types.

use crate::descriptors::{StatictrampDescriptor, StatictrampDescriptorError, aligned, store};
use core::ffi::{c_int, c_uint, c_void};
use statictramp_interop::descriptor::{DescriptorError, MOST_DIMENSIONS, Runtime, Targets, View};

/// CFI_allocate and CFI_deallocate from a compiler's run-time library, cast to these types.
#[repr(C)]
pub struct StatictrampDescriptorRuntime {
    /// CFI_allocate.
    pub allocate: Option<unsafe extern "C" fn(*mut c_void, *const isize, *const isize, usize) -> c_int>,
    /// CFI_deallocate.
    pub deallocate: Option<unsafe extern "C" fn(*mut c_void) -> c_int>,
}

/// Copies an array or a scalar in flang's layout, with the allocatable components of a derived type and of its
/// components; `targets` (a statictramp_targets) determines whether the targets of pointer components are also copied.
/// The result is an allocatable; statictramp_copy_back_descriptor stores it in a Fortran variable that is not allocated.
/// No user-defined assignment is called, and stack usage does not depend on the number of objects. The object and its
/// descriptor must come from code compiled by flang, and `runtime` from the run-time library of the same version of
/// flang. On error, nothing is stored, and everything that had been copied is freed. The result is
/// STATICTRAMP_DESCRIPTOR_ERROR_RUNTIME if memory is exhausted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_deep_copy(
    descriptor: *const c_void,
    runtime: *const StatictrampDescriptorRuntime,
    targets: c_uint,
    copy: *mut StatictrampDescriptor,
) -> StatictrampDescriptorError {
    // SAFETY: the contract in the doc comment requires a descriptor and functions of flang, and a writable `copy`.
    unsafe {
        let made = aligned(copy).and_then(|_| {
            let view = View::of(descriptor.cast())?;
            if view.dimensions().len() == MOST_DIMENSIONS && view.addendum().is_some() {
                return Err(DescriptorError::Rank(MOST_DIMENSIONS as u8));
            }
            runtime_at(runtime)?.deep_copy(&view, targets_of(targets)?)
        });
        store(made, copy)
    }
}

/// Frees a pointer or an allocatable and everything that statictramp_deep_copy with the same `targets` would copy,
/// without finalization. All of it must have been allocated by the run-time library to which `runtime` belongs. On an
/// error other than STATICTRAMP_DESCRIPTOR_ERROR_RUNTIME, nothing has been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_deep_free(
    descriptor: *mut c_void,
    runtime: *const StatictrampDescriptorRuntime,
    targets: c_uint,
) -> StatictrampDescriptorError {
    // SAFETY: the contract in the doc comment requires a descriptor and functions of flang.
    unsafe {
        runtime_at(runtime)
            .and_then(|runtime| runtime.deep_free(descriptor.cast(), targets_of(targets)?))
            .into()
    }
}

/// # Safety
/// If the address is non-null and aligned, both functions must be readable there.
unsafe fn runtime_at(runtime: *const StatictrampDescriptorRuntime) -> Result<Runtime, DescriptorError> {
    let runtime = aligned(runtime.cast_mut())?;
    // SAFETY: the caller upholds the safety contract. Pointers to void and to () have the same representation.
    unsafe {
        let (allocate, deallocate) =
            (*runtime).allocate.zip((*runtime).deallocate).ok_or(DescriptorError::Null)?;
        Ok(Runtime {
            allocate: core::mem::transmute::<
                unsafe extern "C" fn(*mut c_void, *const isize, *const isize, usize) -> c_int,
                unsafe extern "C" fn(*mut (), *const isize, *const isize, usize) -> c_int,
            >(allocate),
            deallocate: core::mem::transmute::<
                unsafe extern "C" fn(*mut c_void) -> c_int,
                unsafe extern "C" fn(*mut ()) -> c_int,
            >(deallocate),
        })
    }
}

fn targets_of(number: c_uint) -> Result<Targets, DescriptorError> {
    [Targets::Shared, Targets::Copied]
        .into_iter()
        .find(|&known| known as c_uint == number)
        .ok_or(DescriptorError::Unsupported)
}
