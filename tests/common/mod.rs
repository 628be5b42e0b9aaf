//! Procedures that return their static chain, in the register that the core's `__processor!` names.

/// Declares procedures, each a callee of its own, that return `chain * 2 + ODD`.
#[macro_export]
macro_rules! twice_the_chain {
    ($($name:ident $odd:literal)*) => {
        $(#[unsafe(naked)]
        extern "C" fn $name() -> usize {
            #[cfg(not(target_arch = "x86"))]
            core::arch::naked_asm!(
                "/* {me} */", // for processors whose jump names it
                statictramp::__processor!(begin),
                statictramp::__processor!(arguments [$crate::chain_to_first]),
                statictramp::__processor!(jump "{twice}"),
                statictramp::__processor!(end),
                me = sym $name,
                twice = sym $crate::common::twice::<$odd>,
            );
            #[cfg(target_arch = "x86")] // has no register for an argument
            core::arch::naked_asm!("endbr32", concat!("lea eax, [ecx * 2 + ", $odd, "]"), "ret");
        })*
    };
}

/// The instruction that moves the chain into the first of these registers.
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
