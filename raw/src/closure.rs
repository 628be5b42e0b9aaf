//! Raw closures and their guards.

use super::Call;
use crate::arch::{Block, Handler, enter_closure};
use core::fmt;
use core::marker::PhantomData;
use statictramp::for_raw::{Bare, Borrows, HasAdapter, Holder};
use statictramp::{__guard_methods as guard_methods, AllocError, BoundTrampoline, UnsafeFn};

/// The adapter of a raw closure in a holder of type `H`: provides the address that the stub jumps to, and the closure's
/// name for error messages.
struct Entry<H>(PhantomData<H>);

impl<H: Holder<Closure: Fn(&mut Call<'_>)>> Handler for Entry<H> {
    extern "C" fn handle(holder: *const (), block: *mut Block) {
        // SAFETY: the code that made the trampoline stored the address of a holder of exactly this type as the chain.
        // That holder exists as long as the trampoline is live. The block is in the entry's stack frame, and no other
        // code uses it.
        unsafe { H::with(holder.cast(), |closure| (*closure)(&mut Call { block: &mut *block })) }
    }
}

impl<H: Holder<Closure: Fn(&mut Call<'_>)>> HasAdapter for Entry<H> {
    type Closure = H::Closure;

    fn adapter_address() -> *const () {
        enter_closure::<Self> as *const ()
    }
}

#[cfg_attr(not(target_os = "none"), track_caller)]
fn bound<H: Holder<Closure: Fn(&mut Call<'_>)>>(holder: *const H) -> Result<BoundTrampoline, AllocError> {
    // SAFETY: the entry reads a holder of this type.
    unsafe { BoundTrampoline::entering::<Entry<H>>(holder.cast(), |_slot| {}) }
}

fn as_fn<P: UnsafeFn>(trampoline: &BoundTrampoline) -> P {
    const { assert!(size_of::<P>() == size_of::<*const ()>()) };
    // SAFETY: `P` is a pointer to an unsafe function, which has the size of an address, and the address is not null.
    // The caller of the pointer guarantees that it behaves like a function of this type.
    unsafe { core::mem::transmute_copy(&trampoline.as_ptr()) }
}

/// Makes a function pointer of any type that calls `handler`. The pointer is valid until the returned [`Callback`] is
/// dropped. See [the crate](crate) for an example.
///
/// # Errors
/// [`AllocError::Full`] if every trampoline is in use.
#[cfg_attr(not(target_os = "none"), track_caller)]
pub fn bind<F: Fn(&mut Call<'_>)>(handler: &F) -> Result<Callback<'_, F>, AllocError> {
    let trampoline = bound::<Bare<F>>(core::ptr::from_ref(handler).cast())?;
    Ok(Callback { trampoline, _handler: Borrows::NEW, kind: PhantomData })
}

/// A borrowed raw closure, made by [`bind`]. Dropping it frees the trampoline. Until the slot is reused, a later call
/// through the function pointer prints a message and aborts the program.
///
/// `Send` and `Sync` if the closure is `Sync`, because any thread that has the pointer may call the closure.
#[must_use = "the function pointer is dead as soon as this is dropped"]
pub struct Callback<'f, F> {
    trampoline: BoundTrampoline,
    _handler: Borrows<&'f F>,
    /// A marker that makes the guard invariant in `F`, because the trampoline was made for exactly this type.
    kind: PhantomData<fn(F) -> F>,
}

impl<F: Fn(&mut Call<'_>)> Callback<'_, F> {
    guard_methods!(
        [<P: UnsafeFn>]
        "Returns the function pointer, with any type that has up to 16 parameters; the type may be variadic.",
        ["the handler takes the arguments of this type, and sets its result"
         "this `Callback` lives until the call returns"],
        P,
        |guard| as_fn(&guard.trampoline)
    );

    /// Returns the address to call, for function types with more than 16 parameters, which [`as_fn`](Callback::as_fn)
    /// does not support. The same contract applies to calls.
    #[inline]
    pub fn as_ptr(&self) -> *const () {
        self.trampoline.as_ptr()
    }
}

impl<F> fmt::Debug for Callback<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Callback").field(&self.trampoline.as_ptr()).finish()
    }
}

#[cfg(feature = "alloc")]
pub use heap::{Boxed, boxed};

#[cfg(feature = "alloc")]
mod heap {
    use super::*;
    use statictramp::for_raw::{Kept, OnHeap};

    /// Makes a function pointer like [`bind`], but for a closure on the heap, which the guard owns.
    ///
    /// # Errors
    /// [`AllocError::Full`] if every trampoline is in use. The closure is then dropped.
    #[cfg_attr(not(target_os = "none"), track_caller)]
    pub fn boxed<F: Fn(&mut Call<'_>)>(handler: F) -> Result<Boxed<F>, AllocError> {
        let kept = Kept::new(handler);
        let trampoline = bound::<Kept<F>>(kept.as_ptr());
        // SAFETY: both were made above, and the trampoline was made for this closure.
        let trampoline = unsafe { OnHeap::new(kept, trampoline) }.map_err(|error| error.source)?;
        Ok(Boxed { trampoline, kind: PhantomData })
    }

    /// A raw closure on the heap, made by [`boxed`]. Dropping it frees the trampoline and then drops the closure. A
    /// call to the closure may drop this guard, as with [the guard of a typed closure](statictramp::Boxed).
    ///
    /// `Send` if the closure is `Send` and `Sync`; `Sync` if the closure is `Sync`.
    #[must_use = "the function pointer is dead as soon as this is dropped"]
    pub struct Boxed<F> {
        trampoline: OnHeap<F>,
        /// A marker that makes the guard invariant in `F`, because the trampoline was made for exactly this type.
        kind: PhantomData<fn(F) -> F>,
    }

    impl<F: Fn(&mut Call<'_>)> Boxed<F> {
        guard_methods!(
            [<P: UnsafeFn>]
            "Returns the function pointer, with any type that has up to 16 parameters; the type may be variadic.",
            ["the handler takes the arguments of this type, and sets its result"
             "this guard lives until the call returns, unless that call itself drops it"],
            P,
            |guard| as_fn(&guard.trampoline)
        );

        /// Returns the address to call, for function types with more than 16 parameters, which [`as_fn`](Boxed::as_fn)
        /// does not support. The same contract applies to calls.
        #[inline]
        pub fn as_ptr(&self) -> *const () {
            self.trampoline.as_ptr()
        }
    }

    impl<F> fmt::Debug for Boxed<F> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_tuple("Boxed").field(&self.trampoline.as_ptr()).finish()
        }
    }
}
