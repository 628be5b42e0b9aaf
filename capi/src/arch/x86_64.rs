//! Access to the thread-local words (`tls.rs`) on x86-64 Linux and FreeBSD. One instruction reads or writes a word at its offset
//! from the thread pointer.

/// Returns the offset of the thread-local words from the thread pointer. The offset is the same for all threads.
#[inline(always)]
fn thread_words() -> usize {
    let distance;
    // SAFETY: this only reads a constant that the linker or the dynamic linker wrote before any of this library's code
    // ran.
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
    // SAFETY: this reads a thread-local word of `tls.rs`, and every thread has these words.
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
    // SAFETY: this writes a thread-local word of `tls.rs`, and only this library uses these words.
    unsafe {
        core::arch::asm!(
            "mov fs:[{1}], {0}",
            in(reg) value, in(reg) thread_words().wrapping_add(offset), options(nostack, preserves_flags),
        );
    }
}
