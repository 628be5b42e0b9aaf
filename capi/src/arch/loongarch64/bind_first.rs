//! LoongArch, 64 bits (ELF psABI, section "Procedure Calling Convention").

/// A variadic argument of twice a register's size.
pub(crate) const HAS_EVEN_PAIRS: bool = true;

inserts! {
    FIRST {
        first_0 "$a0";
        first_1 "$a1" "$a0";
        first_2 "$a2" "$a1" "$a0";
        first_3 "$a3" "$a2" "$a1" "$a0";
        first_4 "$a4" "$a3" "$a2" "$a1" "$a0";
        first_5 "$a5" "$a4" "$a3" "$a2" "$a1" "$a0";
        first_6 "$a6" "$a5" "$a4" "$a3" "$a2" "$a1" "$a0";
        first_7 "$a7" "$a6" "$a5" "$a4" "$a3" "$a2" "$a1" "$a0";
    }
    AFTER_RESULT {
        after_result_0 "$a1";
        after_result_1 "$a2" "$a1";
        after_result_2 "$a3" "$a2" "$a1";
        after_result_3 "$a4" "$a3" "$a2" "$a1";
        after_result_4 "$a5" "$a4" "$a3" "$a2" "$a1";
        after_result_5 "$a6" "$a5" "$a4" "$a3" "$a2" "$a1";
        after_result_6 "$a7" "$a6" "$a5" "$a4" "$a3" "$a2" "$a1";
    }
}
