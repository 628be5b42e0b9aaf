//! What differs from target to target, seen from Rust. The stubs themselves are in `asm/`.

/// Bytes from one stub to the next; a power of two, so that an address is checked with a mask.
pub(crate) const STUB_STRIDE: usize = if cfg!(landing_pads) { 32 } else { 16 };

/// What tells the running thread from others, never 0. Only speed depends on it: two
/// threads with one identity, or one with two, share or waste a place to start.
///
/// The thread pointer is read from its register, so it needs no thread-local variable,
/// no `std` and no destructor, and is right in a signal handler. On x86-64 the first
/// word of the thread control block is its own address (ELF Handling for Thread-Local
/// Storage, section 3.4.6).
#[cfg(all(target_arch = "x86_64", not(target_os = "none"), not(loom), not(miri)))]
#[inline(always)]
pub(crate) fn thread() -> usize {
    let thread_pointer: usize;
    // SAFETY: on every system of this row fs:0 holds the address of the thread control
    // block in each thread that runs compiled code; reading it changes nothing. It never
    // changes either, so it need not count as memory.
    unsafe {
        core::arch::asm!("mov {}, fs:0", out(reg) thread_pointer, options(pure, nomem, nostack, preserves_flags));
    }
    thread_pointer
}

/// Where there are no threads, or none that could be told apart, all share one identity.
#[cfg(not(all(target_arch = "x86_64", not(target_os = "none"), not(loom), not(miri))))]
#[inline(always)]
pub(crate) fn thread() -> usize {
    1
}

/// The address of a hidden symbol of the assembly, relative to the program counter. Rust
/// takes every external symbol for one of another image and would load its address from
/// a table that the loader relocates.
#[cfg(all(target_arch = "x86_64", not(loom)))]
macro_rules! address_of {
    ($symbol:literal) => {{
        let address: *const u8;
        // SAFETY: computes an address of this image and does nothing else.
        unsafe {
            core::arch::asm!(
                concat!("lea {}, [rip + ", $symbol, "]"),
                out(reg) address, options(pure, nomem, nostack, preserves_flags),
            );
        }
        address
    }};
}
#[cfg(not(loom))]
pub(crate) use address_of;

/// What a call through a freed trampoline runs. The stub has put the slot's last record
/// into the static-chain register; it becomes the first argument of the diagnosis.
///
/// The return address of the caller stays where a call puts it, so that a debugger shows
/// who called.
#[cfg(all(target_arch = "x86_64", not(loom)))]
#[unsafe(naked)]
pub(crate) extern "C" fn dead_procedure() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "endbr64",
        "push rbp",
        ".cfi_adjust_cfa_offset 8",
        ".cfi_rel_offset rbp, 0",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "and rsp, -16", // the caller may have kept another alignment
        "mov rdi, r10",
        "call {diagnose}",
        "ud2",
        ".cfi_endproc",
        diagnose = sym crate::dead::diagnose,
    )
}
