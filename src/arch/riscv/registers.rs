//! The registers of 32-bit and 64-bit RISC-V (ELF psABI, chapters "Register Convention" and "Procedure Calling
//! Convention"). `src/arch/aarch64/registers.rs` explains the instructions.
//!
//! | register | holds | an adapter |
//! |---|---|---|
//! | a0 to a7 | integer arguments in order; results in a0 and a1 | may write, to move or add arguments |
//! | fa0 to fa7 | floating-point arguments; results in fa0 and fa1 | must keep |
//! | t2 | the static chain | may clobber after reading the chain |
//! | t0, t1, t3 to t6 | temporaries; stubs, far jumps (`tail`) and adapters use t1 | may clobber |
//! | s0 to s11, fs0 to fs11 | the caller's variables; s0 is the frame pointer | must keep |
//! | ra, sp, tp, gp | the return address, the stack pointer (a multiple of 16), the thread and global pointers | must keep |

#[doc(hidden)]
#[macro_export]
#[cfg_attr(rustfmt, rustfmt::skip)]
macro_rules! __processor {
    (arguments [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "a0" "a1" "a2" "a3" "a4" "a5" "a6" "a7" } };
    (writable_arguments $($more:tt)*) => { $crate::__processor! { arguments $($more)* } };
    (chain [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "t2" } };
    (result_takes_first) => { true };
    (thread_variables_below) => { false };
    (dynamic_is_read_only) => { false };
    // Variadic arguments with two-word alignment must begin in an even register.
    (even_pairs) => { true };

    (begin) => { ".cfi_startproc" };
    (end) => { ".cfi_endproc" };
    (move $to:tt $from:tt) => { concat!("mv ", $to, ", ", $from) };
    (bind $register:tt) => { concat!($crate::__processor!(load_from "t2" ["0"] $register "t1"), "jr t1") };
    (caller stack_pointer $to:tt) => { concat!("mv ", $to, ", sp") };
    (caller return_address $to:tt) => { concat!("mv ", $to, ", ra") };
    // Expands to two instructions that reach targets up to 2 GiB away and clobber t1.
    (jump $to:literal) => { concat!("tail ", $to) };
    (stack_pointer) => { "mv {}, sp" };
    (thread_word $symbol:expr, $word:ident) => {
        core::arch::asm!(
            concat!("la.tls.ie {0}, ", $symbol),
            "add {0}, {0}, tp",
            out(reg) $word, options(nomem, nostack, preserves_flags),
        )
    };

    // The floating-point argument registers of the ABIs that have them, such as LP64D.
    (floats [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "fa0" "fa1" "fa2" "fa3" "fa4" "fa5" "fa6" "fa7" } };
    (results [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "a0" "a1" } };
    (float_results [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "fa0" "fa1" } };
    (returned_floats) => { [2, 2, 2] };
    (returned_together) => { 2 };
    (returned_on_x87) => { 0 };
    (float_words) => { 1 };
    (floats_go_on_in_integers) => { true };
    (floats_pass_over_integers) => { false };
    (positional) => { false };
    // Narrow numbers are NaN-boxed, as the D extension prescribes (section "NaN Boxing of Narrower Values").
    (narrow_floats) => { Boxed };

    // The assembler does not know the target's extensions, so if arguments are passed in floating-point registers, the
    // code enables the extension that provides these registers. After these instructions, s0 contains the previous sp.
    // The frame begins `$above` bytes below the previous sp.
    (frame) => { $crate::__processor!(frame "0") };
    (frame $above:literal) => {
        concat!(
            ".option push\n",
            $crate::__processor_floats!(extension),
            "addi sp, sp, -16 - ", $above, "\n\
             .cfi_def_cfa_offset 16 + ", $above, "\n",
            $crate::__processor!(store ["0"] "s0" "ra"),
            ".cfi_offset s0, -16 - ", $above, "\n\
             .cfi_offset ra, -16 + ", $crate::__processor_variant!(word), " - ", $above, "\n\
             addi s0, sp, 16 + ", $above, "\n\
             .cfi_def_cfa s0, 0\n\
             addi sp, sp, -{size}"
        )
    };
    (leave) => { $crate::__processor!(leave "0") };
    (leave $above:literal) => {
        concat!(
            "addi sp, s0, -16 - ", $above, "\n\
             .cfi_def_cfa sp, 16 + ", $above, "\n",
            $crate::__processor!(load ["0"] "s0" "ra"),
            "addi sp, sp, 16 + ", $above, "\n\
             .cfi_def_cfa_offset 0\n\
             .cfi_restore s0\n\
             .cfi_restore ra\n\
             ret\n\
             .option pop"
        )
    };
    (store $($more:tt)*) => { $crate::__processor_variant!(store "sp" $($more)*) };
    (store_float $($more:tt)*) => { $crate::__processor_floats!(store "sp" $($more)*) };
    (load $($more:tt)*) => { $crate::__processor!(load_from "sp" $($more)*) };
    (load_float $($more:tt)*) => { $crate::__processor!(load_float_from "sp" $($more)*) };
    (load_from $($more:tt)*) => { $crate::__processor_variant!(load $($more)*) };
    (load_float_from $($more:tt)*) => { $crate::__processor_floats!(load $($more)*) };
    // Expands to one instruction per register; consecutive instructions access addresses `$step` bytes apart.
    (each $mnemonic:literal $step:literal $base:literal $at:tt) => { "" };
    (each $mnemonic:literal $step:literal $base:literal [$($at:literal)*] $register:literal $($rest:literal)*) => {
        concat!(
            $mnemonic, $register, ", ", $($at,)* "(", $base, ")\n",
            $crate::__processor!(each $mnemonic $step $base [$($at)* " + " $step] $($rest)*)
        )
    };
    (keep_call) => { "sd s0, {stack}(sp)" };
    (call) => { "mv a0, sp\nmv a1, t2\ncall {enter}" };
    (load_x87) => { "" };
}

#[cfg(target_pointer_width = "64")]
#[doc(hidden)]
#[macro_export]
#[cfg_attr(rustfmt, rustfmt::skip)]
macro_rules! __processor_variant {
    (word) => { 8 };
    (store $($more:tt)*) => { $crate::__processor!(each "sd " 8 $($more)*) };
    (load $($more:tt)*) => { $crate::__processor!(each "ld " 8 $($more)*) };
}
#[cfg(target_pointer_width = "32")]
#[doc(hidden)]
#[macro_export]
#[cfg_attr(rustfmt, rustfmt::skip)]
macro_rules! __processor_variant {
    (word) => { 4 };
    (store $($more:tt)*) => { $crate::__processor!(each "sw " 4 $($more)*) };
    (load $($more:tt)*) => { $crate::__processor!(each "lw " 4 $($more)*) };
}

/// Macro arms for floating-point registers, on targets that pass arguments in such registers. The code enables the F or
/// D extension itself, because tools that read the symbols in the library's bitcode do not know the target's
/// extensions.
#[cfg(doubles)]
#[doc(hidden)]
#[macro_export]
#[cfg_attr(rustfmt, rustfmt::skip)]
macro_rules! __processor_floats {
    (extension) => { ".option arch, +d\n" };
    (store $($more:tt)*) => { $crate::__processor!(each "fsd " 8 $($more)*) };
    (load $($more:tt)*) => { $crate::__processor!(each "fld " 8 $($more)*) };
}
#[cfg(singles)]
#[doc(hidden)]
#[macro_export]
#[cfg_attr(rustfmt, rustfmt::skip)]
macro_rules! __processor_floats {
    (extension) => { ".option arch, +f\n" };
    (store $($more:tt)*) => { $crate::__processor!(each "fsw " 8 $($more)*) };
    (load $($more:tt)*) => { $crate::__processor!(each "flw " 8 $($more)*) };
}
#[cfg(not(any(doubles, singles)))]
#[doc(hidden)]
#[macro_export]
macro_rules! __processor_floats {
    ($($words:tt)*) => {
        "# {floats}\n"
    };
}
