//! The closure's address on its way to a parameter, where eight registers take integer arguments and larger ones are
//! passed by reference: AArch64 (AAPCS64, section 6.8.2: x0 to x7) and RISC-V (ELF psABI, chapter "Integer Calling
//! Convention": a0 to a7).
//!
//! How many registers the arguments take, a compiler could tell from their types and we cannot; but at most one for
//! each word of an argument of up to two, one more where such an argument must begin in an even register, and one for
//! any larger argument. In two ways, both of them a jump without a frame:
//!
//! - *Behind the arguments*, if that is at most 3: the four registers from the fourth on are set to the closure's
//!   address, and of the four parameters that follow the arguments the last lies in one of them.
//! - *Before the arguments*, if it is at most 6: the arguments move up by two registers (so that even ones stay even),
//!   and the closure's address is the first. What lies on the stack stays there: while registers are left, only
//!   floating-point arguments are.
//!
//! Signatures that may take more are refused when the program is compiled.

/// The most integer registers that an argument of a type can take.
pub(in crate::closure) const fn registers<A>() -> usize {
    let words = size_of::<A>().div_ceil(size_of::<usize>());
    match words {
        0 | 1 => 1,
        2 => 2 + (align_of::<A>() > size_of::<usize>()) as usize,
        _ => 1, // its address
    }
}

/// The same for the hidden pointer to a result, which AArch64 passes in x8.
///
/// At most: where RISC-V's registers are of 4 bytes and its floating-point ones of 8, a struct of two `f64` has none.
pub(in crate::closure) const fn result_registers<R>() -> usize {
    if cfg!(target_arch = "aarch64") { 0 } else { (size_of::<R>() > 2 * size_of::<usize>()) as usize }
}

/// Whether that is surely the number.
pub(in crate::closure) const fn is_sure_of_result<R>() -> bool {
    !cfg!(target_arch = "riscv32") || !matches!(size_of::<R>(), 9..=16)
}

/// The body of a naked adapter that jumps to a function.
macro_rules! behind {
    ($enter:path) => {{
        #[cfg(target_arch = "aarch64")]
        core::arch::naked_asm!(
            ".cfi_startproc",
            "hint #34", // bti c
            "mov x3, x15",
            "mov x4, x15",
            "mov x5, x15",
            "mov x6, x15",
            "b {enter}",
            ".cfi_endproc",
            enter = sym $enter,
        );
        #[cfg(not(target_arch = "aarch64"))]
        core::arch::naked_asm!(
            ".cfi_startproc",
            "mv a3, t2",
            "mv a4, t2",
            "mv a5, t2",
            "mv a6, t2",
            "tail {enter}",
            ".cfi_endproc",
            enter = sym $enter,
        )
    }};
}
pub(super) use behind;

/// The same, with the closure's address first; where the result is in memory, behind the pointer to it.
macro_rules! before {
    ($enter:path) => {{
        #[cfg(target_arch = "aarch64")]
        core::arch::naked_asm!(
            ".cfi_startproc",
            "hint #34", // bti c
            "mov x7, x5",
            "mov x6, x4",
            "mov x5, x3",
            "mov x4, x2",
            "mov x3, x1",
            "mov x2, x0",
            "mov x0, x15",
            "b {enter}",
            ".cfi_endproc",
            enter = sym $enter,
        );
        #[cfg(not(target_arch = "aarch64"))]
        core::arch::naked_asm!(
            ".cfi_startproc",
            "mv a7, a5",
            "mv a6, a4",
            "mv a5, a3",
            "mv a4, a2",
            "mv a3, a1",
            "mv a2, a0",
            "mv a0, t2",
            "tail {enter}",
            ".cfi_endproc",
            enter = sym $enter,
        )
    }};
}
pub(super) use before;

/// As `before`, where the first register is that of the result.
#[cfg(not(target_arch = "aarch64"))]
macro_rules! behind_result {
    ($enter:path) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "mv a7, a5",
            "mv a6, a4",
            "mv a5, a3",
            "mv a4, a2",
            "mv a3, a1",
            "mv a1, t2",
            "tail {enter}",
            ".cfi_endproc",
            enter = sym $enter,
        )
    };
}
#[cfg(target_arch = "aarch64")]
pub(super) use before as behind_result; // the result's pointer has a register of its own
#[cfg(not(target_arch = "aarch64"))]
pub(super) use behind_result;

/// The function of a closure's type that returns its adapter.
macro_rules! adapter {
    ($abi:literal, $kind:ty, $($arg:ident)*) => {
        #[allow(non_snake_case, improper_ctypes_definitions, clippy::too_many_arguments)]
        fn adapter<H: Holder<Closure = Self>>() -> *const () {
            use $crate::closure::adapters::arch;

            extern $abi fn enter_behind<H: Holder<Closure = $kind>, K: Call<($($arg,)*)>, $($arg),*>(
                $($arg: $arg,)* _: usize, _: usize, _: usize, closure: *const H,
            ) -> K::Output {
                // SAFETY: whoever made the trampoline put the address of a holder of
                // this very type into the chain, for as long as the trampoline lives.
                unsafe { H::with(closure, |closure| <$kind as Closure<($($arg,)*)>>::run(closure, ($($arg,)*))) }
            }
            extern $abi fn enter_before<H: Holder<Closure = $kind>, K: Call<($($arg,)*)>, $($arg),*>(
                closure: *const H, _: usize, $($arg: $arg),*
            ) -> K::Output {
                // SAFETY: as above.
                unsafe { H::with(closure, |closure| <$kind as Closure<($($arg,)*)>>::run(closure, ($($arg,)*))) }
            }

            #[unsafe(naked)]
            extern "C" fn behind<H: Holder<Closure = $kind>, K: Call<($($arg,)*)>, $($arg),*>() {
                arch::behind!(enter_behind::<H, K, $($arg),*>)
            }
            #[unsafe(naked)]
            extern "C" fn before<H: Holder<Closure = $kind>, K: Call<($($arg,)*)>, $($arg),*>() {
                arch::before!(enter_before::<H, K, $($arg),*>)
            }
            #[unsafe(naked)]
            extern "C" fn behind_result<H: Holder<Closure = $kind>, K: Call<($($arg,)*)>, $($arg),*>() {
                arch::behind_result!(enter_before::<H, K, $($arg),*>)
            }

            let result = arch::result_registers::<K::Output>();
            let most = const {
                let most = arch::result_registers::<K::Output>() $(+ arch::registers::<$arg>())*;
                assert!(
                    size_of::<usize>() == 8 || cfg!(target_arch = "riscv32"),
                    "the adapters of AArch64 are for pointers of 64 bits"
                );
                assert!(
                    most <= 3 || arch::is_sure_of_result::<K::Output>(),
                    "on this target a closure whose result is of 9 to 16 bytes can take no more than two registers' \
                     worth of arguments: pass a reference to a struct that has them"
                );
                assert!(
                    most <= 6,
                    "on this target a closure can take no more than six registers' worth of arguments: \
                     pass a reference to a struct that has them"
                );
                most
            };
            if most <= 3 {
                behind::<H, K, $($arg),*> as *const ()
            } else if result == 0 {
                before::<H, K, $($arg),*> as *const ()
            } else {
                behind_result::<H, K, $($arg),*> as *const ()
            }
        }
    };
}
pub(super) use adapter;
