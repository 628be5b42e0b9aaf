//! The address of a symbol, of the processor's `address!`; PowerPC's is here. x86 of 32 bits has its own, as that pushes a word
//! there; boards of Arm have a table of constants.

/// An `asm!` of some instructions, and after them those that put the address of a symbol or label, relative to the program counter,
/// into a variable: `address!`.
#[cfg(not(any(target_arch = "powerpc", target_arch = "powerpc64")))]
macro_rules! asm_address {
    ([$($before:expr),*] $symbol:expr => $address:ident, $($operands:tt)*) => {
        core::arch::asm!($($before,)* $crate::arch::address!($symbol), out(reg) $address, $($operands)*)
    };
}
/// The same on PowerPC, where it takes the link register. Nothing tells whether r2 is set in a function that calls no other, so it
/// does without it.
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
pub(crate) use asm_address;

/// The instructions that put the address of an instruction of theirs, the label 77, into the operand 0; the link register
/// serves meanwhile. The processor takes this branch for no call.
#[cfg(any(target_arch = "powerpc", target_arch = "powerpc64"))]
macro_rules! here {
    () => {
        "bcl 20, 31, 77f\n77: mflr {0}"
    };
}
#[cfg(any(target_arch = "powerpc", target_arch = "powerpc64"))]
pub(crate) use here;

/// The address of a hidden symbol of the assembly, relative to the program counter. Rust
/// takes every external symbol for one of another image and would load its address from
/// a table that the loader relocates. Symbols carry the version, as `build.rs` says.
macro_rules! address_of {
    ($symbol:literal) => {{
        let address: *const u8;
        // SAFETY: computes an address of this image and does nothing else.
        unsafe {
            $crate::arch::asm_address!(
                [] $crate::__symbol!($symbol) => address, options(pure, nomem, nostack, preserves_flags)
            );
        }
        address
    }};
}
pub(crate) use address_of;
