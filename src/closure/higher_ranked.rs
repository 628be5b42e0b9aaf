//! Function pointers whose parameters are references with any lifetime.

#[cfg(feature = "alloc")]
use super::{Boxed, Guard, Satisfies, pointer::same_pointer};
use super::{Callback, Closure, FunctionPointer};
#[cfg(feature = "alloc")]
use core::marker::PhantomData;

/// Converts a closure's function pointer, or its [`Guard`](crate::Guard), to a higher-ranked type (`for<'a>`).
///
/// If a closure annotates a parameter as a reference with an elided lifetime (`|event: &Event|`), it accepts any
/// lifetime, but its guard's type still has one specific lifetime, chosen by the compiler. For C functions that choose
/// the lifetime themselves, use this macro, which checks that the closure accepts every lifetime:
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
/// | `Boxed`, and the guard's bounds after the type: `higher_ranked!(boxed => for<'a> ..., dyn Send + Sync)` | a guard with these bounds, for example for a `static` |
/// | `Boxed`, and a type without `unsafe` | the function pointer; the closure, which must be `Sync`, is never freed |
///
/// The same macro can declare an alias that later code in the same module can use in place of the type:
///
/// ```
/// use statictramp::{Guard, boxed, higher_ranked};
///
/// higher_ranked! {
///     /// Called with the name of each file.
///     pub type OnFile = for<'a> unsafe extern "C" fn(&'a String);
/// }
/// static ON_FILE: std::sync::OnceLock<Guard<OnFile, dyn Send + Sync>> = std::sync::OnceLock::new();
///
/// let (sender, receiver) = std::sync::mpsc::sync_channel(1);
/// let closure = boxed(move |name: &String| sender.send(name.len()).unwrap())?;
/// let handler = ON_FILE.get_or_init(|| higher_ranked!(closure => OnFile, dyn Send + Sync));
/// // SAFETY: the guard lives forever.
/// unsafe { handler.as_fn()(&"four".into()) };
/// assert_eq!(receiver.recv(), Ok(4));
/// # Ok::<(), statictramp::AllocError>(())
/// ```
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
/// Every type must be written out, without `_`, and every reference needs a lifetime from the `for<...>` list, or
/// `'static`. A closure whose result borrows from an argument must be passed through a function with a bound such as
/// `F: for<'a> Fn(&'a str) -> &'a str`, because the compiler does not infer such a signature for a closure. The type
/// must have the closure's calling convention, `"C"` or `"C-unwind"`. For a closure that captures nothing,
/// [`plain`](crate::plain) makes a function for a single lifetime. A function for any lifetime must be written as an
/// `extern "C" fn`.
#[macro_export]
macro_rules! higher_ranked {
    (
        $(#[$attribute:meta])* $visibility:vis type $name:ident = for<$($named:lifetime),+ $(,)?>
        unsafe extern $abi:tt fn($($argument:ty),* $(,)?) $(-> $result:ty)?;
    ) => {
        $(#[$attribute])*
        $visibility type $name = for<$($named),+> unsafe extern $abi fn($($argument),*) $(-> $result)?;
        $crate::__for_lifetimes!(
            alias ($) $name [for<$($named),+> unsafe extern $abi fn($($argument),*) $(-> $result)?]
        );
    };
    ($guard:expr => for<$($named:lifetime),+ $(,)?> $($function:tt)*) => {
        $crate::__for_lifetimes!($guard, for<$($named),+>, [$($named)+ '__b '__c '__d], $($function)*)
    };
    ($guard:expr => $alias:ident $(, $bounds:ty)?) => {
        $alias!($guard $(, $bounds)?)
    };
    ($($other:tt)*) => {
        $crate::__for_lifetimes! { other }
    };
}

/// Implements the parts of [`higher_ranked!`].
// Variable names begin with underscores: if a constant in the caller's scope had the same name, `let` would compare the
// value with the constant instead of binding a variable.
#[doc(hidden)]
#[macro_export]
macro_rules! __for_lifetimes {
    // A macro that has the alias's name and contains the type's tokens.
    (alias ($dollar:tt) $name:ident [$($type:tt)*]) => {
        #[allow(unused_macros)]
        macro_rules! $name {
            ($dollar guard:expr $dollar(, $dollar bounds:ty)?) => {
                $crate::higher_ranked!($dollar guard => $($type)* $dollar(, $dollar bounds)?)
            };
        }
    };
    ($guard:expr, for<$($named:lifetime),*>, $all:tt, unsafe extern $abi:tt fn($($argument:ty),* $(,)?) $(, $bounds:ty)?) => {
        $crate::__for_lifetimes!($guard, for<$($named),*>, $all, unsafe extern $abi fn($($argument),*) -> () $(, $bounds)?)
    };
    ($guard:expr, for<$($named:lifetime),*>, $all:tt, extern $abi:tt fn($($argument:ty),* $(,)?)) => {
        $crate::__for_lifetimes!($guard, for<$($named),*>, $all, extern $abi fn($($argument),*) -> ())
    };
    (
        $guard:expr, for<$($named:lifetime),*>, $all:tt,
        extern $abi:tt fn($($argument:ty),* $(,)?) -> $result:ty
    ) => {{
        let __leaked = $crate::__for_lifetimes!(
            $crate::__higher_ranked::Leaked($guard), for<$($named),*>, $all,
            unsafe extern $abi fn($($argument),*) -> $result
        );
        let __into_safe = $crate::__higher_ranked::into_safe::<
            for<$($named),*> unsafe extern $abi fn($($argument),*) -> $result,
            for<$($named),*> extern $abi fn($($argument),*) -> $result,
        >;
        // SAFETY: both types are spelled with the same tokens. The trampoline and the closure are never freed, and any
        // thread may call the closure.
        unsafe { __into_safe(__leaked) }
    }};
    (
        $guard:expr, for<$($named:lifetime),*>, [$a:lifetime $b:lifetime $c:lifetime $d:lifetime $($unused:lifetime)*],
        unsafe extern $abi:tt fn($($argument:ty),* $(,)?) -> $result:ty $(, $bounds:ty)?
    ) => {{
        let __guard = $guard;
        $(let __guard = $crate::__higher_ranked::Bounded::<$bounds, _>::new(__guard);)?
        // A type left to inference is an error in the next line, because nothing there determines it.
        let _: [for<$($named),*> unsafe extern $abi fn($($argument),*) -> $result; 0] = [];
        // The user's types are outside the unsafe block.
        let __for_all = $crate::__higher_ranked::for_all::<
            _,
            _,
            _,
            for<$($named),*> unsafe extern $abi fn($($argument),*) -> $result,
            dyn for<$a, $b, $c, $d> $crate::__higher_ranked::Lifetimes<
                $a, $b, $c, $d,
                Type = unsafe extern $abi fn($($argument),*) -> $result,
            >,
        >;
        // SAFETY: the closure returns its argument, and both types are spelled with the same tokens, without inferred types.
        // A procedural macro might expand to a different type each time, but such a macro can write unsafe code
        // itself.
        unsafe { __for_all(__guard, |__pointer, _| __pointer) }
    }};
    ($($other:tt)*) => {
        compile_error! {
            "the pointer's type must be written out with its lifetimes and without parameter names, such as \
             `for<'a> unsafe extern \"C\" fn(&'a T)`, or be the name of an alias that `higher_ranked!` declared in the same module"
        }
    };
}

/// Maps a choice of lifetimes to the pointer's type.
pub trait Lifetimes<'a, 'b, 'c, 'd> {
    /// The type of a function pointer that can be called only with this choice of lifetimes.
    type Type;
}

/// A choice of lifetimes for the pointer's type.
pub type Choice<'a, 'b, 'c, 'd> = core::marker::PhantomData<(&'a (), &'b (), &'c (), &'d ())>;

/// Closures that can be bound to the pointer's type for a given choice of lifetimes.
pub trait Accepts<'a, 'b, 'c, 'd, L: ?Sized> {}

impl<'a, 'b, 'c, 'd, L, K> Accepts<'a, 'b, 'c, 'd, L> for K
where
    L: ?Sized + Lifetimes<'a, 'b, 'c, 'd, Type: FunctionPointer>,
    K: Closure<<L::Type as FunctionPointer>::Args, Pointer = L::Type>,
{
}

/// Closures that are bound, with these arguments, to the pointer's type for a given choice of lifetimes.
pub trait BoundFor<'a, 'b, 'c, 'd, Args, L: ?Sized> {}

impl<'a, 'b, 'c, 'd, Args, L, K> BoundFor<'a, 'b, 'c, 'd, Args, L> for K
where
    L: ?Sized + Lifetimes<'a, 'b, 'c, 'd>,
    K: Closure<Args, Pointer = L::Type>,
{
}

/// The arguments that the macro accepts: guards whose type still contains the closure's type.
pub trait HasClosure<K, Args> {
    /// The macro's result.
    type HigherRanked<P>;
    /// Converts the macro's argument to the macro's result.
    ///
    /// # Safety
    /// The closure must be callable through a pointer of type `P`, and `P` must have the size of an address.
    unsafe fn into_higher_ranked<P: Copy>(self) -> Self::HigherRanked<P>;
}

/// Converts the function pointer of a guard to `P`, a pointer that accepts every choice of lifetimes. `L` gives the
/// pointer's type for each choice of lifetimes.
///
/// # Safety
/// `_each` must return its first argument. `P` and the type in `L` must be spelled with the same tokens, without inferred types.
// The compiler resolves each elided lifetime in `P` independently of the elided lifetimes in `L`. The bounds ensure
// that `P` allows no call that the closure does not accept:
// - `_each`: `P` can be used as the pointer for every choice of lifetimes.
// - `'static`: a lifetime that `P` or `L` takes from its context, or that the compiler infers, is `'static` in both.
// - `FunctionPointer` is not implemented for types with `for<...>`. Therefore, no reference in `L` has a lifetime of
//   its own, such as elision would introduce for an argument in `P`.
// - `BoundFor`: for one choice, the pointer's type is exactly the type to which the closure was bound, including the
//   calling convention. A closure may also accept types that differ from these in more than their lifetimes, but it is
//   never called with arguments of such types.
pub unsafe fn for_all<'w, 'x, 'y, 'z, G, K, Args, P, L>(
    guard: G,
    _each: for<'a, 'b, 'c, 'd> fn(P, Choice<'a, 'b, 'c, 'd>) -> <L as Lifetimes<'a, 'b, 'c, 'd>>::Type,
) -> G::HigherRanked<P>
where
    G: HasClosure<K, Args>,
    P: Copy + 'static,
    L: ?Sized + 'static + for<'a, 'b, 'c, 'd> Lifetimes<'a, 'b, 'c, 'd>,
    K: BoundFor<'w, 'x, 'y, 'z, Args, L> + for<'a, 'b, 'c, 'd> Accepts<'a, 'b, 'c, 'd, L>,
{
    // SAFETY: for every choice of lifetimes, the closure has the same parameter types and result type as the pointer's
    // type. The trampoline was made for these types, apart from the choice of lifetimes.
    unsafe { guard.into_higher_ranked() }
}

/// Returns the trampoline's address as a function pointer of type `P`.
///
/// # Safety
/// Same as for [`HasClosure::into_higher_ranked`].
unsafe fn pointer<P: Copy>(trampoline: &super::BoundTrampoline) -> P {
    const { assert!(size_of::<P>() == size_of::<*const ()>()) };
    // SAFETY: the caller upholds the safety contract, which requires `P` to have the size of an address.
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
        // SAFETY: the caller upholds the safety contract.
        unsafe { Bounded::new(self).into_higher_ranked() }
    }
}

/// A guard with the bounds of the macro's result.
#[cfg(feature = "alloc")]
pub struct Bounded<Bounds: ?Sized, G>(G, PhantomData<Bounds>);

#[cfg(feature = "alloc")]
impl<Bounds: ?Sized, G> Bounded<Bounds, G> {
    /// Adds the bounds.
    pub fn new(guard: G) -> Self {
        Bounded(guard, PhantomData)
    }
}

#[cfg(feature = "alloc")]
impl<Bounds: ?Sized, K, Args> HasClosure<K, Args> for Bounded<Bounds, Boxed<K, Args>>
where
    K: Closure<Args> + Satisfies<Bounds>,
{
    type HigherRanked<P> = Guard<P, Bounds>;
    unsafe fn into_higher_ranked<P: Copy>(self) -> Guard<P, Bounds> {
        // SAFETY: the caller upholds the safety contract.
        unsafe {
            let pointer = pointer(self.0.trampoline());
            Guard::of(self.0.into_heap(), pointer)
        }
    }
}

/// Converts a function pointer to the safe type with the same signature.
///
/// # Safety
/// `P` and `S` must consist of the same tokens, except for `unsafe`. Any thread must be allowed to call the function,
/// and it must never be freed.
// `'static`: the compiler infers each elided lifetime in `S` (such as that of `Box<dyn Trait>`) independently of `P`.
// Without this bound, `S` would accept a shorter lifetime than `P`.
#[cfg(feature = "alloc")]
pub unsafe fn into_safe<P: Copy + 'static, S: Copy + 'static>(pointer: P) -> S {
    // SAFETY: the caller guarantees that the types differ only in `unsafe`. Both types have the size of an address.
    unsafe { same_pointer(pointer) }
}

/// A guard that is leaked, so that its function is safe.
#[cfg(feature = "alloc")]
pub struct Leaked<G>(pub G);

#[cfg(feature = "alloc")]
impl<K: Closure<Args> + Sync + 'static, Args> HasClosure<K, Args> for Leaked<Boxed<K, Args>> {
    type HigherRanked<P> = P;
    unsafe fn into_higher_ranked<P: Copy>(self) -> P {
        let guard = core::mem::ManuallyDrop::new(self.0);
        // SAFETY: the caller upholds the safety contract.
        unsafe { pointer(guard.trampoline()) }
    }
}
