//! Target-specific Rust code, in one file or directory per processor. The stubs themselves are in `asm/`.
//!
//! Each processor's code contains:
//!
//! | | |
//! |---|---|
//! | `STUB_STRIDE` | distance in bytes from one stub to the next; if possible a power of two, so that an address can be checked with a mask |
//! | `thread_pointer` | returns an identifier of the running thread, never 0; on targets with threads; defined by `thread_pointer!` in `shared.rs`, except on Arm |
//! | `address!` | the instructions that compute the address of a symbol or label; not on PowerPC, MIPS and Arm boards; `address.rs` builds `asm_address!` and `address_of!` on it |
//! | `asm_address!`, `address_of!` | defined here only if the definition in `address.rs` does not suit the processor |
//! | `call_diagnosis!` | the instructions of the dead procedure, which calls the function `{diagnose}`; used by `dead_procedure!` in `shared.rs`; on Windows the processor's code defines `dead_procedure!` itself |
//! | `trap` | stops execution; on boards and Windows |
//! | `no_exchange_here` | returns whether an exchange by the running code could overlap an exchange by other code; on Arm processors without atomic exchange |
//! | `ENCODING` | the instructions of a stub, for the decoder in `targets/processors.rs`; on Linux and Windows |
//! | `BREAKPOINT_UNIT`, `breakpoint` | alignment and encoding of debuggers' breakpoints; needed if the table can grow, except on macOS |
//! | `ELF_MACHINE`, `empty_function!` | for the debugger interface, the ELF machine number and the body of an empty function; needed if the table can grow, on Linux; `debugger!` in `shared.rs` defines these two and the two above |
//! | `scratch::{SIZE, ALIGN, write}` | a stub that contains its own two words; with the `scratch` feature, on Linux; defined by `scratch_stub!` in `shared.rs`, if the words follow the instructions |
//! | `adapters::Passing`, `adapters::passing` | the ways of passing a closure's address to a function (for some processors in `eight_registers.rs` or `doublewords.rs`), and the selection for a signature |
//! | `adapters::instructions!` | for each way, the additional parameters of the entered function, and the adapter's instructions |
//! | `adapters::{pass, take}` | the routines of the way that uses thread-local words (`in_thread.rs`); on Linux, except x86-64 and x86, which pass the address in other ways |
//! | `__processor!` | the processor's registers and instructions, each defined once; `registers.rs` lists the macro's arms |
//! | `system_call` | makes a system call; on Linux; defined by `system_call!` in `kernel.rs` if an `asm!` block suffices |
//! | `SIGNAL_SET`, `Action`, `map` | the parts of the kernel's interface that differ between processors, imported from `kernel.rs` unless the processor's code defines them; on Linux |
//! | `signing::{sign, strip}` | signs code pointers in writable memory, so that each is valid only in its own pair of words, and removes the signatures; if the build requests it on AArch64 Linux, otherwise below |

#[cfg(relative)]
mod address;
#[cfg(doublewords)]
mod doublewords;
#[cfg(eight_registers)]
mod eight_registers;
#[cfg(all(thread_words, target_os = "linux"))]
pub(crate) mod in_thread;
// The code for this processor.
#[cfg_attr(target_arch = "aarch64", path = "aarch64/mod.rs")]
#[cfg_attr(all(target_arch = "arm", not(target_os = "none")), path = "arm/a32.rs")]
#[cfg_attr(all(target_arch = "arm", target_os = "none"), path = "arm/thumb.rs")]
#[cfg_attr(target_arch = "loongarch64", path = "loongarch64/mod.rs")]
#[cfg_attr(target_arch = "mips64", path = "mips64/mod.rs")]
#[cfg_attr(target_arch = "powerpc", path = "powerpc/mod.rs")]
#[cfg_attr(target_arch = "powerpc64", path = "powerpc64/mod.rs")]
#[cfg_attr(any(target_arch = "riscv32", target_arch = "riscv64"), path = "riscv/mod.rs")]
#[cfg_attr(target_arch = "s390x", path = "s390x/mod.rs")]
#[cfg_attr(target_arch = "sparc64", path = "sparc64.rs")]
#[cfg_attr(target_arch = "x86", path = "x86/mod.rs")]
#[cfg_attr(target_arch = "x86_64", path = "x86_64/mod.rs")]
#[cfg(stubs)]
mod isa;
#[cfg(linux_stubs)]
#[allow(dead_code, unused_macros, unused_imports, reason = "a processor's own definitions replace some")]
mod kernel;
#[cfg(loom)]
mod loom;
#[cfg(portable)]
mod portable;
// The file that defines `__processor!`, for processors with a separate file for it. The macro is exported to other
// crates.
#[cfg_attr(target_arch = "aarch64", path = "aarch64/registers.rs")]
#[cfg_attr(target_arch = "arm", path = "arm/registers.rs")]
#[cfg_attr(target_arch = "loongarch64", path = "loongarch64/registers.rs")]
#[cfg_attr(target_arch = "mips64", path = "mips64/registers.rs")]
#[cfg_attr(target_arch = "powerpc", path = "powerpc/registers.rs")]
#[cfg_attr(target_arch = "powerpc64", path = "powerpc64/registers.rs")]
#[cfg_attr(any(target_arch = "riscv32", target_arch = "riscv64"), path = "riscv/registers.rs")]
#[cfg_attr(target_arch = "s390x", path = "s390x/registers.rs")]
#[cfg_attr(target_arch = "x86", path = "x86/registers.rs")]
#[cfg_attr(target_arch = "x86_64", path = "x86_64/registers.rs")]
mod registers;
#[cfg(stubs)]
mod shared;
#[cfg(stubs)]
pub(crate) mod signature;
#[cfg(signed)]
#[path = "aarch64/signing.rs"]
pub(crate) mod signing;
pub(crate) mod symbols;

#[cfg(relative)]
pub(crate) use address::*;
// Replaces the macro of the same name in `address.rs`.
#[cfg(all(stubs, target_arch = "mips64"))]
pub(crate) use isa::asm_address;
#[cfg(stubs)]
pub(crate) use isa::*;
#[cfg(loom)]
pub(crate) use loom::*;
#[cfg(portable)]
pub(crate) use portable::*;
#[cfg(stubs)]
pub(crate) use shared::*;

#[cfg(not(signed))]
pub(crate) mod signing {
    //! The replacement for `aarch64/signing.rs` in builds that do not sign code pointers in writable memory
    //! (STATICTRAMP_SIGN).

    /// Returns the pointer unchanged, because this build stores plain pointers.
    #[cfg(feature = "__slot-extra")]
    #[inline(always)]
    pub(crate) fn sign(pointer: *const (), _context: *mut (), _words: *const ()) -> *const () {
        pointer
    }

    /// Returns the stored pointer unchanged, because it is already a plain address.
    #[cfg_attr(compact, allow(dead_code))]
    #[inline(always)]
    pub(crate) fn strip(pointer: *const ()) -> *const () {
        pointer
    }
}

/// The Thumb bit, or 0 on other targets. It is added to a stub's address to obtain the address to call.
#[cfg(not(portable))]
pub(crate) const CODE_BIT: usize = cfg!(all(target_arch = "arm", target_os = "none")) as usize;

/// Returns an identifier of the running thread. The identifier is never 0, and no two running threads share one.
/// `closure/kept.rs` uses it to count a thread's own calls without an atomic exchange, and `capi/src/compiled/maker.rs`
/// uses it to identify the owner of a trampoline. The identifier is the thread pointer. Reading it needs no
/// thread-local variable, `std` or destructor, and works even in a signal handler. On boards, in loom's models and
/// under Miri, all code shares one identifier: `HAS_UNIQUE_IDENTITY` in `kept.rs` is then false, and all calls are
/// counted with an exchange.
#[cfg(not(compact))]
#[inline(always)]
pub(crate) fn thread() -> usize {
    #[cfg(not(any(target_os = "none", loom, miri)))]
    return thread_pointer();
    #[cfg(any(target_os = "none", loom, miri))]
    1
}

/// The multiplier that [`thread_hash`] uses. The product is the thread pointer plus the same pointer shifted left by 15
/// bits; most processors compute this sum in one instruction. Bits 24 and up of the sum depend on the pointer's bits 24
/// and up and, through the shift, on its bits 9 and up, so both large and small distances between two thread pointers
/// affect them.
#[cfg(not(any(compact, windows)))]
pub(crate) const THREAD_FACTOR: u64 = (1 << 15) + 1;

/// Returns a hash of [`thread`]. Only bits 24 to 38 of the hash are useful. On x86-64 Linux, a single instruction loads
/// the thread pointer and multiplies it (`x86_64/mod.rs`).
#[cfg(not(any(compact, windows)))]
#[inline(always)]
pub(crate) fn thread_hash() -> u64 {
    #[cfg(all(linux_stubs, target_arch = "x86_64", not(miri)))]
    return thread_product();
    #[cfg(not(all(linux_stubs, target_arch = "x86_64", not(miri))))]
    (thread() as u64).wrapping_mul(THREAD_FACTOR)
}

/// Decodes the code at `address` as a stub of any copy of the library. Any bytes may follow the stub. Returns the
/// address of the stub's slot and the size of the instructions, or `None` if the code is not a stub.
#[cfg(all(stubs, any(target_os = "linux", windows)))]
pub(crate) fn decode_stub(code: &[u8], address: usize) -> Option<(usize, usize)> {
    let (slot, len) = statictramp_targets::stub::slot_of(ENCODING, code, address as u64)?;
    Some((slot as usize, len))
}
