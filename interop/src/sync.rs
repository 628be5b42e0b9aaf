//! The atomics and the lock of the function map: from `core` and the `spin` crate or, in models, from loom.

#[cfg(not(loom))]
pub(crate) use core::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, fence};
#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, fence};

pub(crate) use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

#[cfg(not(loom))]
pub(crate) use spin::Mutex;

/// The loom lock, with the interface of the `spin` lock. A model cannot explore the `spin` lock, which spins
/// indefinitely.
#[cfg(loom)]
pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);

#[cfg(loom)]
impl<T> Mutex<T> {
    pub(crate) fn new(value: T) -> Self {
        Mutex(loom::sync::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> loom::sync::MutexGuard<'_, T> {
        self.0.lock().expect("a model ends when a thread panics")
    }
}

/// Declares a function that is `const` except under loom.
macro_rules! const_fn {
    ($(#[$meta:meta])* $vis:vis fn $($rest:tt)*) => {
        #[cfg(not(loom))]
        $(#[$meta])* $vis const fn $($rest)*
        #[cfg(loom)]
        $(#[$meta])* $vis fn $($rest)*
    };
}
pub(crate) use const_fn;
