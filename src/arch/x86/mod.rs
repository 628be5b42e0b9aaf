//! 32-bit x86: the static chain is in ecx. Assembly that refers to its own address uses AT&T syntax, which can express
//! the distance between two symbols.

pub(crate) mod adapters;
#[cfg(all(feature = "scratch", target_os = "linux"))]
pub(crate) mod scratch;

#[cfg(target_os = "linux")]
pub(crate) use crate::arch::kernel::*;

/// Distance in bytes from one stub to the next. It is a power of two, so that an address can be checked with a mask.
pub(crate) const STUB_STRIDE: usize = 32;

/// The bits that are added to a stub's address to obtain the address to call. There are none on this processor.
pub(crate) const CODE_BIT: usize = 0;

// On 32-bit x86 the first word of the thread control block is the block's own address (ELF Handling for Thread-Local
// Storage, section 3.4.2).
#[cfg(not(miri))]
crate::arch::thread_pointer!("mov {}, gs:0");

/// Makes a Linux system call. Returns its result or a negated error number.
/// # Safety
/// Same as for the system call. In addition, the provenance of each pointer among the arguments must be exposed.
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

/// The instructions that compute the PC-relative address of a symbol or label into operand 0. They preserve the flags.
/// A call to the next instruction pushes nothing on a shadow stack (Intel SDM, volume 2, CALL), and current processors
/// do not predict a return for it.
macro_rules! address {
    ($symbol:expr) => {
        concat!("call 2f\n2: popl {0}\nleal ", $symbol, " - 2b({0}), {0}")
    };
}
pub(crate) use address;

/// Expands to an `asm!` block with the given instructions, followed by `address!`. The block stores the computed
/// address in a variable. The block pushes a word, so this macro omits the option `nostack` that its caller passes.
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

/// Computes the PC-relative address of a hidden symbol in the assembly. Rust assumes that every external symbol may be
/// in another image, so it would load the address from a table that the loader relocates. The symbol's name contains
/// the library's version (`build.rs`).
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

/// Maximum size of a stub's instructions in bytes.
#[cfg(target_os = "linux")]
pub(crate) const STUB_CODE: usize = 25;

/// Decodes the code at `address` as a stub of any copy of the library and returns the address of its slot. A stub
/// consists of a `call` to the last two instructions, `movl slot(%eax), %ecx`, `jmpl *slot+4(%eax)`,
/// `movl (%esp), %eax`, `ret`, with or without a landing pad. Returns `None` if the code is not a stub.
#[cfg(target_os = "linux")]
pub(crate) fn decode_stub(code: &[u8], address: usize) -> Option<usize> {
    const LANDING_PAD: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfb];
    let (code, address) = match code.strip_prefix(&LANDING_PAD) {
        Some(rest) => (rest, address.wrapping_add(LANDING_PAD.len())),
        None => (code, address),
    };
    let code = code.strip_prefix(&[0xe8, 12, 0, 0, 0, 0x8b, 0x88])?;
    let Some(&[a, b, c, d, 0xff, 0xa0, e, f, g, h, 0x8b, 0x04, 0x24, 0xc3]) = code.first_chunk() else {
        return None;
    };
    // Both offsets are relative to the instruction after the call, which is at `address` plus 5 bytes.
    let relative = |to: [u8; 4]| address.wrapping_add(5).wrapping_add(u32::from_le_bytes(to) as usize);
    let slot = relative([a, b, c, d]);
    (relative([e, f, g, h]) == slot.wrapping_add(4)).then_some(slot)
}

#[cfg(growing)]
crate::arch::debugger! {
    unit 1, breakpoints [0xcc]; // int3
    machine libc::EM_386; function "endbr32\nret"
}
