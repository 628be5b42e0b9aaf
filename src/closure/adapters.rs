//! Adapters between stubs and closures. The compiler generates one for each combination of closure type and holder
//! type.
//!
//! A stub jumps to the adapter with the holder's address in the static-chain register. The body of a compiled function
//! cannot read that register reliably, so the adapter is a naked function. It passes all arguments on unchanged,
//! although some adapters move them to other registers or copy them on the stack. It also passes the holder's address,
//! either as an additional argument or in thread-local words.
//!
//! How the address is passed depends on the processor and the signature. The macro `instructions!`
//! in `src/arch/*/adapters.rs` contains the instructions. Targets without stubs need no assembly
//! (`src/closure/numbered.rs`).

use super::bound::Holder;
use super::for_each_arity;
use super::kinds::{Call, Unwind, sealed};
use super::{BoundTrampoline, Closure};
#[cfg(stubs)]
use crate::arch::adapters;
#[cfg(stubs)]
use crate::arch::signature::{Signature, SizeAlign};
#[cfg(stubs)]
use core::marker::PhantomData;

/// Defines an adapter and evaluates to its address. The adapter is a naked function with the given instructions, which
/// enter the function `{enter}`. That function may have additional parameters before and after the closure's parameters.
/// In it, the expression `$holder` yields the holder's address. Operands of the instructions may refer to `Self::SIGNATURE`.
///
/// For a closure `K: Fn(f64) -> f64` in its `Bare` holder, the result on x86-64 is, without generic parameters:
///
/// ```text
/// extern "C" fn adapter() {                 // naked; the stub jumps here with the holder's address in r10
///     .cfi_startproc
///     endbr64
///     movq   xmm3, r10                      // one of these four registers is `holder` below
///     movaps xmm4, xmm3
///     movaps xmm5, xmm3
///     movaps xmm6, xmm3
///     jmp    enter
///     .cfi_endproc
/// }
/// extern "C" fn enter(A0: f64, _: f64, _: f64, _: f64, holder: f64) -> f64 {
///     let holder: *const Bare<K> = with_exposed_provenance(holder.to_bits() as usize);
///     Bare::with(holder, |closure| K::run(closure, (A0,)))
/// }
/// ```
#[cfg(stubs)]
macro_rules! define_adapter {
    (
        ($abi:literal $kind:ty, $($arg:ident)*),
        ($($before:tt)*), ($($after:tt)*), $holder:expr, $($instructions:tt)+
    ) => {{
        struct For<H, K, Arguments>(PhantomData<(H, K, Arguments)>);

        impl<H: Holder<Closure = $kind>, K: Call<($($arg,)*)>, $($arg),*> For<H, K, ($($arg,)*)> {
            #[allow(dead_code, reason = "some adapters do not depend on the signature")]
            const SIGNATURE: Signature<'static> =
                Signature { arguments: &[$(SizeAlign::of::<$arg>()),*], result: SizeAlign::of::<K::Output>() };

            #[allow(non_snake_case, improper_ctypes_definitions, clippy::too_many_arguments)]
            extern $abi fn enter($($before)* $($arg: $arg,)* $($after)*) -> K::Output {
                let holder: *const H = $holder;
                // SAFETY: the code that made the trampoline stored the address of a holder of this type as the chain,
                // and that holder exists as long as the trampoline is live.
                unsafe { H::with(holder, |closure| <$kind as Closure<($($arg,)*)>>::run(closure, ($($arg,)*))) }
            }

            #[unsafe(naked)]
            extern "C" fn adapter() {
                core::arch::naked_asm!($($instructions)+ enter = sym Self::enter)
            }
        }
        For::<H, K, ($($arg,)*)>::adapter as *const ()
    }};
}

macro_rules! implement_closure {
    ($(#[$hidden:meta])? $abi:literal, $kind:ty, $closure:ident => $inner:expr, $($arg:ident)*) => {
        impl<K: Call<($($arg,)*)>, $($arg),*> sealed::Bindable<($($arg,)*)> for $kind {}

        $(#[$hidden])?
        impl<K: Call<($($arg,)*)>, $($arg),*> Closure<($($arg,)*)> for $kind {
            type Pointer = unsafe extern $abi fn($($arg),*) -> K::Output;
            type Output = K::Output;

            #[cfg(portable)]
            fn adapter_address<H: Holder<Closure = Self>>() -> *const () {
                super::numbered::adapter_address!($kind, $($arg)*)
            }

            #[cfg(stubs)]
            fn adapter_address<H: Holder<Closure = Self>>() -> *const () {
                let passing = const {
                    let signature =
                        Signature { arguments: &[$(SizeAlign::of::<$arg>()),*], result: SizeAlign::of::<K::Output>() };
                    signature.assert_alignment();
                    adapters::passing(&signature)
                };
                adapters::instructions!(passing, define_adapter ($abi $kind, $($arg)*))
            }

            /// Returns an address that stands for the adapter. No code jumps there.
            #[cfg(loom)]
            fn adapter_address<H: Holder<Closure = Self>>() -> *const () {
                <Self as Closure<($($arg,)*)>>::call_through::<H> as *const ()
            }

            #[inline]
            fn pointer(trampoline: &BoundTrampoline) -> Self::Pointer {
                // SAFETY: the address is not null. Code that calls through the pointer guarantees that the trampoline
                // enters one of the adapters above, which behaves like a function of this type.
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
                // SAFETY: the trampoline is live. Code that has a reference to the guard is also allowed to have a
                // reference to the closure, so it may call the closure.
                return unsafe { <Self as Closure<($($arg,)*)>>::pointer(trampoline)($($arg),*) };
                #[cfg(loom)]
                // SAFETY: the chain of a live trampoline is the address of a holder of type `H`, which exists as long
                // as the trampoline is live.
                return unsafe {
                    H::with(trampoline.enter().1.cast(), |closure| Self::run(closure, ($($arg,)*)))
                };
            }
        }
    };
}

macro_rules! closures {
    ($($arg:ident)*) => {
        implement_closure!("C", K, closure => closure, $($arg)*);
        // Without this attribute, the compiler would list these implementations in every error about a closure that
        // cannot be bound.
        implement_closure!(#[diagnostic::do_not_recommend] "C-unwind", Unwind<K>, closure => closure.0, $($arg)*);
    };
}
for_each_arity!(closures);
