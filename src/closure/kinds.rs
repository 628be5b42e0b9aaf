//! The kinds of closures that can be bound. They differ in how many calls are allowed, both in total and at the same
//! time.

use crate::message::Message;
#[cfg(not(target_has_atomic = "ptr"))]
use crate::sync::section::Exchanges as _;
use crate::sync::{Acquire, AtomicU32, Relaxed, Release};
use core::cell::UnsafeCell;
use core::mem::ManuallyDrop;
use core::panic::Location;

/// A type that can be called with a tuple of arguments through a shared reference: an `Fn` closure, [`ByMut`] or
/// [`Once`].
///
/// Outside this crate, only closures and functions implement this trait.
#[diagnostic::on_unimplemented(
    message = "this cannot be called back through a plain function pointer",
    label = "neither a closure of up to 16 parameters, nor one in a wrapper of this crate"
)]
pub trait Call<Args>: sealed::Callable<Args> {
    /// The type of the result.
    type Output;
    /// Calls the closure.
    fn call(&self, args: Args) -> Self::Output;
}

/// The traits that restrict [`Call`] and [`Closure`](super::Closure) to the types for which this crate implements them.
/// Without this restriction, another crate could implement both traits for two types, one of them a subtype of the
/// other.
pub mod sealed {
    /// A trait that is implemented for exactly the types that implement [`Call`](super::Call).
    pub trait Callable<Args> {}
    /// A trait that is implemented for exactly the types that implement [`Closure`](crate::Closure).
    pub trait Bindable<Args> {}

    /// A stand-in for a closure while its kind is checked, so that the compiler prints a specific error message.
    pub struct KindOf<F, Args>(F, Args);

    /// The trait of closures that can be called through a shared reference: `Fn` closures.
    #[diagnostic::on_unimplemented(
        message = "a function pointer may be called at any time, and this closure changes or consumes what it captured",
        label = "not an `Fn`: wrap it in `statictramp::by_mut` or `statictramp::once`",
        note = "use `statictramp::by_mut(closure)` if the closure changes its captures: only one call may run at a time",
        note = "use `statictramp::once(closure)` if the closure consumes its captures: it can be called only once"
    )]
    pub trait Shared<F, Args, R> {
        /// Calls the closure.
        fn call(closure: &F, args: Args) -> R;
    }

    /// The trait of results that a closure can return to C code: all types except futures of `async` code, which are
    /// not [`Unpin`]. No C type needs to be pinned.
    #[diagnostic::on_unimplemented(
        message = "the result of a closure must be `Unpin`, which a future of `async` code is not",
        label = "C code never runs a future",
        note = "instead of an `async` closure, pass one that runs the future; in generic code, require `Unpin` of the result"
    )]
    pub trait Returned {}
    #[diagnostic::do_not_recommend]
    impl<R: Unpin> Returned for R {}

    /// The trait of closures that can be called once: `FnOnce` closures, wrapped or not.
    pub trait CallOnce<Args> {
        /// The type of the result.
        type Output;
        /// Calls the closure.
        fn call_once(self, args: Args) -> Self::Output;
    }

    /// The trait of closures that can be called through an exclusive reference: `FnMut` closures, wrapped or not.
    pub trait CallMut<Args>: CallOnce<Args> {
        /// Calls the closure.
        fn call_mut(&mut self, args: Args) -> Self::Output;
    }
}

/// Allows a closure that changes its captured variables to be bound to a function pointer. A call that begins during
/// another call (by recursion, in a signal handler or on another thread) prints a message and aborts the process.
#[track_caller]
pub fn by_mut<F>(closure: F) -> ByMut<F> {
    ByMut { busy: AtomicU32::new(0), made_at: Location::caller(), closure: UnsafeCell::new(closure) }
}

/// Allows a closure that consumes its captured variables to be bound to a function pointer. A second call prints a
/// message and aborts the process. If the closure is never called, it is dropped with its `Once`.
#[track_caller]
pub fn once<F>(closure: F) -> Once<F> {
    Once {
        called: AtomicU32::new(0),
        made_at: Location::caller(),
        closure: UnsafeCell::new(ManuallyDrop::new(closure)),
    }
}

/// Allows a panic in the closure to unwind into its caller, through an `extern "C-unwind"` function pointer. If the
/// pointer is `extern "C"`, a panic aborts the process instead, because it must not unwind out of such a function.
pub fn unwind<K>(closure: K) -> Unwind<K> {
    Unwind(closure)
}

/// The result of [`by_mut`]. It is `Sync` if the closure is `Send`, like a mutex.
#[derive(Debug)]
pub struct ByMut<F> {
    /// 1 while a call is in progress.
    busy: AtomicU32,
    made_at: &'static Location<'static>,
    closure: UnsafeCell<F>,
}

// SAFETY: only one call at a time uses the closure, regardless of the thread that makes the call.
unsafe impl<F: Send> Sync for ByMut<F> {}

impl<F> ByMut<F> {
    /// Calls `f` with the closure, unless a call is already in progress.
    ///
    /// Acquire and Release: each call sees the closure in the state in which the previous call left it.
    #[inline]
    pub(crate) fn try_with<R>(&self, f: impl FnOnce(&mut F) -> R) -> Option<R> {
        /// A guard that ends the call when dropped, even if the closure panics.
        struct Running<'b>(&'b AtomicU32);
        impl Drop for Running<'_> {
            fn drop(&mut self) {
                self.0.store(0, Release);
            }
        }
        if self.busy.swap(1, Acquire) != 0 {
            return None;
        }
        let _running = Running(&self.busy);
        // SAFETY: the flag excludes all other calls.
        Some(f(unsafe { &mut *self.closure.get() }))
    }

    #[inline]
    fn with<R>(&self, f: impl FnOnce(&mut F) -> R) -> R {
        self.try_with(f).unwrap_or_else(|| {
            reject_closure::<F>(
                "a closure that modifies its captures (by_mut) was called during another call",
                Some(self.made_at),
            )
        })
    }

    /// Returns the closure.
    pub fn into_inner(self) -> F {
        self.closure.into_inner()
    }
}

/// The result of [`once`]. It is `Sync` if the closure is `Send`.
#[derive(Debug)]
pub struct Once<F> {
    /// 1 once a call has begun.
    called: AtomicU32,
    made_at: &'static Location<'static>,
    closure: UnsafeCell<ManuallyDrop<F>>,
}

// SAFETY: only one call moves the closure out, regardless of the thread that makes the call.
unsafe impl<F: Send> Sync for Once<F> {}

impl<F> Once<F> {
    /// Returns whether the call has begun. Relaxed: only `drop`, which has exclusive access, relies on the result to
    /// access the closure.
    pub fn was_called(&self) -> bool {
        self.called.load(Relaxed) != 0
    }

    /// Returns whether this is the first call. Only the first call may take the closure.
    ///
    /// Relaxed: the exchange decides which call is first, and the closure existed before its function pointer.
    pub(crate) fn is_first(&self) -> bool {
        self.called.swap(1, Relaxed) == 0
    }

    /// Moves the closure out for the only call.
    #[inline]
    pub(super) fn take(&self) -> F {
        if !self.is_first() {
            reject_closure::<F>(
                "a closure that can be called only once was called again",
                Some(self.made_at),
            );
        }
        // SAFETY: only the first call gets here, and `drop` does not drop the closure afterwards.
        unsafe { ManuallyDrop::take(&mut *self.closure.get()) }
    }
}

impl<F> Drop for Once<F> {
    fn drop(&mut self) {
        if !self.was_called() {
            // SAFETY: no call has taken the closure, and no further call can begin.
            unsafe { ManuallyDrop::drop(self.closure.get_mut()) };
        }
    }
}

/// The result of [`unwind`].
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Unwind<K>(pub(super) K);

/// Passes the arguments to the closure as one tuple, for generic code that does not know their number. See
/// [`FunctionPointer`](crate::FunctionPointer) for an example.
///
/// ```
/// let sum = statictramp::tupled(|(x, y): (u8, u32)| u32::from(x) + y);
/// let callback = statictramp::bind(&sum)?;
/// let f: unsafe extern "C" fn(u8, u32) -> u32 = callback.as_fn();
/// // SAFETY: the callback is alive.
/// assert_eq!(unsafe { f(1, 2) }, 3);
/// # Ok::<(), statictramp::AllocError>(())
/// ```
pub const fn tupled<F>(closure: F) -> Tupled<F> {
    Tupled(closure)
}

/// The result of [`tupled`].
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Tupled<F>(F);

impl<Args, F: FnOnce(Args) -> R, R> sealed::CallOnce<Args> for Tupled<F> {
    type Output = R;
    #[inline(always)]
    fn call_once(self, args: Args) -> R {
        self.0(args)
    }
}

impl<Args, F: FnMut(Args) -> R, R> sealed::CallMut<Args> for Tupled<F> {
    #[inline(always)]
    fn call_mut(&mut self, args: Args) -> R {
        self.0(args)
    }
}

/// Prints a message and aborts the process. The message consists of `error`, the closure's type and, if `made_at` is
/// given, the source location where [`by_mut`] or [`once`] was called.
#[cold]
pub(super) fn reject_closure<F>(error: &str, made_at: Option<&Location<'_>>) -> ! {
    let mut message = Message::new(error);
    message.text(": ").type_name(core::any::type_name::<F>());
    if let Some(location) = made_at {
        message.text(", made at ").foreign(location.file().as_bytes());
        message.text(":").decimal(location.line() as usize);
    }
    message.end()
}

macro_rules! calls {
    ($($arg:ident)*) => {
        #[diagnostic::do_not_recommend]
        impl<F: Fn($($arg),*) -> R, R, $($arg),*> sealed::Shared<F, ($($arg,)*), R> for sealed::KindOf<F, ($($arg,)*)> {
            #[allow(non_snake_case)]
            #[inline(always)]
            fn call(closure: &F, ($($arg,)*): ($($arg,)*)) -> R {
                closure($($arg),*)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<F: FnMut($($arg),*) -> R, R, $($arg),*> sealed::CallMut<($($arg,)*)> for F {
            #[allow(non_snake_case)]
            #[inline(always)]
            fn call_mut(&mut self, ($($arg,)*): ($($arg,)*)) -> R {
                self($($arg),*)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<F: FnOnce($($arg),*) -> R, R, $($arg),*> sealed::CallOnce<($($arg,)*)> for F {
            type Output = R;
            #[allow(non_snake_case)]
            #[inline(always)]
            fn call_once(self, ($($arg,)*): ($($arg,)*)) -> R {
                self($($arg),*)
            }
        }

        impl<F, R, $($arg),*> sealed::Callable<($($arg,)*)> for F
        where
            F: FnOnce($($arg),*) -> R,
            sealed::KindOf<F, ($($arg,)*)>: sealed::Shared<F, ($($arg,)*), R>,
        {
        }

        impl<F, R, $($arg),*> Call<($($arg,)*)> for F
        where
            F: FnOnce($($arg),*) -> R,
            sealed::KindOf<F, ($($arg,)*)>: sealed::Shared<F, ($($arg,)*), R>,
        {
            type Output = R;
            #[inline(always)]
            fn call(&self, args: ($($arg,)*)) -> R {
                <sealed::KindOf<F, ($($arg,)*)> as sealed::Shared<F, ($($arg,)*), R>>::call(self, args)
            }
        }
    };
}
super::for_each_arity!(calls);

/// Implements [`Call`] for a wrapper.
macro_rules! wrapper {
    (<$($parameter:ident),*> $kind:ty: $bound:path, $output:ty, |$closure:ident, $args:ident| $call:expr) => {
        impl<Args, $($parameter),*> sealed::Callable<Args> for $kind where F: $bound {}

        impl<Args, $($parameter),*> Call<Args> for $kind where F: $bound {
            type Output = $output;
            #[inline(always)]
            fn call(&self, $args: Args) -> $output {
                let $closure = self;
                $call
            }
        }
    };
}
#[cfg(all(feature = "std", not(loom)))]
pub(super) use wrapper;
wrapper!(<F> ByMut<F>: sealed::CallMut<Args>, F::Output, |this, args| this.with(|closure| closure.call_mut(args)));
wrapper!(<F> Once<F>: sealed::CallOnce<Args>, F::Output, |this, args| this.take().call_once(args));
wrapper!(<F, R> Tupled<F>: Fn(Args) -> R, R, |this, args| this.0(args));
