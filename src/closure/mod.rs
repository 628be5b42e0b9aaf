//! Closures as plain C function pointers.
//!
//! - `kinds.rs`: what may be called back: closures, and those that change or consume what
//!   they captured;
//! - `holder.rs`: where a closure is meanwhile, and what is done around a call;
//! - `adapters.rs`: from a stub to the closure, made at compile time for each signature; `numbered.rs`: the same where there
//!   are no stubs;
//! - `pointer.rs`: the types of function pointers;
//! - here: a closure borrowed for a scope; `owned.rs`: one that comes along with its guard; `guard.rs`: one whose type is
//!   forgotten; `one_shot.rs`: one that ends with its call; `plain.rs`: one that captures nothing.

mod adapters;
mod arity;
#[cfg(feature = "alloc")]
mod guard;
#[cfg(not(loom))]
pub mod higher_ranked;
pub(crate) mod holder;
mod kinds;
#[cfg(named)]
#[cfg_attr(portable, path = "names_of_slots.rs")]
pub(crate) mod names;
#[cfg(portable)]
mod numbered;
#[cfg(all(feature = "alloc", not(loom)))]
mod one_shot;
mod owned;
#[cfg(not(loom))]
mod plain;
mod pointer;
#[cfg(any(all(named, not(portable)), all(loom, test)))]
pub(crate) mod record;

#[cfg(feature = "alloc")]
pub use guard::{Guard, Local};
pub use kinds::{ByMut, Call, Once, Unwind, by_mut, once, unwind};
#[cfg(all(feature = "alloc", not(loom)))]
pub use one_shot::one_shot;
pub use owned::{BindError, InPlace};
#[cfg(feature = "alloc")]
pub use owned::{Boxed, boxed, boxed_or_back};
#[cfg(all(feature = "alloc", not(loom)))]
pub use owned::{leaked, leaked_or_back, leaked_safe};
#[cfg(not(loom))]
pub use plain::plain;
pub use pointer::FunctionPointer;

use crate::errors::AllocError;
use crate::trampoline::Trampoline;
use core::fmt;
use core::marker::PhantomData;
use holder::{Bare, Holder};

/// What a function pointer can lead to: a closure, [`by_mut`] or [`once`] of one, and
/// [`unwind`] of those. `Args` is the tuple of its parameter types, up to 16; what a target's conventions
/// leave open is refused when the program is compiled. [`guide::choosing`](crate::guide::choosing) says how many surely
/// fit.
///
/// The types must be such that an `extern "C"` function can have them; the compiler's lint
/// `improper_ctypes` does not look here.
///
/// This trait cannot be implemented outside this crate.
#[diagnostic::on_unimplemented(
    message = "this cannot be called back through a plain function pointer",
    label = "neither a closure of up to 16 parameters, nor one in a wrapper of this crate"
)]
pub trait Closure<Args>: kinds::sealed::Bindable<Args> + Sized {
    /// The function pointer that C code takes.
    type Pointer: FunctionPointer<Args = Args, Output = Self::Output>;
    /// What the closure returns.
    type Output;

    /// The adapter: what the stub enters, with the address of a holder in the static-chain register.
    #[doc(hidden)]
    fn adapter<H: Holder<Closure = Self>>() -> *const ();

    #[doc(hidden)]
    fn pointer(stub: &Stub) -> Self::Pointer;

    /// Calls the closure at an address: what every adapter comes to.
    ///
    /// # Safety
    /// It is the address of a closure of this type, which is there.
    #[doc(hidden)]
    unsafe fn run(closure: *const Self, args: Args) -> Self::Output;

    /// # Safety
    /// The trampoline was made for such a holder of a closure of this type, which is there.
    #[doc(hidden)]
    unsafe fn call_through<H: Holder<Closure = Self>>(stub: &Stub, args: Args) -> Self::Output;
}

/// The trampoline of a bound closure: its address and its number. Not the code in the table, which is called a stub
/// elsewhere. What it enters and passes belongs to the guard, so nothing here can change it.
#[derive(Debug)]
#[repr(transparent)]
pub struct Stub(Trampoline);

/// An adapter, which a stub enters on the way to a closure, and that closure's type.
pub(crate) trait Adapter {
    type Closure;

    fn address() -> *const ();
}

/// The adapter of a closure with these parameters in this kind of holder.
struct Typed<Args, H>(PhantomData<(Args, H)>);

impl<Args, H: Holder<Closure: Closure<Args>>> Adapter for Typed<Args, H> {
    type Closure = H::Closure;

    #[inline(always)]
    fn address() -> *const () {
        H::Closure::adapter::<H>()
    }
}

impl Stub {
    /// One that enters what is in `holder`.
    #[cfg_attr(named, track_caller)]
    fn new<Args, H: Holder>(holder: *const H) -> Result<Self, AllocError>
    where
        H::Closure: Closure<Args>,
    {
        let lead = |_slot| {
            #[cfg(portable)]
            numbered::lead::<<H::Closure as Closure<Args>>::Pointer>(_slot);
        };
        Self::entering::<Typed<Args, H>>(holder.cast(), lead)
    }

    /// One that enters an adapter, which goes on to what is in `holder`. `lead` as for [`Trampoline::of_closure`].
    #[inline]
    #[cfg_attr(named, track_caller)]
    pub(crate) fn entering<A: Adapter>(
        holder: *const (),
        lead: impl FnOnce(usize),
    ) -> Result<Self, AllocError> {
        let adapter = A::address();
        #[cfg(named)]
        let place = core::panic::Location::caller();
        let note = || {
            #[cfg(all(named, not(portable)))]
            names::note::<A>(adapter, place);
        };
        let lead = |slot| {
            #[cfg(all(named, portable))]
            names::note::<A>(slot, adapter, place);
            lead(slot);
        };
        // An adapter makes a pointer of the address again.
        let chain = holder.cast_mut();
        chain.expose_provenance();
        Trampoline::of_closure(adapter, chain, note, lead).map(Stub)
    }

    /// The address to call. It is valid until the guard is dropped; a call after that is diagnosed for as long as the
    /// slot is not made live again.
    #[inline]
    pub fn as_ptr(&self) -> *const () {
        self.0.as_ptr()
    }

    /// The number of the slot: below [`capacity`](crate::capacity()), unless the limit was raised when the table had reached it
    /// (see [`set_limit`](crate::set_limit)); below 1,048,576 in any case.
    #[inline]
    pub fn slot(&self) -> usize {
        self.0.slot()
    }

    #[cfg(loom)]
    fn enter(&self) -> (*const (), *mut ()) {
        self.0.enter()
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
/// A closure that changes what it captured:
///
/// ```
/// let mut sum = 0;
/// let add = statictramp::by_mut(|x: u32| sum += x);
/// let callback = statictramp::bind(&add)?;
/// let f: unsafe extern "C" fn(u32) = callback.as_fn();
/// // SAFETY: the callback is alive, and nobody else calls it.
/// unsafe { (f(2), f(3)) };
/// drop(callback);
/// drop(add);
/// assert_eq!(sum, 5);
/// # Ok::<(), statictramp::AllocError>(())
/// ```
///
/// # Errors
/// [`AllocError::Full`] if every trampoline is in use.
#[cfg_attr(named, track_caller)]
pub fn bind<Args, K: Closure<Args>>(closure: &K) -> Result<Callback<'_, K, Args>, AllocError> {
    let stub = Stub::new::<Args, Bare<K>>(core::ptr::from_ref(closure).cast())?;
    Ok(Callback { stub, closure: PhantomData, types: PhantomData })
}

/// A borrowed closure bound to a function pointer, made by [`bind`]. Dropping it ends the
/// pointer's life: a call after that is diagnosed and ends the program.
///
/// `Send` and `Sync` if the closure is `Sync`: a call may come from any thread that has the
/// pointer.
#[must_use = "the function pointer is dead as soon as this is dropped"]
pub struct Callback<'f, K, Args> {
    stub: Stub,
    closure: PhantomData<&'f K>,
    types: Types<K, Args>,
}

/// Invariant in both: the trampoline was made for these very types, and a subtype's closure may be another.
pub(crate) type Types<K, Args> = PhantomData<fn(K, Args) -> (K, Args)>;

impl<K: Closure<Args>, Args> Callback<'_, K, Args> {
    /// Calls the closure by way of the trampoline, as C code would: to test with.
    ///
    /// Under loom, where there is no code to jump to, this reads the slot as the stub does
    /// and then calls the closure, so that a program that uses callbacks can be modelled.
    #[inline]
    pub fn call(&self, args: Args) -> K::Output {
        #[cfg(loom)]
        let _running = self.stub.0.running();
        // SAFETY: only `bind` makes a `Callback`, with a trampoline for this type.
        unsafe { K::call_through::<Bare<K>>(&self.stub, args) }
    }

    /// The function pointer. Having it is safe; calling it is not:
    ///
    /// # Safety of a call
    /// - this `Callback` is still there while the call runs;
    /// - a call on another thread needs a closure that is `Sync`.
    #[cfg(not(loom))]
    #[inline]
    pub fn as_fn(&self) -> K::Pointer {
        K::pointer(&self.stub)
    }

    /// The address of [`as_fn`](Callback::as_fn) as a pointer to a safe function, for functions that take no other.
    ///
    /// # Safety
    /// Whoever gets it calls it under the contract of [`as_fn`](Callback::as_fn) only.
    #[cfg(not(loom))]
    #[inline]
    pub unsafe fn as_safe_fn(&self) -> <K::Pointer as FunctionPointer>::Safe {
        // SAFETY: the caller's promise.
        unsafe { self.as_fn().into_safe() }
    }

    /// The trampoline below: its address and its number.
    pub fn trampoline(&self) -> &Stub {
        &self.stub
    }
}

/// In a model, a call that runs while its guard is dropped is a panic, wherever in the closure it is.
#[cfg(loom)]
impl<K, Args> Drop for Callback<'_, K, Args> {
    fn drop(&mut self) {
        self.stub.0.assert_at_rest();
    }
}

impl<K, Args> fmt::Debug for Callback<'_, K, Args> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Callback").field(&self.stub.as_ptr()).finish()
    }
}
