//! AArch64: the static chain travels in x15, and in x18 where that is a plain temporary.

/// Bytes from one stub to the next.
pub(crate) const STUB_STRIDE: usize = 32;

/// The address of a stub is called as it is.
pub(crate) const CODE_BIT: usize = 0;

/// The thread pointer (AAPCS64, section 6.1.2).
#[cfg(not(any(target_os = "none", loom, miri)))]
#[inline(always)]
pub(crate) fn thread_pointer() -> usize {
    let thread_pointer: usize;
    // SAFETY: reads a register that a program may read at any time. It never changes within
    // a thread, so it need not count as memory.
    unsafe {
        core::arch::asm!("mrs {}, tpidr_el0", out(reg) thread_pointer, options(pure, nomem, nostack, preserves_flags));
    }
    thread_pointer
}

/// The address of a hidden symbol of the assembly, relative to the program counter. Rust
/// takes every external symbol for one of another image and would load its address from
/// a table that the loader relocates. Symbols carry the version, as `build.rs` says.
#[cfg(not(loom))]
macro_rules! address_of {
    ($symbol:literal) => {{
        let address: *const u8;
        // SAFETY: computes an address of this image and does nothing else.
        unsafe {
            core::arch::asm!(
                concat!("adrp {0}, ", $crate::__symbol!($symbol)),
                concat!("add {0}, {0}, :lo12:", $crate::__symbol!($symbol)),
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
/// The return address of the caller stays where a debugger finds it, so that it shows who
/// called.
#[cfg(not(loom))]
#[unsafe(naked)]
pub(crate) extern "C" fn dead_procedure() {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "hint #34", // bti c
        "stp x29, x30, [sp, #-16]!",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset x29, -16",
        ".cfi_offset x30, -8",
        "mov x29, sp",
        "mov x0, x15",
        "bl {diagnose}",
        "udf #0",
        ".cfi_endproc",
        diagnose = sym crate::dead::diagnose,
    )
}

/// Ends whatever runs here.
#[cfg(not(any(unix, loom)))]
pub(crate) fn trap() -> ! {
    // SAFETY: an undefined instruction.
    unsafe { core::arch::asm!("udf #0", options(noreturn, nomem, nostack)) }
}

#[cfg(all(growing, not(loom)))]
pub(crate) const ELF_MACHINE: u16 = libc::EM_AARCH64;

/// Bytes of a stub's instructions, at most.
#[cfg(all(target_os = "linux", not(loom)))]
pub(crate) const STUB_CODE: usize = 24;

/// Whether this is the code of a stub, of any copy: `adrp x16; add x16, x16; ldp x15, x17,
/// [x16]`, with a landing pad or without.
#[cfg(all(target_os = "linux", not(loom)))]
pub(crate) fn is_stub(code: &[u8]) -> bool {
    let code = code.strip_prefix(&0xd503_245fu32.to_le_bytes()).unwrap_or(code);
    let word = |at: usize| code.get(at..at + 4)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
    let (Some(adrp), Some(add), Some(ldp)) = (word(0), word(4), word(8)) else {
        return false;
    };
    adrp & 0x9f00_001f == 0x9000_0010 && add & 0xffc0_03ff == 0x9100_0210 && ldp == 0xa940_460f
}
