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

use super::Closure;
use super::kinds::{Call, System, Unwind};
use crate::Trampoline;

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
        impl<K: Call<($($arg,)*)>, $($arg),*> Closure<($($arg,)*)> for $kind {
            type Pointer = unsafe extern $abi fn($($arg),*) -> K::Output;
            type Output = K::Output;

            #[cfg(not(loom))]
            arch::adapter!($abi, $kind, $($arg)*);

            /// Stands for the adapter; nobody jumps there.
            #[cfg(loom)]
            fn adapter() -> *const () {
                <Self as Closure<($($arg,)*)>>::call_through as *const ()
            }

            #[inline]
            fn pointer(trampoline: &Trampoline) -> Self::Pointer {
                // SAFETY: an address that is not null. Whether it enters an adapter from
                // above, which behaves as a function of just this type, matters to who
                // calls it.
                unsafe { core::mem::transmute::<*const (), Self::Pointer>(trampoline.as_ptr()) }
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
            unsafe fn call_through(trampoline: &Trampoline, ($($arg,)*): ($($arg,)*)) -> K::Output {
                #[cfg(not(loom))]
                // SAFETY: the trampoline is alive, and whoever has a reference to its guard
                // might as well have one to the closure.
                return unsafe {
                    <Self as Closure<($($arg,)*)>>::pointer(trampoline)($($arg),*)
                };
                #[cfg(loom)]
                // SAFETY: the chain of a live trampoline is the address of a closure of
                // this very type, which lives as long.
                return unsafe { Self::run(trampoline.enter().1.cast(), ($($arg,)*)) };
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
