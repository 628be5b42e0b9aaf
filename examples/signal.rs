//! A closure as a signal handler: `sigaction` takes a plain function pointer.
//!
//! In any language, a signal handler may perform only certain operations (`signal-safety(7)`). The handler in this
//! example adds to an atomic variable that it has captured.

use core::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let caught = Arc::new(AtomicUsize::new(0));
    let counter = caught.clone();
    // Signals may arrive until the process ends, so the handler is never freed.
    let handler = statictramp::leaked(move |_signal: c_int| {
        counter.fetch_add(1, Relaxed);
    })?;

    // SAFETY: all zeroes are an empty action. The handler is an async-signal-safe function that takes the number of a
    // signal, and it is never freed.
    unsafe {
        let mut action: libc::sigaction = core::mem::zeroed();
        action.sa_sigaction = handler as libc::sighandler_t;
        assert_eq!(libc::sigaction(libc::SIGUSR1, &action, core::ptr::null_mut()), 0);
        for _ in 0..3 {
            libc::raise(libc::SIGUSR1);
        }
    }
    println!("{} signals caught by a closure", caught.load(Relaxed));
    assert_eq!(caught.load(Relaxed), 3);
    Ok(())
}
