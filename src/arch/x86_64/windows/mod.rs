//! x86-64 on Windows: the words of a thread, and frames that its unwinder knows (x64 calling convention, x64 exception
//! handling).

pub(crate) mod adapters;
pub(crate) mod raw;

// The thread environment block has its own address at 0x30 (`NT_TIB.Self`).
#[cfg(not(miri))]
crate::arch::thread_pointer!("mov {}, gs:[0x30]");

/// The address of a symbol of the running thread's own storage, which lies in a section `.tls$`. Symbols carry the
/// version, as `build.rs` says.
///
/// `_tls_index` is the C runtime's: the image's number among those that have such storage. The thread environment block has
/// at 0x58 the address of the array of the storages' addresses. Each is a copy of the section, from where `_tls_used` says in
/// its first word that the section begins. (The symbol's place in the section would be a relocation, SECREL32; but of that GNU
/// ld 2.40 makes one for the loader besides, which spoils it wherever the image is loaded at another address than it was
/// linked for.)
macro_rules! address_of_thread {
    ($symbol:literal) => {{
        let address: usize;
        // SAFETY: reads words that the loader has stored before any code of this image runs on the thread, and computes an
        // address. Not `pure`, as of `thread_pointer`.
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

/// Ends the process at once: `__fastfail` of FAST_FAIL_FATAL_APP_EXIT, as std ends it.
pub(crate) fn trap() -> ! {
    // SAFETY: the system ends the process, and nothing comes back.
    unsafe { core::arch::asm!("int 0x29", in("ecx") 7, options(noreturn, nostack)) }
}

/// What a call through a freed trampoline runs. The stub has put the slot's last record into the static-chain register; it
/// becomes the first argument of the diagnosis.
///
/// The return address of the caller stays where a call puts it, and the frame is described, so that a debugger shows who
/// called.
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
                "and rsp, -16", // the caller may have kept another alignment
                "sub rsp, 32",  // where the callee may keep its registers
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
