//! A closure as a signal handler: `sigaction` takes a plain function pointer.
//!
//! What a handler may do is limited, whatever it is written in (`signal-safety(7)`): here it
//! adds to an atomic that it captured.

use core::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let caught = Arc::new(AtomicUsize::new(0));
    let counter = caught.clone();
    // Signals come for as long as the process lives, so the handler does too.
    let handler = statictramp::leaked(move |_signal: c_int| {
        counter.fetch_add(1, Relaxed);
    })?;

    // SAFETY: all zeroes are an empty action; the handler is a function of a signal's number
    // that is async-signal-safe and never dead.
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
