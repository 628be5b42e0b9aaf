//! Adapters between stubs and closures. The compiler generates an adapter for each combination of closure type and
//! holder type.
//!
//! A stub jumps to the adapter with the holder's address in the static-chain register. The body of a compiled function
//! cannot read that register reliably, so the adapter is a naked function. The adapter passes on the arguments, and
//! adds the holder's address, either as an additional argument or in thread-local words. Some adapters move the
//! arguments to other registers, or copy them on the stack.
//!
//! The way in which the address is passed depends on the processor and the signature; the instructions are in the macro
//! `instructions!` of `src/arch/*/adapters.rs`. Targets without stubs need no assembly (`src/closure/numbered.rs`).

#[cfg(stubs)]
pub(super) use {crate::arch::adapters, crate::arch::signature, core::marker::PhantomData};

/// Defines an adapter and evaluates to its address. The adapter is a naked function that consists of the given
/// instructions, which jump to or call the function `{enter}`. In `{enter}`, `$holder` yields the holder's address, and
/// additional parameters may precede and follow the closure's parameters. Operands of the instructions may refer to
/// `Self::SIGNATURE`.
///
/// For a closure `K: Fn(f64) -> f64` in a `Bare` holder, the macro generates this code on x86-64 (generic parameters
/// omitted):
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
        ($abi:literal, $($arg:ident)*),
        ($($before:tt)*), ($($after:tt)*), $holder:expr, $($instructions:tt)+
    ) => {{
        struct For<H, R, Arguments>(PhantomData<(H, R, Arguments)>);

        impl<H: Holder<Closure: Closure<($($arg,)*), Output = R>>, R, $($arg),*> For<H, R, ($($arg,)*)> {
            #[allow(dead_code, reason = "some adapters do not depend on the signature")]
            const SIGNATURE: Signature<'static> =
                Signature { arguments: &[$(SizeAlign::of::<$arg>()),*], result: SizeAlign::of::<R>() };

            #[allow(non_snake_case, improper_ctypes_definitions, clippy::too_many_arguments)]
            extern $abi fn enter($($before)* $($arg: $arg,)* $($after)*) -> R {
                let holder: *const H = $holder;
                // SAFETY: the code that made the trampoline stored the address of a holder of this type as the chain,
                // and that holder exists as long as the trampoline is live.
                unsafe { H::with(holder, |closure| H::Closure::run(closure, ($($arg,)*))) }
            }

            #[unsafe(naked)]
            extern "C" fn adapter() {
                core::arch::naked_asm!($($instructions)+ enter = sym Self::enter)
            }
        }
        For::<H, R, ($($arg,)*)>::adapter as *const ()
    }};
}
#[cfg(stubs)]
pub(super) use define_adapter;

/// Evaluates to the address of the adapter for a closure that is in a holder of type `H` and returns `R`.
#[cfg(stubs)]
macro_rules! adapter_address {
    ($abi:literal, $($arg:ident)*) => {{
        use crate::closure::adapters::{PhantomData, adapters, define_adapter, signature::{Signature, SizeAlign}};
        let passing = const {
            let signature = Signature { arguments: &[$(SizeAlign::of::<$arg>()),*], result: SizeAlign::of::<R>() };
            signature.assert_alignment();
            adapters::passing(&signature)
        };
        adapters::instructions!(passing, define_adapter ($abi, $($arg)*))
    }};
}
/// Evaluates to an address that represents the adapter. No code jumps to this address.
#[cfg(loom)]
macro_rules! adapter_address {
    ($abi:literal, $($arg:ident)*) => {
        super::BoundTrampoline::call::<($($arg,)*), H> as *const ()
    };
}
#[cfg(portable)]
pub(super) use super::numbered::adapter_address;
#[cfg(not(portable))]
pub(super) use adapter_address;
