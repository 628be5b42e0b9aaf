//! What differs from target to target, seen from Rust: a folder for each instruction set. The stubs themselves are in
//! `asm/`.
//!
//! Each folder has:
//!
//! | | |
//! |---|---|
//! | `STUB_STRIDE` | bytes from one stub to the next; where it can be, a power of two, so that an address is checked with a mask |
//! | `CODE_BIT` | what the address to call has besides the stub's own |
//! | `thread_pointer` | of `thread_pointer!` in `shared.rs`: what tells the running thread from others, never 0; where there are threads |
//! | `address_of_thread!` | the address of a symbol of the running thread's own storage: the shards (`src/table/thread.rs`); on Linux |
//! | `address!` | the instructions for the address of a symbol or label, of which `address.rs` makes `asm_address!` and `address_of!` |
//! | `asm_address!`, `address_of!` | these two themselves, where `address.rs` does not serve |
//! | `call_diagnosis!` | the instructions of what a call through a freed trampoline runs, `{diagnose}` being the function that it calls: `dead_procedure!` in `shared.rs` |
//! | `trap` | an instruction that ends whatever runs; where there is no C library |
//! | `no_exchange_here` | whether an exchange may be under way that the running code has interrupted; where the processor has no exchange |
//! | `STUB_CODE`, `decode_stub` | bytes of a stub's instructions, at most; which slot a stub reads, of any copy; on Linux and Windows |
//! | `BREAKPOINT_UNIT`, `breakpoint` | what debuggers put into code, and where; where the table grows, but on macOS |
//! | `ELF_MACHINE`, `empty_function!` | for the debugger: the number of the machine, and what its function consists of; where the table grows, on Linux; these four of `debugger!` in `shared.rs` |
//! | `scratch::{SIZE, ALIGN, write}` | a stub that carries its two words in itself; with the feature `scratch`, on Linux |
//! | `adapters::Way`, `adapters::way` | the ways in which a closure's address reaches a parameter (of some processors in `four_ways.rs`), and which one a signature takes |
//! | `adapters::HAS_THREAD_WORDS` | whether there is the way that needs no register; where there are boards without it |
//! | `adapters::adapter!` | for each way the parameters of the function that is entered, and a macro with the instructions |
//! | `in_thread::{stack, jump_to_pass!, pass, take}` | the way that needs no register (`in_thread.rs`); on Linux, but for x86-64 and x86, which have others |
//! | `raw::{Block, enter, enter!, enter_closure!}` | closures of types that are known at run time: the entry, and where arguments travel (`convention/`); `raw.rs` |

#[cfg(all(stubs, not(any(target_arch = "x86", all(target_arch = "arm", target_os = "none")))))]
mod address;
#[cfg(stubs)]
pub(crate) mod convention;
#[cfg(all(
    stubs,
    any(
        target_arch = "aarch64",
        target_arch = "loongarch64",
        target_arch = "powerpc",
        target_arch = "riscv32",
        target_arch = "riscv64"
    )
))]
mod four_ways;
#[cfg(all(linux_stubs, not(any(target_arch = "x86_64", target_arch = "x86"))))]
pub(crate) mod in_thread;
#[cfg(all(linux_stubs, any(target_arch = "riscv64", target_arch = "loongarch64")))]
mod in_thread_risc;
// The folder of the processor.
#[cfg_attr(target_arch = "aarch64", path = "aarch64/mod.rs")]
#[cfg_attr(target_arch = "arm", path = "arm/mod.rs")]
#[cfg_attr(target_arch = "loongarch64", path = "loongarch64/mod.rs")]
#[cfg_attr(target_arch = "powerpc", path = "powerpc/mod.rs")]
#[cfg_attr(target_arch = "powerpc64", path = "powerpc64/mod.rs")]
#[cfg_attr(any(target_arch = "riscv32", target_arch = "riscv64"), path = "riscv/mod.rs")]
#[cfg_attr(target_arch = "s390x", path = "s390x/mod.rs")]
#[cfg_attr(target_arch = "x86", path = "x86/mod.rs")]
#[cfg_attr(target_arch = "x86_64", path = "x86_64/mod.rs")]
#[cfg(stubs)]
mod isa;
#[cfg(loom)]
mod loom;
#[cfg(all(stubs, not(any(target_os = "linux", target_arch = "x86_64", target_arch = "x86"))))]
mod no_thread;
#[cfg(portable)]
mod portable;
#[cfg(stubs)]
pub(crate) mod shape;
#[cfg(stubs)]
mod shared;
pub(crate) mod symbols;

#[cfg(all(stubs, not(any(target_arch = "x86", all(target_arch = "arm", target_os = "none")))))]
pub(crate) use address::*;
#[cfg(stubs)]
pub(crate) use isa::*;
#[cfg(loom)]
pub(crate) use loom::*;
#[cfg(portable)]
pub(crate) use portable::*;
#[cfg(stubs)]
pub(crate) use shared::*;

/// What tells the running thread from others, never 0. No two threads that run at once may have the same:
/// `closure/holder.rs` counts a thread's own calls by it without an exchange, and `capi/src/compiled/place.rs` tells by it
/// whose a trampoline is. Where all threads share one, `TOLD_APART` in `holder.rs` says so, and all calls are counted by an
/// exchange.
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

/// The first words of some code, where all instructions are such words.
#[cfg(all(linux_stubs, not(any(target_arch = "x86_64", target_arch = "x86", target_arch = "s390x"))))]
fn instructions<const N: usize>(code: &[u8]) -> Option<[u32; N]> {
    let mut words = code.chunks_exact(4).map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]]));
    let mut first = [0; N];
    for place in &mut first {
        *place = words.next()?;
    }
    Some(first)
}
