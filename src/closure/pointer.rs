//! The types of function pointers.

use super::{Closure, Holder};
use core::marker::PhantomData;

/// A pointer to an unsafe function with up to 16 parameters. Its calling convention is `"C"`, `"C-unwind"`, `"system"`
/// or `"system-unwind"`, or another convention that is the same as `"C"` on this target: `"sysv64"`, `"win64"`,
/// `"efiapi"`, `"aapcs"`. On 32-bit x86 without stubs, it may also be `"stdcall"`, `"fastcall"` or `"thiscall"`, but
/// rustc 1.95 passes 128-bit integers incorrectly in calls to any `"stdcall"` function. On targets with stubs, a
/// function with the convention `"C"` or `"C-unwind"` may also be variadic.
///
/// This trait cannot be implemented outside this crate.
#[diagnostic::on_unimplemented(
    message = "no closure can be bound to a pointer of type `{Self}`",
    label = "neither `unsafe extern \"C\" fn` nor `unsafe extern \"C-unwind\" fn` of up to 16 parameters, nor one with a \
             convention that equals these",
    note = "for a pointer to a safe function, ask for the `unsafe` type and call `as_safe_fn`",
    note = "for a pointer with `for<'a>` to a typed closure, use `higher_ranked!`",
    note = "for a convention that differs from `\"C\"` on this target, such as `\"Rust\"`, write a function of the pointer's \
            type that calls a closure in a `static`"
)]
pub trait UnsafeFn: sealed::Sealed + Copy {
    /// The pointer's type without `unsafe`.
    type Safe: Copy;

    /// Converts this function to a safe function.
    ///
    /// # Safety
    /// Calling the result must be sound from any code, at any time, on any thread, and with any arguments of these types.
    unsafe fn into_safe(self) -> Self::Safe {
        // SAFETY: the types differ only in the requirements for a call, and the caller of this function guarantees that
        // these requirements are met.
        unsafe { same_pointer(self) }
    }

    /// Returns the function's address.
    #[must_use]
    fn to_ptr(self) -> *const () {
        // SAFETY: a function pointer consists of an address.
        unsafe { same_pointer(self) }
    }

    /// Converts an address, such as the address of a function found by name, to a function pointer.
    ///
    /// # Safety
    /// The address must not be null. A call through the pointer requires a function of this type at the address.
    #[must_use]
    unsafe fn from_ptr(address: *const ()) -> Self {
        // SAFETY: the address is not null, as the caller guarantees.
        unsafe { same_pointer(address) }
    }
}

/// A function pointer to which a typed closure can be bound: an [`UnsafeFn`] that is not variadic. Generic code can use
/// this trait to accept closures for any such type:
///
/// ```
/// use core::ffi::c_int;
/// use statictramp::{AllocError, FunctionPointer, Guard, UnsafeFn, tupled, typed};
///
/// /// Makes a function that calls `hook` with the original function and the arguments.
/// fn hooked<P: FunctionPointer + 'static>(
///     original: P,
///     hook: impl Fn(P, P::Args) -> P::Output + 'static,
/// ) -> Result<Guard<P>, AllocError> {
///     Guard::new(typed(tupled(move |args: P::Args| hook(original, args))))
/// }
///
/// unsafe extern "C" fn add(a: c_int, b: c_int) -> c_int {
///     a + b
/// }
/// let guard = hooked(add as unsafe extern "C" fn(c_int, c_int) -> c_int, |add, (a, b)| {
///     // SAFETY: any arguments are allowed.
///     unsafe { 10 * add.call((a, b)) }
/// })?;
/// // SAFETY: the guard is alive.
/// assert_eq!(unsafe { guard.as_fn()(1, 2) }, 30);
/// assert!(!guard.as_fn().to_ptr().is_null());
/// # Ok::<(), AllocError>(())
/// ```
///
/// This trait cannot be implemented outside this crate.
#[diagnostic::on_unimplemented(
    message = "no closure can be bound to a pointer of type `{Self}`",
    label = "neither `unsafe extern \"C\" fn` nor `unsafe extern \"C-unwind\" fn` of up to 16 parameters, nor one with a \
             convention that equals these",
    note = "for a pointer to a safe function, ask for the `unsafe` type and call `as_safe_fn`",
    note = "for a pointer with `for<'a>` to a typed closure, use `higher_ranked!`",
    note = "for a convention that differs from `\"C\"` on this target, such as `\"Rust\"`, write a function of the pointer's \
            type that calls a closure in a `static`"
)]
pub trait FunctionPointer: UnsafeFn {
    /// The parameter types, as a tuple.
    type Args;
    /// The type of the result.
    type Output;

    /// Calls the function.
    ///
    /// # Safety
    /// Same as for a call through the pointer itself.
    unsafe fn call(self, args: Self::Args) -> Self::Output;

    /// Returns a function that creates a zero-sized closure and calls it.
    ///
    /// # Safety
    /// The closure's type must be zero-sized. A value of that type must exist, and using that value must be allowed on
    /// all threads, forever.
    #[doc(hidden)]
    unsafe fn of_nothing<K: Closure<Self::Args, Output = Self::Output>>() -> Self::Safe;

    /// Returns the address of the adapter, to which the stub jumps with a holder's address in the static-chain register.
    #[doc(hidden)]
    fn adapter_address<H: Holder<Closure: Closure<Self::Args, Output = Self::Output>>>() -> *const ();
}

/// Converts between an address and a function pointer, or between two function pointers.
///
/// # Safety
/// A function pointer must not be made from a null address. A safe function must satisfy the contract of
/// [`UnsafeFn::into_safe`].
#[inline(always)]
pub unsafe fn same_pointer<From: Copy, To: Copy>(from: From) -> To {
    const { assert!(size_of::<From>() == size_of::<*const ()>() && size_of::<To>() == size_of::<*const ()>()) };
    // SAFETY: both have the size of an address, and the caller upholds the safety contract.
    unsafe { core::mem::transmute_copy(&from) }
}

mod sealed {
    #[cfg(not(portable))]
    pub trait Sealed {}
    #[cfg(portable)]
    pub trait Sealed: crate::closure::numbered::InEverySlot {}
}

macro_rules! pointers {
    ($($arg:ident)*) => {
        pointers!("C": $($arg)*);
        pointers!("C-unwind": $($arg)*);
        pointers!(variadic "C": $($arg)*);
        pointers!(variadic "C-unwind": $($arg)*);
        super::for_each_convention!(pointers: $($arg)*);
    };
    ($abi:literal: $($arg:ident)*) => {
        pointers!(one $abi: ($($arg)*) ($($arg),*));
        pointers!(typed $abi ($($arg)*) {
            unsafe fn of_nothing<K: Closure<Self::Args, Output = R>>() -> Self::Safe {
                #[allow(non_snake_case, improper_ctypes_definitions, clippy::too_many_arguments)]
                extern $abi fn enter<K: Closure<($($arg,)*), Output = R>, R, $($arg),*>($($arg: $arg),*) -> R {
                    let nothing = core::ptr::NonNull::<K>::dangling();
                    // SAFETY: a zero-sized value exists at every aligned address, and the caller of `of_nothing`
                    // guarantees that a value of this type exists.
                    unsafe { K::run(nothing.as_ptr(), ($($arg,)*)) }
                }
                enter::<K, R, $($arg),*>
            }

            fn adapter_address<H: Holder<Closure: Closure<Self::Args, Output = R>>>() -> *const () {
                super::adapters::adapter_address!($abi, $($arg)*)
            }
        });
    };
    // A convention that is the same as another uses the other convention's functions.
    ($abi:literal = $same:literal: $($arg:ident)*) => {
        pointers!(one $abi: ($($arg)*) ($($arg),*));
        pointers!(typed $abi ($($arg)*) {
            unsafe fn of_nothing<K: Closure<Self::Args, Output = R>>() -> Self::Safe {
                // SAFETY: the caller upholds the safety contract, and the conventions are the same.
                unsafe { same_pointer(<unsafe extern $same fn($($arg),*) -> R>::of_nothing::<K>()) }
            }

            fn adapter_address<H: Holder<Closure: Closure<Self::Args, Output = R>>>() -> *const () {
                <unsafe extern $same fn($($arg),*) -> R>::adapter_address::<H>()
            }
        });
    };
    (typed $abi:literal ($($arg:ident)*) {$($functions:tt)*}) => {
        // Without this attribute, the compiler would list these implementations in each error about a pointer of
        // another type.
        #[diagnostic::do_not_recommend]
        impl<R, $($arg),*> FunctionPointer for unsafe extern $abi fn($($arg),*) -> R {
            type Args = ($($arg,)*);
            type Output = R;

            #[allow(non_snake_case)]
            #[inline(always)]
            unsafe fn call(self, ($($arg,)*): ($($arg,)*)) -> R {
                // SAFETY: the caller upholds the safety contract.
                unsafe { self($($arg),*) }
            }

            $($functions)*
        }
    };
    (variadic $abi:literal:) => {}; // before C23, a variadic function must have a named parameter
    (variadic $abi:literal: $($arg:ident)*) => {
        #[cfg(stubs)]
        pointers!(one $abi: ($($arg)*) ($($arg),*, ...));
    };
    (one $abi:literal: ($($arg:ident)*) $parameters:tt) => {
        impl<R, $($arg),*> sealed::Sealed for unsafe extern $abi fn $parameters -> R {}

        #[diagnostic::do_not_recommend]
        impl<R, $($arg),*> UnsafeFn for unsafe extern $abi fn $parameters -> R {
            type Safe = extern $abi fn $parameters -> R;
        }
    };
}
super::for_each_arity!(pointers);

/// Gives a closure's function pointer another calling convention, such as `extern "system"`. The pointer's type is
/// usually inferred from its use.
///
/// ```
/// type Callback = Option<unsafe extern "system" fn(usize, isize) -> i32>;
///
/// extern "system" fn enumerate(callback: Callback, parameter: isize) -> i32 {
///     let callback = callback.unwrap(); // as in the crates for Windows
///     (0..3).all(|window| unsafe { callback(window, parameter) } != 0) as i32
/// }
///
/// let found = std::cell::RefCell::new(vec![]);
/// let closure = statictramp::typed(|window: usize, _: isize| -> i32 {
///     found.borrow_mut().push(window);
///     1
/// });
/// let callback = statictramp::bind(&closure)?;
/// enumerate(Some(callback.as_fn()), 0);
/// assert_eq!(found.borrow()[..], [0, 1, 2]);
/// # Ok::<(), statictramp::AllocError>(())
/// ```
///
/// The closure may be wrapped, as in `typed(by_mut(closure))`, and every function that binds a closure accepts the
/// result. [`UnsafeFn`] lists the conventions. A panic aborts the process unless the convention ends in `-unwind`.
///
/// ```compile_fail,E0277
/// let closure = statictramp::typed::<fn(u32), _>(|_: u32| ()); // `extern "Rust"` has no fixed registers
/// let _callback = statictramp::bind(&closure);
/// ```
pub const fn typed<P: FunctionPointer, K>(closure: K) -> Typed<P, K> {
    Typed(closure, PhantomData)
}

/// The result of [`typed`].
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Typed<P, K>(pub(super) K, PhantomData<P>);

/// Makes a plain function from a closure that captures nothing. The function needs no slot, is safe to call on any
/// thread, and is never freed.
///
/// The closure may use constants, `static`s and its arguments. If a closure captures a variable, the program does not
/// compile.
///
/// ```
/// use core::ffi::c_int;
///
/// let twice: extern "C" fn(c_int) -> c_int = statictramp::plain(|x: c_int| 2 * x);
/// assert_eq!(twice(21), 42);
/// let in_c: unsafe extern "C" fn(c_int) -> c_int = twice; // as most C functions are declared
/// # let _ = in_c;
/// ```
///
/// ```compile_fail,E0080
/// let offset = 5;
/// let _add = statictramp::plain(move |x: u32| x + offset);
/// ```
#[cfg(not(loom))]
pub fn plain<Args, K>(closure: K) -> <K::Pointer as UnsafeFn>::Safe
where
    K: Closure<Args> + Copy + Send + Sync + 'static,
{
    const {
        assert!(
            size_of::<K>() == 0,
            "this closure captures a variable, but `plain` accepts only closures that capture nothing: use `bind`, `boxed` or \
             `leaked` instead"
        );
    }
    let _ = closure;
    // SAFETY: the type is zero-sized, and a value of it exists and may be copied, used on all threads, and kept
    // forever.
    unsafe { K::Pointer::of_nothing::<K>() }
}
