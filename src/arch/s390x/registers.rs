//! The registers of s390x (ELF ABI s390x Supplement, sections "Registers" and "Parameter Passing").
//! `src/arch/aarch64/registers.rs` explains the instructions.
//!
//! | register | holds | an adapter |
//! |---|---|---|
//! | r2 to r5 | integer arguments in order; a result in r2, or a struct that LLVM returns in r2 to r5 | may write, to move or add arguments |
//! | r6 | the fifth integer argument; callee-saved | must keep |
//! | f0, f2, f4, f6 | floating-point arguments; results | must keep |
//! | v24 to v31 | vector arguments | must keep |
//! | r0 | the static chain; cannot be the base of an address | may clobber after reading the chain |
//! | r1 | a scratch register for linkers, stubs and adapters | may clobber |
//! | r7 to r13, f8 to f15 | the caller's variables; r12 holds the global offset table's address | must keep |
//! | r14, r15 | the return address, the stack pointer | must keep |
//!
//! A function may save its argument registers in the lowest 160 bytes above the stack pointer. The processor is
//! big-endian: a value smaller than its register or stack word occupies the last bytes, except that a floating-point
//! number occupies the first bytes of its register.

#[doc(hidden)]
#[macro_export]
#[cfg_attr(rustfmt, rustfmt::skip)]
macro_rules! __processor {
    (arguments [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "%r2" "%r3" "%r4" "%r5" "%r6" } };
    (writable_arguments [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "%r2" "%r3" "%r4" "%r5" } };
    (chain [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "%r0" } };
    (result_takes_first) => { true };
    (thread_variables_below) => { true };
    (dynamic_is_read_only) => { false };
    // No type needs an even register.
    (even_pairs) => { false };

    (begin) => { ".cfi_startproc" };
    (end) => { ".cfi_endproc" };
    (move $to:tt $from:tt) => { concat!("lgr ", $to, ", ", $from) };
    (bind $register:tt) => { concat!("lgr %r1, %r0\nlg ", $register, ", 0(%r1)\nlg %r1, 8(%r1)\nbr %r1") };
    (caller stack_pointer $to:tt) => { concat!("lgr ", $to, ", %r15") };
    (caller return_address $to:tt) => { concat!("lgr ", $to, ", %r14") };
    (jump $to:literal) => { concat!("jg ", $to) };
    (stack_pointer) => { "lgr {}, %r15" };
    // The thread pointer is in two access registers.
    (thread_word $symbol:expr, $word:ident) => {
        core::arch::asm!(
            concat!("lgrl {0}, ", $symbol, "@indntpoff"),
            "ear {1}, %a0",
            "sllg {1}, {1}, 32",
            "ear {1}, %a1",
            "agr {0}, {1}",
            out(reg) $word, out(reg) _, options(nomem, nostack),
        )
    };

    (floats [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "%f0" "%f2" "%f4" "%f6" } };
    (results $($more:tt)*) => { $crate::__processor! { writable_arguments $($more)* } };
    (float_results $($more:tt)*) => { $crate::__processor! { floats $($more)* } };
    (returned_floats) => { [4, 4, 4] };
    (returned_together) => { 8 };
    (returned_on_x87) => { 0 };
    (float_words) => { 1 };
    (floats_go_on_in_integers) => { false };
    (floats_pass_over_integers) => { false };
    (positional) => { false };
    (narrow_floats) => { High };

    // Saves r14 and r15 in the 160-byte save area that the caller provides, and sets r1 to the address of the stack
    // arguments. The lowest 160 bytes of this frame are the callee's save area; the block is above that area.
    (frame) => {
        "stmg %r14, %r15, 112(%r15)\n\
         .cfi_offset %r14, -48\n\
         .cfi_offset %r15, -40\n\
         la %r1, 160(%r15)\n\
         aghi %r15, -({size} + 160)\n\
         .cfi_def_cfa_offset {size} + 320"
    };
    (leave) => {
        "lmg %r14, %r15, {size} + 272(%r15)\n\
         .cfi_def_cfa_offset 160\n\
         .cfi_restore %r14\n\
         .cfi_restore %r15\n\
         br %r14"
    };
    // One instruction stores all integer registers.
    (store [$($at:literal)*] $first:literal $second:literal $third:literal $fourth:literal $last:literal) => {
        concat!("stmg ", $first, ", ", $last, ", 160 + ", $($at,)* "(%r15)\n")
    };
    (load $($more:tt)*) => { $crate::__processor!(load_from "%r15" $($more)*) };
    (load_from $base:literal [$($at:literal)*] $first:literal $second:literal $third:literal $last:literal) => {
        concat!("lmg ", $first, ", ", $last, ", 160 + ", $($at,)* "(", $base, ")\n")
    };
    (load_from $base:literal $at:tt $first:literal $second:literal $third:literal $fourth:literal $last:literal) => {
        $crate::__processor!(load_from $base $at $first $second $third $last)
    };
    (store_float $at:tt $($registers:tt)*) => { $crate::__processor!(each "std " "%r15" $at $($registers)*) };
    (load_float $($more:tt)*) => { $crate::__processor!(load_float_from "%r15" $($more)*) };
    (load_float_from $($more:tt)*) => { $crate::__processor!(each "ld " $($more)*) };
    // Expands to one instruction per register; consecutive instructions access addresses 8 bytes apart.
    (each $mnemonic:literal $base:literal $at:tt) => { "" };
    (each $mnemonic:literal $base:literal [$($at:literal)*] $register:literal $($rest:literal)*) => {
        concat!(
            $mnemonic, $register, ", 160 + ", $($at,)* "(", $base, ")\n",
            $crate::__processor!(each $mnemonic $base [$($at)* " + 8"] $($rest)*)
        )
    };
    (keep_call) => { "stg %r1, 160 + {stack}(%r15)" };
    (call) => { "la %r2, 160(%r15)\nlgr %r3, %r0\nbrasl %r14, {enter}" };
    (load_x87) => { "" };
}
