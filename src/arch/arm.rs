//! Arm (A32), on Linux: the static chain travels in r12.

/// Bytes from one stub to the next.
pub(crate) const STUB_STRIDE: usize = 16;

/// The address of a stub is called as it is.
pub(crate) const CODE_BIT: usize = 0;

/// The thread pointer. How it is read differs between processors, so the C library has a routine, which keeps r1 to r3
/// (Run-time ABI for the Arm Architecture, section 5.3.5); what it is called through, an entry of the procedure linkage
/// table or a veneer, changes r12.
#[cfg(not(any(loom, miri)))]
#[inline(always)]
pub(crate) fn thread_pointer() -> usize {
    let thread_pointer: usize;
    // SAFETY: the routine can be called at any time: r0, r12, lr and the flags are what it may change, and the stack is
    // aligned for a call. What it returns never changes within a thread, so it need not count as memory.
    unsafe {
        core::arch::asm!(
            "bl __aeabi_read_tp",
            out("r0") thread_pointer, out("r12") _, out("lr") _, options(pure, nomem),
        );
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
                "ldr {0}, 3f",
                "2: add {0}, pc, {0}",
                "b 4f",
                "5:",
                ".if 5b - 2b - 8", // Thumb's are shorter, and its pc is another
                ".error \"statictramp: this target's stubs are A32 code, and Rust's code is Thumb; leave thumb-mode out\"",
                ".endif",
                concat!("3: .word ", $crate::__symbol!($symbol), " - (2b + 8)"),
                "4:",
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
        ".fnstart",
        ".cfi_startproc",
        "push {{r11, lr}}",
        ".save {{r11, lr}}",
        ".cfi_def_cfa_offset 8",
        ".cfi_offset lr, -4",
        ".cfi_offset r11, -8",
        "mov r11, sp",
        "mov r0, r12",
        "bl {diagnose}",
        "udf #0",
        ".cfi_endproc",
        ".fnend",
        diagnose = sym crate::dead::diagnose,
    )
}

#[cfg(all(growing, not(loom)))]
pub(crate) const ELF_MACHINE: u16 = libc::EM_ARM;

/// Bytes of a stub's instructions.
#[cfg(all(target_os = "linux", not(loom)))]
pub(crate) const STUB_CODE: usize = 12;

/// Whether this is the code of a stub, of any copy: `ldr r12, [pc, #4]; add r12, pc, r12; ldm r12, {r12, pc}`.
#[cfg(all(target_os = "linux", not(loom)))]
pub(crate) fn is_stub(code: &[u8]) -> bool {
    code == [0xe59f_c004u32, 0xe08f_c00c, 0xe89c_9000].map(u32::to_le_bytes).as_flattened()
}
