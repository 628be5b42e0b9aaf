//! Function pointers whose parameters are references with any lifetime.

#[cfg(feature = "alloc")]
use super::{Boxed, Guard};
use super::{Callback, Closure};

/// Converts a closure's function pointer, or its [`Guard`](crate::Guard), to a type with `for<'a>`.
///
/// If the type of a closure's parameter is written out as a reference, the closure accepts any lifetime. But its guard
/// has one lifetime, which the compiler chooses. This macro is for C functions that choose the lifetime themselves. It
/// checks that the closure accepts every lifetime:
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
/// Several references may share one named lifetime. A function with such a pointer type can also be called with
/// references that have different lifetimes. A reference without a named lifetime gets a single lifetime, which the
/// compiler chooses. The result cannot borrow from the arguments. The calling convention must be that of the closure,
/// `"C"` or `"C-unwind"`. For a closure that captures nothing, [`plain`](crate::plain) makes a function for one
/// lifetime; to accept any lifetime, write an `extern "C" fn`.
#[macro_export]
macro_rules! higher_ranked {
    ($guard:expr => for<$lifetime:lifetime> unsafe extern $abi:tt fn($($argument:ty),* $(,)?)) => {
        $crate::higher_ranked!($guard => for<$lifetime> unsafe extern $abi fn($($argument),*) -> ())
    };
    ($guard:expr => for<$lifetime:lifetime> unsafe extern "C" fn($($argument:ty),* $(,)?) -> $result:ty) => {{
        let guard = $guard;
        // SAFETY: the type of the pointer and that of the guard differ only in lifetimes.
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
        // SAFETY: the type of the pointer and that of the guard differ only in lifetimes.
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

/// The types that an argument has with different lifetimes.
pub trait Lifetimes<'a> {
    /// The type of the argument with the lifetime `'a`.
    type Type;
}

/// Stands for an argument in a tuple of arguments.
pub struct Of<L: ?Sized>(core::marker::PhantomData<L>);

/// The arguments of a signature with different lifetimes. The macro states the signature once. It derives from it both
/// the type against which the closure is checked and the type of the pointer, so that the two agree.
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

/// The values that the macro accepts: guards whose type still contains the type of the closure.
pub trait HasClosure<K, Args> {
    /// The macro's result.
    type HigherRanked<P>;
    /// # Safety
    /// The closure must be callable through a pointer of type `P`, and `P` must have the size of an address.
    unsafe fn into_higher_ranked<P: Copy>(self) -> Self::HigherRanked<P>;
}

/// Converts the function pointer of a guard to a pointer that accepts every lifetime. The guard's own lifetime is a
/// special case of these.
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
    // SAFETY: the closure accepts arguments with every lifetime that the type allows, and returns a result of the type.
    // `_special` ensures that the calling convention is that of the closure, and that the types are those for which it
    // was bound, except for lifetimes.
    unsafe { guard.into_higher_ranked() }
}

/// Does the same as [`for_all`] for a function that may unwind.
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
    // SAFETY: the caller upholds the safety contract, which includes that `P` has the size of an address.
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
        // SAFETY: the caller upholds the safety contract. `Local` guarantees nothing.
        unsafe {
            let pointer = pointer(self.trampoline());
            Guard::of(self, pointer)
        }
    }
}
