//! The registers of 64-bit LoongArch (ELF psABI, sections "Register Convention" and "Procedure Calling Convention").
//! `src/arch/aarch64/registers.rs` explains the instructions.
//!
//! | register | holds | an adapter |
//! |---|---|---|
//! | a0 to a7 | integer arguments in order; results in a0 and a1 | may write, to move or add arguments |
//! | fa0 to fa7 | floating-point arguments; results in fa0 and fa1 | must keep |
//! | t8 | the static chain | may clobber after reading the chain |
//! | t0 to t7 | temporaries; stubs, far jumps (`tail36`) and adapters use t7 | may clobber |
//! | fp, s0 to s8, fs0 to fs7 | the caller's variables; fp is the frame pointer | must keep |
//! | ra, sp, tp | the return address, the stack pointer (a multiple of 16), the thread pointer | must keep |

#[doc(hidden)]
#[macro_export]
#[cfg_attr(rustfmt, rustfmt::skip)]
macro_rules! __processor {
    (arguments [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "$a0" "$a1" "$a2" "$a3" "$a4" "$a5" "$a6" "$a7" } };
    (writable_arguments $($more:tt)*) => { $crate::__processor! { arguments $($more)* } };
    (chain [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "$t8" } };
    (result_takes_first) => { true };
    (thread_variables_below) => { false };
    (dynamic_is_read_only) => { false };
    // Variadic arguments with two-word alignment must begin in an even register.
    (even_pairs) => { true };

    (begin) => { ".cfi_startproc" };
    (end) => { ".cfi_endproc" };
    (move $to:tt $from:tt) => { concat!("move ", $to, ", ", $from) };
    (bind $register:tt) => { concat!("ld.d ", $register, ", $t8, 0\nld.d $t7, $t8, 8\njr $t7") };
    (caller stack_pointer $to:tt) => { concat!("move ", $to, ", $sp") };
    (caller return_address $to:tt) => { concat!("move ", $to, ", $ra") };
    // Expands to two instructions that reach targets up to 128 GiB away and clobber t7.
    (jump $to:literal) => { concat!("tail36 $t7, ", $to) };
    (stack_pointer) => { "move {}, $sp" };
    (thread_word $symbol:expr, $word:ident) => {
        core::arch::asm!(
            concat!("la.tls.ie {0}, ", $symbol),
            "add.d {0}, {0}, $tp",
            out(reg) $word, options(nomem, nostack, preserves_flags),
        )
    };

    // The floating-point argument registers of the LP64D ABI.
    (floats [$($then:tt)+] $($more:tt)*) => {
        $($then)+! { $($more)* "$fa0" "$fa1" "$fa2" "$fa3" "$fa4" "$fa5" "$fa6" "$fa7" }
    };
    (results [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "$a0" "$a1" } };
    (float_results [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "$fa0" "$fa1" } };
    (returned_floats) => { [2, 2, 2] };
    (returned_together) => { 2 };
    (returned_on_x87) => { 0 };
    (float_words) => { 1 };
    (floats_go_on_in_integers) => { true };
    (floats_pass_over_integers) => { false };
    (positional) => { false };
    // The register bits above the number are undefined.
    (narrow_floats) => { Low };

    // After these instructions, fp contains the previous sp. Unwind information identifies registers by number: 1 is
    // ra, 3 is sp, and 22 is fp. The frame begins `$above` bytes below the previous sp.
    (frame) => { $crate::__processor!(frame "0") };
    (frame $above:literal) => {
        concat!(
            "addi.d $sp, $sp, -16-", $above, "\n\
             .cfi_def_cfa_offset 16+", $above, "\n\
             st.d $ra, $sp, 8\n\
             st.d $fp, $sp, 0\n\
             .cfi_offset 1, -8-", $above, "\n\
             .cfi_offset 22, -16-", $above, "\n\
             addi.d $fp, $sp, 16+", $above, "\n\
             .cfi_def_cfa 22, 0\n\
             addi.d $sp, $sp, -{size}"
        )
    };
    (leave) => { $crate::__processor!(leave "0") };
    (leave $above:literal) => {
        concat!(
            "addi.d $sp, $fp, -16-", $above, "\n\
             .cfi_def_cfa 3, 16+", $above, "\n\
             ld.d $ra, $sp, 8\n\
             ld.d $fp, $sp, 0\n\
             addi.d $sp, $sp, 16+", $above, "\n\
             .cfi_def_cfa_offset 0\n\
             .cfi_restore 1\n\
             .cfi_restore 22\n\
             ret"
        )
    };
    (store $at:tt $($registers:tt)*) => { $crate::__processor!(each "st.d " "$sp" $at $($registers)*) };
    (store_float $at:tt $($registers:tt)*) => { $crate::__processor!(each "fst.d " "$sp" $at $($registers)*) };
    (load $($more:tt)*) => { $crate::__processor!(load_from "$sp" $($more)*) };
    (load_float $($more:tt)*) => { $crate::__processor!(load_float_from "$sp" $($more)*) };
    (load_from $($more:tt)*) => { $crate::__processor!(each "ld.d " $($more)*) };
    (load_float_from $($more:tt)*) => { $crate::__processor!(each "fld.d " $($more)*) };
    // Expands to one instruction per register; consecutive instructions access addresses 8 bytes apart.
    (each $mnemonic:literal $base:literal $at:tt) => { "" };
    (each $mnemonic:literal $base:literal [$($at:literal)*] $register:literal $($rest:literal)*) => {
        concat!(
            $mnemonic, $register, ", ", $base, ", ", $($at,)* "\n",
            $crate::__processor!(each $mnemonic $base [$($at)* " + 8"] $($rest)*)
        )
    };
    (keep_call) => { "st.d $fp, $sp, {stack}" };
    (call) => { "move $a0, $sp\nmove $a1, $t8\ncall36 {enter}" };
    (load_x87) => { "" };
}
