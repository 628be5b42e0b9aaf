//! Procedures that return their static chain, in the register of each target.

/// Declares procedures, each a callee of its own, that return `chain * 2 + ODD`.
#[macro_export]
macro_rules! twice_the_chain {
    ($($name:ident $odd:literal)*) => {
        $(#[unsafe(naked)]
        extern "C" fn $name() -> usize {
            #[cfg(target_arch = "x86_64")]
            core::arch::naked_asm!("endbr64", concat!("lea rax, [r10 * 2 + ", $odd, "]"), "ret");
            #[cfg(target_arch = "x86")]
            core::arch::naked_asm!("endbr32", concat!("lea eax, [ecx * 2 + ", $odd, "]"), "ret");
            #[cfg(target_arch = "aarch64")]
            core::arch::naked_asm!("hint #34", "add x0, x15, x15", concat!("add x0, x0, #", $odd), "ret");
            #[cfg(target_arch = "arm")]
            core::arch::naked_asm!("add r0, r12, r12", concat!("add r0, r0, #", $odd), "bx lr");
            #[cfg(any(target_arch = "powerpc", target_arch = "powerpc64"))]
            core::arch::naked_asm!("add 3, 11, 11", concat!("addi 3, 3, ", $odd), "blr");
            #[cfg(target_arch = "riscv64")]
            core::arch::naked_asm!("add a0, t2, t2", concat!("addi a0, a0, ", $odd), "ret");
            #[cfg(target_arch = "loongarch64")]
            core::arch::naked_asm!("add.d $a0, $t8, $t8", concat!("addi.d $a0, $a0, ", $odd), "ret");
            #[cfg(target_arch = "s390x")]
            core::arch::naked_asm!("lgr %r2, %r0", "agr %r2, %r2", concat!("aghi %r2, ", $odd), "br %r14");
        })*
    };
}
