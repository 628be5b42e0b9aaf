//! Closures as callbacks of a driver that takes plain function pointers, and as interrupt handlers.

#![no_std]
#![no_main]

use core::cell::Cell;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};
use cortex_m::peripheral::{Peripherals, SCB, SYST, syst::SystClkSource};
use semihosting::{println, process};
use statictramp::{AllocError, Pool};

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

/// The processor's interrupt vectors, copied to RAM, so that handlers can be stored there.
#[repr(C, align(1024))]
struct Vectors([AtomicUsize; 256]);
static VECTORS: Vectors = Vectors([const { AtomicUsize::new(0) }; 256]);
const PENDSV: usize = 14;
const SYSTICK: usize = 15;

/// The interrupt handlers: at most 2 closures of up to 16 bytes, which are never freed and need no heap.
static HANDLERS: Pool<2, 16> = Pool::new();
/// The number of interrupts of each kind.
static COUNTS: [AtomicU32; 16] = [const { AtomicU32::new(0) }; 16];

/// Fills the interrupt table. Each handler knows its own number, and data that it shares with the program must be atomic.
fn set_handlers() -> Result<(), AllocError> {
    for number in [PENDSV, SYSTICK] {
        let count = &COUNTS[number];
        let handler = HANDLERS.leaked_safe_fn(move || {
            count.store(count.load(Relaxed) + 1, Relaxed);
            if number == SYSTICK {
                SCB::set_pendsv();
            }
        })?;
        VECTORS.0[number].store(handler as usize, Relaxed);
    }
    Ok(())
}

/// Makes the processor use the vectors in RAM.
fn move_vectors(scb: &SCB) {
    // SAFETY: no interrupt is enabled yet, and the copied table is in flash.
    unsafe {
        let in_flash = scb.vtor.read() as *const usize;
        for number in 0..16 {
            VECTORS.0[number].store(in_flash.add(number).read_volatile(), Relaxed);
        }
        scb.vtor.write(VECTORS.0.as_ptr() as u32);
    }
}

fn start_timer(timer: &mut SYST) {
    timer.set_clock_source(SystClkSource::Core);
    timer.set_reload(25_000 - 1);
    timer.clear_current();
    timer.enable_interrupt();
    timer.enable_counter();
}

/// Reports a call through a freed trampoline. After this function returns, the processor traps.
extern "C" fn call_after_free(slot: usize, procedure: *const ()) {
    println!("call after free through slot {slot}, which was made for {procedure:?}");
}

#[cortex_m_rt::entry]
fn main() -> ! {
    statictramp::on_dead_call(Some(call_after_free));
    let mut peripherals = Peripherals::take().unwrap();

    // The closures share variables in this stack frame; the borrow checker ensures that the closures are dropped before
    // the variables.
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

    move_vectors(&peripherals.SCB);
    set_handlers().expect("two free slots");
    start_timer(&mut peripherals.SYST);
    while COUNTS[PENDSV].load(Relaxed) < 10 {
        cortex_m::asm::wfi();
    }
    peripherals.SYST.disable_interrupt();

    println!(
        "{} alarms, {} ticks, {} trampolines live",
        alarms.get(),
        COUNTS[SYSTICK].load(Relaxed),
        statictramp::live()
    );
    process::exit(0)
}
