//! 64-bit SPARC (SPARC Compliance Definition 2.4, section 3, "Low-Level System Information"), big-endian.
//!
//! | register | holds | an adapter |
//! |---|---|---|
//! | %o0 to %o5 | the first six doublewords of all arguments, in order; results in %o0 to %o3 | may write, to move or add arguments |
//! | %d0 to %d30 | the floating-point arguments among the first 16 doublewords, each in the register of its position; results | must keep; must move with the integer ones |
//! | %g5 | the static chain | may clobber after reading the chain |
//! | %g1, %g4 | scratch registers for linkers, stubs and adapters | may clobber |
//! | %g2, %g3, %g6, %g7 | reserved for applications and the system; %g7 is the thread pointer | must keep |
//! | %o6 (%sp), %o7 | the stack pointer, 2047 bytes below the top of the stack; the address of the caller's `call`, 8 bytes before the return address | must keep |
//! | %l0 to %l7, %i0 to %i7 | the caller's variables, until `save` begins a window in which %o0 to %o7 are %i0 to %i7 | must keep |
//!
//! At any time, the kernel may store the current window's registers in the lowest 128 bytes of the stack. The next 48
//! bytes are reserved for the callee's first six arguments. A scalar smaller than a doubleword is at the end of its
//! doubleword; a struct is at the beginning. The instruction after a jump or call is in the delay slot, and is
//! executed before the instructions at the target.

pub(crate) use crate::arch::kernel::*;
pub(crate) use statictramp_targets::stub::Encoding::Sparc64 as ENCODING;

/// The distance in bytes from one stub to the next.
pub(crate) const STUB_STRIDE: usize = 32;

/// The distance in bytes from the stack pointer to the seventh argument, which is at the end of the smallest frame.
const BEYOND_SIX: usize = 2047 + 128 + 48;

// The thread pointer (ELF Handling for Thread-Local Storage, section 3.4.6).
#[cfg(not(miri))]
crate::arch::thread_pointer!("mov %g7, {0}");

/// Makes a Linux system call. Returns its result or a negated error number.
/// # Safety
/// Same as for the system call. The provenance of every pointer argument must also be exposed.
#[inline(always)]
pub(crate) unsafe fn system_call(number: usize, arguments: [usize; 6]) -> isize {
    let [first, second, third, mut fourth, mut fifth, sixth] = arguments;
    if number == libc::SYS_rt_sigaction as usize {
        (fourth, fifth) = (0, fourth); // here the size of the signal set is the fifth argument, after the restorer's address
    }
    // SAFETY: the caller upholds the safety contract.
    unsafe { enter_kernel(first, second, third, fourth, fifth, sixth, number) }
}

/// Makes a system call. This is a function because the kernel may change any floating-point register, and an `asm!`
/// block cannot declare all of them as clobbered. If the call fails, the carry flag is set and the error number is
/// positive.
/// # Safety
/// Same as for the system call.
#[unsafe(naked)]
unsafe extern "C" fn enter_kernel(
    _: usize,
    _: usize,
    _: usize,
    _: usize,
    _: usize,
    _: usize,
    _number: usize,
) -> isize {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "ldx [%sp + {number}], %g1",
        "ta 0x6d",
        "bcs,a,pn %xcc, 2f",
        "sub %g0, %o0, %o0", // executed only if the branch is taken
        "2: retl",
        "nop",
        ".cfi_endproc",
        number = const BEYOND_SIX,
    )
}

/// Instructions that load the PC-relative address of a symbol or label into operand 0. These instructions clobber %g1,
/// which LLVM reserves: compiled functions keep no value in it, and no operand can name it.
macro_rules! address {
    ($symbol:expr) => {
        concat!(
            "rd %pc, {0}\nsethi %pc22(",
            $symbol,
            " + 4), %g1\nor %g1, %pc10(",
            $symbol,
            " + 8), %g1\nsra %g1, 0, %g1\nadd {0}, %g1, {0}"
        )
    };
}
pub(crate) use address;

/// The processor's instructions for `dead_procedure!`.
macro_rules! call_diagnosis {
    () => {
        $crate::arch::lines!(
            ".cfi_startproc",
            "save %sp, -176, %sp",
            ".cfi_window_save",
            ".cfi_def_cfa_register %fp",
            ".cfi_register %o7, %i7",
            "call {diagnose}",
            "mov %g5, %o0",
            "ta 5",
            ".cfi_endproc",
        )
    };
}
pub(crate) use call_diagnosis;

#[cfg(growing)]
crate::arch::debugger! {
    unit 4, breakpoints [0x91, 0xd0, 0x20, 0x01]; // ta 1
    machine libc::EM_SPARCV9; function "retl\nnop"
}

// A stub that contains its own static chain and entry, like GCC's trampolines.
#[cfg(feature = "scratch")]
crate::arch::scratch_stub! {
    align 8, code [
        0x8341_4000, // rd %pc, %g1
        0xca58_6018, // ldx [%g1 + 24], %g5: the entry
        0x81c1_4000, // jmp %g5
        0xca58_6010, // ldx [%g1 + 16], %g5: the chain, in the delay slot
    ], words {chain entry};
    /// One `flush` for each 8 bytes of code (SPARC Architecture Manual V9, section 8.4.5, "Self-Modifying Code").
    |at, entry, chain| { core::arch::asm!("flush {at}", "flush {at} + 8", at = in(reg) at, options(nostack, preserves_flags)) }
}

/// The registers and instructions. `registers.rs` describes the macro's arms, and `aarch64/registers.rs` explains the
/// code.
#[doc(hidden)]
#[macro_export]
#[cfg_attr(rustfmt, rustfmt::skip)]
macro_rules! __processor {
    (arguments [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "%o0" "%o1" "%o2" "%o3" "%o4" "%o5" } };
    (writable_arguments $($more:tt)*) => { $crate::__processor! { arguments $($more)* } };
    (chain [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "%g5" } };
    (result_takes_first) => { true };
    (thread_variables_below) => { true };
    (dynamic_is_read_only) => { false };
    // An argument aligned to 16 bytes begins in an even register.
    (even_pairs) => { true };

    (begin) => { ".cfi_startproc" };
    (end) => { ".cfi_endproc" };
    (move $to:tt "%g5") => { concat!("mov %g5, ", $to) };
    // Also moves the floating-point register at the same position, because either register may hold the argument.
    (move $to:tt $from:tt) => {
        concat!(
            "mov ", $from, ", ", $to, "\n",
            "fmovd ", $crate::__processor!(float $from), ", ", $crate::__processor!(float $to)
        )
    };
    (float "%o0") => { "%f0" };
    (float "%o1") => { "%f2" };
    (float "%o2") => { "%f4" };
    (float "%o3") => { "%f6" };
    (float "%o4") => { "%f8" };
    (float "%o5") => { "%f10" };
    (bind $register:tt) => { concat!("ldx [%g5], ", $register, "\nldx [%g5 + 8], %g1\njmp %g1\nnop") };
    (caller stack_pointer $to:tt) => { concat!("add %sp, 2047, ", $to) };
    (caller return_address $to:tt) => { concat!("add %o7, 8, ", $to) };
    (jump $to:literal) => { $crate::__sparc64!(jump $to) };
    (stack_pointer) => { "add %sp, 2047, {}" };
    // The comment on `address!` explains why %g1 may be used.
    (thread_word $symbol:expr, $word:ident) => {
        core::arch::asm!(
            $crate::__sparc64!(word_at $symbol, "{0}", "%g1"), out(reg) $word, options(nomem, nostack, preserves_flags),
        )
    };
}

/// Instructions that the core also uses.
#[doc(hidden)]
#[macro_export]
#[cfg_attr(rustfmt, rustfmt::skip)]
macro_rules! __sparc64 {
    // `call` reaches targets up to 2 GiB away. It changes %o7, which the instruction in the delay slot restores.
    (jump $to:literal) => {
        concat!("mov %o7, %g1\n.cfi_register %o7, %g1\ncall ", $to, "\nmov %g1, %o7\n.cfi_restore %o7")
    };
    // The address of a thread-local symbol. Initial-exec model: the symbol's offset from the thread pointer is in the
    // global offset table.
    (word_at $symbol:expr, $to:literal, $scratch:literal) => {
        concat!(
            "rd %pc, ", $to, "\n\
             sethi %pc22(_GLOBAL_OFFSET_TABLE_ + 4), ", $scratch, "\n\
             or ", $scratch, ", %pc10(_GLOBAL_OFFSET_TABLE_ + 8), ", $scratch, "\n\
             add ", $to, ", ", $scratch, ", ", $to, "\n\
             sethi %tie_hi22(", $symbol, "), ", $scratch, "\n\
             add ", $scratch, ", %tie_lo10(", $symbol, "), ", $scratch, "\n\
             ldx [", $to, " + ", $scratch, "], ", $to, ", %tie_ldx(", $symbol, ")\n\
             add %g7, ", $to, ", ", $to, ", %tie_add(", $symbol, ")"
        )
    };
}
pub(crate) use __sparc64 as text;

/// Passing a closure's address as an extra argument (SPARC Compliance Definition 2.4, section 3, "Function Calling
/// Sequence"). Every argument takes consecutive doublewords. The first six doublewords are in %o0 to %o5.
/// Floating-point numbers in the first 16 doublewords are in floating-point registers instead. An argument of more than
/// 16 bytes is passed by reference, and the address of a result of more than 32 bytes comes first. The sizes of the
/// arguments alone therefore determine the next parameter's position, except that compilers disagree about arguments
/// aligned to more than 8 bytes, and C and Rust about zero-sized arguments. The closure's address is passed in one of
/// two ways. Either way, the adapter ends with a jump and needs no frame:
/// - *Next*, if the next parameter's register is known. The adapter sets that register to the closure's address.
/// - *In thread-local words*, for all other signatures (`in_thread.rs`).
pub(crate) mod adapters {
    use super::BEYOND_SIX;
    use crate::arch::in_thread::pending;
    pub(crate) use crate::arch::in_thread::take_in_rust as take;
    use crate::arch::signature::{Signature, SizeAlign};

    /// The ways of passing a closure's address.
    pub(crate) enum Passing {
        Next,
        ThreadWords,
    }

    /// Number of integer argument registers.
    const REGISTERS: usize = 6;

    /// Returns the minimum and the maximum number of doublewords that the arguments take.
    const fn doublewords(signature: &Signature<'_>) -> (usize, usize) {
        let (mut least, mut most, mut i) = (0, 0, 0);
        while i < signature.arguments.len() {
            let SizeAlign { size, align } = signature.arguments[i];
            let words = if size > 16 { 1 } else { size.div_ceil(8) };
            least += words;
            most += words + (size == 0 || align > 8) as usize;
            i += 1;
        }
        (least, most)
    }

    /// Selects how closures with this signature receive their address.
    pub(crate) const fn passing(signature: &Signature<'_>) -> Passing {
        let (least, most) = doublewords(signature);
        if least == most && most + hidden(signature) < REGISTERS {
            Passing::Next
        } else {
            Passing::ThreadWords
        }
    }

    /// Returns the number of registers that the result's address takes.
    const fn hidden(signature: &Signature<'_>) -> usize {
        (signature.result.size > 32) as usize
    }

    /// Returns the number of the first register after the argument registers. If there is none, returns the last
    /// register's number, which is unused because `passing` then selects another adapter.
    pub(crate) const fn register_after(signature: &Signature<'_>) -> usize {
        let position = doublewords(signature).1 + hidden(signature);
        if position < REGISTERS { position } else { REGISTERS - 1 }
    }

    /// Defines the adapter for a signature, using `define_adapter!` from `src/closure/adapters.rs`.
    macro_rules! instructions {
        ($passing:expr, $define:ident $signature:tt) => {
            match $passing {
                adapters::Passing::Next => $define!(
                    $signature, (), (holder: *const H), holder,
                    ".cfi_startproc",
                    "mov %g5, %o{register}",
                    "mov %o7, %g1", // `call` reaches targets up to 2 GiB away, and changes %o7
                    ".cfi_register %o7, %g1",
                    "call {enter}",
                    "mov %g1, %o7",
                    ".cfi_restore %o7",
                    ".cfi_endproc",
                    register = const adapters::register_after(&Self::SIGNATURE),
                ),
                adapters::Passing::ThreadWords => $define!(
                    $signature, (), (), adapters::take::<H>(),
                    // The data for `pass` does not fit in registers, so it follows the instructions, at known distances
                    // from the adapter's address, which is in %g1.
                    ".cfi_startproc",
                    "77: rd %pc, %g1",
                    "mov %o7, %g4",
                    ".cfi_register %o7, %g4",
                    "call {pass}",
                    "mov %g4, %o7",
                    ".long {stack}",       // 16
                    ".long {enter} - 77b", // 20
                    ".cfi_endproc",
                    stack = const adapters::stack(&Self::SIGNATURE),
                    pass = sym adapters::pass,
                ),
            }
        };
    }
    pub(crate) use instructions;

    /// Returns the maximum total size, in bytes, of the stack arguments: those that do not fit into the registers.
    /// One of the registers may hold the address of the result.
    pub(crate) const fn stack(signature: &Signature<'_>) -> usize {
        const HIDDEN: usize = 1;
        (8 * (doublewords(signature).1 + HIDDEN).saturating_sub(REGISTERS)).next_multiple_of(16)
    }

    /// Passes the closure's address, in %g5, to the function. %g1 contains the adapter's address, and the adapter's data
    /// contains the distance to the function and the size of the stack arguments. On the slow path, the frame contains
    /// the record, at the top, and a copy of the stack arguments.
    #[unsafe(naked)]
    pub(crate) extern "C" fn pass() {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "save %sp, -192, %sp",
            ".cfi_window_save",
            ".cfi_def_cfa_register %fp",
            ".cfi_register %o7, %i7",
            crate::arch::text!(word_at pending!(), "%l0", "%l1"),
            "ldx [%l0], %l2",
            "ldsw [%g1 + 16], %l3",
            "ldsw [%g1 + 20], %l4",
            "brnz,pn %l2, 2f",
            "add %g1, %l4, %g1",
            "stx %g5, [%l0]",
            "jmp %g1",
            "restore",
            "2: ldx [%l0 + 8], %l4",
            "add %fp, 2047 - 16, %l5", // the record
            "stx %l2, [%l5]",
            "stx %l4, [%l5 + 8]",
            "add %fp, {stack}, %l6",
            "add %l6, %l3, %l6", // the end of the caller's stack arguments
            "3: brz,pn %l3, 4f", // copies downwards, so that no guard page is skipped
            "sub %l6, 16, %l6",
            "sub %sp, 16, %sp",
            "ldx [%l6 + 8], %l4",
            "stx %l4, [%sp + {stack} + 8]",
            "ldx [%l6], %l4",
            "stx %l4, [%sp + {stack}]",
            "ba,pt %xcc, 3b",
            "sub %l3, 16, %l3",
            "4: stx %l5, [%l0 + 8]", // stored first: a signal handler before the next store must find the previous address
            "stx %g5, [%l0]",
            "mov %i0, %o0",
            "mov %i1, %o1",
            "mov %i2, %o2",
            "mov %i3, %o3",
            "mov %i4, %o4",
            "call %g1",
            "mov %i5, %o5",
            "mov %o0, %i0",
            "mov %o1, %i1",
            "mov %o2, %i2",
            "mov %o3, %i3",
            "ret",
            "restore",
            ".cfi_endproc",
            stack = const BEYOND_SIX,
        )
    }
}
