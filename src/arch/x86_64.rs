//! x86-64: the static chain travels in r10.

/// Bytes from one stub to the next; a power of two, so that an address is checked with a mask.
pub(crate) const STUB_STRIDE: usize = if cfg!(landing_pads) { 32 } else { 16 };

/// The address of a stub is called as it is.
pub(crate) const CODE_BIT: usize = 0;

/// On x86-64 the first word of the thread control block is its own address (ELF Handling for
/// Thread-Local Storage, section 3.4.6).
#[cfg(not(any(target_os = "none", loom, miri)))]
#[inline(always)]
pub(crate) fn thread_pointer() -> usize {
    let thread_pointer: usize;
    // SAFETY: on Linux fs:0 holds the address of the thread control block in each thread that
    // runs compiled code; reading it changes nothing. It never changes either, so it need not
    // count as memory.
    unsafe {
        core::arch::asm!("mov {}, fs:0", out(reg) thread_pointer, options(pure, nomem, nostack, preserves_flags));
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
                concat!("lea {}, [rip + ", $crate::__symbol!($symbol), "]"),
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
#[cfg(not(loom))]
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

/// Bytes of a stub that carries its two words in itself, and their alignment.
#[cfg(all(feature = "scratch", not(loom)))]
pub(crate) const SCRATCH_STUB: usize = 27;
#[cfg(all(feature = "scratch", not(loom)))]
pub(crate) const SCRATCH_ALIGN: usize = 1;

/// Writes `endbr64; movabs $callee, %r11; movabs $chain, %r10; jmp *%r11`.
///
/// x86-64 keeps its instruction cache coherent with stores of the same processor, and a jump
/// is all that it wants between writing and running (Intel SDM, volume 3, 9.1.3).
///
/// # Safety
/// `SCRATCH_STUB` bytes are there, which may be written and executed.
#[cfg(all(feature = "scratch", not(loom)))]
pub(crate) unsafe fn write_stub(at: *mut (), callee: *const (), chain: *mut ()) {
    let mut code = [0; SCRATCH_STUB];
    code[..6].copy_from_slice(&[0xf3, 0x0f, 0x1e, 0xfa, 0x49, 0xbb]);
    code[6..14].copy_from_slice(&callee.addr().to_le_bytes());
    code[14..16].copy_from_slice(&[0x49, 0xba]);
    code[16..24].copy_from_slice(&chain.addr().to_le_bytes());
    code[24..].copy_from_slice(&[0x41, 0xff, 0xe3]);
    // SAFETY: the caller's promise.
    unsafe { at.cast::<[u8; SCRATCH_STUB]>().write_unaligned(code) };
}

/// Bytes of a stub's instructions, at most.
#[cfg(all(target_os = "linux", not(loom)))]
pub(crate) const STUB_CODE: usize = 17;

/// Whether this is the code of a stub, of any copy: `movq slot(%rip), %r10` and
/// `jmpq *slot+8(%rip)`, with a landing pad or without.
#[cfg(all(target_os = "linux", not(loom)))]
pub(crate) fn is_stub(code: &[u8]) -> bool {
    let code = code.strip_prefix(&[0xf3, 0x0f, 0x1e, 0xfa]).unwrap_or(code);
    let Some(&[0x4c, 0x8b, 0x15, a, b, c, d, 0xff, 0x25, e, f, g, h]) = code.first_chunk::<13>() else {
        return false;
    };
    // Both are relative to the end of their own instruction, 7 and 13 bytes from here.
    i32::from_le_bytes([a, b, c, d]).wrapping_add(7 + 8) == i32::from_le_bytes([e, f, g, h]).wrapping_add(13)
}

/// Ends whatever runs here.
#[cfg(not(any(unix, loom)))]
pub(crate) fn trap() -> ! {
    // SAFETY: an invalid instruction.
    unsafe { core::arch::asm!("ud2", options(noreturn, nomem, nostack)) }
}

#[cfg(all(growing, not(loom)))]
pub(crate) const ELF_MACHINE: u16 = libc::EM_X86_64;
