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
    /// What the closure returns.
    type Output;

    #[doc(hidden)]
    fn pointer(trampoline: &Trampoline) -> Self::Pointer;

    /// # Safety
    /// [`bind`] made the trampoline of a closure of this type.
    #[doc(hidden)]
    unsafe fn call(trampoline: &Trampoline, args: Args) -> Self::Output;
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
    Ok(Callback { trampoline, closure: PhantomData, args: PhantomData })
}

/// A closure bound to a function pointer. Dropping it ends the pointer's life: a call after
/// that is diagnosed and ends the program.
#[must_use = "the function pointer is dead as soon as this is dropped"]
pub struct Callback<'f, F, Args> {
    trampoline: Trampoline,
    /// A call may come from any thread that has the pointer: as safe to share as `&F` is.
    closure: PhantomData<&'f F>,
    args: PhantomData<fn(Args)>,
}

impl<F: Closure<Args>, Args> Callback<'_, F, Args> {
    /// Calls the closure by way of the trampoline, as C code would: to test with.
    ///
    /// Under loom, where there is no code to jump to, this reads the slot as the stub does
    /// and then calls the closure, so that a program that uses callbacks can be modelled.
    #[inline]
    pub fn call(&self, args: Args) -> F::Output {
        // SAFETY: only `bind` makes a `Callback`, with a trampoline for this type.
        unsafe { F::call(&self.trampoline, args) }
    }

    /// The function pointer. Having it is safe; calling it is not:
    ///
    /// # Safety of a call
    /// - this `Callback` is still there while the call runs;
    /// - a call on another thread needs `F: Sync`.
    #[cfg(not(loom))]
    #[inline]
    pub fn as_fn(&self) -> F::Pointer {
        F::pointer(&self.trampoline)
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
#[cfg(not(loom))]
#[repr(C)]
struct Passed<F> {
    closure: *const F,
    _pad: [usize; 2],
    _return: usize,
}

macro_rules! closures {
    ($($arg:ident)*) => {
        impl<F: Fn($($arg),*) -> R, R, $($arg),*> sealed::Adapted<($($arg,)*)> for F {
            #[cfg(not(loom))]
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

            /// Stands for the adapter; nobody jumps there.
            #[cfg(loom)]
            fn adapter() -> *const () {
                <F as Closure<($($arg,)*)>>::call as *const ()
            }
        }

        impl<F: Fn($($arg),*) -> R, R, $($arg),*> Closure<($($arg,)*)> for F {
            type Pointer = unsafe extern "C" fn($($arg),*) -> R;
            type Output = R;

            fn pointer(trampoline: &Trampoline) -> Self::Pointer {
                // SAFETY: an address that is not null. Whether it enters `adapter` above,
                // which behaves as a function of just this type, matters to who calls it.
                unsafe { core::mem::transmute::<*const (), Self::Pointer>(trampoline.as_ptr()) }
            }

            #[allow(non_snake_case)]
            #[inline]
            unsafe fn call(trampoline: &Trampoline, ($($arg,)*): ($($arg,)*)) -> R {
                #[cfg(not(loom))]
                // SAFETY: the trampoline is alive, and whoever has a reference to its
                // `Callback` might as well have one to the closure.
                return unsafe { Self::pointer(trampoline)($($arg),*) };
                #[cfg(loom)]
                // SAFETY: the chain of a live trampoline made by `bind` is the address of
                // a closure of this very type, borrowed for as long as it lives.
                return unsafe { (*trampoline.enter().1.cast::<F>())($($arg),*) };
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
