//! 64-bit LoongArch: the static chain is in t8.

#[cfg(not(loom))]
pub(crate) mod adapters;
#[cfg(not(loom))]
mod in_thread;
#[cfg(not(loom))]
pub(crate) mod raw;
#[cfg(all(feature = "scratch", not(loom)))]
pub(crate) mod scratch;

/// Distance in bytes from one stub to the next.
pub(crate) const STUB_STRIDE: usize = 16;

/// Added to a stub's address to call it: nothing.
pub(crate) const CODE_BIT: usize = 0;

/// The thread pointer (LoongArch ELF psABI, section "Register Convention").
#[cfg(not(any(loom, miri)))]
#[inline(always)]
pub(crate) fn thread_pointer() -> usize {
    let thread_pointer: usize;
    // SAFETY: reads a register that a program may read at any time. It never changes within a thread, so `nomem` is
    // correct. Not `pure`: a fiber may continue on another thread after any call, where an earlier result must not be
    // reused.
    unsafe {
        core::arch::asm!("move {}, $tp", out(reg) thread_pointer, options(nomem, nostack, preserves_flags));
    }
    thread_pointer
}

/// Makes a Linux system call; returns its result, or a negated error number.
/// # Safety
/// Same as for the system call; the provenance of each pointer among the arguments must be exposed.
#[cfg(target_os = "linux")]
#[inline(always)]
pub(crate) unsafe fn system_call(number: usize, arguments: [usize; 6]) -> isize {
    let [first, second, third, fourth, fifth, sixth] = arguments;
    let result: isize;
    // SAFETY: guaranteed by the caller; the kernel changes a0 and the temporary registers.
    unsafe {
        core::arch::asm!(
            "syscall 0",
            in("$a7") number, inlateout("$a0") first => result,
            in("$a1") second, in("$a2") third, in("$a3") fourth, in("$a4") fifth, in("$a5") sixth,
            lateout("$t0") _, lateout("$t1") _, lateout("$t2") _, lateout("$t3") _, lateout("$t4") _,
            lateout("$t5") _, lateout("$t6") _, lateout("$t7") _, lateout("$t8") _, options(nostack),
        );
    }
    result
}

/// Instructions that compute the PC-relative address of a symbol or label into operand 0.
#[cfg(not(loom))]
macro_rules! address {
    ($symbol:expr) => {
        concat!("la.pcrel {0}, ", $symbol)
    };
}
#[cfg(not(loom))]
pub(crate) use address;

/// The address of a thread-local symbol for the running thread. Symbols contain the version (`build.rs`).
#[cfg(not(loom))]
macro_rules! address_of_thread {
    ($symbol:literal) => {{
        let address: usize;
        // SAFETY: computes an address. The symbol's offset from the thread pointer never changes, nor does the thread
        // pointer within a thread. Not `pure`, for the reason given in `thread_pointer`.
        unsafe {
            core::arch::asm!(
                concat!("la.tls.ie {0}, ", $crate::__symbol!($symbol)),
                "add.d {0}, {0}, $tp",
                out(reg) address, options(nomem, nostack, preserves_flags),
            );
        }
        address
    }};
}
#[cfg(not(loom))]
pub(crate) use address_of_thread;

/// Defines the dead procedure, which a call through a freed trampoline enters. The stub has loaded the slot's death
/// record into the static-chain register; it becomes the first argument of the diagnosis.
/// The caller's return address stays where a debugger finds it, so that a backtrace shows the caller.
#[cfg(not(loom))]
macro_rules! dead_procedure {
    ($diagnose:path) => {
        #[unsafe(naked)]
        pub(crate) extern "C" fn dead_procedure() {
            core::arch::naked_asm!(
                ".cfi_startproc",
                "addi.d $sp, $sp, -16",
                ".cfi_def_cfa_offset 16",
                "st.d $ra, $sp, 8",
                ".cfi_offset 1, -8",
                "st.d $fp, $sp, 0",
                ".cfi_offset 22, -16",
                "addi.d $fp, $sp, 16",
                "move $a0, $t8",
                "call36 {diagnose}",
                "break 0",
                ".cfi_endproc",
                diagnose = sym $diagnose,
            )
        }
    };
}
#[cfg(not(loom))]
pub(crate) use dead_procedure;

/// Alignment of a breakpoint in bytes.
#[cfg(all(growing, not(loom)))]
pub(crate) const BREAKPOINT_UNIT: usize = 4;

/// The length of gdb's or lldb's breakpoint at the beginning of `code`; 0 if there is none.
#[cfg(all(growing, not(loom)))]
pub(crate) fn breakpoint(code: &[u8]) -> usize {
    if code.starts_with(&0x002a_0005u32.to_le_bytes()) { 4 } else { 0 } // break 5
}

/// The ELF machine number of LoongArch, which `libc` does not have.
#[cfg(all(growing, not(loom)))]
pub(crate) const ELF_MACHINE: u16 = 258;

/// An empty function for the debugger interface; an indirect call may enter it.
#[cfg(all(growing, not(loom)))]
macro_rules! empty_function {
    () => {
        "ret"
    };
}
#[cfg(all(growing, not(loom)))]
pub(crate) use empty_function;

/// Size of a stub's instructions in bytes.
#[cfg(not(loom))]
pub(crate) const STUB_CODE: usize = 16;

/// Decodes the code at `address` as a stub of any copy of the library and returns the address of its slot: `pcalau12i
/// $t7; ld.d $t8, $t7; ld.d $t7, $t7; jr $t7`. `None` if it is not a stub.
#[cfg(not(loom))]
pub(crate) fn decode_stub(code: &[u8], address: usize) -> Option<usize> {
    let [page, chain, entry, jump] = crate::arch::instructions(code)?;
    if page & 0xfe00_001f != 0x1a00_0013 || chain & 0xffc0_03ff != 0x28c0_0274 || jump != 0x4c00_0260 {
        return None;
    }
    if entry != (0x28c0_0273 | chain & 0x003f_fc00) + (8 << 10) {
        return None;
    }
    let (high, low) = (((page << 7) as i32 >> 12) as isize, ((chain << 10) as i32 >> 20) as isize);
    Some((address & !0xfff).wrapping_add_signed(high << 12).wrapping_add_signed(low))
}
