//! The registers of x86-64 (System V psABI, section 3.2.3; Microsoft's x64 calling convention).
//! `src/arch/aarch64/registers.rs` explains the instructions.
//!
//! | register | holds | an adapter |
//! |---|---|---|
//! | rdi, rsi, rdx, rcx, r8, r9 | integer arguments in order | may write, to move or add arguments |
//! | rcx, rdx, r8, r9 | the same on Windows, where each of the first four arguments takes the register with its number, either an integer or an xmm register | may write, as above |
//! | xmm0 to xmm7; xmm0 to xmm3 on Windows | floating-point and vector arguments | must keep; on Windows must move together with the integer registers |
//! | rax | the number of vector registers that a variadic call uses; a result | must keep |
//! | r10 | the static chain | may clobber after reading the chain |
//! | r11 | a scratch register for linkers | may clobber |
//! | rbx, rbp, r12 to r15; rdi, rsi, xmm6 to xmm15 on Windows | the caller's variables | must keep |
//! | rsp | the stack pointer; at entry, it points to the return address | must keep |
//!
//! A jump through memory needs no scratch register.

#[doc(hidden)]
#[macro_export]
#[cfg_attr(rustfmt, rustfmt::skip)]
macro_rules! __processor {
    (arguments $($more:tt)*) => { $crate::__processor_variant! { arguments $($more)* } };
    (writable_arguments $($more:tt)*) => { $crate::__processor! { arguments $($more)* } };
    (chain [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "r10" } };
    (result_takes_first) => { true };
    (thread_variables_below) => { true };
    (dynamic_is_read_only) => { false };
    // No type needs an even register.
    (even_pairs) => { false };

    (begin) => { $crate::__processor_variant!(begin) };
    (end) => { $crate::__processor_variant!(end) };
    (move $to:tt $from:tt) => { concat!("mov ", $to, ", ", $from) };
    (bind $register:tt) => { concat!("mov ", $register, ", [r10]\njmp [r10 + 8]") };
    (insert $($words:tt)*) => { $crate::__processor_variant!(insert $($words)*) };
    (caller stack_pointer $to:tt) => { concat!("mov ", $to, ", rsp") };
    (caller return_address $to:tt) => { concat!("mov ", $to, ", [rsp]") };
    (jump $to:literal) => { concat!("jmp ", $to) };
    (stack_pointer) => { "mov {}, rsp" };
    (thread_word $symbol:expr, $word:ident) => { $crate::__processor_variant!(thread_word $symbol, $word) };

    (floats $($more:tt)*) => { $crate::__processor_variant! { floats $($more)* } };
    // On Windows, LLVM returns a struct of scalars in the same registers.
    (results [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "rax" "rdx" "rcx" } };
    (float_results [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "xmm0" "xmm1" "xmm2" "xmm3" } };
    // Two-byte floating-point numbers are returned in the first free register of xmm0 to xmm2.
    (returned_floats) => { [2, 3, 4] };
    (returned_together) => { 9 };
    (returned_on_x87) => { 2 };
    (float_words) => { 2 };
    (floats_go_on_in_integers) => { false };
    (floats_pass_over_integers) => { $crate::__processor!(positional) };
    (positional) => { $crate::__processor_variant!(positional) };
    (narrow_floats) => { Low };

    (frame) => { $crate::__processor_variant!(frame) };
    (leave) => { $crate::__processor_variant!(leave) };
    (store $at:tt $($registers:tt)*) => { $crate::__processor!(each_to "mov " 8 "rsp" $at $($registers)*) };
    (store_float $at:tt $($registers:tt)*) => { $crate::__processor!(each_to "movups " 16 "rsp" $at $($registers)*) };
    (load $($more:tt)*) => { $crate::__processor!(load_from "rsp" $($more)*) };
    (load_float $($more:tt)*) => { $crate::__processor!(each_from "movups " 16 "rsp" $($more)*) };
    (load_from $($more:tt)*) => { $crate::__processor!(each_from "mov " 8 $($more)*) };
    // Expands to one instruction per register; consecutive instructions access addresses `$step` bytes apart. The
    // destination is the first operand.
    (each_to $mnemonic:literal $step:literal $base:literal $at:tt) => { "" };
    (each_to $mnemonic:literal $step:literal $base:literal [$($at:literal)*] $register:literal $($rest:literal)*) => {
        concat!(
            $mnemonic, "[", $base, " + ", $($at,)* "], ", $register, "\n",
            $crate::__processor!(each_to $mnemonic $step $base [$($at)* " + " $step] $($rest)*)
        )
    };
    (each_from $mnemonic:literal $step:literal $base:literal $at:tt) => { "" };
    (each_from $mnemonic:literal $step:literal $base:literal [$($at:literal)*] $register:literal $($rest:literal)*) => {
        concat!(
            $mnemonic, $register, ", [", $base, " + ", $($at,)* "]\n",
            $crate::__processor!(each_from $mnemonic $step $base [$($at)* " + " $step] $($rest)*)
        )
    };
    (keep_call) => { $crate::__processor_variant!(keep_call) };
    (call) => { $crate::__processor_variant!(call) };
    // The second number is loaded first, because the first must be on top of the x87 stack.
    (load_x87) => {
        "cmp qword ptr [rsp + {x87_used}], 1\n\
         jb 3f\n\
         je 2f\n\
         fld qword ptr [rsp + {x87} + 8]\n\
         2:\n\
         fld qword ptr [rsp + {x87}]\n\
         3:"
    };
}

/// Macro arms for the System V convention.
#[cfg(not(windows))]
#[doc(hidden)]
#[macro_export]
#[cfg_attr(rustfmt, rustfmt::skip)]
macro_rules! __processor_variant {
    (arguments [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "rdi" "rsi" "rdx" "rcx" "r8" "r9" } };
    (floats [$($then:tt)+] $($more:tt)*) => {
        $($then)+! { $($more)* "xmm0" "xmm1" "xmm2" "xmm3" "xmm4" "xmm5" "xmm6" "xmm7" }
    };
    // If branch targets are checked, `endbr64` lets an indirect call or jump land here.
    (begin) => { ".cfi_startproc\nendbr64" };
    (end) => { ".cfi_endproc" };
    (positional) => { false };
    (frame) => {
        "push rbp\n\
         .cfi_def_cfa_offset 16\n\
         .cfi_offset rbp, -16\n\
         mov rbp, rsp\n\
         .cfi_def_cfa_register rbp\n\
         sub rsp, {size}"
    };
    (leave) => {
        "leave\n\
         .cfi_def_cfa rsp, 8\n\
         ret"
    };
    // The stack arguments begin above the saved rbp and the return address.
    (keep_call) => {
        "lea rax, [rbp + 16]\n\
         mov [rsp + {stack}], rax"
    };
    (call) => { "mov rdi, rsp\nmov rsi, r10\ncall {enter}" };
    // Initial-exec model. The first word of the thread control block is its own address, the thread pointer.
    (thread_word $symbol:expr, $word:ident) => {
        core::arch::asm!(
            concat!("mov {0}, [rip + ", $symbol, "@GOTTPOFF]"),
            "add {0}, fs:[0]",
            out(reg) $word, options(nomem, nostack),
        )
    };
}

/// Macro arms for Microsoft's convention. A function without a frame needs no unwind information.
#[cfg(windows)]
#[doc(hidden)]
#[macro_export]
#[cfg_attr(rustfmt, rustfmt::skip)]
macro_rules! __processor_variant {
    (arguments [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "rcx" "rdx" "r8" "r9" } };
    (floats [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "xmm0" "xmm1" "xmm2" "xmm3" } };
    (begin) => { "" };
    (end) => { "" };
    (positional) => { true };
    // The unwind information of a function with a frame needs the function's symbol, `{this}`. The frame is smaller than a
    // page, so it needs no probe.
    (frame) => {
        ".seh_proc {this}\n\
         push rbp\n\
         .seh_pushreg rbp\n\
         mov rbp, rsp\n\
         .seh_setframe rbp, 0\n\
         .seh_endprologue\n\
         sub rsp, {size}"
    };
    // The system's unwinder recognises an epilogue by these instructions.
    (leave) => {
        "lea rsp, [rbp]\n\
         pop rbp\n\
         ret\n\
         .seh_endproc"
    };
    // The stack arguments begin above the saved rbp, the return address, and the home area for the four register
    // arguments.
    (keep_call) => {
        "lea rax, [rbp + 48]\n\
         mov [rsp + {stack}], rax"
    };
    (call) => {
        "mov rcx, rsp\n\
         mov rdx, r10\n\
         sub rsp, 32\n\
         call {enter}\n\
         add rsp, 32"
    };
    // All vector arguments move up by one register. Registers that hold no argument are also copied, but the callee
    // does not read them.
    (insert $context:tt $({$to:tt $from:tt})*) => {
        concat!(
            "movaps xmm3, xmm2\n\
             movaps xmm2, xmm1\n\
             movaps xmm1, xmm0\n",
            $($crate::__processor!(move $to $from), "\n",)*
            $crate::__processor!(bind $context)
        )
    };
    // `_tls_index`, from the C runtime, is the image's index among the images with thread-local storage. Offset 0x58 of
    // the thread environment block points to an array of pointers, one to each image's storage. The storage is a copy
    // of the image's `.tls$` section; the first word of `_tls_used` contains that section's address. (A SECREL32
    // relocation could express the symbol's offset in the section, but GNU ld 2.40 also emits a base relocation for it,
    // so the loader corrupts the offset unless it loads the image at the preferred address.)
    (thread_word $symbol:expr, $word:ident) => {
        core::arch::asm!(
            "mov {0:e}, dword ptr [rip + _tls_index]",
            "mov {1}, gs:[0x58]",
            "mov {0}, [{1} + 8 * {0}]",
            concat!("lea {1}, [rip + ", $symbol, "]"),
            "sub {1}, qword ptr [rip + _tls_used]",
            "add {0}, {1}",
            out(reg) $word, out(reg) _, options(nomem, nostack),
        )
    };
}
