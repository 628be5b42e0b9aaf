//! Closures as plain C function pointers.
//!
//! - `kinds.rs`: `Fn` closures, and closures that change or consume their captured variables;
//! - `kept.rs`: closures on the heap;
//! - `adapters.rs`: the code between a stub and a closure, generated at compile time for each type of closure;
//!   `numbered.rs`: the corresponding code for targets without stubs;
//! - `pointer.rs`: the types of function pointers, and pointers to closures that capture nothing; `higher_ranked.rs`:
//!   pointers whose parameters are references with any lifetime;
//! - `bound.rs`: the trampolines and holders of bound closures, the trait of types that can be bound, and the methods
//!   of all guards;
//! - `borrowed.rs`: closures borrowed for a scope; `owned.rs`: closures that their guards own; `guard.rs`: guards
//!   that erase the closure's type; `stored.rs`: closures stored without a heap; `one_shot.rs`: closures that are freed
//!   when their only call ends; `threads.rs`: closures that check or order the threads that call them.

mod adapters;
mod borrowed;
mod bound;
#[cfg(feature = "alloc")]
mod guard;
#[cfg(not(loom))]
pub mod higher_ranked;
#[cfg(feature = "alloc")]
pub(crate) mod kept;
mod kinds;
#[cfg(portable)]
mod numbered;
#[cfg(all(feature = "alloc", not(loom)))]
mod one_shot;
mod owned;
mod pointer;
#[cfg(not(loom))]
mod stored;
#[cfg(all(feature = "std", not(loom)))]
mod threads;

pub use borrowed::{Callback, bind};
use bound::Types;
pub(crate) use bound::guard_methods;
#[cfg_attr(not(stubs), allow(unused_imports))]
pub use bound::{Bare, Borrows, BoundTrampoline, Closure, HasAdapter, Holder, Local, Satisfies};
#[cfg(feature = "alloc")]
pub use guard::Guard;
pub use kinds::{ByMut, Call, Once, Tupled, Unwind, by_mut, once, tupled, unwind};
#[cfg(all(feature = "alloc", not(loom)))]
pub use one_shot::one_shot;
pub use owned::{BindError, InPlace};
#[cfg(feature = "alloc")]
pub use owned::{Boxed, boxed, try_boxed};
#[cfg(all(feature = "alloc", not(loom)))]
pub use owned::{leaked, leaked_safe_fn, try_leaked};
#[cfg(not(loom))]
pub use pointer::plain;
pub use pointer::{FunctionPointer, Typed, UnsafeFn, typed};
#[cfg(not(loom))]
pub use stored::{Inline, Pool};
#[cfg(all(feature = "std", not(loom)))]
pub use threads::{SameThread, Synchronized, same_thread, synchronized};

/// Invokes a macro 17 times: with no name, with the first name, with the first two, and so on up to 16.
macro_rules! for_each_arity {
    ($macro:ident) => {
        $crate::closure::for_each_arity! { $macro [] A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 }
    };
    ($macro:ident [$($name:ident)*]) => {
        $macro!($($name)*);
    };
    ($macro:ident [$($name:ident)*] $next:ident $($more:ident)*) => {
        $macro!($($name)*);
        $crate::closure::for_each_arity! { $macro [$($name)* $next] $($more)* }
    };
}
use for_each_arity;

/// The calling conventions. A convention that is the same as `"C"` or `"C-unwind"` on this target is listed as equal to
/// `"C"` or `"C-unwind"`. Any other convention needs functions that the compiler generates for each slot.
macro_rules! for_each_convention {
    ($macro:ident: $($arg:ident)*) => {
        #[cfg(not(all(target_arch = "x86", windows)))]
        $macro!("system" = "C": $($arg)*);
        #[cfg(not(all(target_arch = "x86", windows)))]
        $macro!("system-unwind" = "C-unwind": $($arg)*);
        #[cfg(all(target_arch = "x86_64", not(any(windows, target_os = "uefi", target_os = "cygwin"))))]
        $macro!("sysv64" = "C": $($arg)*);
        #[cfg(all(target_arch = "x86_64", any(windows, target_os = "uefi", target_os = "cygwin")))]
        $macro!("win64" = "C": $($arg)*);
        #[cfg(any(
            all(target_arch = "x86_64", any(windows, target_os = "uefi", target_os = "cygwin")),
            all(target_arch = "arm", target_abi = "eabi"),
            target_arch = "aarch64", target_arch = "riscv32", target_arch = "riscv64",
        ))]
        $macro!("efiapi" = "C": $($arg)*);
        #[cfg(all(target_arch = "arm", target_abi = "eabi"))]
        $macro!("aapcs" = "C": $($arg)*);
        #[cfg(all(target_arch = "x86", portable))]
        $macro!("stdcall": $($arg)*);
        #[cfg(all(target_arch = "x86", portable))]
        $macro!("fastcall": $($arg)*);
        #[cfg(all(target_arch = "x86", portable))]
        $macro!("thiscall": $($arg)*);
        #[cfg(all(target_arch = "x86", windows))]
        $macro!("system": $($arg)*);
    };
}
use for_each_convention;
