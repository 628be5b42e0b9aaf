//! Closures as callbacks of a driver that takes plain function pointers. One closure is an interrupt handler.

#![no_std]
#![no_main]

use core::cell::Cell;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use cortex_m::peripheral::{Peripherals, SCB, SYST, syst::SystClkSource};
use semihosting::{println, process};

/// A driver as in a vendor's C library, whose callbacks get no context.
#[repr(C)]
struct Sensor {
    read: unsafe extern "C" fn(channel: u32) -> i32,
    alarm: unsafe extern "C" fn(channel: u32, value: i32),
}

extern "C" fn poll(sensor: &Sensor, limit: i32) {
    for channel in 0..4 {
        // SAFETY: the functions live as long as the sensor.
        unsafe {
            let value = (sensor.read)(channel);
            if value > limit {
                (sensor.alarm)(channel, value);
            }
        }
    }
}

/// The processor's interrupt vectors, copied to RAM, so that a handler can be stored there.
#[repr(C, align(1024))]
struct Vectors([usize; 256]);
static mut VECTORS: Vectors = Vectors([0; 256]);
const SYSTICK: usize = 15;

/// Makes the processor call a function at each tick.
fn start_timer(timer: &mut SYST, scb: &SCB, handler: unsafe extern "C" fn()) {
    // SAFETY: the timer is not running yet, so no interrupt arrives during the copy. The copied table is in flash.
    unsafe {
        let vectors = &raw mut VECTORS.0;
        let in_flash = scb.vtor.read() as *const usize;
        for number in 0..16 {
            (*vectors)[number] = in_flash.add(number).read_volatile();
        }
        (*vectors)[SYSTICK] = handler as usize;
        scb.vtor.write(vectors as u32);
    }
    timer.set_clock_source(SystClkSource::Core);
    timer.set_reload(25_000 - 1);
    timer.clear_current();
    timer.enable_interrupt();
    timer.enable_counter();
}

/// Reports a call through a freed trampoline. The call ends in a trap afterwards.
extern "C" fn call_after_free(slot: usize, procedure: *const ()) {
    println!("call after free through slot {slot}, which was made for {procedure:?}");
}

#[cortex_m_rt::entry]
fn main() -> ! {
    statictramp::on_dead_call(Some(call_after_free));
    let mut peripherals = Peripherals::take().unwrap();

    // The closures share variables of this stack frame; the borrow checker ensures that they end first.
    let values = [Cell::new(20), Cell::new(25), Cell::new(30), Cell::new(35)];
    let alarms = Cell::new(0);
    let read = |channel: u32| values[channel as usize].get();
    let alarm = |channel: u32, value: i32| {
        println!("channel {channel} is at {value}");
        alarms.set(alarms.get() + 1);
    };
    let read = statictramp::bind(&read).expect("a free slot");
    let alarm = statictramp::bind(&alarm).expect("a free slot");
    poll(&Sensor { read: read.as_fn(), alarm: alarm.as_fn() }, 28);

    // This closure is an interrupt handler with a context. Data that it shares with the program must be atomic.
    let ticks = AtomicU32::new(0);
    let tick = || ticks.store(ticks.load(Relaxed) + 1, Relaxed);
    let handler = statictramp::bind(&tick).expect("a free slot");
    start_timer(&mut peripherals.SYST, &peripherals.SCB, handler.as_fn());
    while ticks.load(Relaxed) < 10 {
        cortex_m::asm::wfi();
    }
    peripherals.SYST.disable_interrupt();

    println!("{} alarms, {} ticks, {} trampolines live", alarms.get(), ticks.load(Relaxed), statictramp::live());
    process::exit(0)
}
