//! Closures that need no place to be in: function pointers without a slot.

use super::{Closure, FunctionPointer};

/// Makes a plain function of a closure that captures nothing: safe to call, by anybody, for good, and without a slot.
///
/// Whatever it needs is a constant, a `static`, or comes in by its arguments. A closure that does capture something does
/// not compile.
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
pub fn plain<Args, K>(closure: K) -> <K::Pointer as FunctionPointer>::Safe
where
    K: Closure<Args> + Copy + Send + Sync + 'static,
{
    const {
        assert!(
            size_of::<K>() == 0,
            "`plain` is for closures that capture nothing, and this one captures something: `bind`, `boxed` or `leaked` \
             take it"
        );
    }
    let _ = closure;
    // SAFETY: it has no size, and there is one, which may be copied, used on all threads, and kept for good.
    unsafe { K::Pointer::of_nothing::<K>() }
}
