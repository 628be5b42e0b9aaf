//! A callback that is called once and then cleans up after itself.

use super::holder::Holder;
use super::kinds::{Once, once};
use super::{Closure, Stub};
use crate::trampoline::AllocError;
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;

extern crate alloc;
use alloc::boxed::Box;

/// Makes a function pointer for a library that calls it once, later, when nobody is there any more to clean up: the closure
/// and its slot are freed when that call ends, also by a panic.
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
/// - It is the only one. A second one that comes while the first runs ends the program with a sentence, unless the first
///   ends at this very moment; one that comes later is a call of a dead trampoline.
/// - A call on another thread needs a closure that is `Send`.
///
/// A call that never comes leaks the closure and its slot, and so does one that is left by `longjmp`. Where a callback may
/// be cancelled, let it own its guard: [`Boxed`](crate::Boxed).
///
/// # Errors
/// [`AllocError::Full`] if every trampoline is in use; the closure is dropped then.
#[track_caller]
pub fn one_shot<Args, F>(closure: F) -> Result<<Once<F> as Closure<Args>>::Pointer, AllocError>
where
    F: 'static,
    Once<F>: Closure<Args>,
{
    bind(once(closure))
}

/// Makes the stub of a closure that ends with its call.
#[cfg_attr(named, track_caller)]
fn bind<Args, K: Closure<Args>>(closure: K) -> Result<K::Pointer, AllocError> {
    let place = Box::into_raw(Box::new(Ending { stub: UnsafeCell::new(MaybeUninit::uninit()), closure }));
    match Stub::new::<Args, Ending<K>>(place) {
        Ok(stub) => {
            let pointer = K::pointer(&stub);
            // SAFETY: nobody has the pointer yet, so nobody else uses the place.
            unsafe { (*place).stub.get().write(MaybeUninit::new(stub)) };
            Ok(pointer)
        }
        Err(why) => {
            // SAFETY: it came out of a box, and nobody has a pointer that leads there.
            drop(unsafe { Box::from_raw(place) });
            Err(why)
        }
    }
}

/// A closure on the heap with the trampoline that leads to it, neither of which anybody else owns.
struct Ending<K> {
    /// There from before the pointer is given away.
    stub: UnsafeCell<MaybeUninit<Stub>>,
    closure: K,
}

impl<K> Holder for Ending<K> {
    type Closure = K;

    #[inline(always)]
    unsafe fn with<R>(holder: *const Self, f: impl FnOnce(*const K) -> R) -> R {
        /// A panic, too, ends the call.
        struct Running<K>(*const Ending<K>);
        impl<K> Drop for Running<K> {
            fn drop(&mut self) {
                // SAFETY: the only call ends here, and the holder came out of a box. First the stub, so that no call can
                // begin, then what it leads to.
                unsafe {
                    drop((*(*self.0).stub.get()).assume_init_read());
                    drop(Box::from_raw(self.0.cast_mut()));
                }
            }
        }
        let running = Running(holder);
        // SAFETY: the holder is there until the end of this.
        f(unsafe { &raw const (*running.0).closure })
    }
}
