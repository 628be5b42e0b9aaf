//! The address of a symbol, of the processor's `address!`. x86 of 32 bits has its own, as that pushes a word there; boards of Arm
//! have a table of constants.

/// An `asm!` of some instructions, and after them `address!`, whose address goes to a variable. Where that changes more
/// registers than the operand, the processor has its own.
#[cfg(not(any(target_arch = "powerpc", target_arch = "powerpc64")))]
macro_rules! asm_address {
    ([$($before:expr),*] $symbol:expr => $address:ident, $($operands:tt)*) => {
        core::arch::asm!($($before,)* $crate::arch::address!($symbol), out(reg) $address, $($operands)*)
    };
}
#[cfg(not(any(target_arch = "powerpc", target_arch = "powerpc64")))]
pub(crate) use asm_address;

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
