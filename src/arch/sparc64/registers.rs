//! Registers and instructions of 64-bit SPARC (SPARC Compliance Definition 2.4, section 3, "Low-Level System
//! Information"). The instructions are explained in `src/arch/aarch64/registers.rs`. The instruction after a jump or
//! call is in its delay slot, and is executed before the instructions at the target.
//!
//! | register | holds | an adapter |
//! |---|---|---|
//! | %o0 to %o5 | the first six doublewords of all arguments, in order; results in %o0 to %o3 | may write, to move or add arguments |
//! | %d0 to %d30 | the floating-point arguments among the first 16 doublewords, each in the register of its position; results | must keep; must move with the integer ones |
//! | %g5 | the static chain | may clobber after reading the chain |
//! | %g1, %g4 | scratch registers for linkers, stubs and adapters | may clobber |
//! | %g2, %g3, %g6, %g7 | reserved for applications and the system; %g7 is the thread pointer | must keep |
//! | %o6 (%sp), %o7 | the stack pointer, 2047 bytes below the top of the stack; the address of the caller's `call`, 8 bytes before the return address | must keep |
//! | %l0 to %l7, %i0 to %i7 | the caller's variables, until `save` begins a window in which %o0 to %o7 are %i0 to %i7 | must keep |
//!
//! Big-endian: a scalar smaller than a doubleword is at the end of the doubleword, and a struct is at the beginning.

#[doc(hidden)]
#[macro_export]
#[cfg_attr(rustfmt, rustfmt::skip)]
macro_rules! __processor {
    (arguments [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "%o0" "%o1" "%o2" "%o3" "%o4" "%o5" } };
    (writable_arguments $($more:tt)*) => { $crate::__processor! { arguments $($more)* } };
    (chain [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "%g5" } };
    (result_takes_first) => { true };
    (thread_variables_below) => { true };
    (dynamic_is_read_only) => { false };
    // An argument aligned to 16 bytes begins in an even register.
    (even_pairs) => { true };

    (begin) => { ".cfi_startproc" };
    (end) => { ".cfi_endproc" };
    (move $to:tt "%g5") => { concat!("mov %g5, ", $to) };
    // The floating-point register of the same position is also moved, because either of the two registers may hold the
    // argument.
    (move $to:tt $from:tt) => {
        concat!(
            "mov ", $from, ", ", $to, "\n",
            "fmovd ", $crate::__processor!(float $from), ", ", $crate::__processor!(float $to)
        )
    };
    (float "%o0") => { "%f0" };
    (float "%o1") => { "%f2" };
    (float "%o2") => { "%f4" };
    (float "%o3") => { "%f6" };
    (float "%o4") => { "%f8" };
    (float "%o5") => { "%f10" };
    (bind $register:tt) => { concat!("ldx [%g5], ", $register, "\nldx [%g5 + 8], %g1\njmp %g1\nnop") };
    (caller stack_pointer $to:tt) => { concat!("add %sp, 2047, ", $to) };
    (caller return_address $to:tt) => { concat!("add %o7, 8, ", $to) };
    (jump $to:literal) => { $crate::__sparc64!(jump $to) };
    (stack_pointer) => { "add %sp, 2047, {}" };
    // The macro `address!` in `mod.rs` of this folder explains why %g1 may be used.
    (thread_word $symbol:expr, $word:ident) => {
        core::arch::asm!(
            $crate::__sparc64!(word_at $symbol, "{0}", "%g1"), out(reg) $word, options(nomem, nostack, preserves_flags),
        )
    };
}

/// Instructions that the core also uses.
#[doc(hidden)]
#[macro_export]
#[cfg_attr(rustfmt, rustfmt::skip)]
macro_rules! __sparc64 {
    // `call` reaches targets up to 2 GiB away. The `call` changes %o7, and the instruction in the delay slot restores
    // %o7.
    (jump $to:literal) => {
        concat!("mov %o7, %g1\n.cfi_register %o7, %g1\ncall ", $to, "\nmov %g1, %o7\n.cfi_restore %o7")
    };
    // The address of a thread-local symbol. Initial-exec model: the symbol's offset from the thread pointer is in the
    // global offset table.
    (word_at $symbol:expr, $to:literal, $scratch:literal) => {
        concat!(
            "rd %pc, ", $to, "\n\
             sethi %pc22(_GLOBAL_OFFSET_TABLE_ + 4), ", $scratch, "\n\
             or ", $scratch, ", %pc10(_GLOBAL_OFFSET_TABLE_ + 8), ", $scratch, "\n\
             add ", $to, ", ", $scratch, ", ", $to, "\n\
             sethi %tie_hi22(", $symbol, "), ", $scratch, "\n\
             add ", $scratch, ", %tie_lo10(", $symbol, "), ", $scratch, "\n\
             ldx [", $to, " + ", $scratch, "], ", $to, ", %tie_ldx(", $symbol, ")\n\
             add %g7, ", $to, ", ", $to, ", %tie_add(", $symbol, ")"
        )
    };
}
#[allow(unused_imports)]
pub(crate) use __sparc64;
