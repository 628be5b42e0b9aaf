//! A closure logs through defmt. While the closure is alive, the program fills the heap, which begins at the address
//! that cortex-m-rt provides.

#![no_std]
#![no_main]

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use semihosting::{println, process};

static LOGGED: AtomicUsize = AtomicUsize::new(0);

/// Counts the log messages.
#[defmt::global_logger]
struct Logger;

// SAFETY: there is one core, and there are no interrupts here.
unsafe impl defmt::Logger for Logger {
    fn acquire() {}
    unsafe fn flush() {}
    unsafe fn release() {}
    unsafe fn write(bytes: &[u8]) {
        LOGGED.store(LOGGED.load(Relaxed) + bytes.len(), Relaxed);
    }
}

const HEAP: usize = 16 * 1024;

#[cortex_m_rt::entry]
fn main() -> ! {
    let logs = |x: usize| {
        defmt::error!("called with {=usize}", x);
        x + LOGGED.load(Relaxed)
    };
    let callback = statictramp::bind(&logs).expect("a free slot");
    let heap = cortex_m_rt::heap_start();
    for word in 0..HEAP / 4 {
        // SAFETY: this is unused RAM, far below the stack.
        unsafe { heap.add(word).write_volatile(0xdead_beef) };
    }
    assert!(callback.call((7,)) > 7);
    drop(callback);
    assert_eq!(statictramp::live(), 0);
    println!("{} bytes were logged by a closure beside a heap", LOGGED.load(Relaxed));
    process::exit(0)
}
