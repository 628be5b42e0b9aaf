//! From a stub to the closure: an adapter for each signature, made at compile time.
//!
//! A stub enters the adapter with the closure's address in the static-chain register, which
//! no compiled function can be trusted to find there in its body. So the adapter is naked. It
//! passes every argument on as it came, wherever the calling convention has put it, and the
//! closure's address besides, as one more parameter behind them.
//!
//! How that parameter reaches its place differs from target to target: see the files here.

#[cfg(all(any(target_arch = "aarch64", target_arch = "riscv32", target_arch = "riscv64"), not(loom)))]
#[path = "eight_registers.rs"]
mod arch;
#[cfg(all(target_arch = "arm", not(loom)))]
#[path = "four_registers.rs"]
mod arch;
#[cfg(all(target_arch = "x86_64", not(loom)))]
#[path = "x86_64.rs"]
mod arch;

use super::holder::Holder;
use super::kinds::{Call, System, Unwind, sealed};
use super::{Closure, Stub};

/// Calls a macro with 0 to 16 names.
macro_rules! for_each_arity {
    ($macro:ident) => {
        $macro!();
        $macro!(A0);
        $macro!(A0 A1);
        $macro!(A0 A1 A2);
        $macro!(A0 A1 A2 A3);
        $macro!(A0 A1 A2 A3 A4);
        $macro!(A0 A1 A2 A3 A4 A5);
        $macro!(A0 A1 A2 A3 A4 A5 A6);
        $macro!(A0 A1 A2 A3 A4 A5 A6 A7);
        $macro!(A0 A1 A2 A3 A4 A5 A6 A7 A8);
        $macro!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9);
        $macro!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10);
        $macro!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11);
        $macro!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12);
        $macro!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13);
        $macro!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14);
        $macro!(A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15);
    };
}
pub(super) use for_each_arity;

macro_rules! adapters {
    ($abi:literal, $kind:ty, $closure:ident => $inner:expr, $($arg:ident)*) => {
        impl<K: Call<($($arg,)*)>, $($arg),*> sealed::Bindable<($($arg,)*)> for $kind {}

        impl<K: Call<($($arg,)*)>, $($arg),*> Closure<($($arg,)*)> for $kind {
            type Pointer = unsafe extern $abi fn($($arg),*) -> K::Output;
            type Output = K::Output;

            #[cfg(not(loom))]
            arch::adapter!($abi, $kind, $($arg)*);

            /// Stands for the adapter; nobody jumps there.
            #[cfg(loom)]
            fn adapter<H: Holder<Closure = Self>>() -> *const () {
                <Self as Closure<($($arg,)*)>>::call_through::<H> as *const ()
            }

            #[inline]
            fn pointer(stub: &Stub) -> Self::Pointer {
                // SAFETY: an address that is not null. Whether it enters an adapter from
                // above, which behaves as a function of just this type, matters to who
                // calls it.
                unsafe { core::mem::transmute::<*const (), Self::Pointer>(stub.as_ptr()) }
            }

            #[allow(non_snake_case)]
            #[inline(always)]
            unsafe fn run(closure: *const Self, ($($arg,)*): ($($arg,)*)) -> K::Output {
                // SAFETY: the caller's promise.
                let $closure = unsafe { &*closure };
                $inner.call(($($arg,)*))
            }

            #[allow(non_snake_case)]
            #[inline]
            unsafe fn call_through<H: Holder<Closure = Self>>(
                stub: &Stub,
                ($($arg,)*): ($($arg,)*),
            ) -> K::Output {
                #[cfg(not(loom))]
                // SAFETY: the trampoline is alive, and whoever has a reference to its guard
                // might as well have one to the closure.
                return unsafe { <Self as Closure<($($arg,)*)>>::pointer(stub)($($arg),*) };
                #[cfg(loom)]
                // SAFETY: the chain of a live trampoline is the address of such a holder,
                // which lives as long.
                return unsafe {
                    H::with(stub.enter().1.cast(), |closure| Self::run(closure, ($($arg,)*)))
                };
            }
        }
    };
}

macro_rules! closures {
    ($($arg:ident)*) => {
        adapters!("C", K, closure => closure, $($arg)*);
        adapters!("C-unwind", Unwind<K>, closure => closure.0, $($arg)*);
        adapters!("system", System<K>, closure => closure.0, $($arg)*);
    };
}
for_each_arity!(closures);
