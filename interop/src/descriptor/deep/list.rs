//! A growable list in memory allocated by a compiler's run-time library.

use super::super::{Attribute, Category, Descriptor, DescriptorError, Dimension, Format, Runtime, Type};
use core::marker::PhantomData;

pub struct List<'r, T> {
    runtime: &'r Runtime,
    /// An allocatable array of bytes.
    memory: Descriptor,
    len: usize,
    capacity: usize,
    elements: PhantomData<T>,
}

impl<'r, T: Copy> List<'r, T> {
    /// Returns an empty, unallocated list in the run-time library's format.
    pub fn new(runtime: &'r Runtime, format: Format) -> Result<Self, DescriptorError> {
        let memory = empty(format, Attribute::Allocatable)?;
        Ok(List { runtime, memory, len: 0, capacity: 0, elements: PhantomData })
    }

    pub fn push(&mut self, element: T) -> Result<(), DescriptorError> {
        if self.len == self.capacity {
            self.grow()?;
        }
        // SAFETY: the array has room for `capacity` elements, and `len` of them are in use.
        unsafe { self.start()?.add(self.len).write(element) };
        self.len += 1;
        Ok(())
    }

    fn grow(&mut self) -> Result<(), DescriptorError> {
        let capacity = (self.capacity * 2).max(64);
        let bytes = capacity.checked_mul(size_of::<T>());
        // SAFETY: the list's descriptors belong to this run-time library (`Runtime::deep_copy`).
        let larger =
            unsafe { allocate(self.runtime, self.memory.view()?.format(), Attribute::Allocatable, bytes)? };
        let mut from = core::mem::replace(&mut self.memory, larger);
        self.capacity = capacity;
        let old = from.view()?.base().cast::<T>();
        if !old.is_null() {
            // SAFETY: both arrays have room for `len` elements. The old array is no longer used.
            unsafe {
                self.start()?.copy_from_nonoverlapping(old, self.len);
                self.runtime.deallocate(from.as_mut_ptr())?;
            }
        }
        Ok(())
    }

    fn start(&self) -> Result<*mut T, DescriptorError> {
        let start = self.memory.view()?.base().cast::<T>();
        if start.is_null() || !start.is_aligned() { Err(DescriptorError::Misaligned) } else { Ok(start) }
    }

    pub fn as_mut_slice(&mut self) -> &mut [T] {
        match self.start() {
            // SAFETY: `len` elements are initialised, and only this list uses them.
            Ok(start) => unsafe { core::slice::from_raw_parts_mut(start, self.len) },
            Err(_) => &mut [],
        }
    }

    pub fn as_slice(&self) -> &[T] {
        match self.start() {
            // SAFETY: `len` elements are initialised, and only this list uses them.
            Ok(start) => unsafe { core::slice::from_raw_parts(start, self.len) },
            Err(_) => &[],
        }
    }
}

impl<T> Drop for List<'_, T> {
    fn drop(&mut self) {
        if self.capacity > 0 {
            // SAFETY: this run-time library allocated the array.
            let _ = unsafe { self.runtime.deallocate(self.memory.as_mut_ptr()) };
        }
    }
}

/// Allocates an array of bytes. `count` is `None` if the number is not representable.
///
/// # Safety
/// The functions must belong to a run-time library that uses this format.
pub unsafe fn allocate(
    runtime: &Runtime,
    format: Format,
    attribute: Attribute,
    count: Option<usize>,
) -> Result<Descriptor, DescriptorError> {
    let count = count.and_then(|count| isize::try_from(count).ok()).ok_or(DescriptorError::Overflow)?;
    let mut array = empty(format, attribute)?;
    // SAFETY: the caller upholds the safety contract, and the descriptor is local to this function.
    unsafe { runtime.allocate(array.as_mut_ptr(), &[(1, count)], 1)? };
    Ok(array)
}

/// Returns an unallocated allocatable, or a disassociated pointer, whose elements are bytes.
fn empty(format: Format, attribute: Attribute) -> Result<Descriptor, DescriptorError> {
    bytes(format, attribute, core::ptr::null_mut(), 0)
}

/// Returns an allocatable or a pointer to an array of bytes.
pub fn bytes(
    format: Format,
    attribute: Attribute,
    base: *mut (),
    count: usize,
) -> Result<Descriptor, DescriptorError> {
    let byte = Type { category: Category::Character, kind: 1 };
    let all = Dimension { lower_bound: 1, extent: count as isize, stride: 1 };
    Descriptor::of_parts(format, base, byte, 1, attribute, &[all])
}
