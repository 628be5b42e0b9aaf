//! Passing a closure's address as an extra argument (System V psABI, section 3.2.3). The integer registers in use also
//! depend on the result, because a result of class MEMORY takes rdi. A type's class does not follow from its size and
//! alignment, because a type with an unaligned field has class MEMORY. The address is therefore passed in one of two
//! ways that do not depend on the result:
//! - *In a vector register.* xmm0 to xmm7 take the parameters of class SSE in order. A compiler knows from the types
//!   how many of these registers the arguments take. This code knows only the maximum: an argument of up to 16 bytes
//!   takes one register for each eight bytes, and any larger argument takes at most one register (it is a vector if it
//!   is not in memory). If the maximum is at most 3, the registers from the fourth on are free, and the adapter sets
//!   four of them to the closure's address. However many registers the arguments actually take, the last of the four
//!   floating-point parameters that follow them is in one of these four registers. The adapter jumps and needs neither
//!   a frame nor memory.
//!   ```text
//!     (f64, ptr)                   xmm0  xmm1  xmm2  xmm3  xmm4  xmm5  xmm6
//!     what came                    f64   -     -
//!     what is set                                    c     c     c     c
//!     enter(f64, ptr, _, _, _, c)  f64   _     _     _     c
//!   ```
//! - *In memory.* A parameter of more than 16 bytes that is not a vector is in memory, before the caller's stack
//!   arguments, and takes no register. The adapter builds such a parameter from the closure's address and the return
//!   address that is already on the stack:
//!   ```text
//!     rsp -> closure | pad | pad | return address | the caller's stack arguments ...
//!   ```
//!
//!   The stack arguments keep their positions relative to each other, unless one of them is aligned to more than the 32
//!   bytes that the adapter pushes. If there is such an argument, the parameter takes 64 or 4096 bytes. A closure's
//!   argument cannot be aligned to more than 4096 bytes.

use crate::arch::size_align::SizeAlign;

const _: () = assert!(usize::BITS == 64, "the x86-64 adapters require 64-bit pointers");

pub(crate) enum Way {
    VectorRegister,
    Memory,
    CacheLine,
    Page,
}

/// Returns the maximum number of vector registers that the arguments take.
const fn vector_registers(arguments: &[SizeAlign]) -> usize {
    let (mut most, mut i) = (0, 0);
    while i < arguments.len() {
        most += match arguments[i].size {
            0..=8 => 1,
            9..=16 => 2,
            _ => 1, // a vector, or else a parameter in memory
        };
        i += 1;
    }
    most
}

/// Selects how closures with this signature receive their address.
pub(crate) const fn way(arguments: &[SizeAlign], _result: SizeAlign) -> Way {
    if cfg!(target_feature = "sse2") && vector_registers(arguments) <= 3 {
        return Way::VectorRegister;
    }
    match largest_alignment(arguments) {
        0..=32 => Way::Memory,
        33..=64 => Way::CacheLine,
        _ => Way::Page, // larger alignments are rejected
    }
}

const fn largest_alignment(arguments: &[SizeAlign]) -> usize {
    let (mut largest, mut i) = (1, 0);
    while i < arguments.len() {
        if arguments[i].align > largest {
            largest = arguments[i].align;
        }
        i += 1;
    }
    largest
}

/// A parameter of more than 16 bytes, as drawn above. Between the closure's address and the return address it contains
/// padding, so that its size is a multiple of the largest alignment of the arguments after it.
#[repr(C)]
pub(crate) struct InMemory<H, const PADDING: usize> {
    pub(crate) holder: *const H,
    _padding: [usize; PADDING],
    _return: usize,
}
const _: () = {
    assert!(size_of::<InMemory<(), 2>>() == 32);
    assert!(size_of::<InMemory<(), 6>>() == 64);
    assert!(size_of::<InMemory<(), 510>>() == 4096);
};

macro_rules! adapter {
    ($way:expr, $enter:ident $signature:tt) => {
        match $way {
            arch::Way::VectorRegister => $enter!(
                in_vector_register,
                $signature,
                (),
                (_: f64, _: f64, _: f64, holder: f64),
                core::ptr::with_exposed_provenance::<H>(holder.to_bits() as usize)
            ),
            arch::Way::Memory => $enter!(in_memory, $signature, (passed: arch::InMemory<H, 2>,), (), passed.holder),
            arch::Way::CacheLine => {
                $enter!(in_cache_line, $signature, (passed: arch::InMemory<H, 6>,), (), passed.holder)
            }
            arch::Way::Page => $enter!(in_page, $signature, (passed: arch::InMemory<H, 510>,), (), passed.holder),
        }
    };
}
pub(crate) use adapter;

#[cfg(target_feature = "sse2")]
macro_rules! in_vector_register {
    ($enter:path; $arguments:expr) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "endbr64",
            "movq xmm3, r10",
            "movaps xmm4, xmm3",
            "movaps xmm5, xmm3",
            "movaps xmm6, xmm3",
            "jmp {enter}",
            ".cfi_endproc",
            enter = sym $enter,
        )
    };
}
/// Expands to a body that is never entered, because there are no vector registers.
#[cfg(not(target_feature = "sse2"))]
macro_rules! in_vector_register {
    ($enter:path; $arguments:expr) => {
        core::arch::naked_asm!("ud2", "/* {enter} */", enter = sym $enter)
    };
}
pub(crate) use in_vector_register;

/// Calls the function with padding that keeps the stack aligned to 16 bytes.
macro_rules! in_memory_of {
    ($enter:path, $padding:literal) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "endbr64",
            "sub rsp, {padding}",
            ".cfi_adjust_cfa_offset {padding}",
            "push r10",
            ".cfi_adjust_cfa_offset 8",
            "call {enter}",
            "add rsp, {padding} + 8",
            ".cfi_adjust_cfa_offset -{padding} - 8",
            "ret",
            ".cfi_endproc",
            enter = sym $enter,
            padding = const $padding,
        )
    };
}
pub(crate) use in_memory_of;

macro_rules! in_memory {
    ($enter:path; $arguments:expr) => {
        arch::in_memory_of!($enter, 16)
    };
}
pub(crate) use in_memory;

macro_rules! in_cache_line {
    ($enter:path; $arguments:expr) => {
        arch::in_memory_of!($enter, 48)
    };
}
pub(crate) use in_cache_line;

macro_rules! in_page {
    ($enter:path; $arguments:expr) => {
        arch::in_memory_of!($enter, 4080)
    };
}
pub(crate) use in_page;
