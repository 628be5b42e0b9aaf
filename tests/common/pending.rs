//! The thread-local words through which closures' addresses pass on some processors (`src/arch/in_thread.rs`): their
//! state in a signal handler that interrupted a call while such an address was in transit.

#[cfg(all(target_os = "linux", not(any(target_arch = "x86_64", target_arch = "x86"))))]
fn words() -> Option<*mut [usize; 2]> {
    Some(statictramp::pending_words())
}
#[cfg(not(all(target_os = "linux", not(any(target_arch = "x86_64", target_arch = "x86")))))]
fn words() -> Option<*mut [usize; 2]> {
    None
}

/// Runs `f` twice: with no address in transit, and as in a handler that interrupts a call. The words have their former
/// contents again when `f` returns.
pub fn at_rest_and_between(mut f: impl FnMut()) {
    f();
    let Some(words) = words() else { return };
    let interrupted = [0x1001, 0x2002];
    // SAFETY: these words belong to this thread, only calls of closures use them otherwise, and no code follows these
    // addresses.
    unsafe {
        assert_eq!(words.read_volatile(), [0, 0], "nothing is on its way after a call");
        words.write_volatile(interrupted);
        f();
        assert_eq!(words.read_volatile(), interrupted, "what a signal has interrupted finds its address");
        words.write_volatile([0, 0]);
    }
}
