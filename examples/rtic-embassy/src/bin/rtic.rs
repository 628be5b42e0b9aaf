//! RTIC: a closure in `idle` is the callback of a driver that passes no context. A hardware task calls the closure, which spawns a
//! software task. Another hardware task makes a trampoline, calls it and frees it.

#![no_std]
#![no_main]

#[path = "../driver.rs"]
mod driver;

#[rtic::app(device = lm3s6965, dispatchers = [SSI0])]
mod app {
    use crate::driver::Port;
    use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
    use lm3s6965::Interrupt;
    use semihosting::{println, process};

    static PORT: Port = Port::new();

    #[shared]
    struct Shared {
        sum: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        (Shared { sum: 0 }, Local {})
    }

    #[idle(shared = [sum])]
    fn idle(mut context: idle::Context) -> ! {
        let calls = AtomicU32::new(0);
        let on_byte = |byte: u32| {
            calls.store(calls.load(Relaxed) + 1, Relaxed);
            received::spawn(byte).expect("the task has ended");
        };
        let callback = statictramp::bind(&on_byte).expect("a free slot");
        // SAFETY: the callback is removed below, before the closure ends. Atomics and `spawn` may be used in interrupts.
        unsafe { PORT.register(Some(callback.as_fn())) };
        for _ in 0..3 {
            rtic::pend(Interrupt::GPIOA);
        }
        // SAFETY: this removes the port's function, so no function needs to stay valid.
        unsafe { PORT.register(None) };
        drop(callback);
        rtic::pend(Interrupt::GPIOB);
        let sum = context.shared.sum.lock(|sum| *sum);
        println!("{} calls, sum {sum}, {} trampolines live", calls.load(Relaxed), statictramp::live());
        process::exit(0)
    }

    #[task(binds = GPIOA, priority = 2)]
    fn port(_: port::Context) {
        PORT.interrupt();
    }

    #[task(priority = 1, shared = [sum])]
    async fn received(mut context: received::Context, byte: u32) {
        context.shared.sum.lock(|sum| *sum += byte - u32::from(b'a'));
        println!("received {}", char::from(byte as u8));
    }

    #[task(binds = GPIOB, priority = 3)]
    fn in_interrupt(_: in_interrupt::Context) {
        let last = AtomicU32::new(0);
        let keep = |byte: u32| last.store(byte, Relaxed);
        let callback = statictramp::bind(&keep).expect("a free slot");
        let port = Port::new();
        // SAFETY: the port is dropped before the closure.
        unsafe { port.register(Some(callback.as_fn())) };
        port.interrupt();
        println!(
            "in an interrupt: {}, {} trampolines live",
            char::from(last.load(Relaxed) as u8),
            statictramp::live()
        );
    }
}
