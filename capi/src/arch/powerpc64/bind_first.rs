//! PowerPC of 64 bits (Power ELFv2 ABI, section 2.2.4.1). Every argument has a place among the registers of its own, also one
//! that travels in floating-point registers.

/// A struct that is aligned to 16 bytes, or a vector.
pub(crate) const HAS_EVEN_PAIRS: bool = true;

macro_rules! adapter {
    ($context:literal; $({$to:literal $from:literal})*) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            $(concat!("mr ", $to, ", ", $from),)*
            concat!("ld ", $context, ", 0(11)"),
            "ld 12, 8(11)",
            "mtctr 12",
            "bctr",
            ".cfi_endproc",
        )
    };
}

inserts! {
    FIRST {
        first_0 "3";
        first_1 "4" "3";
        first_2 "5" "4" "3";
        first_3 "6" "5" "4" "3";
        first_4 "7" "6" "5" "4" "3";
        first_5 "8" "7" "6" "5" "4" "3";
        first_6 "9" "8" "7" "6" "5" "4" "3";
        first_7 "10" "9" "8" "7" "6" "5" "4" "3";
    }
    AFTER_RESULT {
        after_result_0 "4";
        after_result_1 "5" "4";
        after_result_2 "6" "5" "4";
        after_result_3 "7" "6" "5" "4";
        after_result_4 "8" "7" "6" "5" "4";
        after_result_5 "9" "8" "7" "6" "5" "4";
        after_result_6 "10" "9" "8" "7" "6" "5" "4";
    }
}
