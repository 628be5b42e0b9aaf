//! 32-bit x86: the static chain is in ecx. Assembly that refers to its own address uses AT&T syntax, which can express
//! the difference between two symbols.

pub(crate) mod adapters;

#[cfg(target_os = "linux")]
pub(crate) use crate::arch::kernel::*;
pub(crate) use statictramp_targets::stub::Encoding::X86 as ENCODING;

/// The distance in bytes from one stub to the next. It is a power of two, so that an address can be checked with a mask.
pub(crate) const STUB_STRIDE: usize = 32;

// On 32-bit x86 the first word of the thread control block is the block's own address (ELF Handling for Thread-Local
// Storage, section 3.4.2).
#[cfg(not(miri))]
crate::arch::thread_pointer!("mov {}, gs:0");

/// Makes a Linux system call. Returns its result or a negated error number.
/// # Safety
/// Same as for the system call. The provenance of every pointer argument must also be exposed.
#[cfg(target_os = "linux")]
#[inline(always)]
pub(crate) unsafe fn system_call(number: usize, arguments: [usize; 6]) -> isize {
    let [first, second, third, fourth, fifth, sixth] = arguments;
    let words = [number, first, second, third, fourth, fifth, sixth];
    let result: isize;
    // SAFETY: the caller upholds the safety contract. The kernel changes only eax. The block restores the three
    // registers that operands cannot name.
    unsafe {
        core::arch::asm!(
            "push ebx", "push esi", "push ebp",
            "mov ebx, [eax + 4]", "mov ecx, [eax + 8]", "mov edx, [eax + 12]",
            "mov esi, [eax + 16]", "mov edi, [eax + 20]", "mov ebp, [eax + 24]",
            "mov eax, [eax]",
            "int 0x80",
            "pop ebp", "pop esi", "pop ebx",
            inlateout("eax") words.as_ptr() => result, out("ecx") _, out("edx") _, out("edi") _,
        );
    }
    result
}

/// The instructions that load the PC-relative address of a symbol or label into operand 0. These instructions preserve
/// the flags. A call to the next instruction pushes nothing on a shadow stack (Intel SDM, volume 2, CALL), and current
/// processors do not predict a return for it.
macro_rules! address {
    ($symbol:expr) => {
        concat!("call 2f\n2: popl {0}\nleal ", $symbol, " - 2b({0}), {0}")
    };
}
pub(crate) use address;

/// Expands to an `asm!` block that contains the given instructions and then `address!`, which stores the computed
/// address in a variable. The block pushes a word, so this macro omits the `nostack` option that its caller passes.
#[cfg(named)]
macro_rules! asm_address {
    (
        [$($before:expr),*] $symbol:expr => $address:ident, $($name:ident = sym $function:path,)?
        options(nomem, nostack, preserves_flags),
    ) => {
        core::arch::asm!(
            $($before,)* $crate::arch::address!($symbol), out(reg) $address, $($name = sym $function,)?
            options(att_syntax, nomem, preserves_flags),
        )
    };
}
#[cfg(named)]
pub(crate) use asm_address;

/// Computes the PC-relative address of a hidden symbol in the assembly. Rust assumes that every external symbol might
/// be in another image, so it would load the address from a table that the loader relocates. The symbol's name
/// contains the library's version (`build.rs`).
macro_rules! address_of {
    ($symbol:literal) => {{
        let address: *const u8;
        // SAFETY: the instructions only compute an address in this image.
        unsafe {
            core::arch::asm!(
                $crate::arch::address!($crate::__symbol!($symbol)),
                out(reg) address, options(att_syntax, pure, nomem, preserves_flags),
            );
        }
        address
    }};
}
pub(crate) use address_of;

/// The processor's instructions for `dead_procedure!`.
macro_rules! call_diagnosis {
    () => {
        $crate::arch::lines!(
            ".cfi_startproc",
            "endbr32",
            "push ebp",
            ".cfi_adjust_cfa_offset 4",
            ".cfi_rel_offset ebp, 0",
            "mov ebp, esp",
            ".cfi_def_cfa_register ebp",
            "and esp, -16", // aligns the stack, because the caller may have aligned it differently
            "sub esp, 12",
            "push ecx",
            "call {diagnose}",
            "ud2",
            ".cfi_endproc",
        )
    };
}
pub(crate) use call_diagnosis;

#[cfg(growing)]
crate::arch::debugger! {
    unit 1, breakpoints [0xcc]; // int3
    machine libc::EM_386; function "endbr32\nret"
}

#[cfg(all(feature = "scratch", target_os = "linux"))]
pub(crate) mod scratch {
    //! A stub that contains its own static chain and entry:
    //! ```text
    //!   endbr32
    //!   movl $chain, %ecx
    //!   jmp  entry
    //! ```

    pub(crate) const SIZE: usize = 14;
    pub(crate) const ALIGN: usize = 2;

    /// Writes the stub. x86 keeps its instruction cache coherent with stores by the same processor, so a jump between
    /// writing and executing the code is sufficient (Intel SDM, volume 3, 9.1.3).
    /// # Safety
    /// `at` must be aligned to `ALIGN`, and writable and executable for `SIZE` bytes.
    pub(crate) unsafe fn write(at: *mut (), entry: *const (), chain: *mut ()) {
        let distance = entry.addr().wrapping_sub(at.addr() + SIZE); // 32 bits suffice, because the sum wraps around
        let mut code = [0; SIZE];
        code[..5].copy_from_slice(&[0xf3, 0x0f, 0x1e, 0xfb, 0xb9]);
        code[5..9].copy_from_slice(&chain.addr().to_le_bytes());
        code[9] = 0xe9;
        code[10..].copy_from_slice(&distance.to_le_bytes());
        // SAFETY: the caller upholds the safety contract.
        unsafe { at.cast::<[u8; SIZE]>().write_unaligned(code) };
    }
}
