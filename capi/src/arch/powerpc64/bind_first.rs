//! PowerPC, of 64 bits (Power ELFv2 ABI, section 2.2.4.1), where every argument has a place among the registers of its own, also one
//! that travels in floating-point registers, and of 32 (System V ABI, PowerPC Processor Supplement, "Parameter Passing").

/// A struct that is aligned to 16 bytes, or a vector; on 32 bits an integer of 64.
pub(crate) const HAS_EVEN_PAIRS: bool = true;

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
