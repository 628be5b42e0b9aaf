//! Passing a closure's address as an extra argument (Microsoft's x64 calling convention). An argument's position
//! depends only on its ordinal, not on its type. The first four positions are registers (rcx, rdx, r8, r9, or xmm0 to
//! xmm3), and each of the others is one word on the stack. An argument is passed by pointer unless its size is 1, 2, 4
//! or 8 bytes. A result of any other size usually takes the first position for a hidden pointer, and all arguments move
//! by one position. However, vectors and 128-bit integers are returned in a register. A struct of the same size is
//! returned in memory, and the adapter knows only the size, so it cannot tell whether there is a hidden pointer.
//! A zero-sized type takes a position with mingw, but none with Microsoft's compiler. The number of positions
//! that the arguments take is therefore not known exactly. The closure's address is a parameter after the arguments.
//! Unused parameters precede the address, so that each position at which the function may expect the address is after
//! all arguments. The adapter sets all these positions to the address:
//! ```text
//!   (ptr), the result a struct of 16 bytes   place 0     1     2     3
//!   what came, the result in memory                hid.  ptr
//!   what came, the result in a register            ptr
//!   what is set                                                c     c
//!   enter(ptr, _, c)                               ptr   _     c            or   hid.  ptr   _     c
//! ```
//! - *In registers*, if these positions are among the first four. The adapter tail-calls the function, and needs no
//!   stack frame.
//! - *On the stack* otherwise. The adapter copies the caller's words into its own frame, and calls the function. It may
//!   copy one word too many, which belongs to the caller's frame.

use crate::arch::size_align::SizeAlign;

pub(crate) enum Way {
    /// For a known number of argument positions, which is 0 to 3.
    Register,
    /// For 0 or 1 argument, if there may be a hidden pointer.
    Registers,
    Stack,
    /// For signatures that contain zero-sized types.
    StackFarBehind,
}

/// Number of unused parameters before the closure's address.
pub(crate) const BETWEEN: usize = 1;
/// Number of unused parameters if some arguments are zero-sized. There may be 16 such arguments and a hidden pointer.
pub(crate) const FAR_BETWEEN: usize = 17;

/// Returns whether a result is certain to take no position. A result of 1, 2, 4 or 8 bytes is always returned in a
/// register, and a result of 0 bytes is not returned at all.
const fn has_no_hidden_pointer(result: SizeAlign) -> bool {
    matches!(result.size, 0 | 1 | 2 | 4 | 8)
}

/// Selects how closures with this signature receive their address.
pub(crate) const fn way(arguments: &[SizeAlign], result: SizeAlign) -> Way {
    let mut i = 0;
    while i < arguments.len() {
        if arguments[i].size == 0 {
            return Way::StackFarBehind;
        }
        i += 1;
    }
    match arguments.len() {
        0..=3 if has_no_hidden_pointer(result) => Way::Register,
        0..=1 => Way::Registers,
        _ => Way::Stack,
    }
}

pub(crate) const fn count(arguments: &[SizeAlign]) -> usize {
    arguments.len()
}

/// Returns the maximum number of stack words that the arguments take. The maximum includes a hidden pointer, and
/// excludes the four positions in registers.
pub(crate) const fn stack_words(arguments: &[SizeAlign]) -> usize {
    (arguments.len() + 1).saturating_sub(4)
}

/// Returns the size in bytes of a frame with positions for the arguments, a hidden pointer, the unused parameters and
/// the closure's address. Including the return address, the frame's size is a multiple of 16.
pub(crate) const fn frame(arguments: &[SizeAlign], between: usize) -> usize {
    (8 * (arguments.len() + 2 + between)).next_multiple_of(16) + 8
}

/// Returns the first position that the closure's address may have.
pub(crate) const fn first_place(arguments: &[SizeAlign]) -> usize {
    arguments.len() + 1
}

macro_rules! adapter {
    ($way:expr, $enter:ident $signature:tt) => {
        match $way {
            arch::Way::Register => $enter!(in_register, $signature, (), (holder: *const H), holder),
            arch::Way::Registers => $enter!(in_registers, $signature, (), (_: usize, holder: *const H), holder),
            arch::Way::Stack => $enter!(on_stack, $signature, (), (_: usize, holder: *const H), holder),
            arch::Way::StackFarBehind => $enter!(
                on_stack_far_behind,
                $signature,
                (),
                (
                    _: usize, _: usize, _: usize, _: usize, _: usize, _: usize, _: usize, _: usize, _: usize,
                    _: usize, _: usize, _: usize, _: usize, _: usize, _: usize, _: usize, _: usize,
                    holder: *const H
                ),
                holder
            ),
        }
    };
}
pub(crate) use adapter;

/// Sets the first free register, which the number of arguments determines, to the closure's address.
macro_rules! in_register {
    ($enter:path; $arguments:expr) => {
        core::arch::naked_asm!(
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
            enter = sym $enter,
            count = const arch::count($arguments),
        )
    };
}
pub(crate) use in_register;

macro_rules! in_registers {
    ($enter:path; $arguments:expr) => {
        core::arch::naked_asm!(
            ".if {count} == 0",
            "mov rdx, r10",
            "mov r8, r10",
            ".else",
            "mov r8, r10",
            "mov r9, r10",
            ".endif",
            "jmp {enter}",
            enter = sym $enter,
            count = const arch::count($arguments),
        )
    };
}
pub(crate) use in_registers;

/// Calls the function with a copy of the stack arguments. The function may expect the closure's address at any of several
/// positions, which may include r8 and r9, so the address is stored at each of them. The other argument registers are
/// passed on unchanged. rax and r11 are unused between a caller and its callee.
macro_rules! on_stack_behind {
    ($between:expr; enter::<$($type:ident),* $(,)?>; $arguments:expr) => {
        core::arch::naked_asm!(
            ".seh_proc {this}",
            "sub rsp, {frame}",
            ".seh_stackalloc {frame}",
            ".seh_endprologue",
            ".if {words}",
            "mov eax, {words}",
            "2: mov r11, [rsp + {frame} + 8 * rax + 32]", // after the return address and the home area of four registers
            "mov [rsp + 8 * rax + 24], r11",
            "dec eax",
            "jnz 2b",
            ".endif",
            // Sets the `$between` + 1 positions that the closure's address may have.
            ".if {first} <= 2",
            "mov r8, r10",
            ".endif",
            ".if {first} <= 3",
            "mov r9, r10",
            ".endif",
            "mov eax, {last}",
            "3: mov [rsp + 8 * rax], r10",
            "dec eax",
            ".if {first} <= 3",
            "cmp eax, 4",
            ".else",
            "cmp eax, {first}",
            ".endif",
            "jae 3b",
            "call {enter}",
            "add rsp, {frame}",
            "ret",
            ".seh_endproc",
            this = sym adapter::<$($type),*>,
            enter = sym enter::<$($type),*>,
            frame = const arch::frame($arguments, $between),
            words = const arch::stack_words($arguments),
            first = const arch::first_place($arguments),
            last = const arch::first_place($arguments) + $between,
        )
    };
}
pub(crate) use on_stack_behind;

macro_rules! on_stack {
    ($($enter:tt)*) => {
        arch::on_stack_behind!(arch::BETWEEN; $($enter)*)
    };
}
pub(crate) use on_stack;

macro_rules! on_stack_far_behind {
    ($($enter:tt)*) => {
        arch::on_stack_behind!(arch::FAR_BETWEEN; $($enter)*)
    };
}
pub(crate) use on_stack_far_behind;
