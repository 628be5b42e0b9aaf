//! What may be called back, and how often at once.

use crate::message::Message;
use crate::sync::{Acquire, AtomicU32, Relaxed, Release};
use core::cell::UnsafeCell;
use core::mem::ManuallyDrop;
use core::panic::Location;

/// Something that is called with a tuple of arguments, through a shared reference: an `Fn`
/// closure, [`ByMut`] or [`Once`].
///
/// This trait cannot be implemented outside this crate for anything that is not a closure.
#[diagnostic::on_unimplemented(
    message = "this cannot be called back through a plain function pointer",
    label = "neither a closure of up to 16 parameters, nor one in a wrapper of this crate"
)]
pub trait Call<Args>: sealed::Callable<Args> {
    /// What it returns.
    type Output;
    /// Calls it.
    fn call(&self, args: Args) -> Self::Output;
}

/// What keeps [`Call`] and [`Closure`](super::Closure) to the types of this crate: who could implement them for a type
/// of its own could do so twice, for two types of which one is a subtype of the other.
pub mod sealed {
    /// Implemented for what has [`Call`](super::Call), and for nothing else.
    pub trait Callable<Args> {}
    /// Implemented for what has [`Closure`](crate::Closure), and for nothing else.
    pub trait Bindable<Args> {}

    /// Stands for a closure where its kind is asked for: a type apart, of which the compiler has a message of its own.
    pub struct KindOf<F, Args>(F, Args);

    /// Of a closure that can be called through a shared reference: an `Fn`.
    #[diagnostic::on_unimplemented(
        message = "a function pointer may be called at any time, and this closure changes or consumes what it captured",
        label = "not an `Fn`: wrap it in `statictramp::by_mut` or `statictramp::once`",
        note = "`statictramp::by_mut(closure)` is for one that changes what it captured: one call at a time",
        note = "`statictramp::once(closure)` is for one that consumes what it captured: one call in all"
    )]
    pub trait Shared<F, Args, R> {
        /// Calls it.
        fn call(closure: &F, args: Args) -> R;
    }
}

/// Makes a closure that changes what it captured fit for a function pointer, which anybody
/// may call at any time: a call that comes while another runs, by recursion, from a signal
/// handler or from another thread, ends the program with a sentence.
#[track_caller]
pub fn by_mut<F>(closure: F) -> ByMut<F> {
    ByMut { busy: AtomicU32::new(0), made_at: Location::caller(), closure: UnsafeCell::new(closure) }
}

/// Makes a closure that consumes what it captured fit for a function pointer: a second call
/// ends the program with a sentence. If no call comes, the closure is dropped with this.
#[track_caller]
pub fn once<F>(closure: F) -> Once<F> {
    Once {
        called: AtomicU32::new(0),
        made_at: Location::caller(),
        closure: UnsafeCell::new(ManuallyDrop::new(closure)),
    }
}

/// Lets a panic of the closure unwind into its caller: the function pointer is
/// `extern "C-unwind"`. Without this a panic aborts the process, since C code has no way to
/// let it through.
pub fn unwind<K>(closure: K) -> Unwind<K> {
    Unwind(closure)
}

/// See [`by_mut`]. `Sync` if the closure is `Send`, as a lock would be.
#[derive(Debug)]
pub struct ByMut<F> {
    /// 1 while a call runs.
    busy: AtomicU32,
    made_at: &'static Location<'static>,
    closure: UnsafeCell<F>,
}

// SAFETY: the closure is used by one call at a time, on whatever thread that is.
unsafe impl<F: Send> Sync for ByMut<F> {}

impl<F> ByMut<F> {
    /// Calls `f` with the closure, unless a call is under way.
    ///
    /// Acquire and Release: what one call does to the closure comes before what the next does.
    #[inline]
    pub(crate) fn try_with<R>(&self, f: impl FnOnce(&mut F) -> R) -> Option<R> {
        /// A panic, too, ends the call.
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
        // SAFETY: the flag keeps every other call out.
        Some(f(unsafe { &mut *self.closure.get() }))
    }

    #[inline]
    fn with<R>(&self, f: impl FnOnce(&mut F) -> R) -> R {
        self.try_with(f).unwrap_or_else(|| {
            refuse_closure::<F>(
                "a closure that changes what it captured (by_mut) was called while a call of it runs",
                Some(self.made_at),
            )
        })
    }

    /// The closure again.
    pub fn into_inner(self) -> F {
        self.closure.into_inner()
    }
}

/// See [`once`]. `Sync` if the closure is `Send`.
#[derive(Debug)]
pub struct Once<F> {
    /// 1 as soon as a call has come.
    called: AtomicU32,
    made_at: &'static Location<'static>,
    closure: UnsafeCell<ManuallyDrop<F>>,
}

// SAFETY: the closure is moved out by one call, on whatever thread that is.
unsafe impl<F: Send> Sync for Once<F> {}

impl<F> Once<F> {
    /// Whether the call has come, or is running. Relaxed: nothing of the closure is read because of it.
    pub fn was_called(&self) -> bool {
        self.called.load(Relaxed) != 0
    }

    /// Whether this is the first call, which alone may have the closure.
    ///
    /// Relaxed: the exchange decides, and the closure was made before anybody could have its
    /// function pointer.
    pub(crate) fn is_first(&self) -> bool {
        self.called.swap(1, Relaxed) == 0
    }

    /// Takes the closure out for the only call.
    #[inline]
    fn take(&self) -> F {
        if !self.is_first() {
            refuse_closure::<F>("a closure that can be called once was called again", Some(self.made_at));
        }
        // SAFETY: only the first who comes here does, and drop leaves it alone then.
        unsafe { ManuallyDrop::take(&mut *self.closure.get()) }
    }
}

impl<F> Drop for Once<F> {
    fn drop(&mut self) {
        if !self.was_called() {
            // SAFETY: nobody has taken it, nor will.
            unsafe { ManuallyDrop::drop(self.closure.get_mut()) };
        }
    }
}

/// See [`unwind`].
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Unwind<K>(pub(super) K);

/// Says which closure it is, and where it was made, if that is known.
#[cold]
pub(super) fn refuse_closure<F>(why: &str, made_at: Option<&Location<'_>>) -> ! {
    let mut message = Message::new(why);
    message.text(": ").type_name(core::any::type_name::<F>());
    if let Some(place) = made_at {
        message.text(", made at ").foreign(place.file().as_bytes());
        message.text(":").decimal(place.line() as usize);
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

        impl<F, R, $($arg),*> sealed::Callable<($($arg,)*)> for F
        where
            F: FnOnce($($arg),*) -> R,
            sealed::KindOf<F, ($($arg,)*)>: sealed::Shared<F, ($($arg,)*), R>,
        {
        }
        impl<F: FnMut($($arg),*) -> R, R, $($arg),*> sealed::Callable<($($arg,)*)> for ByMut<F> {}
        impl<F: FnOnce($($arg),*) -> R, R, $($arg),*> sealed::Callable<($($arg,)*)> for Once<F> {}

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

        impl<F: FnMut($($arg),*) -> R, R, $($arg),*> Call<($($arg,)*)> for ByMut<F> {
            type Output = R;
            #[allow(non_snake_case)]
            #[inline(always)]
            fn call(&self, ($($arg,)*): ($($arg,)*)) -> R {
                self.with(|closure| closure($($arg),*))
            }
        }

        impl<F: FnOnce($($arg),*) -> R, R, $($arg),*> Call<($($arg,)*)> for Once<F> {
            type Output = R;
            #[allow(non_snake_case)]
            #[inline(always)]
            fn call(&self, ($($arg,)*): ($($arg,)*)) -> R {
                self.take()($($arg),*)
            }
        }
    };
}
super::arity::for_each_arity!(calls);
