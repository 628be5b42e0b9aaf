//! A function that the program may replace at any time.

use crate::sync::{Acquire, AtomicPtr, Release, const_fn};

/// The address of a function, or null.
pub(crate) struct Hook(AtomicPtr<()>);

impl Hook {
    const_fn! { pub(crate) fn new() -> Self { Hook(AtomicPtr::new(core::ptr::null_mut())) } }

    /// Sets the function. Release: when the function runs, it sees the data that the program prepared for it.
    pub(crate) fn set(&self, function: *const ()) {
        self.0.store(function.cast_mut(), Release);
    }

    /// Returns the function. Acquire: see [`set`](Hook::set).
    pub(crate) fn get(&self) -> *const () {
        self.0.load(Acquire).cast_const()
    }
}
