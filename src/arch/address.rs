//! Addresses of symbols, computed with the processor's `address!` macro. This file also contains PowerPC's version.
//! MIPS and 32-bit x86 replace `asm_address!` with their own versions, and 32-bit x86 and Arm boards replace
//! `address_of!`.

/// Expands to an `asm!` block that contains the given instructions and then `address!`, which stores the PC-relative
/// address of a symbol or label in a variable.
#[allow(unused_macros, reason = "a processor's own definition replaces it")]
#[cfg(not(any(target_arch = "powerpc", target_arch = "powerpc64")))]
macro_rules! asm_address {
    ([$($before:expr),*] $symbol:expr => $address:ident, $($operands:tt)*) => {
        core::arch::asm!($($before,)* $crate::arch::address!($symbol), out(reg) $address, $($operands)*)
    };
}
/// The PowerPC version, which also clobbers the link register. It does not use r2, because a leaf function need not
/// have set r2.
#[cfg(any(target_arch = "powerpc", target_arch = "powerpc64"))]
macro_rules! asm_address {
    ([$($before:expr),*] $symbol:expr => $address:ident, $($operands:tt)*) => {
        core::arch::asm!(
            $($before,)*
            $crate::arch::here!(),
            concat!("addis {0}, {0}, (", $symbol, " - 77b)@ha"),
            concat!("addi {0}, {0}, (", $symbol, " - 77b)@l"),
            out(reg_nonzero) $address, out("lr") _, $($operands)*
        )
    };
}
#[allow(unused_imports, reason = "a processor's own definition replaces it")]
pub(crate) use asm_address;

/// Expands to instructions that store the address of label 77 in operand 0. The label marks the second instruction.
/// Clobbers the link register. The processor's return predictor does not treat this form of `bcl` as a call.
#[cfg(any(target_arch = "powerpc", target_arch = "powerpc64"))]
macro_rules! here {
    () => {
        "bcl 20, 31, 77f\n77: mflr {0}"
    };
}
#[cfg(any(target_arch = "powerpc", target_arch = "powerpc64"))]
pub(crate) use here;

/// Computes the PC-relative address of a hidden symbol in the assembly. Rust assumes that every external symbol might
/// be in another image, so it would load the address from a table that the loader relocates. The symbol's name
/// contains the library's version (`build.rs`).
macro_rules! address_of {
    ($symbol:literal) => {{
        let address: *const u8;
        // SAFETY: the instructions only compute an address in this image.
        unsafe {
            $crate::arch::asm_address!(
                [] $crate::__symbol!($symbol) => address, options(pure, nomem, nostack, preserves_flags)
            );
        }
        address
    }};
}
pub(crate) use address_of;
