//! Embassy: a task's closure is the callback of a driver that passes no context. The closure and its trampoline are in the task's
//! future, so no heap is needed. The interrupt wakes the task.

#![no_std]
#![no_main]

#[path = "../driver.rs"]
mod driver;

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use cortex_m::peripheral::NVIC;
use driver::Port;
use embassy_executor::{InterruptExecutor, Spawner};
use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex;
use embassy_sync::{channel::Channel, signal::Signal};
use lm3s6965::{Interrupt, interrupt};
use semihosting::{println, process};

static PORTS: [Port; 2] = [Port::new(), Port::new()];
static URGENT: InterruptExecutor = InterruptExecutor::new();
static DONE: Signal<CriticalSectionRawMutex, u32> = Signal::new();

#[interrupt]
fn GPIOA() {
    PORTS[0].interrupt();
}

#[interrupt]
fn GPIOB() {
    PORTS[1].interrupt();
}

#[interrupt]
fn SSI0() {
    // SAFETY: this is the executor's interrupt handler, and `start` precedes the first of these interrupts.
    unsafe { URGENT.on_interrupt() }
}

/// Awaits the bytes of one port. Each port has its own closure, with its own channel.
#[embassy_executor::task(pool_size = 2)]
async fn receive(port: usize, interrupt: Interrupt) {
    let bytes = Channel::<CriticalSectionRawMutex, u32, 4>::new();
    let lost = AtomicU32::new(0);
    let on_byte = |byte: u32| {
        if bytes.try_send(byte).is_err() {
            lost.store(lost.load(Relaxed) + 1, Relaxed);
        }
    };
    let callback = statictramp::bind(&on_byte).expect("a free slot");
    // SAFETY: the callback is removed below, before the closure ends. Channels and atomics may be used in interrupts.
    unsafe { PORTS[port].register(Some(callback.as_fn())) };
    let mut sum = 0;
    for _ in 0..3 {
        NVIC::pend(interrupt);
        sum += bytes.receive().await - u32::from(b'a') + 10 * port as u32;
    }
    // SAFETY: this removes the port's function, so no function needs to stay valid.
    unsafe { PORTS[port].register(None) };
    println!("port {port}: {sum}, {} lost, {} trampolines live", lost.load(Relaxed), statictramp::live());
    DONE.signal(sum);
}

/// Runs in an interrupt, and makes, calls and frees its trampoline there.
#[embassy_executor::task]
async fn urgent() {
    let total = AtomicU32::new(0);
    let add = |byte: u32| total.store(total.load(Relaxed) + byte, Relaxed);
    {
        let callback = statictramp::bind(&add).expect("a free slot");
        let port = Port::new();
        // SAFETY: the port is dropped before the closure, and no interrupt uses the port.
        unsafe { port.register(Some(callback.as_fn())) };
        port.interrupt();
        port.interrupt();
    }
    println!("in an interrupt: {}", total.load(Relaxed));
}

#[embassy_executor::main]
async fn main(spawner: Spawner) {
    // SAFETY: no code relies on these interrupts being masked.
    unsafe {
        NVIC::unmask(Interrupt::GPIOA);
        NVIC::unmask(Interrupt::GPIOB);
    }
    URGENT.start(Interrupt::SSI0).spawn(urgent().unwrap());
    spawner.spawn(receive(0, Interrupt::GPIOA).unwrap());
    let mut total = DONE.wait().await;
    spawner.spawn(receive(1, Interrupt::GPIOB).unwrap());
    total += DONE.wait().await;
    println!("total {total}, {} trampolines live", statictramp::live());
    process::exit(0)
}
