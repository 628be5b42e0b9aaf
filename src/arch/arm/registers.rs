//! The registers of 32-bit Arm (AAPCS32, section 6.1.1), in A32 code on Linux and Thumb on boards.
//! `src/arch/aarch64/registers.rs` explains the instructions.
//!
//! | register | holds | an adapter |
//! |---|---|---|
//! | r0 to r3 | integer arguments in order; results in r0 and r1 | may write, to move or add arguments |
//! | s0 to s15 | with hard float: floating-point arguments and results | must keep |
//! | r12 | the static chain; a scratch register for linkers and stubs | may clobber after reading the chain |
//! | r4 to r11, s16 to s31 | the caller's variables | must keep |
//! | lr, sp | the return address, the stack pointer (a multiple of 8) | must keep |
//!
//! There is no other scratch register. A32 code loads the callee's address into pc. Thumb code on Armv6-M cannot load
//! into pc, and its loads and stores can use only r0 to r7 (or sp or pc as the base). A Thumb adapter therefore pushes
//! registers that may hold arguments, and uses those registers until it jumps.

#[doc(hidden)]
#[macro_export]
#[cfg_attr(rustfmt, rustfmt::skip)]
macro_rules! __processor {
    (arguments [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "r0" "r1" "r2" "r3" } };
    (writable_arguments $($more:tt)*) => { $crate::__processor! { arguments $($more)* } };
    (chain [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "r12" } };
    (result_takes_first) => { true };
    (thread_variables_below) => { false };
    (dynamic_is_read_only) => { false };
    // An argument that is aligned to 8 bytes begins in an even-numbered register.
    (even_pairs) => { true };

    (begin) => { ".fnstart" };
    (end) => { ".cantunwind\n.fnend" };
    (move $to:tt $from:tt) => { concat!("mov ", $to, ", ", $from) };
    (bind $register:tt) => { $crate::__processor_variant!(bind $register) };
    (insert $($words:tt)*) => { $crate::__processor_variant!(insert $($words)*) };
    (caller stack_pointer $to:tt) => { concat!("mov ", $to, ", sp") };
    (jump $to:literal) => { concat!("b ", $to) };
    (stack_pointer) => { "mov {}, sp" };
    // Processors differ in how the thread pointer is read, so a libc routine reads it. The routine preserves r1 to r3
    // (Run-time ABI for the Arm Architecture, section 5.3.5), but the call itself may clobber r12. The block therefore
    // declares r12, lr and the flags as clobbered. The stack is aligned for the call.
    (thread_word $symbol:expr, $word:ident) => {
        core::arch::asm!(
            "bl __aeabi_read_tp",
            "ldr {0}, 3f",
            "2: ldr {0}, [pc, {0}]",
            "add r0, r0, {0}",
            "b 4f",
            concat!("3: .word ", $symbol, "(gottpoff) + (. - (2b + 8))"),
            "4:",
            out(reg) _, out("r0") $word, out("r12") _, out("lr") _, options(nomem),
        )
    };
}

/// Macro arms for A32 code.
#[cfg(not(target_os = "none"))]
#[doc(hidden)]
#[macro_export]
#[cfg_attr(rustfmt, rustfmt::skip)]
macro_rules! __processor_variant {
    (bind $register:tt) => { concat!("ldr ", $register, ", [r12]\nldr pc, [r12, #4]") };
}

/// Macro arms for Thumb code, limited to instructions that every Thumb processor has.
#[cfg(target_os = "none")]
#[doc(hidden)]
#[macro_export]
#[cfg_attr(rustfmt, rustfmt::skip)]
macro_rules! __processor_variant {
    (bind "r0") => { $crate::__processor_variant!(bind "r0" "r2" "r3") };
    (bind "r1") => { $crate::__processor_variant!(bind "r1" "r2" "r3") };
    (bind "r2") => { $crate::__processor_variant!(bind "r2" "r0" "r1") };
    (bind "r3") => { $crate::__processor_variant!(bind "r3" "r0" "r1") };
    // Pushes two registers that may hold other arguments, to free them for the callee's address and the pair's address.
    // Pushing r4 makes room for the callee's address, to be popped into pc.
    (bind $register:literal $callee:literal $pair:literal) => {
        concat!(
            "push {{", $callee, ", ", $pair, ", r4}}\n",
            "mov ", $pair, ", r12\n",
            "ldr ", $callee, ", [", $pair, ", #4]\n",
            "str ", $callee, ", [sp, #8]\n",
            "ldr ", $register, ", [", $pair, "]\n",
            "pop {{", $callee, ", ", $pair, ", pc}}"
        )
    };
    // Moves arguments and then proceeds like `bind`, except that r4 holds first the pair's address and then the
    // callee's address, and r5 is pushed to make room for the callee's address.
    (insert $context:tt $({$to:tt $from:tt})*) => {
        concat!(
            $($crate::__processor!(move $to $from), "\n",)*
            "push {{r4, r5}}\n",
            "mov r4, r12\n",
            "ldr ", $context, ", [r4]\n",
            "ldr r4, [r4, #4]\n",
            "str r4, [sp, #4]\n",
            "pop {{r4, pc}}"
        )
    };
}
