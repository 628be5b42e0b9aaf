//! Closures and trampolines without std. C code (`callers.c`) calls them in an emulated processor (`run.py`), and on Linux if
//! they were built for Android or FreeBSD (`tests/programs/portable/main.c`). Each function returns 0, or the line number of
//! the first error.
#![no_std]

extern crate alloc;

use alloc::vec::Vec;
use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use statictramp::{AllocError, Lookup, Trampoline, bind, boxed, by_mut, capacity, live, lookup, once};
use statictramp_raw::{Call, Kind};

type Number = unsafe extern "C" fn(i32) -> i32;
type Floats = unsafe extern "C" fn(f64, i8, f32, i64, f64, f32) -> f64;
type Mixed = unsafe extern "C" fn(i8, u16, i32, Large, f32) -> Large;
/// Rejected at compile time on AArch64.
#[cfg(target_arch = "x86_64")]
type Many = unsafe extern "C" fn(
    f64, Large, f64, f64, f32, f64, f64, f64, f64, i64, i32, i64, i16, i64, i64, i8,
) -> f64;
type Six = unsafe extern "C" fn(i8, i16, i32, i64, u8, u16) -> i64;

unsafe extern "C" {
    safe fn abort() -> !;
    fn call_number(f: Number, x: i32) -> i32;
    fn call_floats(f: Floats) -> f64;
    fn call_mixed(f: Mixed) -> f64;
    fn call_six(f: Six) -> i64;
    /// Passes a double, a `long double` and a variadic int, and returns whether the result is the `long double`.
    fn call_variadic(f: unsafe extern "C" fn()) -> bool;
    #[cfg(target_arch = "x86_64")]
    fn call_many(f: Many) -> f64;
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Large {
    x: f64,
    words: [u64; 4],
}

macro_rules! check {
    ($condition:expr) => {
        if !$condition {
            return line!();
        }
    };
}

#[unsafe(no_mangle)]
extern "C" fn closures() -> u32 {
    let step = Cell::new(40);
    let add = |x: i32| x + step.get();
    let Ok(bound) = bind(&add) else { return line!() };
    // SAFETY: here and below, the guard is alive, and C passes arguments of the type.
    check!(unsafe { call_number(bound.as_fn(), 2) } == 42);
    step.set(-2);
    check!(unsafe { call_number(bound.as_fn(), 2) } == 0);

    let mut count = 0;
    let counting = by_mut(|x: i32| {
        count += x;
        count
    });
    let Ok(kept) = boxed(counting) else { return line!() };
    for expected in [5, 10, 15] {
        check!(unsafe { call_number(kept.as_fn(), 5) } == expected);
    }
    drop(kept);

    let text = alloc::string::String::from("seven");
    let last = once(move |x: i32| x + text.into_bytes().len() as i32);
    let Ok(last) = boxed(last) else { return line!() };
    check!(unsafe { call_number(last.as_fn(), 2) } == 7);

    let weight = 0.5;
    let sum = |a: f64, b: i8, c: f32, d: i64, e: f64, f: f32| {
        weight * (a + f64::from(b) + 100. * f64::from(c) + d as f64 + 1000. * e + 10000. * f64::from(f))
    };
    let Ok(floats) = bind(&sum) else { return line!() };
    check!(unsafe { call_floats(floats.as_fn()) } == 0.5 * (1. - 2. + 25. + 4e9 - 2000. + 1250.));

    let mixed = |a: i8, b: u16, c: i32, mut large: Large, d: f32| {
        large.x += f64::from(a) + f64::from(b) + f64::from(c) + f64::from(d) + weight;
        large.words.reverse();
        large
    };
    let Ok(mixed) = bind(&mixed) else { return line!() };
    check!(unsafe { call_mixed(mixed.as_fn()) } == -1. + 65535. - 70000. + 0.25 + 0.5 + 1. + 4321.);

    let six = |a: i8, b: i16, c: i32, d: i64, e: u8, f: u16| {
        i64::from(step.get()) + i64::from(a) + i64::from(b) + i64::from(c) + d + i64::from(e) + i64::from(f)
    };
    let Ok(six) = bind(&six) else { return line!() };
    check!(unsafe { call_six(six.as_fn()) } == -2 - 1 - 2 - 3 + (1 << 40) + 255 + 65535);
    check!(live() == 5);

    #[cfg(target_arch = "x86_64")]
    {
        let many = |a: f64, large: Large, b, c, d: f32, e, f, g, h, i: i64, j: i32, k: i64, l: i16, m: i64, n: i64, o: i8| {
            let floats: f64 = a + 10. * (b + c) + f64::from(d) + 100. * (e + f + g) + h + large.x;
            let integers = i + i64::from(j) + k + i64::from(l) + 10 * m + 100 * n + i64::from(o);
            weight * (floats + integers as f64 + large.words[3] as f64)
        };
        let Ok(many) = bind(&many) else { return line!() };
        let expected = 1. + 50. + 0.25 + 1800. + 8. - 1. + (1u64 << 40) as f64 - 2. + 3. - 4. + 50. + 600. - 7. + 4.;
        check!(unsafe { call_many(many.as_fn()) } == 0.5 * expected);
    }
    0
}

#[unsafe(no_mangle)]
extern "C" fn raw() -> u32 {
    let first = Cell::new(0.);
    let last = Cell::new(0);
    let handler = |call: &mut Call<'_>| {
        let mut passed = [0; 16];
        // SAFETY: C passes these types. No `long double` is larger than the array.
        unsafe {
            call.expect(None, Some(2));
            first.set(call.next::<f64>());
            call.next_kind(Kind::LongDouble, passed.as_mut_ptr());
            last.set(call.next::<i32>());
            call.set_kind(Kind::LongDouble, passed.as_ptr());
        }
    };
    let Ok(bound) = statictramp_raw::bind(&handler) else { return line!() };
    // SAFETY: the handler takes what C passes, and the guard is alive.
    check!(unsafe { call_variadic(bound.as_fn()) });
    check!((first.get(), last.get()) == (1.5, -7));
    0
}

extern "C" fn callee() {}

/// Fills the table, frees all slots, and fills the table again. Every stub must have a different address, and every
/// slot must have its own words.
#[unsafe(no_mangle)]
extern "C" fn table() -> u32 {
    for round in 1..3 {
        let mut made: Vec<Trampoline> = Vec::new();
        loop {
            match Trampoline::new(
                callee as *const (),
                core::ptr::without_provenance_mut(round << 20 | made.len()),
            ) {
                Ok(trampoline) => made.push(trampoline),
                Err(AllocError::Full) => break,
                Err(_) => return line!(),
            }
        }
        check!(made.len() == capacity() && live() == made.len());
        let mut addresses: Vec<usize> = made.iter().map(|it| it.as_ptr().addr()).collect();
        addresses.sort_unstable();
        check!(addresses.windows(2).all(|pair| pair[1] - pair[0] == 32));
        for (i, trampoline) in made.iter().enumerate() {
            let found = lookup(trampoline.as_ptr());
            check!(matches!(found, Ok(Lookup::Live { chain, .. }) if chain.addr() == (round << 20 | i)));
        }
        drop(made);
        check!(live() == 0);
    }
    0
}

#[unsafe(no_mangle)]
extern "C" fn dead_call() -> u32 {
    let Ok(f) = bind(&|x: i32| x).map(|bound| bound.as_fn()) else { return line!() };
    // SAFETY: the contract is violated on purpose, and the error is caught.
    unsafe { call_number(f, 1) };
    line!()
}

/// Checks that code is not writable.
#[unsafe(no_mangle)]
extern "C" fn write_stub() -> u32 {
    let Ok(trampoline) = Trampoline::new(callee as *const (), core::ptr::null_mut()) else { return line!() };
    // SAFETY: the memory does not have this permission, so the access faults, as the test expects.
    unsafe { trampoline.as_ptr().cast::<u32>().cast_mut().write_volatile(0) };
    line!()
}

/// Checks that the stack is not executable.
#[unsafe(no_mangle)]
extern "C" fn run_stack() -> u32 {
    let code = [if cfg!(target_arch = "aarch64") { 0xd65f_03c0_u32 } else { 0xc3c3_c3c3 }; 4]; // ret
    // SAFETY: the memory does not have this permission, so the access faults, as the test expects.
    unsafe {
        call_number(core::mem::transmute::<*const u32, Number>(core::hint::black_box(&code).as_ptr()), 1)
    };
    line!()
}

/// Memory that is never freed.
struct Bump;

#[repr(align(16))]
struct Room(core::cell::UnsafeCell<[u8; 1 << 18]>);
// SAFETY: `Bump` returns each byte only once.
unsafe impl Sync for Room {}
static ROOM: Room = Room(core::cell::UnsafeCell::new([0; 1 << 18]));
static USED: AtomicUsize = AtomicUsize::new(0);

// SAFETY: these are bytes of `ROOM`, which are aligned to 16. Each byte is returned only once.
unsafe impl GlobalAlloc for Bump {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let at = USED.fetch_add(layout.size().next_multiple_of(16), Relaxed);
        if layout.align() > 16 || at + layout.size() > 1 << 18 {
            return core::ptr::null_mut();
        }
        ROOM.0.get().cast::<u8>().wrapping_add(at)
    }
    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static ALLOCATOR: Bump = Bump;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    abort()
}
