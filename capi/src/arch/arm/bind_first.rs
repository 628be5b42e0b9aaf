//! Arm (AAPCS32, section 6.1.1).

/// An argument of 64 bits.
pub(crate) const HAS_EVEN_PAIRS: bool = true;

/// In Thumb, of instructions that every such processor has. The callee's address goes by way of the stack to pc.
#[cfg(target_os = "none")]
macro_rules! adapter {
    ($context:literal; $({$to:literal $from:literal})*) => {
        core::arch::naked_asm!(
            $(concat!("mov ", $to, ", ", $from),)*
            "push {{r4, r5}}", // the second makes room for the callee
            "mov r4, r12",
            concat!("ldr ", $context, ", [r4]"),
            "ldr r4, [r4, #4]",
            "str r4, [sp, #4]",
            "pop {{r4, pc}}",
        )
    };
}

inserts! {
    FIRST {
        first_0 "r0";
        first_1 "r1" "r0";
        first_2 "r2" "r1" "r0";
        first_3 "r3" "r2" "r1" "r0";
    }
    AFTER_RESULT {
        after_result_0 "r1";
        after_result_1 "r2" "r1";
        after_result_2 "r3" "r2" "r1";
    }
}
