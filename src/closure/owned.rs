//! Closures that come along with their guard.

use super::{Closure, trampoline};
use crate::{AllocError, Trampoline};
use core::fmt;
use core::marker::{PhantomData, PhantomPinned};

/// Why a closure could not be bound, and the closure.
#[derive(Clone, Copy)]
pub struct BindError<K> {
    /// What was to be bound, as it was.
    pub closure: K,
    /// Why not.
    pub why: AllocError,
}

impl<K> fmt::Display for BindError<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.why.fmt(f)
    }
}

impl<K> fmt::Debug for BindError<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BindError").field("why", &self.why).finish_non_exhaustive()
    }
}

impl<K> core::error::Error for BindError<K> {}

impl<K> From<BindError<K>> for AllocError {
    fn from(error: BindError<K>) -> Self {
        error.why
    }
}

/// A closure and its function pointer in one place, without a heap: on a stack frame, or in
/// a struct that is pinned.
///
/// ```
/// use core::pin::pin;
/// use statictramp::InPlace;
///
/// let step = 5;
/// let mut callback = pin!(InPlace::new(|x: u32| x + step));
/// let f: unsafe extern "C" fn(u32) -> u32 = callback.as_mut().bind()?;
/// // SAFETY: the callback is alive.
/// assert_eq!(unsafe { f(1) }, 6);
/// # Ok::<(), statictramp::AllocError>(())
/// ```
///
/// Dropping it ends the pointer's life, then the closure's. The pointer's calls are under the
/// contract of [`Callback::as_fn`](super::Callback::as_fn).
pub struct InPlace<K, Args> {
    /// First, so that it is dropped first.
    trampoline: Option<Trampoline>,
    closure: K,
    args: PhantomData<fn(Args)>,
    _stays: PhantomPinned,
}

// SAFETY: calls may come from other threads as soon as there is a pointer, so sharing and
// sending both need a closure that may be shared; sending moves it besides.
unsafe impl<K: Send + Sync, Args> Send for InPlace<K, Args> {}
// SAFETY: as above.
unsafe impl<K: Sync, Args> Sync for InPlace<K, Args> {}

impl<K: Closure<Args>, Args> InPlace<K, Args> {
    /// A closure without a function pointer yet.
    pub const fn new(closure: K) -> Self {
        InPlace { trampoline: None, closure, args: PhantomData, _stays: PhantomPinned }
    }

    /// The function pointer, which is made by the first call and stays the same.
    ///
    /// # Errors
    /// [`AllocError::Full`] if every trampoline is in use.
    #[cfg(not(loom))]
    pub fn bind(self: core::pin::Pin<&mut Self>) -> Result<K::Pointer, AllocError> {
        // SAFETY: nothing is moved out of it, and the closure is reached by its address only.
        let this = unsafe { self.get_unchecked_mut() };
        let trampoline = match this.trampoline.take() {
            Some(there) => there,
            None => trampoline::<Args, K>(&raw const this.closure)?,
        };
        Ok(K::pointer(this.trampoline.insert(trampoline)))
    }
}

impl<K, Args> fmt::Debug for InPlace<K, Args> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("InPlace").field(&self.trampoline).finish()
    }
}

#[cfg(all(feature = "alloc", not(loom)))]
pub use heap::leaked;
#[cfg(feature = "alloc")]
pub use heap::{Boxed, boxed};

#[cfg(feature = "alloc")]
mod heap {
    use super::*;
    use core::mem::forget;
    use core::ptr::NonNull;

    extern crate alloc;
    use alloc::boxed::Box;

    /// Binds a closure that is kept on the heap, with its guard.
    ///
    /// ```
    /// let step = 5;
    /// let callback = statictramp::boxed(move |x: u32| x + step)?;
    /// assert_eq!(callback.call((1,)), 6);
    /// # Ok::<(), statictramp::AllocError>(())
    /// ```
    ///
    /// # Errors
    /// [`BindError`] with the closure, if every trampoline is in use.
    pub fn boxed<Args, K: Closure<Args>>(closure: K) -> Result<Boxed<K, Args>, BindError<K>> {
        let kept = Kept(NonNull::from(Box::leak(Box::new(closure))));
        match trampoline::<Args, K>(kept.0.as_ptr()) {
            Ok(trampoline) => Ok(Boxed { trampoline, kept, args: PhantomData }),
            Err(why) => Err(BindError { closure: kept.into_inner(), why }),
        }
    }

    /// Binds a closure for good: a function pointer that is never dead.
    ///
    /// # Errors
    /// [`BindError`] with the closure, if every trampoline is in use.
    #[cfg(not(loom))]
    pub fn leaked<Args, K: Closure<Args> + 'static>(closure: K) -> Result<K::Pointer, BindError<K>> {
        let callback = boxed(closure)?;
        let pointer = callback.as_fn();
        forget(callback);
        Ok(pointer)
    }

    /// A closure on the heap, bound to a function pointer by [`boxed`]. Dropping it ends the
    /// pointer's life, then the closure's.
    ///
    /// `Send` if the closure is `Send` and `Sync`, `Sync` if it is `Sync`.
    #[must_use = "the function pointer is dead as soon as this is dropped"]
    pub struct Boxed<K, Args> {
        /// First, so that it is dropped first.
        trampoline: Trampoline,
        kept: Kept<K>,
        args: PhantomData<fn(Args)>,
    }

    impl<K: Closure<Args>, Args> Boxed<K, Args> {
        /// Calls the closure by way of the trampoline, as C code would: to test with.
        #[inline]
        pub fn call(&self, args: Args) -> K::Output {
            // SAFETY: `boxed` made the trampoline for this type.
            unsafe { K::call_through(&self.trampoline, args) }
        }

        /// The function pointer. Having it is safe; calling it is not:
        ///
        /// # Safety of a call
        /// - this is still there while the call runs;
        /// - a call on another thread needs a closure that is `Sync`.
        #[cfg(not(loom))]
        #[inline]
        pub fn as_fn(&self) -> K::Pointer {
            K::pointer(&self.trampoline)
        }

        /// The trampoline below.
        pub fn trampoline(&self) -> &Trampoline {
            &self.trampoline
        }

        /// The closure again. The function pointer is dead then.
        pub fn into_inner(self) -> K {
            let Boxed { trampoline, kept, .. } = self;
            drop(trampoline);
            kept.into_inner()
        }
    }

    impl<K, Args> fmt::Debug for Boxed<K, Args> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_tuple("Boxed").field(&self.trampoline.as_ptr()).finish()
        }
    }

    /// A box that does not claim to be the only way to what it holds: calls come by way of
    /// the pointer in the slot.
    struct Kept<K>(NonNull<K>);

    impl<K> Kept<K> {
        fn into_inner(self) -> K {
            // SAFETY: it came out of a box, and is not dropped here.
            let closure = unsafe { Box::from_raw(self.0.as_ptr()) };
            forget(self);
            *closure
        }
    }

    impl<K> Drop for Kept<K> {
        fn drop(&mut self) {
            // SAFETY: it came out of a box, and the trampoline that led here is dead.
            drop(unsafe { Box::from_raw(self.0.as_ptr()) });
        }
    }

    // SAFETY: it is moved to the other thread, and calls may go on from the first.
    unsafe impl<K: Send + Sync> Send for Kept<K> {}
    // SAFETY: all that can be done with a reference is to call it.
    unsafe impl<K: Sync> Sync for Kept<K> {}
}
