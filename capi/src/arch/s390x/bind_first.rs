//! s390x (ELF ABI s390x Supplement, section "Parameter Passing"). Nothing moves into r6, the fifth register: it is the caller's.

/// No type needs an even register.
pub(crate) const HAS_EVEN_PAIRS: bool = false;

inserts! {
    FIRST {
        first_0 "%r2";
        first_1 "%r3" "%r2";
        first_2 "%r4" "%r3" "%r2";
        first_3 "%r5" "%r4" "%r3" "%r2";
    }
    AFTER_RESULT {
        after_result_0 "%r3";
        after_result_1 "%r4" "%r3";
        after_result_2 "%r5" "%r4" "%r3";
    }
}
