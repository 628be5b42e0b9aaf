//! Functions that replace stubs on targets without stubs: one for each slot and each type of function pointer.
//!
//! The compiler generates these functions for the pointer types to which closures are bound. Each function contains its
//! slot's number, reads the slot's entry, and calls it with the chain as an additional first argument. They need no
//! assembly and do not depend on the calling convention.

use crate::pool::SLOTS;

/// A function pointer type for which a function exists for slot `N`.
pub trait Numbered<const N: usize> {
    /// The address of the function for slot `N`.
    const FUNCTION: *const ();
}

/// A function pointer type for which a function exists for every slot.
pub trait InEverySlot: Sized {
    /// The addresses of the functions, in the order of their slots.
    const FUNCTIONS: [*const (); SLOTS];
}

/// Sets the trampoline's address to the address of the slot's function of type `P`. The caller must have claimed the
/// slot.
pub(crate) fn choose<P: InEverySlot>(slot: usize) {
    crate::table::set_function(slot, const { &P::FUNCTIONS }[slot]);
}

/// Returns the entry and the chain of a slot. If the trampoline is dead, reports the call and aborts.
#[inline(always)]
fn enter(slot: usize) -> (*const (), *const ()) {
    let (entry, chain) = crate::table::read(slot);
    if entry == crate::trampoline::global::dead_procedure as *const () {
        crate::trampoline::global::dead_procedure(chain.addr());
    }
    (entry, chain)
}

/// Computes the address of the adapter that a slot's function calls for a closure. The caller and the adapter use the
/// same function type, so that the call passes control-flow integrity checks (`kcfi` and `cfi`).
macro_rules! adapter_address {
    ($abi:literal, $($arg:ident)*) => {{
        #[allow(non_snake_case, clippy::too_many_arguments)]
        unsafe fn enter<H: Holder<Closure: Closure<($($arg,)*), Output = R>>, R, $($arg),*>(
            holder: *const (),
            $($arg: $arg),*
        ) -> R {
            // SAFETY: the code that made the trampoline stored the address of a holder of this type as the chain, and
            // that holder exists as long as the trampoline is live.
            unsafe { H::with(holder.cast(), |closure| H::Closure::run(closure, ($($arg,)*))) }
        }
        enter::<H, R, $($arg),*> as *const ()
    }};
}
pub(super) use adapter_address;

macro_rules! numbered {
    ($($arg:ident)*) => {
        numbered!("C": $($arg)*);
        numbered!("C-unwind": $($arg)*);
        super::for_each_convention!(numbered: $($arg)*);
    };
    ($abi:literal = $same:literal: $($arg:ident)*) => {
        impl<R, $($arg),*> InEverySlot for unsafe extern $abi fn($($arg),*) -> R {
            const FUNCTIONS: [*const (); SLOTS] = <unsafe extern $same fn($($arg),*) -> R>::FUNCTIONS;
        }
    };
    ($abi:literal: $($arg:ident)*) => {
        impl<const N: usize, R, $($arg),*> Numbered<N> for unsafe extern $abi fn($($arg),*) -> R {
            const FUNCTION: *const () = {
                #[allow(non_snake_case, improper_ctypes_definitions, clippy::too_many_arguments)]
                unsafe extern $abi fn function<const N: usize, R, $($arg),*>($($arg: $arg),*) -> R {
                    let (entry, chain) = enter(N);
                    // SAFETY: the code that bound the closure selected this function by the pointer's type, so the
                    // entry is an adapter for these arguments.
                    unsafe {
                        let entry = core::mem::transmute::<*const (), unsafe fn(*const (), $($arg),*) -> R>(entry);
                        entry(chain, $($arg),*)
                    }
                }
                function::<N, R, $($arg),*> as *const ()
            };
        }

        impl<R, $($arg),*> InEverySlot for unsafe extern $abi fn($($arg),*) -> R {
            const FUNCTIONS: [*const (); SLOTS] = in_every_slot!();
        }
    };
}
// `build.rs` writes the macro `in_every_slot!`, which expands to an array of `<Self as Numbered<0>>::FUNCTION`, `<Self
// as Numbered<1>>::FUNCTION`, and so on.
include!(concat!(env!("OUT_DIR"), "/slots.rs"));
super::for_each_arity!(numbered);
