//! The path from a stub to a closure that takes and returns whole descriptors. [`adapter`] saves the argument registers
//! in a [`SavedCall`] on the stack, calls [`enter`], and loads the result registers. The core crate's `__processor!`
//! macro defines the registers and the instructions (`arch.rs`).

mod arch;
mod signature;
mod signed;
mod words;

pub use signature::{Signature, SignatureError};
pub use signed::{AtRunTime, Handler, Signed};
pub use words::{Argument, Results};

use core::marker::PhantomData;
use core::mem::offset_of;
use statictramp::{AllocError, Trampoline};
use words::{Returned, Words};

mod sealed {
    /// A private trait that prevents implementations of [`Callee`](super::Callee) outside this crate.
    pub trait Callee<Args> {}
}

/// A closure that MLIR code can call: an `Fn` with up to sixteen [`Argument`]s that returns [`Results`], or a
/// [`Signed`] handler.
#[diagnostic::on_unimplemented(
    message = "MLIR code cannot call `{Self}`",
    note = "its parameters and results are numbers, pointers, memrefs, `bool` and `Complex`",
    note = "vectors can be passed by value if they have 16 bytes, on x86-64 and AArch64; memrefs may have any vectors as elements",
    note = "`F16` and `Bf16` can be passed by value on x86-64, AArch64 and RISC-V; on every target they may be elements of memrefs"
)]
pub trait Callee<Args>: sealed::Callee<Args> {
    /// Calls the closure with the arguments of a call, and stores the results for the caller.
    ///
    /// # Safety
    /// The registers and the stack must hold the arguments of a call with the closure's signature.
    #[doc(hidden)]
    unsafe fn run(&self, call: &mut SavedCall);
}

/// The data that the adapter keeps in its stack frame for a call: the argument registers, the address of the arguments
/// on the stack, and the closure's results.
#[doc(hidden)]
#[repr(C)]
pub struct SavedCall {
    integers: [usize; arch::INTEGERS],
    floats: [[u64; arch::FLOAT_WORDS]; arch::FLOATS],
    /// The address for a result in memory, on processors that pass this address in a dedicated register.
    hidden: usize,
    /// The address of the arguments on the stack.
    stack: *const usize,
    returned: Returned,
}

impl SavedCall {
    /// Calls `with` to consume the arguments, and stores its result where the caller expects it.
    ///
    /// # Safety
    /// Same as for [`Callee::run`].
    unsafe fn answer<R: Results>(&mut self, with: impl FnOnce(&mut Words<'_>) -> R) {
        // SAFETY: all arguments of this signature that are not in registers are on the stack.
        let mut words = unsafe { Words::new(&self.integers, &self.floats, self.stack) };
        self.returned = Returned::default();
        if const { R::WORDS.fits_registers() } {
            with(&mut words).put(&mut self.returned);
        } else {
            let address = if arch::SRET_REGISTER { self.hidden } else { words.integer() };
            // SAFETY: the caller provides enough memory for the result at `address`.
            unsafe { with(&mut words).store(core::ptr::with_exposed_provenance_mut(address)) };
            address.put(&mut self.returned);
        }
    }
}

macro_rules! callees {
    ($($arg:ident)*) => {
        impl<F: Fn($($arg),*) -> R, R: Results, $($arg: Argument),*> sealed::Callee<($($arg,)*)> for F {}

        impl<F: Fn($($arg),*) -> R, R: Results, $($arg: Argument),*> Callee<($($arg,)*)> for F {
            #[allow(non_snake_case, unused_variables)]
            unsafe fn run(&self, call: &mut SavedCall) {
                // SAFETY: the caller upholds the safety contract, and the arguments are consumed in order.
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
callees!(A0 A1 A2 A3 A4 A5 A6 A7 A8);
callees!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9);
callees!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10);
callees!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11);
callees!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12);
callees!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13);
callees!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14);
callees!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15);

/// The function that a stub jumps to.
#[unsafe(naked)]
extern "C" fn adapter<F: Callee<Args>, Args>() {
    use arch::processor;
    core::arch::naked_asm!(
        "/* {hidden} {x87} {x87_used} {this} */", // every operand must be used, but some processors do not need these four
        processor!(begin),
        processor!(frame),
        processor!(arguments [processor] store ["{integers}"]),
        processor!(floats [processor] store_float ["{floats}"]),
        processor!(keep_call),
        processor!(call),
        processor!(results [processor] load ["{returned}"]),
        processor!(float_results [processor] load_float ["{returned_floats}"]),
        processor!(load_x87),
        processor!(leave),
        processor!(end),
        size = const size_of::<SavedCall>().next_multiple_of(16),
        integers = const offset_of!(SavedCall, integers),
        floats = const offset_of!(SavedCall, floats),
        hidden = const offset_of!(SavedCall, hidden),
        stack = const offset_of!(SavedCall, stack),
        returned = const offset_of!(SavedCall, returned) + offset_of!(Returned, integers),
        returned_floats = const offset_of!(SavedCall, returned) + offset_of!(Returned, floats),
        x87 = const offset_of!(SavedCall, returned) + offset_of!(Returned, x87),
        x87_used = const offset_of!(SavedCall, returned) + offset_of!(Returned, x87_used),
        enter = sym enter::<F, Args>,
        this = sym adapter::<F, Args>,
    )
}

extern "C" fn enter<F: Callee<Args>, Args>(call: &mut SavedCall, closure: *const F) {
    // SAFETY: only `bind` makes trampolines with this entry. `bind` passes the address of a closure of this type, and
    // the closure outlives the trampoline. The caller guarantees that the call has this signature.
    unsafe { (*closure).run(call) }
}

/// A marker that is invariant in both parameters, so that a guard cannot be coerced to a guard of another type.
type Types<F, Args> = PhantomData<fn(F, Args) -> (F, Args)>;

/// A function that MLIR code can call, made by [`bind`] from a closure. Dropping it frees the function; a later call
/// through the function pointer prints a message and aborts the program, unless the slot has been reused.
#[must_use = "the function pointer is dead as soon as this is dropped"]
#[derive(Debug)]
pub struct Function<'f, F, Args> {
    trampoline: Trampoline,
    closure: PhantomData<&'f F>,
    types: Types<F, Args>,
}

impl<F, Args> Function<'_, F, Args> {
    /// Returns the pointer that MLIR code calls through `func.call_indirect`. Obtaining the pointer is safe.
    ///
    /// # Safety of a call
    /// - this guard must exist until the call returns,
    /// - the call must have the closure's signature, lowered as described in the module's documentation, and its
    ///   memrefs must be valid for the closure's accesses;
    /// - a call on another thread requires a `Sync` closure.
    pub fn as_ptr(&self) -> *const () {
        self.trampoline.as_ptr()
    }

    /// Returns the function pointer, which remains valid until it is passed to [`statictramp::free`]. The closure must
    /// live until then, but the compiler no longer checks this.
    pub fn into_raw(self) -> *const () {
        core::mem::ManuallyDrop::new(self).as_ptr()
    }
}

/// Makes the closure outlive the guard: without this implementation, the borrow could end at the last use of the guard.
impl<F, Args> Drop for Function<'_, F, Args> {
    #[inline(always)]
    fn drop(&mut self) {}
}

/// Makes a function from a closure. MLIR code may call the function while the result exists. A panic in the closure
/// aborts the program.
///
/// ```
/// use statictramp_interop::memref::{Ranked, bind};
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
/// [`AllocError::Full`] if every trampoline is in use and the table cannot grow.
pub fn bind<Args, F: Callee<Args>>(closure: &F) -> Result<Function<'_, F, Args>, AllocError> {
    let chain = core::ptr::from_ref(closure).cast_mut().cast();
    let trampoline = Trampoline::new(adapter::<F, Args> as *const (), chain)?;
    Ok(Function { trampoline, closure: PhantomData, types: PhantomData })
}
