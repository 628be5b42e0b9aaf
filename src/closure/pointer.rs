//! The types of function pointers.

use super::Closure;

/// A pointer to an unsafe function: `unsafe extern "C" fn` or `unsafe extern "C-unwind" fn`. The function has up to
/// 16 parameters or, on targets with stubs, 1 to 16 parameters and variadic arguments.
///
/// This trait cannot be implemented outside this crate.
#[diagnostic::on_unimplemented(
    message = "no closure can be bound to a pointer of type `{Self}`",
    label = "neither `unsafe extern \"C\" fn` nor `unsafe extern \"C-unwind\" fn` of up to 16 parameters",
    note = "for a pointer to a safe function, ask for the `unsafe` type and call `as_safe_fn`",
    note = "for a pointer with `for<'a>` to a typed closure, use `higher_ranked!`"
)]
pub trait UnsafeFn: sealed::Sealed + Copy {
    /// The pointer's type without `unsafe`.
    type Safe: Copy;

    /// Converts this function to a safe function.
    ///
    /// # Safety
    /// Calling the result must be sound from any code, at any time, on any thread, and with any arguments of these types.
    unsafe fn into_safe(self) -> Self::Safe;
}

/// A function pointer to which a typed closure can be bound: an [`UnsafeFn`] that is not variadic.
///
/// This trait cannot be implemented outside this crate.
#[diagnostic::on_unimplemented(
    message = "no closure can be bound to a pointer of type `{Self}`",
    label = "neither `unsafe extern \"C\" fn` nor `unsafe extern \"C-unwind\" fn` of up to 16 parameters",
    note = "for a pointer to a safe function, ask for the `unsafe` type and call `as_safe_fn`",
    note = "for a pointer with `for<'a>` to a typed closure, use `higher_ranked!`"
)]
pub trait FunctionPointer: UnsafeFn {
    /// The tuple of the parameters' types.
    type Args;
    /// The type of the result.
    type Output;

    /// Returns a function that creates a zero-sized closure and calls it.
    ///
    /// # Safety
    /// The closure's type must be zero-sized. A value of that type must exist, and using that value must be allowed on
    /// all threads, forever.
    #[doc(hidden)]
    unsafe fn of_nothing<K: Closure<Self::Args, Pointer = Self, Output = Self::Output>>() -> Self::Safe;
}

#[cfg(not(portable))]
mod sealed {
    pub trait Sealed {}
}
#[cfg(portable)]
mod sealed {
    pub trait Sealed: crate::closure::numbered::InEverySlot {}
}

macro_rules! pointers {
    ($($arg:ident)*) => {
        pointers!("C": $($arg)*);
        pointers!("C-unwind": $($arg)*);
    };
    ($abi:literal: $($arg:ident)*) => {
        pointers!(one $abi: ($($arg)*) ($($arg),*));
        pointers!(variadic $abi: $($arg)*);

        // Otherwise, the compiler would list these implementations in each error about a pointer of another type.
        #[diagnostic::do_not_recommend]
        impl<R, $($arg),*> FunctionPointer for unsafe extern $abi fn($($arg),*) -> R {
            type Args = ($($arg,)*);
            type Output = R;

            unsafe fn of_nothing<K: Closure<Self::Args, Pointer = Self, Output = R>>() -> Self::Safe {
                #[allow(non_snake_case, improper_ctypes_definitions, clippy::too_many_arguments)]
                extern $abi fn enter<K: Closure<($($arg,)*), Output = R>, R, $($arg),*>($($arg: $arg),*) -> R {
                    let nothing = core::ptr::NonNull::<K>::dangling();
                    // SAFETY: a zero-sized value exists at every aligned address, and the caller of `of_nothing`
                    // guarantees that a value of this type exists.
                    unsafe { K::run(nothing.as_ptr(), ($($arg,)*)) }
                }
                enter::<K, R, $($arg),*>
            }
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

            unsafe fn into_safe(self) -> Self::Safe {
                // SAFETY: the types differ only in the requirements for a call, and the caller of this function
                // guarantees that these requirements are met.
                unsafe { core::mem::transmute::<Self, Self::Safe>(self) }
            }
        }
    };
}
super::for_each_arity!(pointers);

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
    // SAFETY: the type is zero-sized, and a value exists, which may be copied, used on all threads, and kept forever.
    unsafe { K::Pointer::of_nothing::<K>() }
}
