//! Closures that C code and Rust code call with checks of indirect calls. `run` executes the case with a given number.
#![no_std]

extern crate alloc;

use alloc::boxed::Box;
use core::alloc::{GlobalAlloc, Layout};
use core::ffi::{c_int, c_void};
use core::hint::black_box;
use core::pin::pin;
use statictramp::{
    Guard, InPlace, Lookup, bind, boxed, by_mut, leaked, lookup, on_dead_call, once, one_shot, plain, unwind,
};

type Number = unsafe extern "C" fn(c_int) -> c_int;
type Wide = unsafe extern "C" fn(u64) -> u64;

unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn free(memory: *mut c_void);
    fn abort() -> !;
    fn exit(status: c_int) -> !;
    /// Functions in C that call a pointer of their parameter's type.
    fn apply(f: Number, x: c_int) -> c_int;
    fn apply_wide(f: Wide, x: u64) -> u64;
    fn c_function(x: c_int) -> c_int;
    /// The bounds of the program's zeroed memory, in which the slots are.
    static __bss_start: u8;
    static _end: u8;
}

struct Heap;
#[global_allocator]
static HEAP: Heap = Heap;

// SAFETY: `malloc` returns memory that is aligned for all types in this program.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: any size may be requested.
        unsafe { malloc(layout.size()).cast() }
    }
    unsafe fn dealloc(&self, memory: *mut u8, _: Layout) {
        // SAFETY: the memory came from `malloc`.
        unsafe { free(memory.cast()) }
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: ends the program.
    unsafe { abort() }
}

/// The unwind tables of functions that must not unwind refer to this function. Nothing unwinds.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}

/// Calls the function from C and from Rust.
fn both(f: Number, x: c_int) -> (c_int, c_int) {
    // SAFETY: the callers keep their guards alive.
    unsafe { (apply(f, x), black_box(f)(x)) }
}

fn every_form() {
    let step = black_box(5);
    let add = |x: c_int| x + step;
    assert_eq!(both(bind(&add).unwrap().as_fn(), 1), (6, 6));
    assert_eq!(both(boxed(add).unwrap().as_fn(), 2), (7, 7));
    assert_eq!(both(Guard::new(add).unwrap().as_fn(), 3), (8, 8));
    let mut pinned = pin!(InPlace::new(add));
    assert_eq!(both(pinned.as_mut().bind().unwrap(), 4), (9, 9));
    let mut sum = 0;
    let changing = by_mut(|x: c_int| {
        sum += x;
        sum
    });
    assert_eq!(both(bind(&changing).unwrap().as_fn(), 10), (10, 20));
    assert_eq!(both(leaked(move |x: c_int| x * step).unwrap(), 3), (15, 15));
    assert_eq!(both(plain(|x: c_int| x * 2), 21), (42, 42));
    let owned = Box::new(step);
    let consuming = once(move |x: c_int| x + *owned);
    // SAFETY: the guards are alive, and each pointer is called once.
    unsafe {
        assert_eq!(apply(bind(&consuming).unwrap().as_fn(), 1), 6);
        assert_eq!(apply(one_shot(move |x: c_int| x + step).unwrap(), 2), 7);
        let unwinding = unwind(add);
        assert_eq!(black_box(bind(&unwinding).unwrap().as_fn())(1), 6);
        let wide = |x: u64| x << 32;
        assert_eq!(apply_wide(bind(&wide).unwrap().as_fn(), 3), 3 << 32);
    }
}

/// Replaces the entry of the slot of a trampoline, and the chain, as an attacker who can write to memory.
fn forge(trampoline: *const (), callee: *const (), context: *const ()) {
    let Ok(Lookup::Live { chain, entry, .. }) = lookup(trampoline) else { panic!() };
    // SAFETY: the program's own memory between two symbols, which consists of whole words.
    unsafe {
        let (start, end) = (&raw const __bss_start, &raw const _end);
        let mut word = start.cast_mut().cast::<usize>().byte_add(start.align_offset(size_of::<usize>()));
        while word.addr() + 2 * size_of::<usize>() <= end.addr() {
            let pair = [word.read_volatile(), word.add(1).read_volatile()];
            let (to_chain, to_entry) = (word, word.add(1));
            if pair == [chain.addr(), entry.addr()] {
                to_chain.write_volatile(context.addr());
                to_entry.write_volatile(callee.addr());
                return;
            }
            word = word.add(1);
        }
    }
    panic!()
}

extern "C" fn handler(_: usize, _: *const ()) {
    // SAFETY: ends the program.
    unsafe { exit(0) }
}

#[unsafe(no_mangle)]
extern "C" fn run(case: c_int) -> c_int {
    let (number, step) = (|x: c_int| x + 1, black_box(100));
    let (other, wide) = (|x: c_int| x + step, |x: u64| x + 1);
    let (number, other, wide) = (bind(&number).unwrap(), bind(&other).unwrap(), bind(&wide).unwrap());
    let entry_of = |trampoline| match lookup(trampoline) {
        Ok(Lookup::Live { entry, chain, .. }) => (entry, chain.cast_const()),
        _ => panic!(),
    };
    let as_other_type = wide.trampoline().as_ptr();
    match case {
        0 => {
            every_form();
            return 0;
        }
        // SAFETY: the types of the call and the pointer differ, so a check must end the program.
        1 => unsafe { apply(core::mem::transmute::<*const (), Number>(as_other_type), 1) },
        // SAFETY: as above.
        2 => unsafe { black_box(core::mem::transmute::<*const (), Number>(as_other_type))(1) },
        3 => {
            let (entry, chain) = entry_of(as_other_type);
            forge(number.trampoline().as_ptr(), entry, chain);
            both(number.as_fn(), 1).0
        }
        4 => {
            forge(number.trampoline().as_ptr(), c_function as *const (), core::ptr::null());
            both(number.as_fn(), 1).0
        }
        // The forged callee has the right type, so no check ends the program.
        5 => {
            let (entry, chain) = entry_of(other.trampoline().as_ptr());
            forge(number.trampoline().as_ptr(), entry, chain);
            return c_int::from(both(number.as_fn(), 1) != (101, 101));
        }
        6 => {
            on_dead_call(Some(handler));
            let f = number.as_fn();
            drop(number);
            both(f, 1).0
        }
        _ => return 2,
    };
    3
}
