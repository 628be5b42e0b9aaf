//! x86 of 32 bits (System V psABI for i386, section 2.2.3): all arguments are on the stack. Words are counted in place of
//! registers, and the adapter calls with a copy of them behind the context.

/// What is aligned to 16 bytes in memory, which one word more would move: a vector, or a struct that has one.
pub(crate) const HAS_EVEN_PAIRS: bool = true;

/// What makes a multiple of 16 of so many words, of ebp and of the return address.
const fn padding(words: usize) -> usize {
    (words + 2).next_multiple_of(4) * 4 - (words + 2) * 4
}

/// The words are numbered. If the context is not the first, that one is a hidden pointer to the result, which the adapter takes
/// from the stack as its callee has.
macro_rules! adapter {
    ($context:literal; $({$to:literal $from:literal})*) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "endbr32",
            "push ebp",
            ".cfi_def_cfa_offset 8",
            ".cfi_offset ebp, -8",
            "mov ebp, esp",
            ".cfi_def_cfa_register ebp",
            "sub esp, {padding}",
            $(concat!("push dword ptr [ebp + 8 + 4 * ", $from, "]"),)*
            "push dword ptr [ecx]",
            concat!(".if ", $context),
            "push dword ptr [ebp + 8]",
            ".endif",
            "call [ecx + 4]",
            "leave",
            ".cfi_def_cfa esp, 4",
            ".cfi_restore ebp",
            concat!("ret 4 * ", $context),
            ".cfi_endproc",
            padding = const {
                const MOVED: &[usize] = &[$($to),*];
                padding(MOVED.len() + 1 + $context)
            },
        )
    };
}

inserts! {
    FIRST {
        first_0 0;
        first_1 1 0;
        first_2 2 1 0;
        first_3 3 2 1 0;
        first_4 4 3 2 1 0;
        first_5 5 4 3 2 1 0;
        first_6 6 5 4 3 2 1 0;
        first_7 7 6 5 4 3 2 1 0;
        first_8 8 7 6 5 4 3 2 1 0;
        first_9 9 8 7 6 5 4 3 2 1 0;
        first_10 10 9 8 7 6 5 4 3 2 1 0;
        first_11 11 10 9 8 7 6 5 4 3 2 1 0;
        first_12 12 11 10 9 8 7 6 5 4 3 2 1 0;
        first_13 13 12 11 10 9 8 7 6 5 4 3 2 1 0;
        first_14 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0;
        first_15 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0;
    }
    AFTER_RESULT {
        after_result_0 1;
        after_result_1 2 1;
        after_result_2 3 2 1;
        after_result_3 4 3 2 1;
        after_result_4 5 4 3 2 1;
        after_result_5 6 5 4 3 2 1;
        after_result_6 7 6 5 4 3 2 1;
        after_result_7 8 7 6 5 4 3 2 1;
        after_result_8 9 8 7 6 5 4 3 2 1;
        after_result_9 10 9 8 7 6 5 4 3 2 1;
        after_result_10 11 10 9 8 7 6 5 4 3 2 1;
        after_result_11 12 11 10 9 8 7 6 5 4 3 2 1;
        after_result_12 13 12 11 10 9 8 7 6 5 4 3 2 1;
        after_result_13 14 13 12 11 10 9 8 7 6 5 4 3 2 1;
        after_result_14 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1;
    }
}
