//! x86-64 on Windows: thread-local words, and frames with unwind information (x64 calling convention, x64 exception
//! handling).

pub(crate) mod adapters;
pub(crate) mod raw;

// The thread environment block contains its own address at 0x30 (`NT_TIB.Self`).
#[cfg(not(miri))]
crate::arch::thread_pointer!("mov {}, gs:[0x30]");

/// Computes the address of a thread-local symbol for the running thread. The symbol must be in a section `.tls$`.
/// Symbols contain the version (`build.rs`). `_tls_index`, from the C runtime, is the image's number among those with
/// thread-local storage. At 0x58 the thread environment block contains the address of an array of pointers to each
/// image's storage. The storage is a copy of the section, which begins at the address in the first word of `_tls_used`.
/// (The symbol's offset in the section could be a SECREL32 relocation. But GNU ld 2.40 adds a relocation for the loader
/// to that offset, which corrupts the offset whenever the image is loaded at an address other than its preferred one.)
macro_rules! address_of_thread {
    ($symbol:literal) => {{
        let address: usize;
        // SAFETY: the instructions read words that the loader stored before any code of this image ran on the thread,
        // and compute an address. The block is not `pure`, for the reason given in `thread_pointer`.
        unsafe {
            core::arch::asm!(
                "mov {0:e}, dword ptr [rip + _tls_index]",
                "mov {1}, gs:[0x58]",
                "mov {0}, [{1} + 8 * {0}]",
                concat!("lea {1}, [rip + ", $crate::__symbol!($symbol), "]"),
                "sub {1}, qword ptr [rip + _tls_used]",
                "add {0}, {1}",
                out(reg) address, out(reg) _, options(nomem, nostack),
            );
        }
        address
    }};
}
pub(crate) use address_of_thread;

/// Terminates the process immediately: `__fastfail` with FAST_FAIL_FATAL_APP_EXIT, as std does.
pub(crate) fn trap() -> ! {
    // SAFETY: the system terminates the process, so the instruction never returns.
    unsafe { core::arch::asm!("int 0x29", in("ecx") 7, options(noreturn, nostack)) }
}

/// Defines the dead procedure, which a call through a freed trampoline reaches. The stub has loaded the slot's death
/// record into the static-chain register. The record becomes the first argument of the diagnosis. The caller's return
/// address stays where the call has put it, and unwind information describes the frame, so that a backtrace shows the
/// caller.
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
