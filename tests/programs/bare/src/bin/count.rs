//! Counts the instructions that a claim takes in the worst case and in many other states of the table. QEMU's clock
//! counts instructions (`-icount`).

#![no_std]
#![no_main]

use core::hint::black_box;
use semihosting::{println, process};
use statictramp::Trampoline;

#[cfg(target_arch = "arm")]
mod clock {
    use cortex_m::peripheral::{SYST, syst::SystClkSource};

    pub fn start() {
        // SAFETY: no other code uses the timer.
        let timer = unsafe { &mut cortex_m::Peripherals::steal().SYST };
        timer.set_clock_source(SystClkSource::Core);
        timer.set_reload(0xff_ffff);
        timer.clear_current();
        timer.enable_counter();
    }

    /// The nanoseconds of a tick: the clock runs at 20 MHz on mps2-an505, and at 25 MHz on mps2-an385.
    const TICK: usize = if cfg!(armv8m) { 50 } else { 40 };

    /// Counts upwards. An instruction takes 1,024 ns (`-icount shift=10`).
    #[inline(always)]
    pub fn now() -> usize {
        (0xff_ffff - SYST::get_current()) as usize
    }

    pub fn instructions(ticks: usize) -> usize {
        ((ticks & 0xff_ffff) * TICK + 512) / 1024
    }
}

#[cfg(target_arch = "aarch64")]
mod clock {
    pub fn start() {}

    /// Reads the clock. An instruction takes 1,024 ns (`-icount shift=10`), and a tick takes 16 ns (62.5 MHz).
    #[inline(always)]
    pub fn now() -> usize {
        let ticks;
        // SAFETY: this only reads the timer's counter.
        unsafe { core::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack)) };
        ticks
    }

    pub fn instructions(ticks: usize) -> usize {
        (ticks + 32) / 64
    }
}

#[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
mod clock {
    pub fn start() {}

    #[inline(always)]
    pub fn now() -> usize {
        riscv::register::minstret::read()
    }

    pub fn instructions(count: usize) -> usize {
        count
    }
}

/// Returns the number of instructions that `f` executes, without the instructions for counting.
fn count<R>(f: impl FnOnce() -> R) -> (usize, R) {
    let start = clock::now();
    let nothing = black_box(clock::now().wrapping_sub(start));
    let start = clock::now();
    let result = f();
    let all = clock::now().wrapping_sub(start);
    (clock::instructions(all.wrapping_sub(nothing)), result)
}

/// Returns a callee that is never called.
fn procedure(number: usize) -> *const () {
    core::ptr::without_provenance(0x1000 + 4 * number)
}

const MOST: usize = 1024;
static mut MADE: [Option<Trampoline>; MOST] = [const { None }; MOST];

/// Claims a slot for a procedure that has never had a slot, and counts the instructions.
fn claim(number: usize) -> (usize, Option<Trampoline>) {
    let callee = black_box(procedure(number));
    count(|| Trampoline::new(callee, core::ptr::null_mut()).ok())
}

fn run() -> ! {
    clock::start();
    let slots = statictramp::capacity();
    // SAFETY: there is one core, there are no interrupts, and this is called only once.
    let made = unsafe { &mut *(&raw mut MADE) };
    let mut number = 0;
    let mut new = || {
        number += 1;
        number
    };
    for callback in &mut made[..slots] {
        *callback = claim(new()).1;
    }
    let full = claim(new());
    assert!(full.1.is_none());

    // In the worst order, each inspected slot has been dead longer than the slots before it.
    let mut by_slot = [const { usize::MAX }; MOST];
    made[..slots].iter().enumerate().for_each(|(at, t)| by_slot[t.as_ref().unwrap().slot()] = at);
    for slot in (0..slots).rev() {
        made[by_slot[slot]] = None;
    }
    let (longest, trampoline) = claim(new());
    made[0] = trampoline;

    // No other state takes more instructions.
    let mut random = 0x2545_f491u32;
    for _ in 0..500 {
        for _ in 0..5 {
            random ^= random << 13;
            random ^= random >> 17;
            random ^= random << 5;
            let at = random as usize % slots;
            let (instructions, trampoline) = claim(new());
            assert!(instructions <= longest, "{instructions} instructions, {longest} should be the most");
            made[at] = trampoline;
        }
    }
    println!("slots {slots} longest {longest} full {}", full.0);
    process::exit(0)
}

#[cfg(target_arch = "arm")]
#[cortex_m_rt::entry]
fn main() -> ! {
    run()
}

#[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
#[riscv_rt::entry]
fn main() -> ! {
    run()
}

/// Start-up code for exception level 1; no exception is expected.
#[cfg(target_arch = "aarch64")]
mod board {
    core::arch::global_asm!(
        ".section .text.boot, \"ax\"",
        ".globl _start",
        "_start:",
        "adrp x0, _stack_top",
        "add x0, x0, :lo12:_stack_top",
        "mov sp, x0",
        "mov x0, #(3 << 20)", // floating-point registers may be used
        "msr cpacr_el1, x0",
        "isb",
        "adrp x0, _bss_start",
        "add x0, x0, :lo12:_bss_start",
        "adrp x1, _bss_end",
        "add x1, x1, :lo12:_bss_end",
        "1: cmp x0, x1",
        "b.hs 2f",
        "str xzr, [x0], #8",
        "b 1b",
        "2: bl {main}",
        main = sym main,
    );

    extern "C" fn main() -> ! {
        super::run()
    }
}
