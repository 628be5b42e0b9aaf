//! Two threads with their own stacks, which the timer interrupts and switches at any instruction. The threads and the
//! timer's handler create, call and free trampolines of one small table, which has fewer slots than they request.

#![no_std]
#![no_main]

#[path = "../junk.rs"]
mod junk;

use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize};
use cortex_m::peripheral::{SCB, SYST, syst::SystClkSource};
use semihosting::{println, process};
use statictramp::{AllocError, Callback};

const CLOSURES_HELD: usize = 6;
type Held<F> = [Option<Callback<'static, F, (usize,)>>; CLOSURES_HELD];

static TICKS: AtomicU32 = AtomicU32::new(0);
static MADE: [AtomicU32; 3] = [const { AtomicU32::new(0) }; 3];
static REJECTED: [AtomicU32; 3] = [const { AtomicU32::new(0) }; 3];
static DONE: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];

fn wanted() -> u32 {
    env!("TICKS").parse().unwrap()
}

/// Only one thread stores to this variable, so no exchange is needed.
fn count(number: &AtomicU32) {
    number.store(number.load(Relaxed) + 1, Relaxed);
}

struct Random(u32);

impl Random {
    fn next(&mut self) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 as usize
    }
}

/// Creates a trampoline in a place, or calls and frees the trampoline in that place.
fn step<F: Fn(usize) -> usize + Sync>(
    who: usize,
    held: &mut Held<F>,
    closures: &'static [F; CLOSURES_HELD],
    number: usize,
) {
    held[number] = match held[number].take() {
        Some(callback) => {
            // SAFETY: the trampoline is alive.
            assert_eq!(unsafe { callback.as_fn()(number) }, closures[number](number));
            None
        }
        None => match statictramp::bind(&closures[number]) {
            Ok(callback) => {
                count(&MADE[who]);
                Some(callback)
            }
            Err(_) => {
                count(&REJECTED[who]);
                None
            }
        },
    };
}

/// The two threads and the handler have closures of different types, so that each has its own adapter.
macro_rules! closures {
    ($who:literal) => {{
        static SALT: usize = 1000 * ($who + 1);
        static CLOSURES: [fn(usize) -> usize; CLOSURES_HELD] =
            [|x| x + SALT, |x| x ^ SALT, |x| x * 3 + SALT, |x| x * 5 ^ SALT, |x| x * 7 + SALT, |x| !x ^ SALT];
        &CLOSURES
    }};
}

fn thread<const WHO: usize>(closures: &'static [fn(usize) -> usize; CLOSURES_HELD]) {
    let mut held: Held<fn(usize) -> usize> = [const { None }; CLOSURES_HELD];
    let mut random = Random(0x2545_f491 + WHO as u32);
    while TICKS.load(Relaxed) < wanted() {
        step(WHO, &mut held, closures, random.next() % CLOSURES_HELD);
    }
    drop(held);
    DONE[WHO].store(true, Relaxed);
}

extern "C" fn first() -> ! {
    thread::<0>(closures!(0));
    while !DONE.iter().all(|done| done.load(Relaxed)) {}
    // SAFETY: only this program uses the timer.
    unsafe { cortex_m::Peripherals::steal() }.SYST.disable_interrupt();
    assert_eq!(statictramp::live(), 0, "a trampoline was lost");
    let all = closures!(0);
    let every = all.iter().cycle().map_while(|closure| statictramp::bind(closure).ok());
    let mut kept: [Option<Callback<_, (usize,)>>; 64] = [const { None }; 64];
    let claimed = kept.iter_mut().zip(every).map(|(element, callback)| *element = Some(callback)).count();
    assert_eq!(claimed, statictramp::capacity(), "a slot was lost");
    println!(
        "{} ticks; two threads and the timer made {:?} trampolines and were refused {:?} by a full table",
        TICKS.load(Relaxed),
        MADE,
        REJECTED
    );
    process::exit(0)
}

extern "C" fn second() -> ! {
    thread::<1>(closures!(1));
    loop {}
}

/// The timer's handler, which runs at intervals of any length.
#[cortex_m_rt::exception]
fn SysTick() {
    static mut HELD: Held<fn(usize) -> usize> = [const { None }; CLOSURES_HELD];
    static mut RANDOM: Random = Random(0x0135_7913);
    let number = TICKS.load(Relaxed);
    if number >= wanted() {
        *HELD = [const { None }; CLOSURES_HELD];
        DONE[2].store(true, Relaxed);
    } else {
        for _ in 0..2 {
            step(2, HELD, closures!(2), RANDOM.next() % CLOSURES_HELD);
        }
    }
    TICKS.store(number + 1, Relaxed);
    // SAFETY: only this handler sets the timer.
    unsafe { (*SYST::PTR).rvr.write(1500 + (RANDOM.next() % 2000) as u32) };
    SCB::set_pendsv();
}

/// The addresses of each thread's saved registers. Those of the running thread come first.
static SAVED: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];

/// Saves the address of the previous thread's registers, and returns the address of the other thread's.
extern "C" fn other_thread(saved: usize) -> usize {
    let next = SAVED[1].load(Relaxed);
    SAVED[1].store(saved, Relaxed);
    next
}

// The registers that the processor does not push itself (Armv6-M ARM, B1.5.6) are stored below the registers that it
// pushes.
core::arch::global_asm!(
    ".pushsection .text.PendSV, \"ax\"",
    ".syntax unified",
    ".thumb",
    ".globl PendSV",
    ".type PendSV, %function",
    ".thumb_func",
    "PendSV:",
    "mrs r0, psp",
    "subs r0, #32",
    "stmia r0!, {{r4-r7}}",
    "mov r4, r8",
    "mov r5, r9",
    "mov r6, r10",
    "mov r7, r11",
    "stmia r0!, {{r4-r7}}",
    "subs r0, #32",
    "push {{r3, lr}}",
    "bl {other_thread}",
    "adds r0, #16",
    "ldmia r0!, {{r4-r7}}",
    "mov r8, r4",
    "mov r9, r5",
    "mov r10, r6",
    "mov r11, r7",
    "msr psp, r0",
    "subs r0, #32",
    "ldmia r0!, {{r4-r7}}",
    "pop {{r3, pc}}",
    ".popsection",
    other_thread = sym other_thread,
);

#[repr(C, align(8))]
struct Stack([usize; 512]);
static mut STACKS: [Stack; 2] = [const { Stack([0; 512]) }; 2];

/// Returns whether a trampoline could be created and freed in the handler of the non-maskable interrupt.
static NON_MASKABLE: AtomicUsize = AtomicUsize::new(0);
static OF_MAIN: AtomicUsize = AtomicUsize::new(0);

#[cortex_m_rt::exception]
unsafe fn NonMaskableInt() {
    let add = |x: usize| x + 1;
    // SAFETY: main has given the trampoline away.
    unsafe { statictramp::free(OF_MAIN.load(Relaxed) as *const ()) }.unwrap();
    let answer = match statictramp::bind(&add) {
        Ok(callback) => callback.call((1,)),
        Err(AllocError::Full) => 1,
        Err(_) => 9,
    };
    NON_MASKABLE.store(answer, Relaxed);
}

fn non_maskable() {
    let trampoline = statictramp::Trampoline::new(non_maskable as *const (), core::ptr::null_mut()).unwrap();
    OF_MAIN.store(trampoline.into_raw() as usize, Relaxed);
    // SAFETY: the handler is installed.
    unsafe { (*SCB::PTR).icsr.write(1 << 31) };
    cortex_m::asm::isb();
    // If an exchange is a critical section, the critical section does not mask this interrupt.
    let answer = if cfg!(target_has_atomic = "ptr") { 2 } else { 1 };
    assert_eq!(NON_MASKABLE.load(Relaxed), answer);
    assert_eq!(statictramp::live(), 0);
    println!("the non-maskable interrupt frees, and {}", if answer == 2 { "makes" } else { "is refused" });
}

#[cortex_m_rt::entry]
fn main() -> ! {
    junk::fill();
    non_maskable();
    // SAFETY: there is one core, and this is called only once.
    let [stack_of_first, stack_of_second] = unsafe { &mut *(&raw mut STACKS) };
    // PendSV's frame for a thread that has not run: eight registers, then those that the processor pushes.
    let top = stack_of_second.0.len();
    stack_of_second.0[top - 2] = second as *const () as usize & !1;
    stack_of_second.0[top - 1] = 1 << 24; // Thumb bit
    SAVED[1].store(stack_of_second.0[top - 16..].as_ptr() as usize, Relaxed);
    // SAFETY: only this program uses the timer, and the code that it interrupts is not running yet.
    unsafe {
        let mut peripherals = cortex_m::Peripherals::steal();
        peripherals.SCB.set_priority(cortex_m::peripheral::scb::SystemHandler::PendSV, 0xff);
        peripherals.SYST.set_clock_source(SystClkSource::Core);
        peripherals.SYST.set_reload(5000);
        peripherals.SYST.clear_current();
        peripherals.SYST.enable_interrupt();
        peripherals.SYST.enable_counter();
        // Switches to the first thread's stack, and does not return.
        core::arch::asm!(
            "msr psp, r0",
            "movs r0, #2",
            "msr control, r0",
            "isb",
            "bx r1",
            in("r0") stack_of_first.0.as_ptr().add(top) as usize,
            in("r1") first as *const (),
            options(noreturn),
        )
    }
}
