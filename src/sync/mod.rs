//! The crate's atomics: core's, or loom's in a model. Only this file chooses between the two.
//! (`arch/aarch64/signing.rs` uses core's atomics directly.) On a processor without atomic exchanges, [`section`] adds
//! the exchanges that core lacks.

#[cfg(any(compact, test))]
pub(crate) mod exchange;
pub(crate) mod rooms;
#[cfg(any(test, not(target_has_atomic = "ptr")))]
pub(crate) mod section;

#[cfg(not(loom))]
pub(crate) use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize};
#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize};

#[cfg(all(not(loom), any(compact, test)))]
pub(crate) use core::sync::atomic::fence;
#[cfg(all(loom, any(compact, test)))]
pub(crate) use loom::sync::atomic::fence;

#[cfg(any(not(compact), not(target_has_atomic = "ptr")))]
pub(crate) use core::sync::atomic::Ordering;
pub(crate) use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// Orders all accesses before this call ahead of all accesses after it, but only as observed by a thread that makes
/// all threads execute a memory barrier. Either that thread sees the earlier accesses after its barrier, or the later
/// accesses see the stores that it made before its barrier. Compiles to no instructions.
#[inline(always)]
#[cfg(not(compact))]
pub(crate) fn ordered_by_barriers() {
    #[cfg(not(loom))]
    core::sync::atomic::compiler_fence(Ordering::SeqCst);
    #[cfg(loom)]
    loom::sync::atomic::fence(Ordering::SeqCst);
}

/// Makes an array of equal atomics. The expression is constant, except under loom, because loom's atomics cannot be
/// created in a constant expression.
macro_rules! atomics {
    ($value:expr; $len:expr) => {{
        #[cfg(not(loom))]
        {
            [const { $value }; $len]
        }
        #[cfg(loom)]
        {
            core::array::from_fn::<_, { $len }, _>(|_| $value)
        }
    }};
}
pub(crate) use atomics;

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

/// The address of a function that the program may replace at any time, or null.
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
