//! RISC-V, both widths: the static chain travels in t2.

/// Bytes from one stub to the next.
pub(crate) const STUB_STRIDE: usize = 32;

/// The address of a stub is called as it is.
pub(crate) const CODE_BIT: usize = 0;

/// The thread pointer (RISC-V ELF psABI, chapter "Register Convention").
#[cfg(not(any(target_os = "none", loom, miri)))]
#[inline(always)]
pub(crate) fn thread_pointer() -> usize {
    let thread_pointer: usize;
    // SAFETY: reads a register that a program may read at any time. It never changes within
    // a thread, so it need not count as memory.
    unsafe {
        core::arch::asm!("mv {}, tp", out(reg) thread_pointer, options(pure, nomem, nostack, preserves_flags));
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
                concat!("lla {}, ", $crate::__symbol!($symbol)),
                out(reg) address, options(pure, nomem, nostack, preserves_flags),
            );
        }
        address
    }};
}
#[cfg(not(loom))]
pub(crate) use address_of;

/// The instruction that stores a register.
#[cfg(all(target_arch = "riscv64", not(loom)))]
macro_rules! store {
    () => {
        "sd"
    };
}
#[cfg(all(target_arch = "riscv32", not(loom)))]
macro_rules! store {
    () => {
        "sw"
    };
}

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
        "addi sp, sp, -16",
        ".cfi_def_cfa_offset 16",
        concat!(store!(), " ra, 8(sp)"),
        ".cfi_offset ra, -8",
        concat!(store!(), " s0, 0(sp)"),
        ".cfi_offset s0, -16",
        "addi s0, sp, 16",
        "mv a0, t2",
        "call {diagnose}",
        "unimp",
        ".cfi_endproc",
        diagnose = sym crate::dead::diagnose,
    )
}

/// Ends whatever runs here.
#[cfg(not(any(unix, loom)))]
pub(crate) fn trap() -> ! {
    // SAFETY: an undefined instruction.
    unsafe { core::arch::asm!("unimp", options(noreturn, nomem, nostack)) }
}

#[cfg(all(growing, not(loom)))]
pub(crate) const ELF_MACHINE: u16 = libc::EM_RISCV;

/// Bytes of a stub's instructions.
#[cfg(all(target_os = "linux", not(loom)))]
pub(crate) const STUB_CODE: usize = 20;

/// Whether this is the code of a stub, of any copy: `auipc t2; addi t2, t2; ld t1, 8(t2);
/// ld t2, 0(t2); jr t1`.
#[cfg(all(target_os = "linux", not(loom)))]
pub(crate) fn is_stub(code: &[u8]) -> bool {
    let word = |at: usize| code.get(at..at + 4)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
    let (Some(auipc), Some(addi)) = (word(0), word(4)) else {
        return false;
    };
    let rest = [word(8), word(12), word(16)];
    auipc & 0xfff == 0x397
        && addi & 0x000f_ffff == 0x0003_8393
        && rest == [Some(0x0083_b303), Some(0x0003_b383), Some(0x0003_0067)]
}
