//! The routine `pass` (see `in_thread.rs`) for RISC-V, LoongArch and MIPS, and `take_pending` for RISC-V and LoongArch.
//! All three are load-store architectures without condition codes, and the routines differ only in the names of
//! instructions and registers. Each processor defines these names in two macros: `code!` for the instructions, and
//! `dwarf!` for the register numbers in unwind information.
//!
//! | register | holds |
//! |---|---|
//! | `chain` | the closure's address, from the stub |
//! | `t4` | the function to call, from the adapter |
//! | `t5` | maximum size in bytes of the signature's stack arguments, from the adapter |
//! | `t1` | the address of the thread-local words |
//! | `t0`, `t3`, `t6` | temporary; in `take_pending`, `t0` holds the passed address |
//!
//! The routines may clobber all of these registers, and on MIPS also $25. They preserve all other registers.

/// Defines `pass`.
macro_rules! pass {
    () => {
        /// Passes the closure's address to the function whose address is in t4.
        #[unsafe(naked)]
        pub(crate) extern "C" fn pass() {
            core::arch::naked_asm!(
                ".cfi_startproc",
                code!(words t1),
                code!(load t3, t1, 0), // the pending address
                code!(branch_if_not_zero t3, "2f"),
                code!(store chain, t1, 0), // no address is pending: the fast path
                code!(jump t4),
                "2:",
                code!(add_number sp, sp, -32), // the slow path: a frame with the record and two saved registers
                ".cfi_def_cfa_offset 32",
                code!(store ra, sp, 24),
                code!(store frame, sp, 16),
                concat!(".cfi_offset ", dwarf!(ra), ", -8"),
                concat!(".cfi_offset ", dwarf!(frame), ", -16"),
                code!(add_number frame, sp, 32),
                concat!(".cfi_def_cfa ", dwarf!(frame), ", 0"),
                code!(load t0, t1, 8),
                code!(store t3, sp, 0), // the record
                code!(store t0, sp, 8),
                code!(copy t3, sp),
                code!(add t6, frame, t5), // the end of the caller's stack arguments
                "3:",
                code!(branch_if_zero t5, "4f"), // copies downwards, so that no guard page is skipped
                code!(add_number t6, t6, -16),
                code!(add_number sp, sp, -16),
                code!(load t0, t6, 8),
                code!(store t0, sp, 8),
                code!(load t0, t6, 0),
                code!(store t0, sp, 0),
                code!(add_number t5, t5, -16),
                code!(branch "3b"),
                "4:",
                code!(store t3, t1, 8), // before the address, so that a signal handler in between finds the previous address
                code!(store chain, t1, 0),
                code!(call t4),
                code!(add_number sp, frame, -32),
                concat!(".cfi_def_cfa ", dwarf!(sp), ", 32"),
                code!(load ra, sp, 24),
                code!(load frame, sp, 16),
                concat!(".cfi_restore ", dwarf!(ra)),
                concat!(".cfi_restore ", dwarf!(frame)),
                code!(add_number sp, sp, 32),
                ".cfi_def_cfa_offset 0",
                code!(return),
                ".cfi_endproc",
            )
        }
    };
}
pub(in crate::arch) use pass;

/// Defines `take_pending`.
#[allow(unused_macros, reason = "some processors use `take_in_rust`")]
macro_rules! take_pending {
    () => {
        /// Returns the passed address in t0 and restores the previous contents of the thread-local words. Clobbers t1
        /// and t3 to t5.
        #[unsafe(naked)]
        extern "C" fn take_pending() {
            core::arch::naked_asm!(
                ".cfi_startproc",
                code!(words t1),
                code!(load t0, t1, 0),
                code!(load t3, t1, 8),
                code!(branch_if_not_zero t3, "2f"),
                code!(store zero, t1, 0), // nothing was pending before
                code!(return),
                "2:",
                code!(load t4, t3, 0),
                code!(load t5, t3, 8),
                code!(store t5, t1, 8),
                code!(store t4, t1, 0),
                code!(return),
                ".cfi_endproc",
            )
        }
    };
}
#[allow(unused_imports, reason = "as above")]
pub(in crate::arch) use take_pending;
