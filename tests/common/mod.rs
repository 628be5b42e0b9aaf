//! Procedures that return their static chain, which they read from the register that the core's `__processor!`
//! specifies.

/// Declares procedures that return `chain * 2 + ODD`. Each is a different callee.
#[macro_export]
macro_rules! twice_the_chain {
    ($($name:ident $odd:literal)*) => {
        $(#[unsafe(naked)]
        extern "C" fn $name() -> usize {
            #[cfg(not(target_arch = "x86"))]
            core::arch::naked_asm!(
                "/* {me} */", // for processors on which the jump contains the name
                statictramp::__processor!(begin),
                statictramp::__processor!(arguments [$crate::chain_to_first]),
                statictramp::__processor!(jump "{twice}"),
                statictramp::__processor!(end),
                me = sym $name,
                twice = sym $crate::common::twice::<$odd>,
            );
            #[cfg(target_arch = "x86")] // this processor passes no arguments in registers
            core::arch::naked_asm!("endbr32", concat!("lea eax, [ecx * 2 + ", $odd, "]"), "ret");
        })*
    };
}

/// The instruction that moves the chain into the first argument register.
#[macro_export]
macro_rules! chain_to_first {
    ($first:tt $($others:tt)*) => {
        statictramp::__processor!(chain [statictramp::__processor] move $first)
    };
}

#[cfg_attr(target_arch = "x86", allow(dead_code))]
pub extern "C" fn twice<const ODD: usize>(chain: usize) -> usize {
    chain.wrapping_mul(2) + ODD
}
