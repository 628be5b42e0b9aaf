//! Closures that restrict which threads may call them, or when. They need std.

use super::Call;
use super::kinds::{reject_closure, sealed, wrapper};
use core::panic::Location;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

extern crate std;
use std::sync::{Mutex, PoisonError};
use std::thread::{ThreadId, current};

/// Allows a closure that changes its captured variables to be bound to a function pointer that several threads call. A
/// call waits until the calls on other threads have ended. A call that begins on a thread during another call on the
/// same thread prints a message and aborts the process.
///
/// ```
/// let mut sum = 0;
/// let add = statictramp::synchronized(|x: u32| sum += x);
/// let callback = statictramp::bind(&add)?;
/// std::thread::scope(|scope| {
///     for x in 0..10 {
///         let f = callback.as_fn();
///         // SAFETY: the callback is alive, and the closure is `Sync`.
///         scope.spawn(move || unsafe { f(x) });
///     }
/// });
/// drop(callback);
/// assert_eq!(sum, 45);
/// # Ok::<(), statictramp::AllocError>(())
/// ```
///
/// The pointer must not be called in a signal handler, because the handler might have interrupted a call that was just
/// beginning.
#[track_caller]
pub fn synchronized<F>(closure: F) -> Synchronized<F> {
    Synchronized { running: AtomicUsize::new(0), made_at: Location::caller(), closure: Mutex::new(closure) }
}

/// The result of [`synchronized`]. It is `Sync` if the closure is `Send`, like a mutex.
#[derive(Debug)]
pub struct Synchronized<F> {
    /// The identity of the thread on which a call is in progress, or 0 if no call is in progress.
    running: AtomicUsize,
    made_at: &'static Location<'static>,
    closure: Mutex<F>,
}

impl<F> Synchronized<F> {
    fn with<R>(&self, f: impl FnOnce(&mut F) -> R) -> R {
        std::thread_local! {
            static HERE: u8 = const { 0 };
        }
        /// A guard that ends the call when dropped, even if the closure panics.
        struct Running<'s>(&'s AtomicUsize);
        impl Drop for Running<'_> {
            fn drop(&mut self) {
                self.0.store(0, Relaxed);
            }
        }
        let here = HERE.with(|here| core::ptr::from_ref(here).addr());
        // Relaxed: a thread finds its own identity only if it stored the identity itself.
        if self.running.load(Relaxed) == here {
            reject_closure::<F>(
                "a closure that waits for other threads (synchronized) was called during another call on the same thread",
                Some(self.made_at),
            );
        }
        let mut closure = self.closure.lock().unwrap_or_else(PoisonError::into_inner);
        self.running.store(here, Relaxed);
        let _running = Running(&self.running); // dropped before the lock
        f(&mut closure)
    }

    /// Returns the closure.
    pub fn into_inner(self) -> F {
        self.closure.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

wrapper!(<F> Synchronized<F>: sealed::CallMut<Args>, F::Output, |this, args| this.with(|closure| closure.call_mut(args)));

/// Restricts a closure to the thread that calls this function: a call on another thread prints a message and aborts the
/// process. The closure may already be wrapped, and the result may be wrapped again, as in
/// `one_shot(same_thread(closure))`.
///
/// ```
/// let names = std::rc::Rc::new(["zero", "one"]);
/// let length: extern "C" fn(usize) -> usize =
///     statictramp::leaked_safe_fn(statictramp::same_thread(move |i: usize| names[i].len()))?;
/// assert_eq!(length(0), 4);
/// # Ok::<(), statictramp::AllocError>(())
/// ```
#[track_caller]
pub fn same_thread<K>(closure: K) -> SameThread<K> {
    SameThread { thread: current().id(), made_at: Location::caller(), closure }
}

/// The result of [`same_thread`]. It is `Send` if the closure is `Send`, and always `Sync`, because each call is
/// checked.
pub struct SameThread<K> {
    thread: ThreadId,
    made_at: &'static Location<'static>,
    closure: K,
}

// SAFETY: a reference permits only calls, and a call uses the closure only on the thread that made this value. No other
// thread ever has the same identity.
unsafe impl<K> Sync for SameThread<K> {}

impl<K> SameThread<K> {
    fn check(&self) {
        if current().id() != self.thread {
            reject_closure::<K>(
                "a closure was called on another thread than the one that made it (same_thread)",
                Some(self.made_at),
            );
        }
    }
}

wrapper!(<F> SameThread<F>: Call<Args>, F::Output, |this, args| {
    this.check();
    this.closure.call(args)
});

impl<Args, F: sealed::CallOnce<Args>> sealed::CallOnce<Args> for SameThread<F> {
    type Output = F::Output;
    fn call_once(self, args: Args) -> F::Output {
        self.check();
        self.closure.call_once(args)
    }
}

impl<Args, F: sealed::CallMut<Args>> sealed::CallMut<Args> for SameThread<F> {
    fn call_mut(&mut self, args: Args) -> F::Output {
        self.check();
        self.closure.call_mut(args)
    }
}
