//! x86-64 (System V psABI, section 3.2.3): the static chain travels in r10.

pub(crate) mod bind_first;

macro_rules! text {
    (begin) => {
        ".cfi_startproc\nendbr64"
    };
    (end) => {
        ".cfi_endproc"
    };
    (bind $register:literal) => {
        concat!("mov ", $register, ", [r10]\njmp [r10 + 8]")
    };
    (move $to:literal $from:literal) => {
        concat!("mov ", $to, ", ", $from)
    };
    (stack_pointer first) => {
        "mov rdi, rsp"
    };
    (stack_pointer fourth) => {
        "mov rcx, rsp"
    };
    (return_address second) => {
        "mov rsi, [rsp]"
    };
    (go_on) => {
        "jmp {to}"
    };
    (stack_pointer) => {
        "mov {}, rsp"
    };
}
pub(crate) use text;

adapters! {
    statictramp_bind_0 "rdi"
    statictramp_bind_1 "rsi"
    statictramp_bind_2 "rdx"
    statictramp_bind_3 "rcx"
    statictramp_bind_4 "r8"
    statictramp_bind_5 "r9"
}

/// Where the words of `tls.rs` lie, from the thread pointer: the same for all threads.
#[cfg(target_os = "linux")]
#[inline(always)]
fn thread_words() -> usize {
    let distance;
    // SAFETY: reads what the dynamic linker has stored before any code of this library runs, or the linker has put in.
    unsafe {
        core::arch::asm!(
            concat!("mov {}, [rip + ", crate::tls::symbol!(), "@GOTTPOFF]"),
            out(reg) distance, options(pure, nomem, nostack, preserves_flags),
        );
    }
    distance
}

#[cfg(target_os = "linux")]
#[inline(always)]
pub(crate) fn load_thread_word(offset: usize) -> usize {
    let value;
    // SAFETY: reads one of the words of `tls.rs`, which each thread has.
    unsafe {
        core::arch::asm!(
            "mov {0}, fs:[{1}]",
            out(reg) value, in(reg) thread_words().wrapping_add(offset),
            options(readonly, nostack, preserves_flags),
        );
    }
    value
}

#[cfg(target_os = "linux")]
#[inline(always)]
pub(crate) fn store_thread_word(offset: usize, value: usize) {
    // SAFETY: writes one of the words of `tls.rs`, which only this library uses.
    unsafe {
        core::arch::asm!(
            "mov fs:[{1}], {0}",
            in(reg) value, in(reg) thread_words().wrapping_add(offset), options(nostack, preserves_flags),
        );
    }
}
