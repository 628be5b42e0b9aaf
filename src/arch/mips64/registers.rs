//! The registers of 64-bit MIPS, n64 ABI (MIPSpro N32 ABI Handbook, chapter 2). `src/arch/aarch64/registers.rs`
//! explains the instructions. Registers are written as numbers here, since assemblers disagree about their names.
//!
//! | register | holds | an adapter |
//! |---|---|---|
//! | $4 to $11 | arguments that are not floating-point, by position | may write, to move or add arguments |
//! | $f12 to $f19 | floating-point arguments, by position: the second argument is in $5 or $f13 | must move with the integer registers |
//! | $2, $3; $f0 to $f2 | results | must keep after a call |
//! | $15 | the static chain | may clobber after reading the chain |
//! | $1 to $3, $12 to $14, $24 | temporaries; stubs and jumps use $24 | may clobber |
//! | $25 | the address of a function that is entered through a pointer | must set to the callee's address |
//! | $16 to $23, $28, $30, $f24 to $f31 | the caller's variables; $28 is the caller's global pointer, $30 the frame pointer | must keep |
//! | $29, $31 | the stack pointer (a multiple of 16), the return address | must keep |

#[doc(hidden)]
#[macro_export]
#[cfg_attr(rustfmt, rustfmt::skip)]
macro_rules! __processor {
    (arguments [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "$4" "$5" "$6" "$7" "$8" "$9" "$10" "$11" } };
    (writable_arguments $($more:tt)*) => { $crate::__processor! { arguments $($more)* } };
    (chain [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "$15" } };
    (result_takes_first) => { true };
    (thread_variables_below) => { false };
    (dynamic_is_read_only) => { true };
    // Arguments aligned to 16 bytes begin in an even register.
    (even_pairs) => { true };

    (begin) => { ".cfi_startproc" };
    (end) => { ".cfi_endproc" };
    // Moves both registers of a position to the next position, because an argument may be in either register.
    (move "$5" "$4") => { "move $5, $4\nmov.d $f13, $f12" };
    (move "$6" "$5") => { "move $6, $5\nmov.d $f14, $f13" };
    (move "$7" "$6") => { "move $7, $6\nmov.d $f15, $f14" };
    (move "$8" "$7") => { "move $8, $7\nmov.d $f16, $f15" };
    (move "$9" "$8") => { "move $9, $8\nmov.d $f17, $f16" };
    (move "$10" "$9") => { "move $10, $9\nmov.d $f18, $f17" };
    (move "$11" "$10") => { "move $11, $10\nmov.d $f19, $f18" };
    (move $to:tt $from:tt) => { concat!("move ", $to, ", ", $from) };
    (bind $register:tt) => { concat!("ld ", $register, ", 0($15)\nld $25, 8($15)\njr $25") };
    (caller stack_pointer $to:tt) => { concat!("move ", $to, ", $29") };
    (caller return_address $to:tt) => { concat!("move ", $to, ", $31") };
    // Loads the function's address from the global offset table, after computing the table's address relative to
    // `{me}`.
    (jump $to:literal) => {
        concat!(
            "lui $24, %hi(%neg(%gp_rel({me})))\n\
             daddu $24, $24, $25\n\
             daddiu $24, $24, %lo(%neg(%gp_rel({me})))\n\
             ld $25, %got_disp(", $to, ")($24)\n\
             jr $25"
        )
    };
    // Sets $25 to the address of a function, and $24 to the gp value (the global offset table's address + 0x7ff0), to
    // which `%got_disp` is relative. $25 must contain the address of label 77.
    (target $to:literal) => {
        concat!(
            "lui $24, %hi(%neg(%gp_rel(77b)))\ndaddu $24, $24, $25\ndaddiu $24, $24, %lo(%neg(%gp_rel(77b)))\n",
            "ld $25, %got_disp(", $to, ")($24)"
        )
    };
    (stack_pointer) => { ".set push\n.set noat\nmove {}, $29\n.set pop" };
    // `bal` stores the code's own address in $31. The operands name specific registers, because the compiler may choose
    // $31 for a `reg` operand. The assembler must not use $1, because the compiler may have allocated it.
    (thread_word $symbol:expr, $word:ident) => {
        core::arch::asm!(
            ".set push\n.set noreorder\n.set noat",
            "move $3, $31\nbal 77f\nnop",
            "77: lui $2, %hi(%neg(%gp_rel(77b)))",
            "daddu $2, $2, $31",
            "daddiu $2, $2, %lo(%neg(%gp_rel(77b)))",
            concat!("ld $2, %gottprel(", $symbol, ")($2)"),
            "move $31, $3",
            "rdhwr $3, $29",
            "daddu $2, $2, $3",
            ".set pop",
            out("$2") $word, out("$3") _, options(nomem, nostack, preserves_flags),
        )
    };
}
