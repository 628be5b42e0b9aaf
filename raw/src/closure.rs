//! Raw closures and their guards.

use super::Call;
use crate::arch::{Block, Handler, enter_closure};
use core::fmt;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
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
    unsafe { BoundTrampoline::with_adapter_of::<Entry<H>>(holder.cast(), |_slot| {}) }
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
/// A `Callback` is `Send` and `Sync` if the closure is `Sync`, because any thread that has the pointer may call the
/// closure.
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
        |guard| guard.trampoline.pointer()
    );

    /// Returns the address to call, for function types with more than 16 parameters, which [`as_fn`](Callback::as_fn)
    /// does not support. The same contract applies to calls.
    #[inline]
    #[must_use]
    pub fn as_ptr(&self) -> *const () {
        self.trampoline.as_ptr()
    }
}

impl<F: Fn(&mut Call<'_>)> Callback<'static, F> {
    /// Returns the function pointer, and never frees the trampoline. The contract for a call is that of
    /// [`as_fn`](Callback::as_fn).
    pub fn leak<P: UnsafeFn>(self) -> P {
        ManuallyDrop::new(self).as_fn()
    }
}

impl<F> fmt::Debug for Callback<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Callback").field(&self.trampoline.as_ptr()).finish()
    }
}

#[cfg(feature = "alloc")]
pub use heap::{Boxed, boxed, leaked};

#[cfg(feature = "alloc")]
mod heap {
    use super::*;
    use statictramp::for_raw::{Kept, OnHeap};
    use statictramp::{Guard, Local};

    /// Makes a function pointer like [`bind`], but for a closure on the heap, which the guard owns.
    ///
    /// # Errors
    /// [`AllocError::Full`] if every trampoline is in use. The closure is then dropped.
    #[cfg_attr(not(target_os = "none"), track_caller)]
    pub fn boxed<F: Fn(&mut Call<'_>)>(handler: F) -> Result<Boxed<F>, AllocError> {
        let kept = Kept::new(handler);
        let trampoline = bound::<Kept<F>>(kept.as_ptr());
        // SAFETY: `kept` and `trampoline` were made above, and the trampoline was made for `kept`.
        let trampoline = unsafe { OnHeap::new(kept, trampoline) }.map_err(|error| error.source)?;
        Ok(Boxed { trampoline, kind: PhantomData })
    }

    /// Makes a function pointer that is never freed. The contract for a call is that of [`Boxed::as_fn`].
    ///
    /// ```
    /// use statictramp_raw::{Call, leaked};
    ///
    /// let step = 5;
    /// // SAFETY: the caller's type is (u32) -> u32.
    /// let add = move |call: &mut Call<'_>| unsafe {
    ///     let x = call.next::<u32>();
    ///     call.set(x + step);
    /// };
    /// let f: unsafe extern "C" fn(u32) -> u32 = leaked(add)?;
    /// // SAFETY: the handler takes these arguments, and is never freed.
    /// assert_eq!(unsafe { f(1) }, 6);
    /// # Ok::<(), statictramp::AllocError>(())
    /// ```
    ///
    /// # Errors
    /// Same as for [`boxed`].
    #[cfg_attr(not(target_os = "none"), track_caller)]
    pub fn leaked<P: UnsafeFn, F: Fn(&mut Call<'_>) + 'static>(handler: F) -> Result<P, AllocError> {
        boxed(handler).map(Boxed::leak)
    }

    /// A raw closure on the heap, made by [`boxed`]. Dropping it frees the trampoline and then drops the closure. A
    /// call to the closure may drop this guard, as with [the guard of a typed closure](statictramp::Boxed).
    ///
    /// A `Boxed` is `Send` if the closure is `Send` and `Sync`, and it is `Sync` if the closure is `Sync`.
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
            |guard| guard.trampoline.pointer()
        );

        /// Returns the address to call, for function types with more than 16 parameters, which [`as_fn`](Boxed::as_fn)
        /// does not support. The same contract applies to calls.
        #[inline]
        #[must_use]
        pub fn as_ptr(&self) -> *const () {
            self.trampoline.as_ptr()
        }

        /// Erases the closure's type, for structs, vectors and maps. The contract for a call is that of
        /// [`as_fn`](Boxed::as_fn).
        ///
        /// ```
        /// use statictramp_raw::{Call, boxed};
        ///
        /// type Log = unsafe extern "C" fn(*const core::ffi::c_char, ...);
        ///
        /// let log: statictramp::Guard<Log> = boxed(|_: &mut Call<'_>| ())?.erase();
        /// // SAFETY: the handler takes no arguments, and the guard is alive.
        /// unsafe { log.as_fn()(c"%d".as_ptr(), 7) };
        /// # Ok::<(), statictramp::AllocError>(())
        /// ```
        pub fn erase<'a, P: UnsafeFn>(self) -> Guard<P, dyn Local + 'a>
        where
            F: 'a,
        {
            let pointer = self.as_fn();
            // SAFETY: calls through the pointer have additional requirements.
            unsafe { Guard::of(self.trampoline, pointer) }
        }

        /// Erases the closure's type, but keeps the bounds `Send + Sync`. The contract for a call is that of
        /// [`as_fn`](Boxed::as_fn).
        pub fn erase_shared<'a, P: UnsafeFn>(self) -> Guard<P, dyn Send + Sync + 'a>
        where
            F: Send + Sync + 'a,
        {
            let pointer = self.as_fn();
            // SAFETY: calls through the pointer have additional requirements.
            unsafe { Guard::of(self.trampoline, pointer) }
        }

        /// Returns the function pointer, and never frees the trampoline or the closure. The contract for a call is the same
        /// as for [`as_fn`](Boxed::as_fn).
        pub fn leak<P: UnsafeFn>(self) -> P
        where
            F: 'static,
        {
            ManuallyDrop::new(self).as_fn()
        }
    }

    impl<F> fmt::Debug for Boxed<F> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_tuple("Boxed").field(&self.trampoline.as_ptr()).finish()
        }
    }
}
