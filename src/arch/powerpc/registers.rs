//! The registers of 32-bit PowerPC (System V ABI, PowerPC Processor Supplement, sections "Registers" and "Parameter
//! Passing"). `src/arch/aarch64/registers.rs` explains the instructions. Registers are written as numbers.
//!
//! | register | holds | an adapter |
//! |---|---|---|
//! | r3 to r10 | integer arguments in order; results in r3 and r4 | may write, to move or add arguments |
//! | f1 to f8 | floating-point arguments; results in f1 and f2 | must keep |
//! | cr bit 6 | whether a variadic call has floating-point arguments in registers | must keep |
//! | r0, r12, ctr | scratch; jumps to an address go through ctr | may clobber |
//! | r11 | the static chain | may clobber after reading the chain |
//! | r14 to r31, f14 to f31 | the caller's variables | must keep |
//! | lr | the return address | must keep |
//! | r1 | the stack pointer, a multiple of 16; the callee may use the second word above it | must keep |
//! | r2, r13 | the thread pointer, the small data area | must keep |

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
    // A 64-bit integer takes a register pair that begins at r3, r5, r7 or r9. These registers have odd numbers, but
    // their positions among the argument registers, counted from 0 at r3, are even.
    (even_pairs) => { true };

    (begin) => { ".cfi_startproc" };
    (end) => { ".cfi_endproc" };
    (move $to:tt $from:tt) => { concat!("mr ", $to, ", ", $from) };
    (bind $register:tt) => { concat!("lwz ", $register, ", 0(11)\nlwz 12, 4(11)\nmtctr 12\nbctr") };
    (caller stack_pointer $to:tt) => { concat!("mr ", $to, ", 1") };
    (caller return_address $to:tt) => { concat!("mflr ", $to) };
    (jump $to:literal) => { concat!("b ", $to) };
    (stack_pointer) => { "mr {}, 1" };
    // `mflr` reads the address of this code, from which the address of the global offset table is computed.
    (thread_word $symbol:expr, $word:ident) => {
        core::arch::asm!(
            "bcl 20, 31, 77f",
            "77: mflr {0}",
            "addis {0}, {0}, (_GLOBAL_OFFSET_TABLE_ - 77b)@ha",
            "addi {0}, {0}, (_GLOBAL_OFFSET_TABLE_ - 77b)@l",
            concat!("lwz {0}, ", $symbol, "@got@tprel({0})"),
            concat!("add {0}, {0}, ", $symbol, "@tls"),
            out(reg_nonzero) $word, out("lr") _, options(nomem, nostack, preserves_flags),
        )
    };
}
