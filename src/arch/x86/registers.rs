//! The registers of 32-bit x86 (System V psABI for i386, section 2.2.3). `src/arch/aarch64/registers.rs` explains the
//! instructions.
//!
//! | register | holds | an adapter |
//! |---|---|---|
//! | the words of the stack above the return address | all arguments except some vectors; these words belong to the callee | may write, to move or replace arguments |
//! | ecx | the static chain | may clobber after reading the chain |
//! | eax | the result; a scratch register for stubs and adapters | may clobber |
//! | edx | the upper half of a result | may clobber |
//! | ebx, esi, edi, ebp | the caller's variables; ebp is the frame pointer | must keep |
//! | esp | the stack pointer, a multiple of 16 at each call; at entry, it points to the return address | must keep |
//!
//! The argument words, numbered from 0, take the place of registers. An adapter that must pass one more word than its
//! caller passed copies the words, and calls the callee with the copy.

#[doc(hidden)]
#[macro_export]
#[cfg_attr(rustfmt, rustfmt::skip)]
macro_rules! __processor {
    (arguments [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 } };
    (writable_arguments $($more:tt)*) => { $crate::__processor! { arguments $($more)* } };
    (chain [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "ecx" } };
    (result_takes_first) => { true };
    (thread_variables_below) => { true };
    (dynamic_is_read_only) => { false };
    // In memory, a vector or a struct that contains a vector is aligned to at least 16 bytes, so an additional word
    // before such an argument would change the padding.
    (even_pairs) => { true };

    (begin) => { ".cfi_startproc\nendbr32" };
    (end) => { ".cfi_endproc" };
    (bind $word:tt) => { concat!("mov eax, [ecx]\nmov [esp + 4 + 4 * ", $word, "], eax\njmp [ecx + 4]") };
    // If the context is not the first word, the first word is a hidden pointer to the result. Under the i386 ABI, the
    // callee pops this pointer. The adapter pushes a copy for its own callee to pop, and then pops the original (`ret
    // 4`). Padding below the saved ebp keeps esp aligned to 16 bytes at the call.
    (insert $context:tt $({$to:tt $from:tt})*) => {
        concat!(
            ".cfi_startproc\n\
             endbr32\n",
            $crate::__processor!(frame),
            "sub esp, (-4 * (", $($crate::__processor!(one $to), " + ",)* "3 + ", $context, ")) & 15\n",
            $("push dword ptr [ebp + 8 + 4 * ", $from, "]\n",)*
            "push dword ptr [ecx]\n\
             .if ", $context, "\n\
             push dword ptr [ebp + 8]\n\
             .endif\n\
             call [ecx + 4]\n\
             leave\n\
             .cfi_def_cfa esp, 4\n\
             .cfi_restore ebp\n\
             ret 4 * ", $context, "\n\
             .cfi_endproc"
        )
    };
    (one $word:tt) => { 1 };
    (frame) => { "push ebp\n.cfi_def_cfa_offset 8\n.cfi_offset ebp, -8\nmov ebp, esp\n.cfi_def_cfa_register ebp\n" };
    // Makes a frame that contains copies of the arguments (none or three) and one more word: the value of the stack
    // pointer before the arguments were placed on the stack. With three arguments, the value is an upper bound, rounded
    // up to a multiple of 16: the caller may have pushed the arguments, or stored them in stack space that it had
    // already reserved.
    (caller stack_pointer 0) => { concat!($crate::__processor!(frame), "lea eax, [ebp + 8]\nsub esp, 4\npush eax") };
    (caller stack_pointer 3) => {
        concat!(
            $crate::__processor!(frame),
            "lea eax, [ebp + 20 + 15]\nand eax, -16\nsub esp, 8\npush eax\n\
             push dword ptr [ebp + 16]\npush dword ptr [ebp + 12]\npush dword ptr [ebp + 8]"
        )
    };
    (jump $to:literal) => { concat!("call ", $to, "\nleave\n.cfi_def_cfa esp, 4\n.cfi_restore ebp\nret") };
    (stack_pointer) => { "mov {}, esp" };
    // The address of the global offset table is computed from the address of this code.
    (thread_word $symbol:expr, $word:ident) => {
        core::arch::asm!(
            "call 2f",
            "2: popl {0}",
            "3: addl $_GLOBAL_OFFSET_TABLE_ + (3b - 2b), {0}",
            concat!("movl ", $symbol, "@GOTNTPOFF({0}), {0}"),
            "addl %gs:0, {0}",
            out(reg) $word, options(att_syntax, nomem),
        )
    };
}
