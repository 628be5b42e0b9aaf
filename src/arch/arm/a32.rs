//! Arm on Linux, in A32 code: the static chain is in r12.

pub(crate) mod adapters;

pub(crate) use crate::arch::kernel::*;
pub(crate) use statictramp_targets::stub::Encoding::Arm as ENCODING;

/// The distance in bytes from one stub to the next.
pub(crate) const STUB_STRIDE: usize = 16;

/// Returns the thread pointer. Processors differ in how the thread pointer is read, so this function calls a libc
/// routine. The routine preserves r1 to r3 (Run-time ABI for the Arm Architecture, section 5.3.5). The call may go
/// through a PLT entry or a veneer, either of which clobbers r12.
#[cfg(not(miri))]
#[inline(always)]
pub(crate) fn thread_pointer() -> usize {
    let thread_pointer: usize;
    // SAFETY: the routine may be called at any time. It changes only r0, r12, lr and the flags, and the stack is
    // aligned for a call. The routine's result never changes within a thread, so `nomem` is correct. The block is not
    // `pure`: after any call, a fiber may continue on another thread, where it must not reuse an earlier result.
    unsafe {
        core::arch::asm!(
            "bl __aeabi_read_tp",
            out("r0") thread_pointer, out("r12") _, out("lr") _, options(nomem),
        );
    }
    thread_pointer
}

// The kernel changes only r0. The system call number must be in r7, which is restored because it may be the frame
// pointer.
#[cfg(target_os = "linux")]
crate::arch::system_call! { number [first second third fourth fifth sixth] result;
    "mov {kept}, r7",
    "mov r7, {number}",
    "svc #0",
    "mov r7, {kept}",
    number = in(reg) number, kept = out(reg) _, inlateout("r0") first => result,
    in("r1") second, in("r2") third, in("r3") fourth, in("r4") fifth, in("r5") sixth, options(nostack),
}

/// The instructions that load the PC-relative address of a symbol or label into operand 0. The `nop` is never executed:
/// its length shows whether this is Thumb code, in which reading pc yields a different address.
macro_rules! address {
    ($symbol:expr) => {
        concat!(
            "ldr {0}, 3f\n",
            "2: add {0}, pc, {0}\n",
            "b 4f\n",
            "5: nop\n",
            "6: .if 6b - 5b - 4\n",
            ".error \"statictramp: this target's stubs are A32 code, and Rust's code is Thumb; leave thumb-mode out\"\n",
            ".endif\n",
            "3: .word ",
            $symbol,
            " - (2b + 8)\n",
            "4:",
        )
    };
}
pub(crate) use address;

/// The processor's instructions for `dead_procedure!`.
macro_rules! call_diagnosis {
    () => {
        $crate::arch::lines!(
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
        )
    };
}
pub(crate) use call_diagnosis;

#[cfg(growing)]
crate::arch::debugger! {
    unit 4, breakpoints [0xf0, 0x01, 0xf0, 0xe7]; // an undefined instruction that Linux turns into a SIGTRAP
    machine libc::EM_ARM; function "bx lr"
}

// A stub that contains its own static chain and entry.
#[cfg(feature = "scratch")]
crate::arch::scratch_stub! {
    align 4, code [
        0xe59f_c000, // ldr r12, at + 8: the chain
        0xe59f_f000, // ldr pc, at + 12: the entry, with the lowest bit set if it is Thumb code
    ], words {chain entry};
    /// User programs cannot flush caches themselves, so this function makes the `__ARM_NR_cacheflush` system call.
    |at, entry, chain| {
        const FLUSH: usize = 0x0f_0002;
        let (start, end) = (at.expose_provenance(), at.addr() + SIZE);
        super::system_call(FLUSH, [start, end, 0, 0, 0, 0]);
    }
}
