//! From a stub to a closure that takes and returns whole descriptors. Which registers the words of arguments and results
//! travel in is said in a file for each processor:
//!
//! | | |
//! |---|---|
//! | `INTEGERS`, `FLOATS` | how many registers of each kind take arguments; of the second at least as many as a closure has arguments |
//! | `RETURNED_INTEGERS`, `RETURNED_FLOATS`, `RETURNED_TOGETHER` | how many return results; of more words the result is in memory whose address is a hidden argument |
//! | `HIDDEN_APART` | whether that has a register of its own, or is the first argument |
//! | `HIGH_HALF` | what is above the bits of an `f32` in a register |
//! | `adapter` | what a stub jumps to: keeps the argument registers in a `Call`, calls `enter` with that and the closure, and returns what it has left |

#[cfg_attr(target_arch = "aarch64", path = "aarch64.rs")]
#[cfg_attr(target_arch = "riscv64", path = "riscv64.rs")]
#[cfg_attr(target_arch = "x86_64", path = "x86_64.rs")]
mod arch;
mod words;

pub use words::{Argument, Outcome};

use crate::{AllocError, Trampoline};
use core::marker::PhantomData;
use words::{Returned, Words};

mod sealed {
    /// Implemented for what has [`Callee`](super::Callee), and for nothing else.
    pub trait Callee<Args> {}
}

/// A closure that MLIR code can call: an `Fn` of up to eight [`Argument`]s whose result is an [`Outcome`].
pub trait Callee<Args>: sealed::Callee<Args> {
    /// Calls the closure with what a call has brought.
    ///
    /// # Safety
    /// The call was one of this signature.
    #[doc(hidden)]
    unsafe fn run(&self, call: &mut Call);
}

/// What the adapter keeps of a call on its stack.
#[doc(hidden)]
#[repr(C)]
pub struct Call {
    integers: [usize; arch::INTEGERS],
    floats: [u64; arch::FLOATS],
    /// Where the result goes, if the address has a register of its own.
    hidden: usize,
    /// Behind the registers' arguments.
    stack: *const usize,
    returned: Returned,
}

impl Call {
    /// Hands the arguments to `with`, and what that returns back to the caller.
    ///
    /// # Safety
    /// As for [`Callee::run`].
    unsafe fn answer<R: Outcome>(&mut self, with: impl FnOnce(&mut Words<'_>) -> R) {
        // SAFETY: the stack has the arguments of this signature that the registers have not.
        let mut words = unsafe { Words::new(&self.integers, &self.floats, self.stack) };
        self.returned = Returned::default();
        let (integers, floats) = R::WORDS;
        let in_registers = integers <= arch::RETURNED_INTEGERS
            && floats <= arch::RETURNED_FLOATS
            && integers + floats <= arch::RETURNED_TOGETHER;
        if in_registers {
            with(&mut words).put(&mut self.returned);
        } else {
            let place = if arch::HIDDEN_APART { self.hidden } else { words.integer() };
            // SAFETY: the hidden argument is where the caller wants the result, with room for it.
            unsafe { with(&mut words).store(core::ptr::with_exposed_provenance_mut(place)) };
            place.put(&mut self.returned);
        }
    }
}

macro_rules! callees {
    ($($arg:ident)*) => {
        impl<F: Fn($($arg),*) -> R, R: Outcome, $($arg: Argument),*> sealed::Callee<($($arg,)*)> for F {}

        impl<F: Fn($($arg),*) -> R, R: Outcome, $($arg: Argument),*> Callee<($($arg,)*)> for F {
            #[allow(non_snake_case, unused_variables)]
            unsafe fn run(&self, call: &mut Call) {
                // SAFETY: handed on; the arguments are taken in their order.
                unsafe {
                    call.answer(|words| {
                        $(let $arg = $arg::take(words);)*
                        self($($arg),*)
                    })
                }
            }
        }
    };
}
callees!();
callees!(A0);
callees!(A0 A1);
callees!(A0 A1 A2);
callees!(A0 A1 A2 A3);
callees!(A0 A1 A2 A3 A4);
callees!(A0 A1 A2 A3 A4 A5);
callees!(A0 A1 A2 A3 A4 A5 A6);
callees!(A0 A1 A2 A3 A4 A5 A6 A7);

extern "C" fn enter<F: Callee<Args>, Args>(call: &mut Call, closure: *const F) {
    // SAFETY: only `bind` makes trampolines that enter here, with the address of a closure of this type for as long as
    // they live; whoever calls one says that the call is of this signature.
    unsafe { (*closure).run(call) }
}

/// A closure bound for MLIR code, made by [`bind`]. Dropping it ends the function's life: a call after that is diagnosed
/// and ends the program.
#[must_use = "the function pointer is dead as soon as this is dropped"]
#[derive(Debug)]
pub struct Callback<'f, F, Args> {
    trampoline: Trampoline,
    closure: PhantomData<&'f F>,
    types: PhantomData<fn(F, Args) -> (F, Args)>,
}

impl<F, Args> Callback<'_, F, Args> {
    /// What MLIR code calls through `func.call_indirect`. To have it is safe.
    ///
    /// # Safety of a call
    /// - this is still there while the call runs;
    /// - the call is of the closure's signature, lowered as the module's documentation says, and its memrefs are such
    ///   that the closure may do with them what it does;
    /// - a call on another thread needs a closure that is `Sync`.
    pub fn as_ptr(&self) -> *const () {
        self.trampoline.as_ptr()
    }
}

/// Makes a function of a closure, for MLIR code to call, for as long as the result lives. A panic in the closure ends the
/// program.
///
/// ```
/// use statictramp::interop::memref::{Ranked, bind};
///
/// let scale = 3.0;
/// let scaled = |m: Ranked<f32, 1>, at: i64| {
///     // SAFETY: the caller passes a memref that can be read.
///     m.element([at as usize]).map_or(f32::NAN, |element| scale * unsafe { *element })
/// };
/// let bound = bind(&scaled)?;
/// // As MLIR code calls it: each memref in 3 + 2 * rank scalars.
/// type Lowered = extern "C" fn(*mut f32, *mut f32, i64, i64, i64, i64) -> f32;
/// // SAFETY: the signature is the closure's, lowered.
/// let f: Lowered = unsafe { core::mem::transmute(bound.as_ptr()) };
/// let mut list = [1.0, 2.0];
/// assert_eq!(f(list.as_mut_ptr(), list.as_mut_ptr(), 0, 2, 1, 1), 6.0);
/// # Ok::<(), statictramp::AllocError>(())
/// ```
///
/// # Errors
/// [`AllocError::Full`] if every trampoline is in use.
pub fn bind<Args, F: Callee<Args>>(closure: &F) -> Result<Callback<'_, F, Args>, AllocError> {
    let chain = core::ptr::from_ref(closure).cast_mut().cast();
    let trampoline = Trampoline::new(arch::adapter::<F, Args> as *const (), chain)?;
    Ok(Callback { trampoline, closure: PhantomData, types: PhantomData })
}
