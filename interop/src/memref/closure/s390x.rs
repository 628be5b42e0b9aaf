//! s390x (ELF ABI s390x Supplement, section "Parameter Passing"); a struct of scalars is returned as LLVM does: up to four words
//! in r2 to r5, four floating-point ones in f0, f2, f4 and f6. Big-endian: what is smaller than a register or a word of the stack
//! is at its end, but a floating-point number in a register of its own, which begins with it.

pub(super) const INTEGERS: usize = 5;
pub(super) const FLOATS: usize = 4;
pub(super) const FLOAT_WORDS: usize = 1;
pub(super) const FLOATS_GO_ON_IN_INTEGERS: bool = false;
pub(super) const FLOATS_PASS_OVER_INTEGERS: bool = false;
pub(super) const RETURNED_INTEGERS: usize = 4;
pub(super) const RETURNED_FLOATS: [usize; 3] = [4, 4, 4];
pub(super) const RETURNED_ON_X87: usize = 0;
pub(super) const RETURNED_TOGETHER: usize = 8;
pub(super) const SRET_REGISTER: bool = false;

/// The high bytes are the number's.
pub(super) const fn of_register(register: u64, bytes: usize) -> u64 {
    register >> (64 - 8 * bytes)
}

/// The other way round.
pub(super) const fn in_register(bits: u64, bytes: usize) -> u64 {
    bits << (64 - 8 * bytes)
}

macro_rules! text {
    (frame) => {
        concat!(
            "stmg %r14, %r15, 112(%r15)\n",
            ".cfi_offset %r14, -48\n",
            ".cfi_offset %r15, -40\n",
            "la %r1, 160(%r15)\n",
            "aghi %r15, -({size} + 160)\n", // whoever is called may use the lowest 160 bytes
            ".cfi_def_cfa_offset {size} + 320\n",
        )
    };
    (keep) => {
        concat!(
            "stmg %r2, %r6, 160(%r15)\n", // r6 is the caller's and stays
            "std %f0, 200(%r15)\n",
            "std %f2, 208(%r15)\n",
            "std %f4, 216(%r15)\n",
            "std %f6, 224(%r15)\n",
            "stg %r1, 160 + {stack}(%r15)\n",
        )
    };
    (call) => {
        concat!("la %r2, 160(%r15)\n", "lgr %r3, %r0\n", "brasl %r14, {enter}\n",)
    };
    (results) => {
        concat!(
            "lmg %r2, %r5, 160 + {returned}(%r15)\n",
            "ld %f0, 192 + {returned}(%r15)\n",
            "ld %f2, 200 + {returned}(%r15)\n",
            "ld %f4, 208 + {returned}(%r15)\n",
            "ld %f6, 216 + {returned}(%r15)\n",
        )
    };
    (leave) => {
        concat!(
            "lmg %r14, %r15, {size} + 272(%r15)\n",
            ".cfi_def_cfa_offset 160\n",
            ".cfi_restore %r14\n",
            ".cfi_restore %r15\n",
            "br %r14\n",
        )
    };
}
pub(super) use text;

// The places that the text above counts, 160 bytes below in `SavedCall` and behind `{returned}`.
const _: () = {
    use super::{Returned, SavedCall};
    use core::mem::offset_of;
    assert!(offset_of!(SavedCall, integers) == 0 && offset_of!(SavedCall, floats) == 40);
    assert!(offset_of!(Returned, integers) == 0 && offset_of!(Returned, floats) == 32);
};
