//! A closure borrowed for a scope.

use super::bound::Bare;
use super::{Borrows, BoundTrampoline, Closure, Types, guard_methods};
use crate::trampoline::AllocError;
use core::fmt;
use core::marker::PhantomData;

/// Makes a plain function pointer that calls `closure`. The pointer is valid until the returned [`Callback`] is
/// dropped. The borrow checker ensures that this happens before the closure is dropped.
///
/// ```
/// use core::ffi::c_int;
///
/// extern "C" fn twice(f: unsafe extern "C" fn(c_int) -> c_int, x: c_int) -> c_int {
///     unsafe { f(f(x)) } // any C function that takes a callback
/// }
///
/// let step = 5;
/// let add = |x: c_int| x + step;
/// let callback = statictramp::bind(&add)?;
/// assert_eq!(twice(callback.as_fn(), 1), 11);
/// # Ok::<(), statictramp::AllocError>(())
/// ```
///
/// A closure that changes its captured variables must be wrapped in [`by_mut`](crate::by_mut):
///
/// ```
/// let mut sum = 0;
/// let add = statictramp::by_mut(|x: u32| sum += x);
/// let callback = statictramp::bind(&add)?;
/// let f: unsafe extern "C" fn(u32) = callback.as_fn();
/// // SAFETY: the callback is alive, and nobody else calls it.
/// unsafe { (f(2), f(3)) };
/// drop(callback);
/// drop(add);
/// assert_eq!(sum, 5);
/// # Ok::<(), statictramp::AllocError>(())
/// ```
///
/// # Errors
/// [`AllocError::Full`] if every trampoline is in use.
#[cfg_attr(named, track_caller)]
pub fn bind<Args, K: Closure<Args>>(closure: &K) -> Result<Callback<'_, K, Args>, AllocError> {
    let trampoline = BoundTrampoline::new::<Args, Bare<K>>(core::ptr::from_ref(closure).cast())?;
    Ok(Callback { trampoline, _closure: Borrows::NEW, types: PhantomData })
}

/// A borrowed closure bound to a function pointer by [`bind`]. Dropping a `Callback` frees its trampoline. Until the
/// slot is reused, a later call through the function pointer prints a message and aborts the process.
///
/// A `Callback` is `Send` and `Sync` if the closure is `Sync`, because any thread that has the pointer may call the
/// closure.
#[must_use = "the function pointer is dead as soon as this is dropped"]
pub struct Callback<'f, K, Args> {
    trampoline: BoundTrampoline,
    _closure: Borrows<&'f K>,
    types: Types<K, Args>,
}

impl<K: Closure<Args>, Args> Callback<'_, K, Args> {
    /// For tests: calls the closure through the trampoline, as C code would.
    ///
    /// Under loom, where there are no stubs, this reads the slot as a stub would and calls the closure, so that
    /// programs with callbacks can be modelled.
    #[inline]
    pub fn call(&self, args: Args) -> K::Output {
        #[cfg(loom)]
        let _running = self.trampoline.0.running();
        // SAFETY: only `bind` creates a `Callback`, and it makes the trampoline for the same `Args` and `Bare<K>`.
        unsafe { self.trampoline.call::<Args, Bare<K>>(args) }
    }

    guard_methods!("this `Callback` lives until the call returns", K::Pointer, |guard| guard
        .trampoline
        .pointer());
}

#[cfg(not(loom))]
impl<K: Closure<Args>, Args> Callback<'static, K, Args> {
    /// Returns the function pointer. The trampoline is never freed.
    ///
    /// ```
    /// static NAMES: [&str; 2] = ["zero", "one"];
    /// static LENGTH: fn(usize) -> usize = |i| NAMES[i].len();
    ///
    /// let f: unsafe extern "C" fn(usize) -> usize = statictramp::bind(&LENGTH)?.leak();
    /// // SAFETY: the callback lives forever.
    /// assert_eq!(unsafe { f(0) }, 4);
    /// # Ok::<(), statictramp::AllocError>(())
    /// ```
    pub fn leak(self) -> K::Pointer {
        core::mem::ManuallyDrop::new(self).as_fn()
    }
}

/// In a model, panics if the guard is dropped during a call, even if that call has not yet reached the closure, or
/// has already left it.
#[cfg(loom)]
impl<K, Args> Drop for Callback<'_, K, Args> {
    fn drop(&mut self) {
        self.trampoline.0.assert_at_rest();
    }
}

impl<K, Args> fmt::Debug for Callback<'_, K, Args> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Callback").field(&self.trampoline.as_ptr()).finish()
    }
}
