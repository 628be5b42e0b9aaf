//! System V x86-64 (psABI, section 3.2.3). `rax` stays: a variadic caller says there how many vector registers it used.

/// No type needs an even register.
pub(crate) const HAS_EVEN_PAIRS: bool = false;

inserts! {
    FIRST {
        first_0 "rdi";
        first_1 "rsi" "rdi";
        first_2 "rdx" "rsi" "rdi";
        first_3 "rcx" "rdx" "rsi" "rdi";
        first_4 "r8" "rcx" "rdx" "rsi" "rdi";
        first_5 "r9" "r8" "rcx" "rdx" "rsi" "rdi";
    }
    AFTER_RESULT {
        after_result_0 "rsi";
        after_result_1 "rdx" "rsi";
        after_result_2 "rcx" "rdx" "rsi";
        after_result_3 "r8" "rcx" "rdx" "rsi";
        after_result_4 "r9" "r8" "rcx" "rdx" "rsi";
    }
}
