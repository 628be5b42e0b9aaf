//! 64-bit MIPS, n64 ABI (MIPSpro N32 ABI Handbook, chapter 2): the static chain is in $15. A function that is reached
//! through a pointer, for example from a stub, finds its own address in $25 and uses it to compute the address of its
//! image's global offset table. The naked functions here load their jump target's address from that table into $25. The
//! assembler fills the delay slots of jumps, except after `.set noreorder`.

pub(crate) mod adapters;

pub(crate) use crate::arch::kernel::*;
pub(crate) use statictramp_targets::stub::Encoding::Mips64 as ENCODING;

/// The distance in bytes from one stub to the next.
pub(crate) const STUB_STRIDE: usize = 32;

// The thread pointer ("user local" register).
#[cfg(not(miri))]
crate::arch::thread_pointer!(".set push\n.set noat\nrdhwr {}, $29\n.set pop");

// The kernel changes $2, $7 and temporary registers, and also $1, hi and lo. A compiler may use the last three across
// the call, but no operand can name them, so they are restored from registers that the kernel preserves.
crate::arch::system_call! { number [first second third fourth fifth sixth] result, failed;
    ".set push\n.set noat\nmove $18, $1\nmfhi $16\nmflo $17",
    "syscall",
    "mthi $16\nmtlo $17\nmove $1, $18\n.set pop",
    inlateout("$2") number => result, in("$4") first, in("$5") second, in("$6") third,
    inlateout("$7") fourth => failed, in("$8") fifth, in("$9") sixth, out("$16") _, out("$17") _, out("$18") _,
    lateout("$3") _, lateout("$10") _, lateout("$11") _, lateout("$12") _, lateout("$13") _,
    lateout("$14") _, lateout("$15") _, lateout("$24") _, lateout("$25") _, options(nostack),
}

/// Size of the kernel's signal set in bytes.
pub(crate) const SIGNAL_SET: usize = 16;

/// The kernel's structure for a signal action.
#[repr(C)]
pub(crate) struct Action {
    /// Flags such as `SA_NODEFER`.
    pub(crate) flags: u32,
    /// `SIG_DFL`, `SIG_IGN`, or the address of a function.
    pub(crate) handler: usize,
    pub(crate) rest: [u64; 2],
}

/// Expands to an `asm!` block of the given instructions, then instructions that store the address of a symbol or label
/// in a variable. A `bal` jumps over the word that contains the distance to the symbol, and sets $31 to the address of
/// that word. The block loads the distance from there, and then restores $31. The operands name specific registers,
/// because the compiler may choose $31 for a `reg` operand. The assembler must not use $1, because the compiler may
/// have allocated it.
macro_rules! asm_address {
    ([$($before:expr),*] $symbol:expr => $address:ident, $($operands:tt)*) => {
        core::arch::asm!(
            $($before,)*
            ".set push\n.set noreorder\n.set noat",
            "move $3, $31\nbal 78f\nnop",
            concat!("77: .4byte ", $symbol, " - 77b"),
            "78: lw $2, 0($31)",
            "daddu $2, $2, $31",
            "move $31, $3",
            ".set pop",
            out("$2") $address, out("$3") _, $($operands)*
        )
    };
}
pub(crate) use asm_address;

/// The processor's instructions for `dead_procedure!`.
macro_rules! call_diagnosis {
    () => {
        $crate::arch::lines!(
            ".cfi_startproc",
            "77: daddiu $29, $29, -16",
            ".cfi_def_cfa_offset 16",
            "sd $31, 8($29)",
            ".cfi_offset 31, -8",
            "sd $30, 0($29)",
            ".cfi_offset 30, -16",
            "daddiu $30, $29, 16",
            "move $4, $15",
            $crate::__processor!(target "{diagnose}"),
            "jalr $25",
            "break",
            ".cfi_endproc",
        )
    };
}
pub(crate) use call_diagnosis;

#[cfg(growing)]
crate::arch::debugger! {
    unit 4, breakpoints [0x0d, 0x00, 0x05, 0x00]; // break 5
    machine libc::EM_MIPS; function "jr $31"
}

// A stub that contains its own static chain and entry. $25 contains the stub's address.
#[cfg(feature = "scratch")]
crate::arch::scratch_stub! {
    align 8, code [
        0xdf2f_0010, // ld $15, 16($25): the chain
        0xdf39_0018, // ld $25, 24($25): the entry
        0x0320_0008, // jr $25
        0,
    ], words {chain entry};
    /// MIPS64 Instruction Set, `SYNCI`. The instructions occupy two aligned doublewords, each within one cache line,
    /// because a line is at least 8 bytes long. The words that follow are loaded as data. `jr.hb` discards
    /// instructions that have already been fetched. The block restores $31.
    |at, entry, chain| {
        core::arch::asm!(
            ".set push\n.set noreorder\n.set noat",
            "synci 0($4)\nsynci 8($4)\nsync",
            "move $5, $31\nbal 77f\nnop",
            "77: daddiu $31, $31, 12",
            "jr.hb $31\nnop",
            "move $31, $5",
            ".set pop",
            in("$4") at, out("$5") _, options(nostack, preserves_flags),
        );
    }
}
