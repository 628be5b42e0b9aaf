//! The words of the thread that closures' addresses pass through (`src/arch/in_thread.rs`), where there are some: as they
//! are in the handler of a signal that came while one was on its way.

#[cfg(all(target_os = "linux", not(any(target_arch = "x86_64", target_arch = "x86"))))]
fn words() -> Option<*mut [usize; 2]> {
    Some(statictramp::pending_words())
}
#[cfg(not(all(target_os = "linux", not(any(target_arch = "x86_64", target_arch = "x86")))))]
fn words() -> Option<*mut [usize; 2]> {
    None
}

/// Runs `f`, once with nothing on its way, and once as in a handler that has come between. Whatever was on its way is
/// again when it is back.
pub fn at_rest_and_between(mut f: impl FnMut()) {
    f();
    let Some(words) = words() else { return };
    let interrupted = [0x1001, 0x2002];
    // SAFETY: this thread's words, which only calls of closures use besides; nobody follows these addresses.
    unsafe {
        assert_eq!(words.read_volatile(), [0, 0], "nothing is on its way after a call");
        words.write_volatile(interrupted);
        f();
        assert_eq!(words.read_volatile(), interrupted, "what a signal has interrupted finds its address");
        words.write_volatile([0, 0]);
    }
}
