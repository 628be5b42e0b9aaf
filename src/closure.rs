//! Closures as plain C function pointers.

use crate::{AllocError, Trampoline};
use core::fmt;
use core::marker::PhantomData;

/// A closure that can be bound: any `Fn` of up to 16 parameters. `Args` is the tuple of
/// its parameter types.
///
/// The types must be such that an `extern "C"` function can have them; the compiler's lint
/// `improper_ctypes` does not look here.
///
/// This trait cannot be implemented outside this crate.
pub trait Closure<Args>: sealed::Adapted<Args> {
    /// The function pointer that C code takes.
    type Pointer: Copy;

    #[doc(hidden)]
    fn pointer(trampoline: *const ()) -> Self::Pointer;
}

mod sealed {
    pub trait Adapted<Args> {
        /// The routine that a stub jumps to with the closure's address in the
        /// static-chain register.
        fn adapter() -> *const ();
    }
}

/// Makes a plain function pointer that calls `closure`, for as long as the result lives.
///
/// ```
/// use core::ffi::c_int;
///
/// extern "C" fn twice(f: unsafe extern "C" fn(c_int) -> c_int, x: c_int) -> c_int {
///     unsafe { f(f(x)) } // any C function that takes a callback
/// }
///
/// let step = 5;
/// let add = |x: c_int| x + step;
/// let callback = statictramp::bind(&add)?;
/// assert_eq!(twice(callback.as_fn(), 1), 11);
/// # Ok::<(), statictramp::AllocError>(())
/// ```
///
/// # Errors
/// [`AllocError::Full`] if every trampoline is in use.
pub fn bind<Args, F: Closure<Args>>(closure: &F) -> Result<Callback<'_, F, Args>, AllocError> {
    let chain = core::ptr::from_ref(closure).cast_mut().cast();
    let trampoline = Trampoline::new(<F as sealed::Adapted<Args>>::adapter(), chain)?;
    Ok(Callback { trampoline, closure: PhantomData })
}

/// A closure bound to a function pointer. Dropping it ends the pointer's life: a call after
/// that is diagnosed and ends the program.
#[must_use = "the function pointer is dead as soon as this is dropped"]
pub struct Callback<'f, F, Args> {
    trampoline: Trampoline,
    /// A call may come from any thread that has the pointer: as safe to share as `&F` is.
    closure: PhantomData<(&'f F, fn(Args))>,
}

impl<F: Closure<Args>, Args> Callback<'_, F, Args> {
    /// The function pointer. Having it is safe; calling it is not:
    ///
    /// # Safety of a call
    /// - this `Callback` is still there while the call runs;
    /// - a call on another thread needs `F: Sync`.
    #[inline]
    pub fn as_fn(&self) -> F::Pointer {
        F::pointer(self.trampoline.as_ptr())
    }

    /// The trampoline below.
    pub fn trampoline(&self) -> &Trampoline {
        &self.trampoline
    }
}

impl<F, Args> fmt::Debug for Callback<'_, F, Args> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Callback").field(&self.trampoline.as_ptr()).finish()
    }
}

/// What an adapter leaves on the stack for the function that calls the closure: as a
/// parameter of more than 16 bytes it lies in memory, in front of the caller's own stack
/// arguments (System V x86-64 psABI, section 3.2.3), and takes no register.
///
/// ```text
///   rsp -> closure | pad | pad | return address | the caller's stack arguments ...
/// ```
#[repr(C)]
struct Passed<F> {
    closure: *const F,
    _pad: [usize; 2],
    _return: usize,
}

macro_rules! closures {
    ($($arg:ident)*) => {
        impl<F: Fn($($arg),*) -> R, R, $($arg),*> sealed::Adapted<($($arg,)*)> for F {
            fn adapter() -> *const () {
                /// Every register and stack argument, and a hidden result pointer, go
                /// through as they came.
                #[unsafe(naked)]
                extern "C" fn adapter<F: Fn($($arg),*) -> R, R, $($arg),*>() {
                    core::arch::naked_asm!(
                        ".cfi_startproc",
                        "endbr64",
                        "push rax", // two words of padding: the call below needs rsp % 16 == 0
                        ".cfi_adjust_cfa_offset 8",
                        "push rax",
                        ".cfi_adjust_cfa_offset 8",
                        "push r10",
                        ".cfi_adjust_cfa_offset 8",
                        "call {enter}",
                        "add rsp, 24",
                        ".cfi_adjust_cfa_offset -24",
                        "ret",
                        ".cfi_endproc",
                        enter = sym enter::<F, R, $($arg),*>,
                    )
                }

                #[allow(non_snake_case, improper_ctypes_definitions, clippy::too_many_arguments)]
                extern "C" fn enter<F: Fn($($arg),*) -> R, R, $($arg),*>(
                    passed: Passed<F>, $($arg: $arg),*
                ) -> R {
                    // SAFETY: `bind` put the address of a closure of this very type into
                    // the chain and borrowed it for as long as the pointer lives.
                    unsafe { (*passed.closure)($($arg),*) }
                }

                adapter::<F, R, $($arg),*> as *const ()
            }
        }

        impl<F: Fn($($arg),*) -> R, R, $($arg),*> Closure<($($arg,)*)> for F {
            type Pointer = unsafe extern "C" fn($($arg),*) -> R;

            fn pointer(trampoline: *const ()) -> Self::Pointer {
                // SAFETY: the stub at this address enters `adapter` above, which behaves
                // as a function of just this type.
                unsafe { core::mem::transmute::<*const (), Self::Pointer>(trampoline) }
            }
        }
    };
}

closures!();
closures!(A0);
closures!(A0 A1);
closures!(A0 A1 A2);
closures!(A0 A1 A2 A3);
closures!(A0 A1 A2 A3 A4);
closures!(A0 A1 A2 A3 A4 A5);
closures!(A0 A1 A2 A3 A4 A5 A6);
closures!(A0 A1 A2 A3 A4 A5 A6 A7);
closures!(A0 A1 A2 A3 A4 A5 A6 A7 A8);
closures!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9);
closures!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10);
closures!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11);
closures!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12);
closures!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13);
closures!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14);
closures!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15);
