//! Passing a closure's address as an extra argument (System V psABI, section 3.2.3). The integer registers in use also
//! depend on the result, because a result of class MEMORY takes rdi, and a type's class does not follow from its size
//! and alignment: a type with an unaligned field has class MEMORY. The address is therefore passed in one of two ways
//! that do not depend on the result:
//! - *In a vector register.* Parameters of class SSE are passed in xmm0 to xmm7, in order. A compiler knows from the
//!   types how many of these registers the arguments take, but this code knows only the maximum: one register for every
//!   eight bytes of an argument of up to 16 bytes, and one register for any larger argument (either a vector or in
//!   memory). If the maximum is at most 3, the registers from the fourth on are free, and the adapter sets the first
//!   four free registers to the closure's address. The function has four floating-point parameters after the arguments.
//!   However many registers the arguments actually take, the last of these parameters is in one of the four registers.
//!   The adapter jumps and needs neither a frame nor memory.
//! - *In memory.* A non-vector parameter of more than 16 bytes is in memory, before the caller's stack arguments, and
//!   takes no register. The adapter builds such a parameter from the closure's address and the return address already
//!   on the stack. The parameter takes 32 bytes, so that the stack arguments keep their positions relative to each
//!   other, or 64 or 4096 bytes if a stack argument is aligned to more than 32 bytes. A closure's argument cannot be
//!   aligned to more than 4096 bytes.

use crate::arch::signature::Signature;

const _: () = assert!(usize::BITS == 64, "the x86-64 adapters require 64-bit pointers");

/// The ways of passing a closure's address.
pub(crate) enum Passing {
    #[cfg(target_feature = "sse2")]
    VectorRegister,
    Memory32,
    Memory64,
    Memory4096,
}

/// Selects how closures with this signature receive their address.
pub(crate) const fn passing(signature: &Signature<'_>) -> Passing {
    #[cfg(target_feature = "sse2")]
    if vector_registers(signature) <= 3 {
        return Passing::VectorRegister;
    }
    match signature.largest_alignment() {
        0..=32 => Passing::Memory32,
        33..=64 => Passing::Memory64,
        _ => Passing::Memory4096, // larger alignments are rejected
    }
}

/// Returns the maximum number of vector registers that the arguments take.
#[cfg(target_feature = "sse2")]
const fn vector_registers(signature: &Signature<'_>) -> usize {
    let (mut most, mut i) = (0, 0);
    while i < signature.arguments.len() {
        most += match signature.arguments[i].size {
            0..=8 => 1,
            9..=16 => 2,
            _ => 1, // a vector, or else a parameter in memory
        };
        i += 1;
    }
    most
}

/// A parameter of more than 16 bytes, as drawn below. Padding between the closure's address and the return address
/// makes the parameter's size a multiple of the largest alignment of the arguments that follow.
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

/// Defines the adapter for a signature, using `define_adapter!` from `src/closure/adapters.rs`.
macro_rules! instructions {
    ($passing:expr, $define:ident $signature:tt) => {
        match $passing {
            // (f64, ptr)                   xmm0  xmm1  xmm2  xmm3  xmm4  xmm5  xmm6
            // what came                    f64   -     -
            // what is set                                    c     c     c     c
            // enter(f64, ptr, _, _, _, c)  f64   _     _     _     c
            #[cfg(target_feature = "sse2")]
            adapters::Passing::VectorRegister => $define!(
                $signature, (), (_: f64, _: f64, _: f64, holder: f64),
                core::ptr::with_exposed_provenance::<H>(holder.to_bits() as usize),
                ".cfi_startproc",
                "endbr64",
                "movq xmm3, r10",
                "movaps xmm4, xmm3",
                "movaps xmm5, xmm3",
                "movaps xmm6, xmm3",
                "jmp {enter}",
                ".cfi_endproc",
            ),
            adapters::Passing::Memory32 => adapters::instructions!(in_memory 2, $define $signature),
            adapters::Passing::Memory64 => adapters::instructions!(in_memory 6, $define $signature),
            adapters::Passing::Memory4096 => adapters::instructions!(in_memory 510, $define $signature),
        }
    };
    // rsp -> closure's address | padding | return address | the caller's stack arguments ...
    // The padding also keeps the stack aligned to 16 bytes.
    (in_memory $padding:literal, $define:ident $signature:tt) => {
        $define!(
            $signature, (passed: adapters::InMemory<H, $padding>,), (), passed.holder,
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
            padding = const 8 * $padding,
        )
    };
}
pub(crate) use instructions;
