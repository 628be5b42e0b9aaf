//! x86-64 on Windows (Microsoft's x64 calling convention and x64 exception handling): the thread pointer, frames with
//! unwind information, and the ways of passing a closure's address as an extra argument.
//!
//! Each argument takes one position, whatever its type. The first four positions are registers (rcx, rdx, r8, r9, or
//! xmm0 to xmm3), and each later position is one word on the stack. An argument is passed by pointer unless its size is
//! 1, 2, 4 or 8 bytes. If the size of the result is not 1, 2, 4 or 8 bytes, a hidden pointer to the result usually
//! takes the first position, and all arguments move by one position. But vectors and 128-bit integers are returned in a
//! register, and structs of the same size in memory, so the adapter cannot tell from the size whether there is a hidden
//! pointer. Nor does the adapter know whether a zero-sized argument takes a position. Such an argument takes one with
//! mingw, but not with Microsoft's compiler. The closure's address is therefore a parameter after the arguments,
//! preceded by enough unused parameters that every position where the function might expect the address is after all
//! arguments. The adapter sets all these positions to the address.
//! - *In registers*, if these positions are among the first four. The adapter jumps to the function and needs no frame.
//! - *On the stack* otherwise. The adapter copies the caller's words into its own frame and calls the function. The
//!   last copied word might belong to the caller's frame instead of being an argument.

use crate::arch::signature::Signature;

// The thread environment block contains its own address at 0x30 (`NT_TIB.Self`).
#[cfg(not(miri))]
crate::arch::thread_pointer!("mov {}, gs:[0x30]");

/// Terminates the process immediately with `__fastfail(FAST_FAIL_FATAL_APP_EXIT)`, as std does.
pub(crate) fn trap() -> ! {
    // SAFETY: the system terminates the process, so the instruction never returns.
    unsafe { core::arch::asm!("int 0x29", in("ecx") 7, options(noreturn, nostack)) }
}

/// Defines the dead procedure, to which the stub of a freed trampoline jumps. The stub has loaded the slot's free
/// record into the static-chain register, and the record becomes the diagnosis's first argument. The caller's return
/// address stays in place, and unwind information describes the frame, so that a backtrace shows the caller.
macro_rules! dead_procedure {
    ($diagnose:path) => {
        #[unsafe(naked)]
        pub(crate) extern "C" fn dead_procedure() {
            core::arch::naked_asm!(
                ".seh_proc {this}",
                "push rbp",
                ".seh_pushreg rbp",
                "mov rbp, rsp",
                ".seh_setframe rbp, 0",
                ".seh_endprologue",
                "and rsp, -16", // aligns the stack, because the caller may have aligned it differently
                "sub rsp, 32",  // the home area for the callee's register arguments
                "mov rcx, r10",
                "call {diagnose}",
                "ud2",
                ".seh_endproc",
                this = sym dead_procedure,
                diagnose = sym $diagnose,
            )
        }
    };
}
pub(crate) use dead_procedure;

/// The ways of passing a closure's address.
pub(crate) enum Passing {
    /// For 0 to 3 argument positions, if their number is known.
    Register,
    /// For at most one argument, if there might be a hidden pointer.
    Registers,
    Stack,
    /// For signatures that contain zero-sized types.
    StackFarBehind,
}

/// Selects how closures with this signature receive their address.
pub(crate) const fn passing(signature: &Signature<'_>) -> Passing {
    let mut i = 0;
    while i < signature.arguments.len() {
        if signature.arguments[i].size == 0 {
            return Passing::StackFarBehind;
        }
        i += 1;
    }
    // A result of 1, 2, 4 or 8 bytes is always returned in a register, and a result of 0 bytes is not returned at all.
    let has_no_hidden_pointer = matches!(signature.result.size, 0 | 1 | 2 | 4 | 8);
    match count(signature) {
        0..=3 if has_no_hidden_pointer => Passing::Register,
        0..=1 => Passing::Registers,
        _ => Passing::Stack,
    }
}

/// Returns the number of arguments.
pub(crate) const fn count(signature: &Signature<'_>) -> usize {
    signature.arguments.len()
}

/// Defines the adapter for a signature, using `define_adapter!` from `src/closure/adapters.rs`.
macro_rules! instructions {
    ($passing:expr, $define:ident $signature:tt) => {
        match $passing {
            // Sets the first free register to the closure's address. The number of arguments determines the register.
            adapters::Passing::Register => $define!(
                $signature,
                (),
                (holder: *const H),
                holder,
                ".if {count} == 0",
                "mov rcx, r10",
                ".elseif {count} == 1",
                "mov rdx, r10",
                ".elseif {count} == 2",
                "mov r8, r10",
                ".else",
                "mov r9, r10",
                ".endif",
                "jmp {enter}",
                count = const adapters::count(&Self::SIGNATURE),
            ),
            // (ptr), the result a struct of 16 bytes   position 0     1     2     3
            // what came, the result in memory                   hid.  ptr
            // what came, the result in a register               ptr
            // what is set                                                   c     c
            // enter(ptr, _, c)                                  ptr   _     c            or   hid.  ptr   _     c
            adapters::Passing::Registers => $define!(
                $signature,
                (),
                (_: usize, holder: *const H),
                holder,
                ".if {count} == 0",
                "mov rdx, r10",
                "mov r8, r10",
                ".else",
                "mov r8, r10",
                "mov r9, r10",
                ".endif",
                "jmp {enter}",
                count = const adapters::count(&Self::SIGNATURE),
            ),
            adapters::Passing::Stack => adapters::instructions!(on_stack 1, (_: usize, holder: *const H), holder, $define $signature),
            // There may be 16 zero-sized arguments and a hidden pointer.
            adapters::Passing::StackFarBehind => adapters::instructions!(
                on_stack 17,
                (
                    _: usize, _: usize, _: usize, _: usize, _: usize, _: usize, _: usize, _: usize, _: usize,
                    _: usize, _: usize, _: usize, _: usize, _: usize, _: usize, _: usize, _: usize,
                    holder: *const H
                ),
                holder, $define $signature
            ),
        }
    };
    // Calls the function with a copy of the stack arguments. `$unused` is the number of unused parameters before the
    // closure's address. The function might expect the address at any of `$unused` + 1 positions, possibly including
    // r8 and r9, so the adapter stores the address at each position. The other argument registers are passed on
    // unchanged. rax and r11 hold no live value at function entry. The stack during the call, where c is the closure's
    // address:
    //
    //     rsp -> home area of four registers | copied words | `$unused` + 1 copies of c |
    //            return address | home area | words ...
    (on_stack $unused:literal, $parameters:tt, $holder:expr, $define:ident $signature:tt) => {
        $define!(
            $signature,
            (),
            $parameters,
            $holder,
            ".seh_proc {this}",
            "sub rsp, {frame}",
            ".seh_stackalloc {frame}",
            ".seh_endprologue",
            ".if {count} > 3",
            "mov eax, {count} - 3", // the number of stack words taken by the arguments and a hidden pointer
            "2: mov r11, [rsp + {frame} + 8 * rax + 32]", // after the return address and the home area
            "mov [rsp + 8 * rax + 24], r11",
            "dec eax",
            "jnz 2b",
            ".endif",
            // The first position for the address is {count} + 1.
            ".if {count} <= 1",
            "mov r8, r10",
            ".endif",
            ".if {count} <= 2",
            "mov r9, r10",
            ".endif",
            "mov eax, {count} + 1 + {unused}",
            "3: mov [rsp + 8 * rax], r10",
            "dec eax",
            ".if {count} <= 2",
            "cmp eax, 4",
            ".else",
            "cmp eax, {count} + 1",
            ".endif",
            "jae 3b",
            "call {enter}",
            "add rsp, {frame}",
            "ret",
            ".seh_endproc",
            this = sym Self::adapter,
            count = const adapters::count(&Self::SIGNATURE),
            // Positions for the arguments, a hidden pointer, the unused parameters and the closure's address. With
            // the return address, the size is a multiple of 16.
            frame = const (8 * (adapters::count(&Self::SIGNATURE) + 2 + $unused)).next_multiple_of(16) + 8,
            unused = const $unused,
        )
    };
}
pub(crate) use instructions;
