//! x86-64 on Windows: the thread pointer, and frames with unwind information (x64 calling convention, x64 exception
//! handling).

pub(crate) mod adapters;

// The thread environment block contains its own address at 0x30 (`NT_TIB.Self`).
#[cfg(not(miri))]
crate::arch::thread_pointer!("mov {}, gs:[0x30]");

/// Terminates the process immediately with `__fastfail(FAST_FAIL_FATAL_APP_EXIT)`, as std does.
pub(crate) fn trap() -> ! {
    // SAFETY: the system terminates the process, so the instruction never returns.
    unsafe { core::arch::asm!("int 0x29", in("ecx") 7, options(noreturn, nostack)) }
}

/// Defines the dead procedure, which a call through a freed trampoline reaches. The stub has loaded the slot's death
/// record into the static-chain register. The record becomes the first argument of the diagnosis. The caller's return
/// address stays in its place, and unwind information describes the frame, so that a backtrace shows the caller.
macro_rules! dead_procedure {
    ($diagnose:path) => {
        #[unsafe(naked)]
        pub(crate) extern "C" fn dead_procedure() {
            core::arch::naked_asm!(
                ".seh_proc {this}",
                "push rbp",
                ".seh_pushreg rbp",
                "mov rbp, rsp",
                ".seh_setframe rbp, 0",
                ".seh_endprologue",
                "and rsp, -16", // aligns the stack, because the caller may have aligned it differently
                "sub rsp, 32",  // the home area for the callee's register arguments
                "mov rcx, r10",
                "call {diagnose}",
                "ud2",
                ".seh_endproc",
                this = sym dead_procedure,
                diagnose = sym $diagnose,
            )
        }
    };
}
pub(crate) use dead_procedure;
