//! Closures that are owned by their guards.

#[cfg(not(loom))]
use super::UnsafeFn;
#[cfg(not(loom))]
use super::holder::Bare;
use super::{BoundTrampoline, Closure, Types};
use crate::trampoline::AllocError;
use core::fmt;
use core::marker::{PhantomData, PhantomPinned};

/// The error for a closure that could not be bound; it returns the closure.
#[derive(Clone, Copy)]
pub struct BindError<K> {
    /// The closure, unchanged.
    pub closure: K,
    /// The reason.
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

/// A closure together with its function pointer, without a heap: in a stack frame, or in a pinned struct.
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
/// Dropping an `InPlace` frees the trampoline, then drops the closure. Calls through the pointer must meet the contract
/// of [`Callback::as_fn`](super::Callback::as_fn).
pub struct InPlace<K, Args> {
    /// The first field, so that it is dropped first.
    trampoline: Option<BoundTrampoline>,
    closure: K,
    types: Types<K, Args>,
    _stays: PhantomPinned,
}

// SAFETY: other threads may call as soon as the pointer exists, so both sharing and sending require a closure that may
// be shared. Sending also moves it.
unsafe impl<K: Send + Sync, Args> Send for InPlace<K, Args> {}
// SAFETY: as above.
unsafe impl<K: Sync, Args> Sync for InPlace<K, Args> {}

impl<K: Closure<Args>, Args> InPlace<K, Args> {
    /// Wraps a closure, which has no function pointer yet.
    pub const fn new(closure: K) -> Self {
        InPlace { trampoline: None, closure, types: PhantomData, _stays: PhantomPinned }
    }

    /// The function pointer. The first call of this function makes the pointer; later calls return the same one.
    ///
    /// # Errors
    /// [`AllocError::Full`] if every trampoline is in use.
    #[cfg(not(loom))]
    #[cfg_attr(named, track_caller)]
    pub fn bind(self: core::pin::Pin<&mut Self>) -> Result<K::Pointer, AllocError> {
        // SAFETY: nothing is moved out of `this`, and the closure is used only through its address.
        let this = unsafe { self.get_unchecked_mut() };
        let trampoline = match this.trampoline.take() {
            Some(there) => there,
            None => BoundTrampoline::new::<Args, Bare<K>>((&raw const this.closure).cast())?,
        };
        Ok(K::pointer(this.trampoline.insert(trampoline)))
    }

    /// The function pointer as a safe function, for functions that accept only such pointers.
    ///
    /// # Errors
    /// Same as for [`bind`](InPlace::bind).
    ///
    /// # Safety
    /// All callers must keep the contract of [`Callback::as_fn`](super::Callback::as_fn).
    #[cfg(not(loom))]
    #[cfg_attr(named, track_caller)]
    pub unsafe fn bind_as_safe_fn(
        self: core::pin::Pin<&mut Self>,
    ) -> Result<<K::Pointer as UnsafeFn>::Safe, AllocError> {
        // SAFETY: guaranteed by the caller.
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
    use crate::closure::holder::Kept;
    use crate::closure::on_heap::OnHeap;
    use core::mem::ManuallyDrop;
    use core::ptr::NonNull;

    #[cfg(not(loom))]
    extern crate alloc;
    #[cfg(not(loom))]
    use alloc::boxed::Box;

    /// Binds a closure on the heap, which the guard owns.
    ///
    /// The closure may drop the guard while it runs (see [`Boxed`]).
    ///
    /// ```
    /// let step = 5;
    /// let callback = statictramp::boxed(move |x: u32| x + step)?;
    /// assert_eq!(callback.call((1,)), 6);
    /// # Ok::<(), statictramp::AllocError>(())
    /// ```
    ///
    /// # Errors
    /// [`AllocError::Full`] if every trampoline is in use; in that case the closure is dropped. [`try_boxed`] returns
    /// it instead.
    #[cfg_attr(named, track_caller)]
    pub fn boxed<Args, K: Closure<Args>>(closure: K) -> Result<Boxed<K, Args>, AllocError> {
        try_boxed(closure).map_err(|error| error.source)
    }

    /// Binds a closure as [`boxed`] does, and returns it if it cannot be bound.
    ///
    /// # Errors
    /// [`BindError`] with the closure, if every trampoline is in use.
    #[cfg_attr(named, track_caller)]
    pub fn try_boxed<Args, K: Closure<Args>>(closure: K) -> Result<Boxed<K, Args>, BindError<K>> {
        let kept = Kept::new(closure);
        let trampoline = BoundTrampoline::new::<Args, Kept<K>>(kept.as_ptr());
        // SAFETY: both were made above, one for the other.
        let trampoline = unsafe { OnHeap::new(kept, trampoline) }?;
        Ok(Boxed { trampoline, types: PhantomData })
    }

    /// Binds a closure until the program ends: the function pointer is never freed.
    ///
    /// # Errors
    /// [`AllocError::Full`] if every trampoline is in use; in that case the closure is dropped. [`try_leaked`] returns
    /// it instead.
    #[cfg(not(loom))]
    #[cfg_attr(named, track_caller)]
    pub fn leaked<Args, K: Closure<Args> + 'static>(closure: K) -> Result<K::Pointer, AllocError> {
        try_leaked(closure).map_err(|error| error.source)
    }

    /// Binds a closure that all threads may call, as [`leaked`] does, to a function that is safe to call.
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

    /// Binds a closure as [`leaked`] does, and returns it if it cannot be bound.
    ///
    /// # Errors
    /// [`BindError`] with the closure, if every trampoline is in use.
    #[cfg(not(loom))]
    #[cfg_attr(named, track_caller)]
    pub fn try_leaked<Args, K: Closure<Args> + 'static>(closure: K) -> Result<K::Pointer, BindError<K>> {
        let closure = Box::into_raw(Box::new(closure));
        match BoundTrampoline::new::<Args, Bare<K>>(closure.cast_const().cast()) {
            Ok(trampoline) => Ok(K::pointer(&ManuallyDrop::new(trampoline))),
            // SAFETY: the closure came out of a box, and no function pointer leads to it.
            Err(source) => Err(BindError { closure: *unsafe { Box::from_raw(closure) }, source }),
        }
    }

    /// A closure on the heap, bound to a function pointer by [`boxed`]. Dropping it frees the trampoline, then drops the closure.
    ///
    /// A call to the closure may drop the guard: from then on no other call can begin, and the closure exists until
    /// that call returns. So a callback that is needed only once can clean up after itself.
    ///
    /// `Send` if the closure is `Send` and `Sync`, `Sync` if it is `Sync`.
    #[must_use = "the function pointer is dead as soon as this is dropped"]
    pub struct Boxed<K, Args> {
        trampoline: OnHeap<K>,
        types: Types<K, Args>,
    }

    impl<K: Closure<Args>, Args> Boxed<K, Args> {
        /// Calls the closure through the trampoline, as C code would, for tests.
        #[inline]
        pub fn call(&self, args: Args) -> K::Output {
            // SAFETY: `boxed` made the trampoline for this type.
            unsafe { K::call_through::<Kept<K>>(&self.trampoline, args) }
        }

        guard_methods!(
            "this guard lives until the call returns, unless that call itself drops it",
            K::Pointer,
            |guard| K::pointer(&guard.trampoline)
        );

        /// The trampoline and the closure, which the caller must free.
        pub(in crate::closure) fn into_parts(self) -> (ManuallyDrop<BoundTrampoline>, NonNull<Kept<K>>) {
            self.trampoline.into_parts()
        }

        /// Frees the trampoline and returns the closure. During a call to the closure, which still needs it, this
        /// prints a message and aborts.
        pub fn into_inner(self) -> K {
            let (trampoline, kept) = self.into_parts();
            drop(ManuallyDrop::into_inner(trampoline));
            // SAFETY: `kept` is not used again, and no call can begin any more.
            unsafe { Kept::into_inner(kept) }
        }
    }

    impl<K, Args> fmt::Debug for Boxed<K, Args> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_tuple("Boxed").field(&self.trampoline.as_ptr()).finish()
        }
    }
}
