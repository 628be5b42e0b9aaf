//! A callback that is called once and then cleans up after itself.

use super::holder::Holder;
use super::kinds::{Once, once};
use super::{BoundTrampoline, Closure};
use crate::trampoline::AllocError;
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;

extern crate alloc;
use alloc::boxed::Box;

/// Makes a function pointer for a library that calls it once, later, when no caller is left to clean up: the closure
/// and its slot are freed when that call ends, even by a panic.
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
/// - It must be the only call. A second call that begins while the first runs prints a message and aborts, unless the
///   first ends at that moment; a later call is a call through a freed trampoline.
/// - A call on another thread is allowed only if the closure is `Send`.
///
/// If the pointer is never called, the closure and its slot leak; they also leak if `longjmp` leaves the call. If a
/// callback may be cancelled, let it own its guard: [`Boxed`](crate::Boxed).
///
/// # Errors
/// [`AllocError::Full`] if every trampoline is in use; in that case the closure is dropped.
#[track_caller]
pub fn one_shot<Args, F>(closure: F) -> Result<<Once<F> as Closure<Args>>::Pointer, AllocError>
where
    F: 'static,
    Once<F>: Closure<Args>,
{
    bind(once(closure))
}

/// Makes the trampoline of a closure that is freed when its call ends.
#[cfg_attr(named, track_caller)]
fn bind<Args, K: Closure<Args>>(closure: K) -> Result<K::Pointer, AllocError> {
    let place =
        Box::into_raw(Box::new(Ending { trampoline: UnsafeCell::new(MaybeUninit::uninit()), closure }));
    match BoundTrampoline::new::<Args, Ending<K>>(place) {
        Ok(trampoline) => {
            let pointer = K::pointer(&trampoline);
            // SAFETY: the pointer has not been returned yet, so no other code uses the field.
            unsafe { (*place).trampoline.get().write(MaybeUninit::new(trampoline)) };
            Ok(pointer)
        }
        Err(error) => {
            // SAFETY: the holder came out of a box, and no function pointer leads to it.
            drop(unsafe { Box::from_raw(place) });
            Err(error)
        }
    }
}

/// A closure on the heap, with its trampoline: the holder that a one-shot call frees.
struct Ending<K> {
    /// Set before the pointer is returned.
    trampoline: UnsafeCell<MaybeUninit<BoundTrampoline>>,
    closure: K,
}

impl<K> Holder for Ending<K> {
    type Closure = K;

    #[inline(always)]
    unsafe fn with<R>(holder: *const Self, f: impl FnOnce(*const K) -> R) -> R {
        /// Ends the call even if the closure panics.
        struct Running<K>(*const Ending<K>);
        impl<K> Drop for Running<K> {
            fn drop(&mut self) {
                // SAFETY: the only call ends here, and the holder came out of a box. The trampoline is dropped first,
                // so that no call can begin, then the closure.
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
