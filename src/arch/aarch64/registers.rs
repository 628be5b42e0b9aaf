//! Registers and instructions of AArch64 (AAPCS64, sections 6.1 and 6.8.2). This file is the reference and explains the
//! instructions; `src/arch/registers.rs` describes the macro's arms.
//! | register | holds | an adapter |
//! |---|---|---|
//! | x0 to x7 | integer arguments in order; results | may write, to move or add arguments |
//! | v0 to v7 | floating-point and vector arguments; results | must keep |
//! | x8 | the address of a result in memory | must keep |
//! | x9 to x14 | temporaries | may clobber |
//! | x15 | the static chain | may clobber after reading the chain |
//! | x16, x17 | scratch registers for linkers and stubs; an indirect jump may land on `bti c` only if it goes through one of these two | may clobber |
//! | x18 | the static chain for code compiled by GCC, or by LLVM before version 21, on platforms that have no other use for x18 | must keep |
//! | x19 to x28 | the caller's variables | must keep |
//! | x29, x30 | the frame pointer, the return address | must keep |
//! | sp | the stack pointer, a multiple of 16 | must keep |

#[doc(hidden)]
#[macro_export]
#[cfg_attr(rustfmt, rustfmt::skip)]
macro_rules! __processor {
    (arguments [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "x0" "x1" "x2" "x3" "x4" "x5" "x6" "x7" } };
    // The argument registers belong to the callee, so an adapter may write to any of them.
    (writable_arguments $($more:tt)*) => { $crate::__processor! { arguments $($more)* } };
    (chain [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "x15" } };
    // x8 holds the address of a result in memory.
    (result_takes_first) => { false };
    (thread_variables_below) => { false };
    (dynamic_is_read_only) => { false };
    // A 128-bit integer or a struct aligned to 16 bytes begins in an even-numbered register (except on macOS).
    (even_pairs) => { true };

    // `bti c`, encoded so that every assembler accepts it. If branch targets are checked, `bti c` lets an indirect
    // call, or a jump through x16 or x17, land here. Older processors execute `bti c` as a `nop`.
    (begin) => { ".cfi_startproc\nhint #34" };
    (end) => { ".cfi_endproc" };
    (move $to:tt $from:tt) => { concat!("mov ", $to, ", ", $from) };
    // Loads the context from the word that x15 points to, then the callee from the next word.
    (bind $register:tt) => { concat!("ldr ", $register, ", [x15]\n", $crate::__enter_pair!(bind $register)) };
    (enter_pair $how:tt) => { $crate::__enter_pair!($how) };
    // Without a frame, sp is unchanged since the call.
    (caller stack_pointer $to:tt) => { concat!("mov ", $to, ", sp") };
    // `bl` and `blr` put the return address into x30.
    (caller return_address $to:tt) => { concat!("mov ", $to, ", x30") };
    // Reaches targets up to 128 MiB away. Linkers extend this range with veneers that use x16 and x17.
    (jump $to:literal) => { concat!("b ", $to) };
    (stack_pointer) => { "mov {}, sp" };
    // Initial-exec model: the symbol's offset from the thread pointer is in the global offset table (`adrp` computes
    // the entry's page, and `ldr` loads the entry). The symbol's address is the sum of this offset and the thread
    // pointer.
    (thread_word $symbol:expr, $word:ident) => {
        core::arch::asm!(
            concat!("adrp {0}, :gottprel:", $symbol),
            concat!("ldr {0}, [{0}, :gottprel_lo12:", $symbol, "]"),
            "mrs {1}, tpidr_el0",
            "add {0}, {0}, {1}",
            out(reg) $word, out(reg) _, options(nomem, nostack, preserves_flags),
        )
    };

    // Whole registers are saved, because they may contain vectors.
    (floats [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "q0" "q1" "q2" "q3" "q4" "q5" "q6" "q7" } };
    // LLVM may return a struct in all registers that it uses for arguments.
    (results $($more:tt)*) => { $crate::__processor! { arguments $($more)* } };
    (float_results $($more:tt)*) => { $crate::__processor! { floats $($more)* } };
    (returned_floats) => { [8, 8, 8] };
    (returned_together) => { 16 };
    (returned_on_x87) => { 0 };
    (float_words) => { 2 };
    (floats_go_on_in_integers) => { false };
    (floats_pass_over_integers) => { false };
    (positional) => { false };
    (narrow_floats) => { Low };

    // Pushes the frame record {x29, x30} and makes x29 point to it, as debuggers and unwinders expect. The unwind
    // information describes each step: the push lowers sp by 16, and once set, x29 identifies the frame, whatever
    // happens to sp. The block is below the record.
    (frame) => {
        "stp x29, x30, [sp, #-16]!\n\
         .cfi_def_cfa_offset 16\n\
         .cfi_offset x29, -16\n\
         .cfi_offset x30, -8\n\
         mov x29, sp\n\
         .cfi_def_cfa_register x29\n\
         sub sp, sp, {size}"
    };
    // Removes the block by restoring sp from x29, then pops the record.
    (leave) => {
        "mov sp, x29\n\
         .cfi_def_cfa_register sp\n\
         ldp x29, x30, [sp], #16\n\
         .cfi_def_cfa_offset 0\n\
         .cfi_restore x29\n\
         .cfi_restore x30\n\
         ret"
    };
    (store $at:tt $($registers:tt)*) => { $crate::__processor!(each "stp " 16 "sp" $at $($registers)*) };
    (store_float $at:tt $($registers:tt)*) => { $crate::__processor!(each "stp " 32 "sp" $at $($registers)*) };
    (load $($more:tt)*) => { $crate::__processor!(load_from "sp" $($more)*) };
    (load_float $($more:tt)*) => { $crate::__processor!(load_float_from "sp" $($more)*) };
    (load_from $($more:tt)*) => { $crate::__processor!(each "ldp " 16 $($more)*) };
    (load_float_from $($more:tt)*) => { $crate::__processor!(each "ldp " 32 $($more)*) };
    // Expands to one instruction per register pair; consecutive instructions access addresses `$step` bytes apart.
    (each $mnemonic:literal $step:literal $base:literal $at:tt) => { "" };
    (each $mnemonic:literal $step:literal $base:literal [$($at:literal)*] $first:literal $second:literal $($rest:literal)*) => {
        concat!(
            $mnemonic, $first, ", ", $second, ", [", $base, ", ", $($at,)* "]\n",
            $crate::__processor!(each $mnemonic $step $base [$($at)* " + " $step] $($rest)*)
        )
    };
    // The stack arguments begin above the frame record. x9 is a temporary.
    (keep_call) => {
        "str x8, [sp, {hidden}]\n\
         add x9, x29, #16\n\
         str x9, [sp, {stack}]"
    };
    (call) => { "mov x0, sp\nmov x1, x15\nbl {enter}" };
    (load_x87) => { "" };
}

// Jumps and calls through the code pointer of a pair {context, code} in writable memory. A signed pointer is authenticated
// first, with the modifier that `signing.rs` describes.
// - `bind CONTEXT`: the final jump of `bind`, once the context is in a register. The jump goes through x16 or x17, so
//   its target may begin with `bti c`.
// - `handler`: calls a raw closure's handler with the context and the address of the block on the stack. x15 points to
//   the pair.
// - `forward`: calls a function whose arguments are all in place. x9 points to the pair.
#[doc(hidden)]
#[macro_export]
#[cfg(not(signed))]
#[cfg_attr(rustfmt, rustfmt::skip)]
macro_rules! __enter_pair {
    (bind $context:tt) => { "ldr x16, [x15, #8]\nbr x16" };
    (handler) => { "ldp x0, x9, [x15]\nmov x1, sp\nblr x9" };
    (forward) => { "ldr x9, [x9, #8]\nblr x9" };
}
#[doc(hidden)]
#[macro_export]
#[cfg(signed)]
#[cfg_attr(rustfmt, rustfmt::skip)]
macro_rules! __enter_pair {
    (bind $context:tt) => { concat!("ldr x17, [x15, #8]\nmadd x16, x15, x15, ", $context, "\nhint #12\nbr x17") };
    (handler) => { "ldp x0, x17, [x15]\nmadd x16, x15, x15, x0\nhint #12\nmov x1, sp\nblr x17" };
    (forward) => { "ldp x16, x17, [x9]\nmadd x16, x9, x9, x16\nhint #12\nblr x17" };
}
