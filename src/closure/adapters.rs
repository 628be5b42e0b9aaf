//! From a stub to the closure: an adapter for each signature, made at compile time.
//!
//! A stub enters the adapter with the closure's address in the static-chain register, which
//! no compiled function can be trusted to find there in its body. So the adapter is naked. It
//! passes every argument on as it came, wherever the calling convention has put it, and the
//! closure's address besides, as one more parameter behind them.
//!
//! System V x86-64 (psABI, section 3.2.3), in two ways:
//!
//! - *In a register.* The integer parameters take registers in the order rdi, rsi, rdx, rcx,
//!   r8, r9. How many the arguments take, a compiler could tell from their types and we
//!   cannot; but at most one for each eight bytes of an argument of up to 16, and one for a
//!   result in memory. If that is at most 2, the last four registers are free: all are set to
//!   the closure's address, and of the four parameters that follow the arguments the last lies
//!   in one of them, however many the arguments really take. No frame, no memory: a jump.
//!
//!   ```text
//!     (f64, ptr)              rdi  rsi  rdx  rcx  r8   r9
//!     what came               ptr  -
//!     what is set                       c    c    c    c
//!     enter(f64, ptr, _, _, _, c)  ptr  _    _    _    c
//!   ```
//!
//! - *In memory.* A parameter of more than 16 bytes lies in memory, in front of the caller's
//!   own stack arguments, and takes no register. The adapter makes such a parameter out of
//!   the closure's address, and of the return address that is there already:
//!
//!   ```text
//!     rsp -> closure | pad | pad | return address | the caller's stack arguments ...
//!   ```

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

/// The most integer registers that an argument of a type can take.
#[cfg(not(loom))]
const fn registers<A>() -> usize {
    match size_of::<A>() {
        0..=8 => 1,
        9..=16 => 2,
        _ => 0, // in memory
    }
}

/// The same for the hidden pointer to a result. A result of up to eight bytes that is aligned
/// like a number is surely returned in a register.
#[cfg(not(loom))]
const fn result_registers<R>() -> usize {
    (size_of::<R>() > 8 || size_of::<R>() > align_of::<R>()) as usize
}

/// A parameter of more than 16 bytes, as drawn above.
#[cfg(not(loom))]
#[repr(C)]
struct InMemory<K> {
    closure: *const K,
    _pad: [usize; 2],
    _return: usize,
}

macro_rules! adapters {
    ($abi:literal, $kind:ty, $closure:ident => $inner:expr, $($arg:ident)*) => {
        impl<K: Call<($($arg,)*)>, $($arg),*> Closure<($($arg,)*)> for $kind {
            type Pointer = unsafe extern $abi fn($($arg),*) -> K::Output;
            type Output = K::Output;

            #[cfg(all(not(loom), target_arch = "x86_64"))]
            #[allow(non_snake_case, improper_ctypes_definitions, clippy::too_many_arguments)]
            fn adapter() -> *const () {
                /// # Safety
                /// The address is that of a closure of this type, which is there.
                #[inline(always)]
                unsafe fn run<K: Call<($($arg,)*)>, $($arg),*>(
                    closure: *const $kind, $($arg: $arg),*
                ) -> K::Output {
                    // SAFETY: the caller's promise.
                    let $closure = unsafe { &*closure };
                    $inner.call(($($arg,)*))
                }

                extern $abi fn enter<K: Call<($($arg,)*)>, $($arg),*>(
                    $($arg: $arg,)* _: usize, _: usize, _: usize, closure: *const $kind,
                ) -> K::Output {
                    // SAFETY: whoever made the trampoline put the address of a closure of
                    // this very type into the chain, for as long as the trampoline lives.
                    unsafe { run::<K, $($arg),*>(closure, $($arg),*) }
                }
                extern $abi fn enter_in_memory<K: Call<($($arg,)*)>, $($arg),*>(
                    passed: InMemory<$kind>, $($arg: $arg),*
                ) -> K::Output {
                    // SAFETY: as above.
                    unsafe { run::<K, $($arg),*>(passed.closure, $($arg),*) }
                }

                #[unsafe(naked)]
                extern "C" fn adapter<K: Call<($($arg,)*)>, $($arg),*>() {
                    core::arch::naked_asm!(
                        ".cfi_startproc",
                        "endbr64",
                        "mov rdx, r10",
                        "mov rcx, r10",
                        "mov r8, r10",
                        "mov r9, r10",
                        "jmp {enter}",
                        ".cfi_endproc",
                        enter = sym enter::<K, $($arg),*>,
                    )
                }
                #[unsafe(naked)]
                extern "C" fn adapter_in_memory<K: Call<($($arg,)*)>, $($arg),*>() {
                    core::arch::naked_asm!(
                        ".cfi_startproc",
                        "endbr64",
                        "sub rsp, 16", // the call below needs rsp % 16 == 0
                        ".cfi_adjust_cfa_offset 16",
                        "push r10",
                        ".cfi_adjust_cfa_offset 8",
                        "call {enter}",
                        "add rsp, 24",
                        ".cfi_adjust_cfa_offset -24",
                        "ret",
                        ".cfi_endproc",
                        enter = sym enter_in_memory::<K, $($arg),*>,
                    )
                }

                const { assert!(usize::BITS == 64) };
                let most = result_registers::<K::Output>() $(+ registers::<$arg>())*;
                if most <= 2 {
                    adapter::<K, $($arg),*> as *const ()
                } else {
                    adapter_in_memory::<K, $($arg),*> as *const ()
                }
            }

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
            #[inline]
            unsafe fn call_through(trampoline: &Trampoline, ($($arg,)*): ($($arg,)*)) -> K::Output {
                #[cfg(not(loom))]
                // SAFETY: the trampoline is alive, and whoever has a reference to its guard
                // might as well have one to the closure.
                return unsafe {
                    <Self as Closure<($($arg,)*)>>::pointer(trampoline)($($arg),*)
                };
                #[cfg(loom)]
                {
                    // SAFETY: the chain of a live trampoline is the address of a closure of
                    // this very type, which lives as long.
                    let $closure = unsafe { &*trampoline.enter().1.cast::<$kind>() };
                    return $inner.call(($($arg,)*));
                }
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
