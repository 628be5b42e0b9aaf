//! The words of a thread (`tls.rs`) on x86-64 Linux, which one instruction reads or writes by their offset from the thread pointer.

/// Offset of the words from the thread pointer: the same for all threads.
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
