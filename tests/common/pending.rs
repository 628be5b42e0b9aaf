//! Tests with the thread-local words that pass the addresses of closures on some processors
//! (`src/arch/in_thread.rs`). The words are put into the state in which a signal handler finds them if it interrupts a
//! call while such an address is pending.

#[cfg(all(target_os = "linux", not(any(target_arch = "x86_64", target_arch = "x86"))))]
fn words() -> Option<*mut [usize; 2]> {
    Some(statictramp::pending_words())
}
#[cfg(not(all(target_os = "linux", not(any(target_arch = "x86_64", target_arch = "x86")))))]
fn words() -> Option<*mut [usize; 2]> {
    None
}

/// Runs `f` twice: first with no pending address, and then as in a handler that interrupts a call. Checks that the
/// words have their previous contents again when `f` returns.
pub fn at_rest_and_between(mut f: impl FnMut()) {
    f();
    let Some(words) = words() else { return };
    let interrupted = [0x1001, 0x2002];
    // SAFETY: these words belong to this thread, and apart from this code only calls of closures use them. No code
    // dereferences the addresses that are stored here.
    unsafe {
        assert_eq!(words.read_volatile(), [0, 0], "no address is pending after a call");
        words.write_volatile(interrupted);
        f();
        assert_eq!(words.read_volatile(), interrupted, "the interrupted call finds its address");
        words.write_volatile([0, 0]);
    }
}
