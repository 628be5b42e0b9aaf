//! What differs from target to target, seen from Rust. The stubs themselves are in `asm/`.
//!
//! Each file has for its instruction set:
//!
//! | | |
//! |---|---|
//! | `STUB_STRIDE` | bytes from one stub to the next; where it can be, a power of two, so that an address is checked with a mask |
//! | `CODE_BIT` | what an address that is called has besides |
//! | `thread_pointer` | what tells the running thread from others, never 0 |
//! | `address_of!` | the address of a hidden symbol of the assembly |
//! | `dead_procedure` | what a call through a freed trampoline runs |
//! | `trap` | an instruction that ends whatever runs |
//! | `STUB_CODE`, `is_stub` | bytes of a stub's instructions, at most; whether some bytes are a stub of any copy |
//! | `ELF_MACHINE` | for the debugger: the number of the machine |
//! | `SCRATCH_STUB`, `SCRATCH_ALIGN`, `write_stub` | where there is the feature `scratch`: a stub that carries its two words in itself |

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(all(target_arch = "arm", not(target_os = "none")))]
mod arm;
#[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
mod riscv;
#[cfg(all(target_arch = "arm", target_os = "none"))]
mod thumb;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
pub(crate) use aarch64::*;
#[cfg(all(target_arch = "arm", not(target_os = "none")))]
pub(crate) use arm::*;
#[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
pub(crate) use riscv::*;
#[cfg(all(target_arch = "arm", target_os = "none"))]
pub(crate) use thumb::*;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::*;

/// What tells the running thread from others, never 0. Only speed depends on it: two
/// threads with one identity, or one with two, share or waste a place to start.
///
/// The thread pointer is read from its register, so it needs no thread-local variable,
/// no `std` and no destructor, and is right in a signal handler. Where there are no threads,
/// or none that could be told apart, all share one identity.
#[cfg(not(compact))]
#[inline(always)]
pub(crate) fn thread() -> usize {
    #[cfg(not(any(target_os = "none", loom, miri)))]
    return thread_pointer();
    #[cfg(any(target_os = "none", loom, miri))]
    1
}
