//! PowerPC of 32 bits (System V ABI, PowerPC Processor Supplement, "Parameter Passing").

/// An integer of 64 bits.
pub(crate) const HAS_EVEN_PAIRS: bool = true;

macro_rules! adapter {
    ($context:literal; $({$to:literal $from:literal})*) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            $(concat!("mr ", $to, ", ", $from),)*
            concat!("lwz ", $context, ", 0(11)"),
            "lwz 12, 4(11)",
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
