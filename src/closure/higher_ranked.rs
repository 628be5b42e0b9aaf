//! Function pointers whose parameters are references of any lifetime.

#[cfg(feature = "alloc")]
use super::{Boxed, Guard};
use super::{Callback, Closure, FunctionPointer};

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
/// The type may have up to four lifetimes, and its result may borrow from the arguments:
///
/// ```
/// use statictramp::higher_ranked;
///
/// fn before<'a>(text: &'a [u8], end: &[u8]) -> &'a [u8] {
///     &text[..text.iter().position(|byte| end.contains(byte)).unwrap_or(text.len())]
/// }
///
/// let callback = statictramp::bind(&before)?;
/// let f = higher_ranked!(&callback => for<'a, 'b> unsafe extern "C" fn(&'a [u8], &'b [u8]) -> &'a [u8]);
/// // SAFETY: the callback is alive.
/// assert_eq!(unsafe { f(b"left,right", b",;") }, b"left");
/// # Ok::<(), statictramp::AllocError>(())
/// ```
///
/// Every reference needs a lifetime from the list, or `'static`. A closure whose result borrows from an argument must be passed
/// through a function with a bound such as `F: for<'a> Fn(&'a str) -> &'a str`, because the compiler does not infer this for a
/// closure. The calling convention must be the closure's, `"C"` or `"C-unwind"`. For a closure that captures nothing,
/// [`plain`](crate::plain) makes a function for one lifetime; for any lifetime, write an `extern "C" fn`.
#[macro_export]
macro_rules! higher_ranked {
    ($guard:expr => for<$a:lifetime $(,)?> unsafe extern $($function:tt)*) => {
        $crate::__for_lifetimes!($guard, for<$a>, [$a '__b '__c '__d], $($function)*)
    };
    ($guard:expr => for<$a:lifetime, $b:lifetime $(,)?> unsafe extern $($function:tt)*) => {
        $crate::__for_lifetimes!($guard, for<$a, $b>, [$a $b '__c '__d], $($function)*)
    };
    ($guard:expr => for<$a:lifetime, $b:lifetime, $c:lifetime $(,)?> unsafe extern $($function:tt)*) => {
        $crate::__for_lifetimes!($guard, for<$a, $b, $c>, [$a $b $c '__d], $($function)*)
    };
    ($guard:expr => for<$a:lifetime, $b:lifetime, $c:lifetime, $d:lifetime $(,)?> unsafe extern $($function:tt)*) => {
        $crate::__for_lifetimes!($guard, for<$a, $b, $c, $d>, [$a $b $c $d], $($function)*)
    };
}

/// The part of [`higher_ranked!`] that is the same for each number of lifetimes.
#[doc(hidden)]
#[macro_export]
macro_rules! __for_lifetimes {
    ($guard:expr, for<$($named:lifetime),*>, $all:tt, $abi:tt fn($($argument:ty),* $(,)?)) => {
        $crate::__for_lifetimes!($guard, for<$($named),*>, $all, $abi fn($($argument),*) -> ())
    };
    (
        $guard:expr, for<$($named:lifetime),*>, [$a:lifetime $b:lifetime $c:lifetime $d:lifetime],
        $abi:tt fn($($argument:ty),* $(,)?) -> $result:ty
    ) => {{
        let guard = $guard;
        // SAFETY: both closures return their argument.
        unsafe {
            $crate::__higher_ranked::for_all::<
                _,
                _,
                _,
                for<$($named),*> unsafe extern $abi fn($($argument),*) -> $result,
                dyn for<$a, $b, $c, $d> $crate::__higher_ranked::Lifetimes<
                    $a, $b, $c, $d,
                    Type = unsafe extern $abi fn($($argument),*) -> $result,
                >,
            >(guard, |pointer| pointer, |pointer, _| pointer)
        }
    }};
}

/// The pointer's type with each choice of lifetimes.
pub trait Lifetimes<'a, 'b, 'c, 'd> {
    /// The function pointer, which is callable for this choice of lifetimes only.
    type Type;
}

/// A choice of lifetimes.
pub type Choice<'a, 'b, 'c, 'd> = core::marker::PhantomData<(&'a (), &'b (), &'c (), &'d ())>;

/// Closures that can be bound to the pointer's type for a choice of lifetimes.
pub trait Accepts<'a, 'b, 'c, 'd, L: ?Sized> {}

impl<'a, 'b, 'c, 'd, L, K> Accepts<'a, 'b, 'c, 'd, L> for K
where
    L: ?Sized + Lifetimes<'a, 'b, 'c, 'd, Type: FunctionPointer>,
    K: Closure<<L::Type as FunctionPointer>::Args, Pointer = L::Type>,
{
}

/// The macro's arguments: guards whose type still names the closure.
pub trait HasClosure<K, Args> {
    /// The macro's result.
    type HigherRanked<P>;
    /// # Safety
    /// The closure must be callable through a pointer of type `P`, which must be as large as an address.
    unsafe fn into_higher_ranked<P: Copy>(self) -> Self::HigherRanked<P>;
}

/// Converts the guard's function pointer to `P`, a pointer for every choice of lifetimes. `L` states `P` for one choice at a
/// time.
///
/// # Safety
/// `_special` and `_each` must return their first argument.
// `P` and `L` contain the same text, but the compiler infers each `_` and each lifetime without a name on its own. The bounds
// ensure that `P` allows no call that the closure does not accept:
// - `_each`: the two types agree except for lifetimes, and `P` can be used as the pointer of every choice.
// - `'static`: a lifetime that `P` or `L` takes from elsewhere, or that the compiler infers, is `'static` in both.
// - `FunctionPointer` is implemented for no type with `for<...>`, so `L` contains no reference with a lifetime of its own, as
//   elision would give to an argument in `P`.
pub unsafe fn for_all<G, K, Args, P, L>(
    guard: G,
    _special: fn(P) -> <K as Closure<Args>>::Pointer,
    _each: for<'a, 'b, 'c, 'd> fn(P, Choice<'a, 'b, 'c, 'd>) -> <L as Lifetimes<'a, 'b, 'c, 'd>>::Type,
) -> G::HigherRanked<P>
where
    G: HasClosure<K, Args>,
    P: Copy + 'static,
    L: ?Sized + 'static + for<'a, 'b, 'c, 'd> Lifetimes<'a, 'b, 'c, 'd>,
    K: Closure<Args> + for<'a, 'b, 'c, 'd> Accepts<'a, 'b, 'c, 'd, L>,
{
    // SAFETY: for every choice of lifetimes, the closure accepts the arguments and returns the result of the pointer's type.
    // `_special` ensures that the calling convention is the closure's, and that the types are the ones it was bound for, except
    // for lifetimes.
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
        // SAFETY: guaranteed by the caller.
        unsafe { pointer(self.trampoline()) }
    }
}

#[cfg(feature = "alloc")]
impl<K: Closure<Args>, Args> HasClosure<K, Args> for &Boxed<K, Args> {
    type HigherRanked<P> = P;
    unsafe fn into_higher_ranked<P: Copy>(self) -> P {
        // SAFETY: guaranteed by the caller.
        unsafe { pointer(self.trampoline()) }
    }
}

#[cfg(feature = "alloc")]
impl<K: Closure<Args> + 'static, Args> HasClosure<K, Args> for Boxed<K, Args> {
    type HigherRanked<P> = Guard<P>;
    unsafe fn into_higher_ranked<P: Copy>(self) -> Guard<P> {
        // SAFETY: guaranteed by the caller; `Local` promises nothing.
        unsafe {
            let pointer = pointer(self.trampoline());
            Guard::of(self, pointer)
        }
    }
}
