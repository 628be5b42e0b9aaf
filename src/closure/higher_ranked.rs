//! Function pointers whose parameters are references of any lifetime.

#[cfg(feature = "alloc")]
use super::{Boxed, Guard};
use super::{Callback, Closure};

/// Converts a closure's function pointer, or its [`Guard`](crate::Guard), to a type with `for<'a>`.
///
/// A closure that takes a reference accepts any lifetime if its parameter's type is written out, but its guard has one lifetime,
/// which the compiler chooses. This macro is for C functions that choose the lifetime themselves. It checks that the closure
/// accepts every lifetime:
///
/// ```
/// use core::ffi::c_int;
/// use statictramp::{Guard, boxed, higher_ranked};
///
/// struct Event {
///     code: c_int,
/// }
/// type Handler = for<'a> unsafe extern "C" fn(&'a Event) -> c_int;
///
/// let base = 40;
/// let closure = move |event: &Event| event.code + base;
///
/// let callback = statictramp::bind(&closure)?;
/// let f: Handler = higher_ranked!(&callback => for<'a> unsafe extern "C" fn(&'a Event) -> c_int);
/// // SAFETY: the callback is alive.
/// assert_eq!(unsafe { f(&Event { code: 2 }) }, 42);
///
/// let guard: Guard<Handler> = higher_ranked!(boxed(closure)? => for<'a> unsafe extern "C" fn(&'a Event) -> c_int);
/// // SAFETY: the guard is alive.
/// assert_eq!(unsafe { guard.as_fn()(&Event { code: 3 }) }, 43);
/// # Ok::<(), statictramp::AllocError>(())
/// ```
///
/// | given | result |
/// |---|---|
/// | `&Callback`, `&Boxed` | the function pointer |
/// | `Boxed` | a [`Guard`](crate::Guard) of the function pointer |
///
/// Several references share one named lifetime; such a pointer can be used even where each reference has its own. A
/// reference without a named lifetime gets one lifetime that the compiler chooses. The result cannot borrow from the
/// arguments. The calling convention must be the closure's, `"C"` or `"C-unwind"`. For a closure that captures nothing,
/// [`plain`](crate::plain) makes a function for one lifetime; for any lifetime, write an `extern "C" fn`.
#[macro_export]
macro_rules! higher_ranked {
    ($guard:expr => for<$lifetime:lifetime> unsafe extern $abi:tt fn($($argument:ty),* $(,)?)) => {
        $crate::higher_ranked!($guard => for<$lifetime> unsafe extern $abi fn($($argument),*) -> ())
    };
    ($guard:expr => for<$lifetime:lifetime> unsafe extern "C" fn($($argument:ty),* $(,)?) -> $result:ty) => {{
        let guard = $guard;
        // SAFETY: the pointer's type and the guard's differ only in lifetimes.
        unsafe {
            $crate::__higher_ranked::for_all::<
                _,
                _,
                _,
                ($($crate::__higher_ranked::Of<dyn for<$lifetime> $crate::__higher_ranked::Lifetimes<$lifetime, Type = $argument>>,)*),
                $result,
            >(guard, |pointer| pointer)
        }
    }};
    ($guard:expr => for<$lifetime:lifetime> unsafe extern "C-unwind" fn($($argument:ty),* $(,)?) -> $result:ty) => {{
        let guard = $guard;
        // SAFETY: the pointer's type and the guard's differ only in lifetimes.
        unsafe {
            $crate::__higher_ranked::for_all_unwind::<
                _,
                _,
                _,
                ($($crate::__higher_ranked::Of<dyn for<$lifetime> $crate::__higher_ranked::Lifetimes<$lifetime, Type = $argument>>,)*),
                $result,
            >(guard, |pointer| pointer)
        }
    }};
}

/// The type that an argument has with each lifetime.
pub trait Lifetimes<'a> {
    /// The argument's type with the lifetime `'a`.
    type Type;
}

/// Represents an argument in a tuple of arguments.
pub struct Of<L: ?Sized>(core::marker::PhantomData<L>);

/// A signature's arguments with each lifetime. The macro states the signature once and derives from it both the type against
/// which the closure is checked and the pointer's type, so that the two agree.
pub trait Signature<R>: sealed::Sealed {
    /// The tuple of the arguments.
    type Args<'a>;
    /// The function pointer.
    type C: Copy;
    /// The `extern "C-unwind"` counterpart of `C`.
    type CUnwind: Copy;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! signatures {
    ($($arg:ident)*) => {
        impl<$($arg: ?Sized),*> sealed::Sealed for ($(Of<$arg>,)*) {}

        impl<R, $($arg: ?Sized + for<'a> Lifetimes<'a>),*> Signature<R> for ($(Of<$arg>,)*) {
            type Args<'a> = ($(<$arg as Lifetimes<'a>>::Type,)*);
            type C = for<'a> unsafe extern "C" fn($(<$arg as Lifetimes<'a>>::Type),*) -> R;
            type CUnwind = for<'a> unsafe extern "C-unwind" fn($(<$arg as Lifetimes<'a>>::Type),*) -> R;
        }
    };
}
super::arity::for_each_arity!(signatures);

/// The macro's arguments: guards whose type still names the closure.
pub trait HasClosure<K, Args> {
    /// The macro's result.
    type HigherRanked<P>;
    /// # Safety
    /// The closure must be callable through a pointer of type `P`, which must be as large as an address.
    unsafe fn into_higher_ranked<P: Copy>(self) -> Self::HigherRanked<P>;
}

/// Converts the guard's function pointer to one for every lifetime, of which the guard's own lifetime is a special
/// case.
///
/// # Safety
/// `_special` must return its argument.
pub unsafe fn for_all<G, K, Args, S, R>(
    guard: G,
    _special: fn(S::C) -> <K as Closure<Args>>::Pointer,
) -> G::HigherRanked<S::C>
where
    G: HasClosure<K, Args>,
    S: Signature<R>,
    K: Closure<Args> + for<'a> Closure<S::Args<'a>, Output = R>,
{
    // SAFETY: the closure accepts arguments of every lifetime that the type has, and returns the type's result.
    // `_special` ensures that the calling convention is the closure's, and that the types are the ones it was bound
    // for, except for lifetimes.
    unsafe { guard.into_higher_ranked() }
}

/// [`for_all`] for a function that may unwind.
///
/// # Safety
/// Same as for [`for_all`].
pub unsafe fn for_all_unwind<G, K, Args, S, R>(
    guard: G,
    _special: fn(S::CUnwind) -> <K as Closure<Args>>::Pointer,
) -> G::HigherRanked<S::CUnwind>
where
    G: HasClosure<K, Args>,
    S: Signature<R>,
    K: Closure<Args> + for<'a> Closure<S::Args<'a>, Output = R>,
{
    // SAFETY: as above.
    unsafe { guard.into_higher_ranked() }
}

/// # Safety
/// Same as for [`HasClosure::into_higher_ranked`].
unsafe fn pointer<P: Copy>(trampoline: &super::BoundTrampoline) -> P {
    const { assert!(size_of::<P>() == size_of::<*const ()>()) };
    // SAFETY: guaranteed by the caller, including that the type is as large as an address.
    unsafe { core::mem::transmute_copy(&trampoline.as_ptr()) }
}

impl<K: Closure<Args>, Args> HasClosure<K, Args> for &Callback<'_, K, Args> {
    type HigherRanked<P> = P;
    unsafe fn into_higher_ranked<P: Copy>(self) -> P {
        // SAFETY: the caller upholds the safety contract.
        unsafe { pointer(self.trampoline()) }
    }
}

#[cfg(feature = "alloc")]
impl<K: Closure<Args>, Args> HasClosure<K, Args> for &Boxed<K, Args> {
    type HigherRanked<P> = P;
    unsafe fn into_higher_ranked<P: Copy>(self) -> P {
        // SAFETY: the caller upholds the safety contract.
        unsafe { pointer(self.trampoline()) }
    }
}

#[cfg(feature = "alloc")]
impl<K: Closure<Args> + 'static, Args> HasClosure<K, Args> for Boxed<K, Args> {
    type HigherRanked<P> = Guard<P>;
    unsafe fn into_higher_ranked<P: Copy>(self) -> Guard<P> {
        // SAFETY: the caller upholds the safety contract; `Local` promises nothing.
        unsafe {
            let pointer = pointer(self.trampoline());
            Guard::of(self, pointer)
        }
    }
}
