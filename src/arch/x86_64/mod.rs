//! x86-64: the static chain is in r10.

#[cfg(not(windows))]
pub(crate) mod adapters;
#[cfg(windows)]
pub(crate) mod windows;

#[cfg(windows)]
pub(crate) use windows as adapters;
#[cfg(windows)]
pub(crate) use windows::*;

#[cfg(target_os = "linux")]
pub(crate) use crate::arch::kernel::*;
#[cfg(any(target_os = "linux", windows))]
pub(crate) use statictramp_targets::stub::Encoding::X86_64 as ENCODING;

/// The distance in bytes from one stub to the next. It is a power of two, so that an address can be checked with a mask.
pub(crate) const STUB_STRIDE: usize = if cfg!(landing_pads) { 32 } else { 16 };

// On x86-64 the first word of the thread control block is the block's own address (ELF Handling for Thread-Local
// Storage, section 3.4.6).
#[cfg(not(any(target_os = "none", target_os = "macos", windows, miri)))]
crate::arch::thread_pointer!("mov {}, fs:0");

/// Returns the product of the thread pointer and `THREAD_FACTOR`.
#[cfg(all(target_os = "linux", not(miri)))]
#[inline(always)]
pub(crate) fn thread_product() -> u64 {
    let product: u64;
    // SAFETY: as in `thread_pointer!`, except that the instruction changes the flags.
    unsafe {
        core::arch::asm!(
            "imul {}, fs:0, {}", out(reg) product, const crate::arch::THREAD_FACTOR, options(nomem, nostack),
        );
    }
    product
}

// On macOS the first word of the thread-specific data is the thread's `pthread_t`, which `pthread_self` reads in the
// same way.
#[cfg(target_os = "macos")]
crate::arch::thread_pointer!("mov {}, gs:0");

// The kernel changes rax, rcx and r11, and does not write to the program's stack (System V ABI, AMD64 Supplement,
// section A.2.1).
#[cfg(target_os = "linux")]
crate::arch::system_call! { number [first second third fourth fifth sixth] result;
    "syscall",
    inlateout("rax") number => result,
    in("rdi") first, in("rsi") second, in("rdx") third, in("r10") fourth, in("r8") fifth, in("r9") sixth,
    lateout("rcx") _, lateout("r11") _, options(nostack),
}

/// The instruction that loads the PC-relative address of a symbol or label into operand 0.
macro_rules! address {
    ($symbol:expr) => {
        concat!("lea {0}, [rip + ", $symbol, "]")
    };
}
pub(crate) use address;

/// The processor's instructions for `dead_procedure!`.
#[cfg(not(windows))]
macro_rules! call_diagnosis {
    () => {
        $crate::arch::lines!(
            ".cfi_startproc",
            "endbr64",
            "push rbp",
            ".cfi_adjust_cfa_offset 8",
            ".cfi_rel_offset rbp, 0",
            "mov rbp, rsp",
            ".cfi_def_cfa_register rbp",
            "and rsp, -16", // aligns the stack, because the caller may have aligned it differently
            "mov rdi, r10",
            "call {diagnose}",
            "ud2",
            ".cfi_endproc",
        )
    };
}
#[cfg(not(windows))]
pub(crate) use call_diagnosis;

/// Stops execution with a trap.
#[cfg(not(any(unix, windows)))]
pub(crate) fn trap() -> ! {
    // SAFETY: the instruction is invalid, so it traps and execution does not continue.
    unsafe { core::arch::asm!("ud2", options(noreturn, nomem, nostack)) }
}

#[cfg(all(growing, any(target_os = "linux", windows)))]
crate::arch::debugger! {
    unit 1, breakpoints [0xcc]; // int3
    machine libc::EM_X86_64; function "endbr64\nret"
}

#[cfg(all(feature = "scratch", target_os = "linux"))]
pub(crate) mod scratch {
    //! A stub that contains its own static chain and entry:
    //! ```text
    //!   endbr64
    //!   movabs $entry, %r11
    //!   movabs $chain, %r10
    //!   jmp    *%r11
    //! ```

    pub(crate) const SIZE: usize = 27;
    pub(crate) const ALIGN: usize = 2;

    /// Writes the stub.
    ///
    /// x86-64 keeps its instruction cache coherent with stores by the same processor, so a jump between writing and
    /// executing the code is sufficient (Intel SDM, volume 3, 9.1.3).
    ///
    /// # Safety
    /// `at` must be aligned to `ALIGN`, and writable and executable for `SIZE` bytes.
    pub(crate) unsafe fn write(at: *mut (), entry: *const (), chain: *mut ()) {
        let mut code = [0; SIZE];
        code[..6].copy_from_slice(&[0xf3, 0x0f, 0x1e, 0xfa, 0x49, 0xbb]);
        code[6..14].copy_from_slice(&entry.addr().to_le_bytes());
        code[14..16].copy_from_slice(&[0x49, 0xba]);
        code[16..24].copy_from_slice(&chain.addr().to_le_bytes());
        code[24..].copy_from_slice(&[0x41, 0xff, 0xe3]);
        // SAFETY: the caller upholds the safety contract.
        unsafe { at.cast::<[u8; SIZE]>().write_unaligned(code) };
    }
}
