//! Arm (A32), on Linux: the static chain travels in r12.

/// Bytes from one stub to the next.
pub(crate) const STUB_STRIDE: usize = 16;

/// The address of a stub is called as it is.
pub(crate) const CODE_BIT: usize = 0;

/// The thread pointer. How it is read differs between processors, so the C library has a routine, which keeps r1 to r3
/// (Run-time ABI for the Arm Architecture, section 5.3.5); what it is called through, an entry of the procedure linkage
/// table or a veneer, changes r12.
#[cfg(not(miri))]
#[inline(always)]
pub(crate) fn thread_pointer() -> usize {
    let thread_pointer: usize;
    // SAFETY: the routine can be called at any time: r0, r12, lr and the flags are what it may change, and the stack is
    // aligned for a call. What it returns never changes within a thread, so it need not count as memory.
    // Not `pure`: a fiber may go on on another thread after any call, where an earlier result must not be used again.
    unsafe {
        core::arch::asm!(
            "bl __aeabi_read_tp",
            out("r0") thread_pointer, out("r12") _, out("lr") _, options(nomem),
        );
    }
    thread_pointer
}

/// Makes a system call of Linux: the result, or an error's number, negated.
///
/// # Safety
/// As for the call; a pointer among the arguments has its provenance exposed.
#[cfg(target_os = "linux")]
#[inline(always)]
pub(crate) unsafe fn system_call(number: usize, arguments: [usize; 6]) -> isize {
    let [first, second, third, fourth, fifth, sixth] = arguments;
    let result: isize;
    // SAFETY: the caller's promise; the kernel changes r0 alone. r7, which takes the number, may be the frame pointer, and is put
    // back.
    unsafe {
        core::arch::asm!(
            "mov {kept}, r7",
            "mov r7, {number}",
            "svc #0",
            "mov r7, {kept}",
            number = in(reg) number, kept = out(reg) _, inlateout("r0") first => result,
            in("r1") second, in("r2") third, in("r3") fourth, in("r4") fifth, in("r5") sixth, options(nostack),
        );
    }
    result
}

/// The instructions that compute the address of a symbol or label, relative to the program counter, for the operand 0.
///
/// The `nop` is never reached; it is narrower in Thumb, where pc is another.
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

/// The address of a symbol of the running thread's own storage. Symbols carry the version, as `build.rs` says.
#[cfg(not(target_os = "none"))]
macro_rules! address_of_thread {
    ($symbol:literal) => {{
        let address: usize;
        // SAFETY: computes an address. The symbol's offset from the thread pointer never changes, nor does that within a
        // thread. Not `pure`, as of `thread_pointer`.
        unsafe {
            core::arch::asm!(
                "bl __aeabi_read_tp",
                "ldr {0}, 3f",
                "2: ldr {0}, [pc, {0}]",
                "add r0, r0, {0}",
                "b 4f",
                concat!("3: .word ", $crate::__symbol!($symbol), "(gottpoff) + (. - (2b + 8))"),
                "4:",
                out(reg) _, out("r0") address, out("r12") _, out("lr") _, options(nomem),
            );
        }
        address
    }};
}
#[cfg(not(target_os = "none"))]
pub(crate) use address_of_thread;

/// The instructions of `dead_procedure!`.
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
    unit 4, breakpoints [0xf0, 0x01, 0xf0, 0xe7]; // an undefined instruction of which Linux makes a SIGTRAP
    machine libc::EM_ARM; function "bx lr"
}

/// Bytes of a stub.
#[cfg(target_os = "linux")]
pub(crate) const STUB_CODE: usize = 16;

/// Where the slot of a stub of any copy is, whose code this is at `address`: `ldr r12, [pc, #4]; add r12, pc, r12;
/// ldm r12, {r12, pc}` and the slot's distance. `None` if this is no stub.
#[cfg(target_os = "linux")]
pub(crate) fn decode_stub(code: &[u8], address: usize) -> Option<usize> {
    let [ldr, add, ldm, distance] = crate::arch::instructions(code)?;
    let slot = address.wrapping_add(12).wrapping_add(distance as usize); // pc is 8 bytes after `add`
    ([ldr, add, ldm] == [0xe59f_c004, 0xe08f_c00c, 0xe89c_9000]).then_some(slot)
}
