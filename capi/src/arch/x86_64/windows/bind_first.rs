//! Microsoft's x64 calling convention: an argument's number says its register, so floating-point ones move, too.

/// No type needs an even register.
pub(crate) const HAS_EVEN_PAIRS: bool = false;

/// All vector registers move: of places that nothing moves to, or from, nobody reads them.
macro_rules! adapter {
    ($context:literal; $({$to:literal $from:literal})*) => {
        core::arch::naked_asm!(
            "movaps xmm3, xmm2",
            "movaps xmm2, xmm1",
            "movaps xmm1, xmm0",
            $(concat!("mov ", $to, ", ", $from),)*
            concat!("mov ", $context, ", [r10]"),
            "jmp [r10 + 8]",
        )
    };
}

inserts! {
    FIRST {
        first_0 "rcx";
        first_1 "rdx" "rcx";
        first_2 "r8" "rdx" "rcx";
        first_3 "r9" "r8" "rdx" "rcx";
    }
    AFTER_RESULT {
        after_result_0 "rdx";
        after_result_1 "r8" "rdx";
        after_result_2 "r9" "r8" "rdx";
    }
}
