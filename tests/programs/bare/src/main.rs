//! Tests for every board, with all RAM execute-never if the board supports this. They cover closures in a C driver's
//! table, a full table, a timer interrupt, a second core (if there is one), and the diagnosis of a call after free. The
//! timer's handler is a closure. The handler and the second core create trampolines while the program does. The
//! negative control is code on the stack, which runs before the RAM is protected and faults afterwards.

#![no_std]
#![no_main]

#[cfg_attr(target_arch = "aarch64", path = "aarch64.rs")]
#[cfg_attr(target_arch = "arm", path = "cortex_m.rs")]
#[cfg_attr(any(target_arch = "riscv32", target_arch = "riscv64"), path = "riscv.rs")]
mod board;
#[cfg(target_abi = "eabihf")]
mod floats;
mod junk;

use core::cell::Cell;
use core::ffi::c_int;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicBool, AtomicU32};
use portable_atomic::AtomicPtr;
use semihosting::{println, process};
use statictramp::{AllocError, FreeError, Lookup, LookupError, Trampoline, lookup};

/// A driver's table, as in C code.
#[repr(C)]
struct Driver {
    read: unsafe extern "C" fn(c_int) -> c_int,
    write: unsafe extern "C" fn(c_int, c_int),
}

/// Calls the driver as C code would.
#[inline(never)]
extern "C" fn use_driver(driver: &Driver) -> c_int {
    // SAFETY: the functions outlive the driver.
    unsafe {
        (driver.write)(1, 40);
        (driver.write)(2, 2);
        (driver.read)(1) + (driver.read)(2)
    }
}

fn driver_table() {
    let registers = [const { Cell::new(0) }; 4];
    let read = |at: c_int| registers[at as usize].get();
    let write = |at: c_int, value: c_int| registers[at as usize].set(value);
    let (read, write) = (statictramp::bind(&read).unwrap(), statictramp::bind(&write).unwrap());
    let driver = Driver { read: read.as_fn(), write: write.as_fn() };
    assert_eq!(use_driver(&driver), 42);
    drop((read, write));
    assert_eq!(statictramp::live(), 0);
}

/// Pointers with other calling conventions that are the same as `"C"` on this board.
fn conventions() {
    macro_rules! calls {
        ($($abi:literal)*) => {$(
            let closure = statictramp::typed(|a: u8, b: u32, c: &u32| u64::from(a) + u64::from(b) + u64::from(*c));
            let callback = statictramp::bind(&closure).unwrap();
            let f: unsafe extern $abi fn(u8, u32, &'static u32) -> u64 = callback.as_fn();
            // SAFETY: the callback is alive.
            assert_eq!(unsafe { f(1, u32::MAX, &3) }, 3 + (1 << 32));
        )*};
    }
    calls!("system");
    // With hard floating point, "C" passes floating-point arguments in different registers from these two conventions.
    #[cfg(all(target_arch = "arm", target_abi = "eabi"))]
    calls!("efiapi" "aapcs");
    #[cfg(any(target_arch = "aarch64", target_arch = "riscv32", target_arch = "riscv64"))]
    calls!("efiapi");
}

fn full_table() {
    let capacity = statictramp::capacity();
    let add = |x: usize| x + 1;
    let mut made = [const { None }; 64];
    assert!(capacity <= made.len());
    for number in &mut made[..capacity] {
        *number = Some(statictramp::bind(&add).unwrap());
    }
    assert!(matches!(statictramp::bind(&add), Err(AllocError::Full)));
    for callback in made[..capacity].iter().flatten() {
        assert_eq!(callback.call((1,)), 2);
    }
    made = [const { None }; 64];
    drop(made);
    assert_eq!(statictramp::live(), 0);
}

/// Interrupts arrive while trampolines are created and freed. The interrupts' handler also creates and frees
/// trampolines.
fn interrupts() {
    static TICKS: AtomicU32 = AtomicU32::new(0);
    let inside = |x: usize| x ^ 0x55;
    let tick = || {
        let ticks = TICKS.load(Relaxed);
        TICKS.store(ticks + 1, Relaxed); // only the interrupt handler stores
        let callback = statictramp::bind(&inside).expect("a slot in the interrupt");
        assert_eq!(callback.call((ticks as usize,)), ticks as usize ^ 0x55);
    };
    let handler = statictramp::bind(&tick).unwrap();
    board::start_timer(handler.as_fn());
    let wanted: u32 = env!("TICKS").parse().unwrap();
    let mut made = 0u32;
    while TICKS.load(Relaxed) < wanted {
        let outside = move |x: usize| x + made as usize;
        let callback = statictramp::bind(&outside).expect("a slot outside of it");
        assert_eq!(callback.call((3,)), 3 + made as usize);
        made += 1;
    }
    board::stop_timer();
    println!("{wanted} interrupts between {made} trampolines");
    drop(handler);
    assert_eq!(statictramp::live(), 0);
}

/// The handlers in an interrupt table are closures that a pool in a `static` keeps forever. No unsafe code fills the table.
#[forbid(unsafe_code)]
fn interrupt_table() {
    static HANDLERS: statictramp::Pool<2, 16> = statictramp::Pool::new();
    static COUNTS: [AtomicU32; 2] = [const { AtomicU32::new(0) }; 2];
    let table: [extern "C" fn(); 2] = [0, 1].map(|number: usize| {
        let count = &COUNTS[number];
        HANDLERS.leaked_safe_fn(move || count.store(count.load(Relaxed) + 1, Relaxed)).unwrap()
    });
    for (handler, count) in table.into_iter().zip(&COUNTS) {
        assert_eq!(count.load(Relaxed), 0);
        board::start_timer(handler);
        while count.load(Relaxed) < 3 {}
        board::stop_timer();
    }
    assert_eq!(statictramp::live(), 2);
}

/// Trampolines that one core has created for the other to free.
static MAIL: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());
static SECOND_CORE_IS_DONE: AtomicBool = AtomicBool::new(false);

/// Creates and frees the requested number of trampolines in any order, concurrently with the other core. Together, the
/// cores request more slots than exist.
fn share_the_table(core: usize) -> (u32, u32) {
    let wanted: u32 = env!("TICKS").parse().unwrap();
    let closures: [_; 30] = core::array::from_fn(|number| move |x: usize| x * 100 + number * 2 + core);
    let mut held: [Option<statictramp::Callback<_, (usize,)>>; 30] = [const { None }; 30];
    let (mut made, mut rejected, mut random) = (0, 0, 0x2545_f491 + core as u32);
    while made < wanted {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        let number = random as usize % held.len();
        held[number] = match held[number].take() {
            Some(callback) => {
                assert_eq!(callback.call((7,)), 700 + number * 2 + core);
                None
            }
            None => match statictramp::bind(&closures[number]) {
                Ok(callback) => {
                    made += 1;
                    Some(callback)
                }
                Err(_) => {
                    rejected += 1;
                    None
                }
            },
        };
        pass_on(core);
    }
    (made, rejected)
}

/// The first core frees trampolines that the second one creates.
fn pass_on(core: usize) {
    if core == 0 {
        let passed = MAIL.swap(core::ptr::null_mut(), Acquire);
        if !passed.is_null() {
            // SAFETY: this is a live trampoline that the other core gave away.
            unsafe { statictramp::free(passed) }.unwrap();
        }
    } else if MAIL.load(Relaxed).is_null() {
        let callee = pass_on as *const ();
        if let Ok(trampoline) = Trampoline::new(callee, core::ptr::null_mut()) {
            MAIL.store(trampoline.into_raw().cast_mut(), Release);
        }
    }
}

/// Runs on the second core of boards that have two cores. The start-up code calls this function.
#[allow(dead_code)]
fn second_core() -> ! {
    board::protect();
    share_the_table(1);
    SECOND_CORE_IS_DONE.store(true, Release);
    loop {
        core::hint::spin_loop();
    }
}

fn two_cores() {
    if !board::start_second_core() {
        return;
    }
    let (made, rejected) = share_the_table(0);
    while !SECOND_CORE_IS_DONE.load(Acquire) {
        pass_on(0);
    }
    pass_on(0);
    assert_eq!(statictramp::live(), 0);
    println!("two cores made {made} trampolines each; one was refused {rejected} times, by a full table");
}

/// Runs before `dead_call`.
extern "C" fn dead_call_from(slot: usize, procedure: *const (), return_address: *const ()) {
    assert!(slot < statictramp::capacity() && !procedure.is_null() && !return_address.is_null());
}

extern "C" fn dead_call(slot: usize, procedure: *const ()) {
    assert!(slot < statictramp::capacity() && !procedure.is_null());
    println!("a call after free is diagnosed");
    if !board::PROTECTS {
        process::exit(0)
    }
    call_stack();
    println!("code on the stack runs in RAM that is execute-never");
    process::exit(1)
}

/// Calls code in RAM, which a compiler's own trampolines need.
fn call_stack() {
    let mut code = board::RETURN;
    let code = core::hint::black_box(&mut code); // on the stack, not a constant in flash
    board::fence();
    // SAFETY: this is a function that returns immediately, if the processor executes it at all.
    unsafe { core::mem::transmute::<usize, extern "C" fn()>(code.as_ptr() as usize | board::CODE_BIT)() }
}

/// Handles a failed instruction fetch on a board with memory protection. `cause` is the processor's fault status.
#[allow(dead_code)]
fn fetch_fault(what: &str, cause: usize) -> ! {
    println!("code on the stack ends in a fault: {what} = {cause}");
    process::exit(if cause == 1 { 0 } else { 1 })
}

fn call_after_free() -> ! {
    let add = |x: usize| x + 1;
    let callback = statictramp::bind(&add).unwrap();
    let (function, address) = (callback.as_fn(), callback.trampoline().as_ptr());
    drop(callback);
    assert!(matches!(lookup(address), Ok(Lookup::Dead { .. })));
    // SAFETY: the call rejects an address that is not live.
    assert!(matches!(unsafe { statictramp::free(address) }, Err(FreeError::Dead)));
    statictramp::on_dead_call_from(Some(dead_call_from));
    statictramp::on_dead_call(Some(dead_call));
    // SAFETY: this is the tested call after free, which ends in the handler.
    unsafe { function(1) };
    process::exit(1)
}

/// Checks that only a stub's first address, with the bit that a call requires, is a trampoline, and that other
/// addresses in the table are reported as interior.
fn addresses() {
    let one = Trampoline::new(addresses as *const (), core::ptr::null_mut()).unwrap();
    let stride = statictramp::layout().stub_stride;
    let first = one.as_ptr().addr() - one.slot() * stride - board::CODE_BIT;
    let end = first + statictramp::capacity() * stride;
    for at in first..end {
        let (at, is_stub) = (core::ptr::without_provenance(at), (at - first) % stride == board::CODE_BIT);
        assert_eq!(lookup(at).is_ok(), is_stub);
        assert_eq!(statictramp::slot_of(at).is_some(), is_stub);
        if !is_stub {
            assert_eq!(lookup(at), Err(LookupError::Interior));
            // SAFETY: the call rejects an address that is not a trampoline.
            assert_eq!(unsafe { statictramp::free(at) }, Err(FreeError::Lookup(LookupError::Interior)));
        }
    }
    for at in [first - 1, end, end + board::CODE_BIT, usize::MAX, 0] {
        assert_eq!(lookup(core::ptr::without_provenance(at)), Err(LookupError::Foreign));
    }
}

/// Runs all tests. The board's start-up code calls this function.
fn run() -> ! {
    call_stack();
    println!("before: code on the stack runs");
    board::protect();
    junk::fill();
    driver_table();
    addresses();
    full_table();
    #[cfg(not(target_abi = "eabihf"))]
    conventions();
    #[cfg(target_abi = "eabihf")]
    floats::every_signature();
    interrupts();
    two_cores();
    interrupt_table();
    println!(
        "{} slots of {} bytes, stubs of {}",
        statictramp::capacity(),
        statictramp::layout().slot_stride,
        statictramp::layout().stub_stride
    );
    call_after_free()
}
