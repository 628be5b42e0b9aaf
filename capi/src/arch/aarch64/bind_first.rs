//! AArch64 (AAPCS64, section 6.8.2). The pointer to a result in memory is in x8, which is no argument's register.

/// An argument of 128 bits.
pub(crate) const HAS_EVEN_PAIRS: bool = true;

inserts! {
    FIRST {
        first_0 "x0";
        first_1 "x1" "x0";
        first_2 "x2" "x1" "x0";
        first_3 "x3" "x2" "x1" "x0";
        first_4 "x4" "x3" "x2" "x1" "x0";
        first_5 "x5" "x4" "x3" "x2" "x1" "x0";
        first_6 "x6" "x5" "x4" "x3" "x2" "x1" "x0";
        first_7 "x7" "x6" "x5" "x4" "x3" "x2" "x1" "x0";
    }
}
pub(crate) const AFTER_RESULT: &[extern "C" fn()] = FIRST;
