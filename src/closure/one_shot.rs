//! Callbacks that are called once and then free themselves.

use super::bound::Holder;
use super::kinds::{Once, once};
use super::{BoundTrampoline, Closure};
use crate::trampoline::AllocError;
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;

extern crate alloc;
use alloc::boxed::Box;

/// Makes a function pointer that can be called once, for cases in which no other code can free the trampoline after the
/// call. The closure and its slot are freed when that call ends, even if it panics.
///
/// ```
/// use std::sync::mpsc;
///
/// extern "C" fn when_done(f: unsafe extern "C" fn(u32), x: u32) {
///     unsafe { f(x) } // any C library, later, on any thread
/// }
///
/// let (done, wait) = mpsc::channel();
/// when_done(statictramp::one_shot(move |x: u32| done.send(x).unwrap())?, 7);
/// assert_eq!((wait.recv(), statictramp::live()), (Ok(7), 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Safety of a call
/// - The call must be the only one through the pointer. A second call that begins during the first call prints a
///   message and aborts, unless the first call ends at that moment. A second call that begins later is a call through a
///   freed trampoline.
/// - A call on another thread is allowed only if the closure is `Send`.
///
/// The closure and its slot leak if the pointer is never called, or if `longjmp` leaves the call. If a callback may be
/// cancelled, use [`boxed`](crate::boxed) instead, and drop the guard during the call or on cancellation.
///
/// # Errors
/// [`AllocError::Full`] if every trampoline is in use. The closure is then dropped.
#[track_caller]
pub fn one_shot<Args, F>(closure: F) -> Result<<Once<F> as Closure<Args>>::Pointer, AllocError>
where
    F: 'static,
    Once<F>: Closure<Args>,
{
    bind(once(closure))
}

/// Makes a trampoline for a closure that is freed when its call ends.
#[cfg_attr(named, track_caller)]
fn bind<Args, K: Closure<Args>>(closure: K) -> Result<K::Pointer, AllocError> {
    let holder =
        Box::into_raw(Box::new(Ending { trampoline: UnsafeCell::new(MaybeUninit::uninit()), closure }));
    match BoundTrampoline::new::<Args, Ending<K>>(holder) {
        Ok(trampoline) => {
            let pointer = trampoline.pointer();
            // SAFETY: the pointer has not been returned yet, so no other code uses the field.
            unsafe { (*holder).trampoline.get().write(MaybeUninit::new(trampoline)) };
            Ok(pointer)
        }
        Err(error) => {
            // SAFETY: the holder came from a box, and no function pointer to it exists.
            drop(unsafe { Box::from_raw(holder) });
            Err(error)
        }
    }
}

/// A closure on the heap with its trampoline. The only call to the closure frees this holder.
struct Ending<K> {
    /// The trampoline, which is set before the pointer is returned.
    trampoline: UnsafeCell<MaybeUninit<BoundTrampoline>>,
    closure: K,
}

impl<K> Holder for Ending<K> {
    type Closure = K;

    #[inline(always)]
    unsafe fn with<R>(holder: *const Self, f: impl FnOnce(*const K) -> R) -> R {
        /// A guard that ends the call when dropped, even if the closure panics.
        struct Running<K>(*const Ending<K>);
        impl<K> Drop for Running<K> {
            fn drop(&mut self) {
                // SAFETY: the only call ends here, and the holder came from a box. The trampoline is dropped before the
                // closure, so that no other call can begin.
                unsafe {
                    drop((*(*self.0).trampoline.get()).assume_init_read());
                    drop(Box::from_raw(self.0.cast_mut()));
                }
            }
        }
        let running = Running(holder);
        // SAFETY: the holder exists until the end of this function.
        f(unsafe { &raw const (*running.0).closure })
    }
}
