//! Closures that are owned by their guards.

#[cfg(not(loom))]
use super::UnsafeFn;
#[cfg(not(loom))]
use super::bound::Bare;
use super::{Borrows, BoundTrampoline, Closure, Types};
use crate::trampoline::AllocError;
use core::fmt;
use core::marker::{PhantomData, PhantomPinned};

/// The error returned if a closure could not be bound. It contains the closure.
#[derive(Clone, Copy)]
pub struct BindError<K> {
    /// The closure, unchanged.
    pub closure: K,
    /// Why the closure could not be bound.
    pub source: AllocError,
}

impl<K> fmt::Display for BindError<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the closure could not be bound")
    }
}

impl<K> fmt::Debug for BindError<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BindError").field("source", &self.source).finish_non_exhaustive()
    }
}

impl<K> core::error::Error for BindError<K> {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        Some(&self.source)
    }
}

impl<K> From<BindError<K>> for AllocError {
    fn from(error: BindError<K>) -> Self {
        error.source
    }
}

/// A closure together with its function pointer, stored in a stack frame or a pinned struct rather than on the heap.
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
/// Dropping an `InPlace` frees the trampoline and then drops the closure. Calls through the pointer must meet the
/// contract of [`Callback::as_fn`](super::Callback::as_fn).
pub struct InPlace<K, Args> {
    /// The trampoline. This is the first field, so that the trampoline is dropped before the closure.
    trampoline: Option<BoundTrampoline>,
    closure: K,
    _borrows: Borrows<K>,
    types: Types<K, Args>,
    _stays: PhantomPinned,
}

// SAFETY: other threads may call the closure as soon as the pointer exists, so sending or sharing the value requires
// `K: Sync`. Sending the value also moves the closure, which requires `K: Send`.
unsafe impl<K: Send + Sync, Args> Send for InPlace<K, Args> {}
// SAFETY: as above.
unsafe impl<K: Sync, Args> Sync for InPlace<K, Args> {}

impl<K: Closure<Args>, Args> InPlace<K, Args> {
    /// Wraps a closure, but does not make a function pointer yet.
    pub const fn new(closure: K) -> Self {
        InPlace {
            trampoline: None,
            closure,
            _borrows: Borrows::NEW,
            types: PhantomData,
            _stays: PhantomPinned,
        }
    }

    /// Returns the function pointer. The first call to this method makes the trampoline.
    ///
    /// # Errors
    /// [`AllocError::Full`] if every trampoline is in use.
    #[cfg(not(loom))]
    #[cfg_attr(named, track_caller)]
    pub fn bind(self: core::pin::Pin<&mut Self>) -> Result<K::Pointer, AllocError> {
        // SAFETY: nothing is moved out of `this`, and the closure is used only through its pinned address.
        let this = unsafe { self.get_unchecked_mut() };
        let trampoline = match this.trampoline.take() {
            Some(there) => there,
            None => BoundTrampoline::new::<Args, Bare<K>>((&raw const this.closure).cast())?,
        };
        Ok(this.trampoline.insert(trampoline).pointer())
    }

    /// Returns a pointer to a safe function, for functions that accept only safe function pointers.
    ///
    /// # Errors
    /// Same as for [`bind`](InPlace::bind).
    ///
    /// # Safety
    /// All callers must uphold the contract of [`Callback::as_fn`](super::Callback::as_fn).
    #[cfg(not(loom))]
    #[cfg_attr(named, track_caller)]
    pub unsafe fn bind_as_safe_fn(
        self: core::pin::Pin<&mut Self>,
    ) -> Result<<K::Pointer as UnsafeFn>::Safe, AllocError> {
        // SAFETY: the caller upholds the safety contract.
        self.bind().map(|pointer| unsafe { pointer.into_safe() })
    }
}

impl<K, Args> fmt::Debug for InPlace<K, Args> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("InPlace").field(&self.trampoline).finish()
    }
}

#[cfg(feature = "alloc")]
pub use heap::{Boxed, boxed, try_boxed};
#[cfg(all(feature = "alloc", not(loom)))]
pub use heap::{leaked, leaked_safe_fn, try_leaked};

#[cfg(feature = "alloc")]
mod heap {
    use super::*;
    use crate::closure::guard_methods;
    use crate::closure::kept::Kept;
    use crate::closure::kept::OnHeap;
    use core::mem::ManuallyDrop;

    #[cfg(not(loom))]
    extern crate alloc;
    #[cfg(not(loom))]
    use alloc::boxed::Box;

    /// Binds a closure on the heap. The guard owns the closure.
    ///
    /// The closure may drop its guard while it runs (see [`Boxed`]).
    ///
    /// ```
    /// let step = 5;
    /// let callback = statictramp::boxed(move |x: u32| x + step)?;
    /// assert_eq!(callback.call((1,)), 6);
    /// # Ok::<(), statictramp::AllocError>(())
    /// ```
    ///
    /// # Errors
    /// [`AllocError::Full`] if every trampoline is in use. The closure is then dropped; [`try_boxed`] returns it
    /// instead.
    #[cfg_attr(named, track_caller)]
    pub fn boxed<Args, K: Closure<Args>>(closure: K) -> Result<Boxed<K, Args>, AllocError> {
        try_boxed(closure).map_err(|error| error.source)
    }

    /// Like [`boxed`], but returns the closure in the error if it cannot be bound.
    ///
    /// # Errors
    /// [`BindError`], which contains the closure, if every trampoline is in use.
    #[cfg_attr(named, track_caller)]
    pub fn try_boxed<Args, K: Closure<Args>>(closure: K) -> Result<Boxed<K, Args>, BindError<K>> {
        let kept = Kept::new(closure);
        let trampoline = BoundTrampoline::new::<Args, Kept<K>>(kept.as_ptr());
        // SAFETY: `kept` and `trampoline` were made above, and the trampoline was made for `kept`.
        let trampoline = unsafe { OnHeap::new(kept, trampoline) }?;
        Ok(Boxed { trampoline, types: PhantomData })
    }

    /// Binds a closure permanently: its function pointer is never freed.
    ///
    /// # Errors
    /// [`AllocError::Full`] if every trampoline is in use. The closure is then dropped; [`try_leaked`] returns it
    /// instead.
    #[cfg(not(loom))]
    #[cfg_attr(named, track_caller)]
    pub fn leaked<Args, K: Closure<Args> + 'static>(closure: K) -> Result<K::Pointer, AllocError> {
        try_leaked(closure).map_err(|error| error.source)
    }

    /// Like [`leaked`], but for a closure that all threads may call. The returned function is safe to call.
    ///
    /// ```
    /// let add: extern "C" fn(u32) -> u32 = statictramp::leaked_safe_fn({
    ///     let step = std::env::args().count() as u32;
    ///     move |x: u32| x + step
    /// })?;
    /// assert_eq!(add(5), 6);
    /// # Ok::<(), statictramp::AllocError>(())
    /// ```
    ///
    /// # Errors
    /// Same as for [`leaked`].
    #[cfg(not(loom))]
    #[cfg_attr(named, track_caller)]
    pub fn leaked_safe_fn<Args, K>(closure: K) -> Result<<K::Pointer as UnsafeFn>::Safe, AllocError>
    where
        K: Closure<Args> + Sync + 'static,
    {
        // SAFETY: the trampoline and the closure are never freed, and any thread may call the closure.
        leaked(closure).map(|pointer| unsafe { pointer.into_safe() })
    }

    /// Like [`leaked`], but returns the closure in the error if it cannot be bound.
    ///
    /// # Errors
    /// [`BindError`], which contains the closure, if every trampoline is in use.
    #[cfg(not(loom))]
    #[cfg_attr(named, track_caller)]
    pub fn try_leaked<Args, K: Closure<Args> + 'static>(closure: K) -> Result<K::Pointer, BindError<K>> {
        let closure = Box::into_raw(Box::new(closure));
        match BoundTrampoline::new::<Args, Bare<K>>(closure.cast_const().cast()) {
            Ok(trampoline) => Ok(ManuallyDrop::new(trampoline).pointer()),
            // SAFETY: the closure came from a box, and no function pointer to it exists.
            Err(source) => Err(BindError { closure: *unsafe { Box::from_raw(closure) }, source }),
        }
    }

    /// A closure on the heap, bound to a function pointer by [`boxed`]. Dropping a `Boxed` frees the trampoline and
    /// then drops the closure.
    ///
    /// A call to the closure may drop the guard, so that a callback that is needed only once can free itself. After
    /// that, no other call can begin, and the closure exists until the call that dropped the guard returns.
    ///
    /// A `Boxed` is `Send` if the closure is `Send` and `Sync`, and it is `Sync` if the closure is `Sync`.
    #[must_use = "the function pointer is dead as soon as this is dropped"]
    pub struct Boxed<K, Args> {
        trampoline: OnHeap<K>,
        types: Types<K, Args>,
    }

    impl<K: Closure<Args>, Args> Boxed<K, Args> {
        /// For tests: calls the closure through the trampoline, as C code would.
        #[inline]
        pub fn call(&self, args: Args) -> K::Output {
            // SAFETY: `boxed` made the trampoline for a closure of this type.
            unsafe { self.trampoline.call::<Args, Kept<K>>(args) }
        }

        guard_methods!(
            "this guard lives until the call returns, unless that call itself drops it",
            K::Pointer,
            |guard| guard.trampoline.pointer()
        );

        /// Returns the function pointer. The trampoline and the closure are never freed.
        #[cfg(not(loom))]
        pub fn leak(self) -> K::Pointer
        where
            K: 'static,
        {
            ManuallyDrop::new(self).as_fn()
        }

        /// Returns a pointer to a safe function that all threads may call. The trampoline and the closure are never
        /// freed.
        #[cfg(not(loom))]
        pub fn leak_safe_fn(self) -> <K::Pointer as UnsafeFn>::Safe
        where
            K: Sync + 'static,
        {
            // SAFETY: the trampoline and the closure are never freed, and any thread may call the closure.
            unsafe { self.leak().into_safe() }
        }

        /// Returns the closure and its trampoline.
        pub(in crate::closure) fn into_heap(self) -> OnHeap<K> {
            self.trampoline
        }

        /// Frees the trampoline and returns the closure. If a call to the closure is in progress, prints a message and
        /// aborts, because that call still needs the closure.
        #[must_use]
        pub fn into_inner(self) -> K {
            let (trampoline, kept) = self.trampoline.into_parts();
            drop(ManuallyDrop::into_inner(trampoline));
            // SAFETY: `kept` is not used again, and no further call can begin.
            unsafe { Kept::into_inner(kept) }
        }
    }

    impl<K, Args> fmt::Debug for Boxed<K, Args> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_tuple("Boxed").field(&self.trampoline.as_ptr()).finish()
        }
    }
}
