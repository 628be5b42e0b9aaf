//! The registers of 64-bit PowerPC, little-endian (Power ELFv2 ABI, section 2.2). `src/arch/aarch64/registers.rs`
//! explains the instructions. Registers are written as numbers.
//!
//! | register | holds | an adapter |
//! |---|---|---|
//! | r3 to r10 | the first eight doublewords of all arguments, in order; results in r3 to r6 | may write, to move or add arguments |
//! | f1 to f13 | floating-point arguments, whose doublewords in the row above stay unused; results in f1 to f8 | must keep |
//! | v2 to v13 | vector arguments; results in v2 to v9 | must keep |
//! | r0, ctr | scratch; jumps to an address go through ctr | may clobber |
//! | r11 | the static chain | may clobber after reading the chain |
//! | r12 | the address of the function that is entered through a pointer | must set to the callee's address |
//! | r2 | the TOC pointer, which a function entered through a pointer computes from r12 | may clobber |
//! | r14 to r31, f14 to f31 | the caller's variables | must keep |
//! | lr | the return address | must keep |
//! | r1 | the stack pointer, a multiple of 16; the callee may save registers in the header, which is the lowest 32 bytes above it | must keep |

#[doc(hidden)]
#[macro_export]
#[cfg_attr(rustfmt, rustfmt::skip)]
macro_rules! __processor {
    (arguments [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "3" "4" "5" "6" "7" "8" "9" "10" } };
    (writable_arguments $($more:tt)*) => { $crate::__processor! { arguments $($more)* } };
    (chain [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "11" } };
    (result_takes_first) => { true };
    (thread_variables_below) => { false };
    (dynamic_is_read_only) => { false };
    // A vector or a struct aligned to 16 bytes begins in an even register.
    (even_pairs) => { true };

    (begin) => { ".cfi_startproc" };
    (end) => { ".cfi_endproc" };
    (move $to:tt $from:tt) => { concat!("mr ", $to, ", ", $from) };
    // The callee expects its own address in r12.
    (bind $register:tt) => { concat!("ld ", $register, ", 0(11)\nld 12, 8(11)\nmtctr 12\nbctr") };
    (caller stack_pointer $to:tt) => { concat!($crate::__processor!(toc), "mr ", $to, ", 1") };
    (caller return_address $to:tt) => { concat!($crate::__processor!(toc), "mflr ", $to) };
    // Computes the TOC pointer from r12 at the beginning of `{me}`: the function that `{me}` jumps to expects it in r2.
    // A caller that has already set r2 enters after these two instructions, at the address that `.localentry` declares.
    (toc) => { "addis 2, 12, (.TOC. - {me})@ha\naddi 2, 2, (.TOC. - {me})@l\n.localentry {me}, . - {me}\n" };
    (jump $to:literal) => { concat!("b ", $to) };
    (stack_pointer) => { "mr {}, 1" };
    // Sets r2 here, because a leaf function might not have set it, and linkers recognise the two `@got@tprel`
    // instructions only if they use r2.
    (thread_word $symbol:expr, $word:ident) => {
        core::arch::asm!(
            "bcl 20, 31, 77f",
            "77: mflr {0}",
            "mr {1}, 2",
            "addis 2, {0}, (.TOC. - 77b)@ha",
            "addi 2, 2, (.TOC. - 77b)@l",
            concat!("addis {0}, 2, ", $symbol, "@got@tprel@ha"),
            concat!("ld {0}, ", $symbol, "@got@tprel@l({0})"),
            "mr 2, {1}",
            concat!("add {0}, {0}, ", $symbol, "@tls"),
            out(reg_nonzero) $word, out(reg) _, out("lr") _, options(nomem, nostack, preserves_flags),
        )
    };

    (floats [$($then:tt)+] $($more:tt)*) => {
        $($then)+! { $($more)* "1" "2" "3" "4" "5" "6" "7" "8" "9" "10" "11" "12" "13" }
    };
    (results [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "3" "4" "5" "6" } };
    (float_results [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "1" "2" "3" "4" "5" "6" "7" "8" } };
    (returned_floats) => { [8, 8, 8] };
    (returned_together) => { 12 };
    (returned_on_x87) => { 0 };
    (float_words) => { 1 };
    (floats_go_on_in_integers) => { true };
    (floats_pass_over_integers) => { true };
    (positional) => { false };
    (narrow_floats) => { AsDouble };

    // The return address is stored in the word that the caller's frame header reserves for it. The lowest 32 bytes of
    // this frame are its own header; the block is above the header.
    (frame) => {
        "77: mflr 0\n\
         std 0, 16(1)\n\
         stdu 1, -({size} + 32)(1)\n\
         .cfi_def_cfa_offset {size} + 32\n\
         .cfi_offset lr, 16"
    };
    (leave) => {
        "addi 1, 1, {size} + 32\n\
         .cfi_def_cfa_offset 0\n\
         ld 0, 16(1)\n\
         mtlr 0\n\
         .cfi_restore lr\n\
         blr"
    };
    (store $at:tt $($registers:tt)*) => { $crate::__processor!(each "std " "1" $at $($registers)*) };
    (store_float $at:tt $($registers:tt)*) => { $crate::__processor!(each "stfd " "1" $at $($registers)*) };
    (load $($more:tt)*) => { $crate::__processor!(load_from "1" $($more)*) };
    (load_float $($more:tt)*) => { $crate::__processor!(load_float_from "1" $($more)*) };
    (load_from $($more:tt)*) => { $crate::__processor!(each "ld " $($more)*) };
    (load_float_from $($more:tt)*) => { $crate::__processor!(each "lfd " $($more)*) };
    // Expands to one instruction per register; consecutive instructions access addresses 8 bytes apart.
    (each $mnemonic:literal $base:literal $at:tt) => { "" };
    (each $mnemonic:literal $base:literal [$($at:literal)*] $register:literal $($rest:literal)*) => {
        concat!(
            $mnemonic, $register, ", 32 + ", $($at,)* "(", $base, ")\n",
            $crate::__processor!(each $mnemonic $base [$($at)* " + 8"] $($rest)*)
        )
    };
    // In the caller's frame, the stack arguments begin above the 32-byte header and the save area for r3 to r10.
    (keep_call) => {
        "addi 4, 1, {size} + 32 + 96\n\
         std 4, 32 + {stack}(1)"
    };
    // Before these instructions, r12 contains the address of label 77. Afterwards, it contains the callee's address.
    (call) => {
        "addi 3, 1, 32\n\
         mr 4, 11\n\
         addis 12, 12, ({enter} - 77b)@ha\n\
         addi 12, 12, ({enter} - 77b)@l\n\
         mtctr 12\n\
         bctrl"
    };
    (load_x87) => { "" };
}
