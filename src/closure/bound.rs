//! The trampoline of a bound closure, the traits of bindable closures and of their adapters, and the closure's holder,
//! which is the memory that the trampoline's chain points to.

use super::kinds::{self, sealed::Returned};
#[cfg(portable)]
use super::numbered;
use super::{Call, FunctionPointer, Once, Typed, UnsafeFn, Unwind};
#[cfg(named)]
use crate::diagnosis::names;
use crate::trampoline::{AllocError, Trampoline};
use core::marker::PhantomData;

/// A type that can be bound to a function pointer: a closure, the result of [`by_mut`](crate::by_mut) or
/// [`once`](crate::once), or the result of [`unwind`](crate::unwind) for any of these. `Args` is the tuple of the
/// closure's parameter types (at most 16). A signature that the target does not support is a compile-time error;
/// [`guide::choosing`](crate::guide::choosing) states how many parameters are always allowed.
///
/// The types of the parameters and of the result must be valid in an `extern "C"` function. The compiler's
/// `improper_ctypes` lint does not check this for closures. The result must be `Unpin`, which rules out `async`
/// closures.
///
/// This trait cannot be implemented outside this crate.
#[diagnostic::on_unimplemented(
    message = "this cannot be called back through a plain function pointer",
    label = "neither a closure of up to 16 parameters, nor one in a wrapper of this crate",
    note = "if it is an `unwind` of a closure that changes or consumes what it captured: `unwind(by_mut(closure))` or \
            `unwind(once(closure))`",
    note = "if it is `async`, it returns a future, which C code never runs: pass an ordinary closure that runs the future (in generic \
            code, require `Unpin` of the result)",
    note = "if it is `typed`, the pointer's convention must equal `\"C\"` on this target: for any other convention, write a \
            function of the pointer's type that calls a closure in a `static`"
)]
pub trait Closure<Args>: kinds::sealed::Bindable<Args> + Sized {
    /// The type of the function pointer that C code receives.
    type Pointer: FunctionPointer<Args = Args, Output = Self::Output>;
    /// The closure's result type.
    type Output;

    /// Calls the closure that `closure` points to. Every adapter calls this function.
    ///
    /// # Safety
    /// `closure` must point to a closure of this type.
    #[doc(hidden)]
    unsafe fn run(closure: *const Self, args: Args) -> Self::Output;
}

/// Implements [`Closure`] for a type. The wrapped closure is `$closure`.
macro_rules! closure {
    ($(#[$hidden:meta])? <$($parameter:ident),*> $args:ty, $kind:ty, $bound:path, $pointer:ty, $closure:ident => $inner:expr) => {
        impl<K: $bound, $($parameter),*> kinds::sealed::Bindable<$args> for $kind where K::Output: Returned {}

        $(#[$hidden])?
        impl<K: $bound, $($parameter),*> Closure<$args> for $kind
        where
            K::Output: Returned,
        {
            type Pointer = $pointer;
            type Output = K::Output;

            #[inline(always)]
            unsafe fn run(closure: *const Self, args: $args) -> K::Output {
                // SAFETY: the caller upholds the safety contract.
                let $closure = unsafe { &*closure };
                $inner.call(args)
            }
        }
    };
}
macro_rules! closures {
    ($($arg:ident)*) => {
        closure!(<$($arg),*> ($($arg,)*), K, Call<($($arg,)*)>, unsafe extern "C" fn($($arg),*) -> K::Output, this => this);
        // Without this attribute, the compiler would list these implementations in every error about a closure that
        // cannot be bound.
        closure!(
            #[diagnostic::do_not_recommend]
            <$($arg),*> ($($arg,)*), Unwind<K>, Call<($($arg,)*)>, unsafe extern "C-unwind" fn($($arg),*) -> K::Output, this => this.0
        );
    };
}
super::for_each_arity!(closures);

/// Implements [`Closure`] for a closure with a given pointer type.
macro_rules! typed {
    ($kind:ty, $bound:path, $closure:ident, $args:ident => $call:expr) => {
        impl<P: FunctionPointer, K: $bound> kinds::sealed::Bindable<P::Args> for $kind {}

        #[diagnostic::do_not_recommend]
        impl<P: FunctionPointer, K: $bound> Closure<P::Args> for $kind {
            type Pointer = P;
            type Output = P::Output;

            #[inline(always)]
            unsafe fn run(closure: *const Self, $args: P::Args) -> P::Output {
                // SAFETY: the caller upholds the safety contract.
                let $closure = unsafe { &*closure };
                $call
            }
        }
    };
}
typed!(Typed<P, K>, Call<P::Args, Output = P::Output>, this, args => this.0.call(args));
// Allows `one_shot(typed(closure))`.
typed!(Once<Typed<P, K>>, kinds::sealed::CallOnce<P::Args, Output = P::Output>, this, args => this.take().0.call_once(args));

/// The type of a value whose address a stub passes to an adapter.
///
/// Each holder type has its own adapters, which include the holder's work before and after a call.
pub trait Holder: Sized {
    /// The type of the closure in the holder.
    type Closure;

    /// Calls `f` with the closure's address.
    ///
    /// # Safety
    /// The holder must exist when this function is called, and its closure must exist until this function returns.
    unsafe fn with<R>(holder: *const Self, f: impl FnOnce(*const Self::Closure) -> R) -> R;
}

/// A holder that keeps no record of calls. The owner of the guard keeps the closure alive while calls are in progress.
#[repr(transparent)]
pub struct Bare<K>(K);

impl<K> Holder for Bare<K> {
    type Closure = K;

    #[inline(always)]
    unsafe fn with<R>(holder: *const Self, f: impl FnOnce(*const K) -> R) -> R {
        // SAFETY: the caller upholds the safety contract.
        f(unsafe { &raw const (*holder).0 })
    }
}

/// The trampoline of a bound closure: its address and its slot. No method changes the callee or the chain, because the
/// guard owns them.
#[derive(Debug)]
#[repr(transparent)]
pub struct BoundTrampoline(pub(super) Trampoline);

/// A type with an adapter, through which a stub calls a closure.
pub trait HasAdapter {
    /// The closure's type.
    type Closure;

    /// Returns the address of the adapter.
    fn adapter_address() -> *const ();
}

/// The type that has the adapter for a closure with these parameters in a holder of this type.
struct Adapted<Args, H>(PhantomData<(Args, H)>);

impl<Args, H: Holder<Closure: Closure<Args>>> HasAdapter for Adapted<Args, H> {
    type Closure = H::Closure;

    #[inline(always)]
    fn adapter_address() -> *const () {
        <H::Closure as Closure<Args>>::Pointer::adapter_address::<H>()
    }
}

impl BoundTrampoline {
    /// Makes a trampoline that calls the closure in `holder`.
    #[cfg_attr(named, track_caller)]
    pub(super) fn new<Args, H: Holder>(holder: *const H) -> Result<Self, AllocError>
    where
        H::Closure: Closure<Args>,
    {
        let with_slot = |_slot| {
            #[cfg(portable)]
            numbered::choose::<<H::Closure as Closure<Args>>::Pointer>(_slot);
        };
        // SAFETY: the adapter reads a holder of this type.
        unsafe { Self::with_adapter_of::<Adapted<Args, H>>(holder.cast(), with_slot) }
    }

    /// Makes a trampoline that calls the closure in `holder` through an adapter. `with_slot` has the same meaning as in
    /// [`Trampoline::of_closure`].
    ///
    /// # Safety
    /// The adapter must read a holder of `holder`'s type.
    #[inline]
    #[cfg_attr(named, track_caller)]
    #[doc(hidden)]
    pub unsafe fn with_adapter_of<A: HasAdapter>(
        holder: *const (),
        with_slot: impl FnOnce(usize),
    ) -> Result<Self, AllocError> {
        let adapter = A::adapter_address();
        #[cfg(named)]
        let location = core::panic::Location::caller();
        let before_slow_path = || {
            #[cfg(all(named, not(portable)))]
            names::record::<A>(adapter, core::any::type_name::<A::Closure>(), location);
        };
        let with_slot = |slot| {
            #[cfg(all(named, portable))]
            names::record(slot, adapter, core::any::type_name::<A::Closure>, location);
            with_slot(slot);
        };
        // The adapter converts the chain back into a pointer to the holder.
        let chain = holder.cast_mut();
        chain.expose_provenance();
        Trampoline::of_closure(adapter, chain, before_slow_path, with_slot).map(BoundTrampoline)
    }

    /// Returns the address to call, which is valid until the guard is dropped. Later calls are diagnosed until the slot
    /// is reused.
    #[inline]
    #[must_use]
    pub fn as_ptr(&self) -> *const () {
        self.0.as_ptr()
    }

    /// Returns the slot's number. It is always below 1,048,576, and it is below [`capacity`](crate::capacity()) unless
    /// the limit was raised after the table had reached the limit (see [`set_limit`](crate::set_limit)).
    #[inline]
    #[must_use]
    pub fn slot(&self) -> usize {
        self.0.slot()
    }

    /// Returns the address to call as a function pointer.
    #[doc(hidden)]
    #[inline]
    pub fn pointer<P: UnsafeFn>(&self) -> P {
        // SAFETY: the address is not null. Code that calls through the pointer guarantees that the trampoline jumps to
        // an adapter that behaves like a function of this type.
        unsafe { P::from_ptr(self.as_ptr()) }
    }

    /// Calls the closure through the trampoline.
    ///
    /// # Safety
    /// The trampoline must have been made for a holder of type `H` that contains a closure of this type. The holder
    /// must still exist.
    #[inline]
    pub(super) unsafe fn call<Args, H: Holder<Closure: Closure<Args>>>(
        &self,
        args: Args,
    ) -> <H::Closure as Closure<Args>>::Output {
        #[cfg(not(loom))]
        // SAFETY: the trampoline is live. Code that has a reference to the guard is also allowed to have a reference to
        // the closure, so it may call the closure.
        return unsafe { self.pointer::<<H::Closure as Closure<Args>>::Pointer>().call(args) };
        #[cfg(loom)]
        // SAFETY: the chain of a live trampoline is the address of a holder of type `H`, which exists as long as the
        // trampoline is live.
        return unsafe { H::with(self.enter().1.cast(), |closure| H::Closure::run(closure, args)) };
    }

    #[cfg(loom)]
    pub(super) fn enter(&self) -> (*const (), *mut ()) {
        self.0.enter()
    }
}

/// A marker that is invariant in both types, because the trampoline was made for exactly these types, and a closure of
/// a subtype might behave differently.
pub(crate) type Types<K, Args> = PhantomData<fn(K, Args) -> (K, Args)>;

/// A marker that makes everything that `T` borrows outlive the guard that contains the marker. With `PhantomData<T>`
/// alone, a borrow could end at the last use of the guard, because dropping a reference needs no borrow.
///
/// Outside models, the guards that contain this marker do not implement `Drop` themselves. Otherwise, the references
/// among a closure's arguments would have to outlive the guard, because their lifetimes are part of its type.
pub struct Borrows<T>(PhantomData<T>);

impl<T> Borrows<T> {
    /// The marker for the guard of a new trampoline.
    pub const NEW: Self = Borrows(PhantomData);
}

impl<T> Drop for Borrows<T> {
    #[inline(always)]
    fn drop(&mut self) {}
}

/// The bounds of a [guard](crate::Guard) that must stay on its thread: its closure need not be `Send` or `Sync`.
pub trait Local {}

/// The closures that satisfy the bounds of a [guard](crate::Guard).
///
/// # Safety
/// The type must satisfy all bounds in `Bounds`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the closure does not satisfy the guard's bounds `{Bounds}`",
    note = "the bounds are `dyn Local + 'a` for any closure, or `dyn Send + Sync + 'a` for one that is `Send` and `Sync`"
)]
pub unsafe trait Satisfies<Bounds: ?Sized> {}
// SAFETY: `Local` guarantees nothing except the lifetime.
unsafe impl<'a, K: 'a> Satisfies<dyn Local + 'a> for K {}
// SAFETY: `K` is `Send` and `Sync`.
unsafe impl<'a, K: Send + Sync + 'a> Satisfies<dyn Send + Sync + 'a> for K {}

/// Expands to the methods that all guards have. `as_fn` returns the function pointer, and its documentation states the
/// contract for a call.
///
/// `$lifetime` is the guard's part of the contract, `$pointer` is the type of the function pointer, and `$make` is the
/// expression that makes the pointer. `$bound` is a bound that only `as_safe_fn` needs. For raw closures, the macro
/// also takes generic parameters and the handler's part of the contract.
#[doc(hidden)]
#[macro_export]
macro_rules! __guard_methods {
    ($lifetime:literal, $pointer:ty $(: $bound:path)?, $make:expr) => {
        $crate::__guard_methods!([] "Returns the function pointer.", [$lifetime], $pointer $(: $bound)?, $make);
    };
    ([$($generics:tt)*] $first:literal, [$($contract:literal)*], $pointer:ty $(: $bound:path)?, $make:expr) => {
        #[doc = concat!($first, " Having the pointer is safe, but calling it is not:")]
        ///
        /// # Safety of a call
        $(#[doc = concat!("- ", $contract, ";")])*
        /// - a call on another thread is allowed only if the closure is `Sync`.
        #[cfg(not(loom))]
        #[inline]
        pub fn as_fn $($generics)* (&self) -> $pointer {
            let make: fn(&Self) -> $pointer = $make;
            make(self)
        }

        /// Returns a pointer to a safe function, for functions that accept only safe function pointers.
        ///
        /// # Safety
        /// All callers must uphold the contract of [`as_fn`](Self::as_fn).
        #[cfg(not(loom))]
        #[inline]
        pub unsafe fn as_safe_fn $($generics)* (&self) -> <$pointer as $crate::UnsafeFn>::Safe
        $(where $pointer: $bound)?
        {
            let pointer: $pointer = self.as_fn();
            // SAFETY: the caller upholds the safety contract.
            unsafe { $crate::UnsafeFn::into_safe(pointer) }
        }

        /// Returns the trampoline itself: its address and its slot.
        pub fn trampoline(&self) -> &$crate::BoundTrampoline {
            &self.trampoline
        }
    };
}
pub(crate) use __guard_methods as guard_methods;
