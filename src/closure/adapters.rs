//! From a stub to the closure: an adapter for each signature, made at compile time.
//!
//! A stub enters the adapter with the closure's address in the static-chain register, which the body of a compiled
//! function cannot read reliably. So the adapter is a naked function. It passes every argument on unchanged, wherever
//! the calling convention has put it, and adds the closure's address as one more parameter.
//!
//! Each processor has its own ways to pass that parameter (`src/arch/*/adapters.rs`). Targets without stubs need no
//! assembly (`src/closure/numbered.rs`).

use super::arity::for_each_arity;
use super::holder::Holder;
use super::kinds::{Call, Unwind, sealed};
use super::{BoundTrampoline, Closure};
#[cfg(stubs)]
use crate::arch::adapters as arch;
#[cfg(stubs)]
use crate::arch::shape::{Shape, assert_every_target_has_a_way};

/// Computes the address of an adapter: a naked function with the instructions of the macro `$way`. The adapter enters a
/// function that has additional parameters before and after the arguments; `$holder` states which of these is the
/// holder.
#[cfg(stubs)]
macro_rules! enter {
    ($way:ident, ($abi:literal $kind:ty, $($arg:ident)*), ($($before:tt)*), ($($after:tt)*), $holder:expr) => {{
        #[allow(non_snake_case, improper_ctypes_definitions, clippy::too_many_arguments)]
        extern $abi fn enter<H: Holder<Closure = $kind>, K: Call<($($arg,)*)>, $($arg),*>(
            $($before)* $($arg: $arg,)* $($after)*
        ) -> K::Output {
            let holder: *const H = $holder;
            // SAFETY: the code that made the trampoline put the address of a holder of this type into the chain, for as
            // long as the trampoline is live.
            unsafe { H::with(holder, |closure| <$kind as Closure<($($arg,)*)>>::run(closure, ($($arg,)*))) }
        }
        #[unsafe(naked)]
        extern "C" fn adapter<H: Holder<Closure = $kind>, K: Call<($($arg,)*)>, $($arg),*>() {
            arch::$way!(enter::<H, K, $($arg),*>; &[$(Shape::of::<$arg>()),*])
        }
        adapter::<H, K, $($arg),*> as *const ()
    }};
}

macro_rules! adapters {
    ($(#[$hidden:meta])? $abi:literal, $kind:ty, $closure:ident => $inner:expr, $($arg:ident)*) => {
        impl<K: Call<($($arg,)*)>, $($arg),*> sealed::Bindable<($($arg,)*)> for $kind {}

        $(#[$hidden])?
        impl<K: Call<($($arg,)*)>, $($arg),*> Closure<($($arg,)*)> for $kind {
            type Pointer = unsafe extern $abi fn($($arg),*) -> K::Output;
            type Output = K::Output;

            #[cfg(portable)]
            fn adapter<H: Holder<Closure = Self>>() -> *const () {
                super::numbered::adapter!($kind, $($arg)*)
            }

            #[cfg(stubs)]
            fn adapter<H: Holder<Closure = Self>>() -> *const () {
                let way = const {
                    let arguments = &[$(Shape::of::<$arg>()),*];
                    assert_every_target_has_a_way(arguments);
                    arch::way(arguments, Shape::of::<K::Output>())
                };
                arch::adapter!(way, enter ($abi $kind, $($arg)*))
            }

            /// Represents the adapter; no code jumps there.
            #[cfg(loom)]
            fn adapter<H: Holder<Closure = Self>>() -> *const () {
                <Self as Closure<($($arg,)*)>>::call_through::<H> as *const ()
            }

            #[inline]
            fn pointer(trampoline: &BoundTrampoline) -> Self::Pointer {
                // SAFETY: the address is not null. Code that calls the pointer must ensure that the pointer leads to
                // one of the adapters above, which behaves like a function of this type.
                unsafe { core::mem::transmute::<*const (), Self::Pointer>(trampoline.as_ptr()) }
            }

            #[allow(non_snake_case)]
            #[inline(always)]
            unsafe fn run(closure: *const Self, ($($arg,)*): ($($arg,)*)) -> K::Output {
                // SAFETY: the caller upholds the safety contract.
                let $closure = unsafe { &*closure };
                $inner.call(($($arg,)*))
            }

            #[allow(non_snake_case)]
            #[inline]
            unsafe fn call_through<H: Holder<Closure = Self>>(
                trampoline: &BoundTrampoline,
                ($($arg,)*): ($($arg,)*),
            ) -> K::Output {
                #[cfg(not(loom))]
                // SAFETY: the trampoline is live, and a caller with a reference to its guard
                // could also have one to the closure.
                return unsafe { <Self as Closure<($($arg,)*)>>::pointer(trampoline)($($arg),*) };
                #[cfg(loom)]
                // SAFETY: the chain of a live trampoline is the address of such a holder, which exists as long as the
                // trampoline is live.
                return unsafe {
                    H::with(trampoline.enter().1.cast(), |closure| Self::run(closure, ($($arg,)*)))
                };
            }
        }
    };
}

macro_rules! closures {
    ($($arg:ident)*) => {
        adapters!("C", K, closure => closure, $($arg)*);
        // Without this, the compiler lists these implementations whenever a closure cannot be bound.
        adapters!(#[diagnostic::do_not_recommend] "C-unwind", Unwind<K>, closure => closure.0, $($arg)*);
    };
}
for_each_arity!(closures);
