//! Closures that capture nothing: function pointers without a slot.

use super::{Closure, FunctionPointer, UnsafeFn};

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
    // SAFETY: the type is zero-sized. A value of this type exists, and it may be copied, used on all threads, and kept
    // forever.
    unsafe { K::Pointer::of_nothing::<K>() }
}
