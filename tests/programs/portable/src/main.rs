//! Tests every kind of closure once, and an exhausted table. The program needs no C code, processes or threads, so it
//! runs on any system with a standard output. With the argument `dead` it ends with a call through a freed trampoline,
//! and with `again` it ends with a call during a call to the same closure. CASE COUNT measures a case, as in the
//! programs in `benches/`.

use core::hint::black_box;
use core::pin::pin;
use statictramp::{
    AllocError, FreeError, Guard, InPlace, Lookup, LookupError, Trampoline, bind, boxed, by_mut, once,
};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

type Number = unsafe extern "C" fn(i32) -> i32;

/// Calls the function back, as a C library would.
#[inline(never)]
fn call(f: Number, x: i32) -> i32 {
    // SAFETY: every caller keeps its guard alive.
    unsafe { f(x) }
}

#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug)]
struct Large {
    x: f64,
    words: [u64; 4],
    tail: u8,
}

fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    match std::env::args().nth(1).as_deref() {
        Some("dead") => {
            let f = bind(&|x: i32| x)?.as_fn();
            call(f, 1);
        }
        Some("again") => {
            thread_local!(static ITSELF: Cell<Option<Number>> = const { Cell::new(None) });
            let changing = by_mut(|x: i32| call(ITSELF.get().unwrap(), x));
            let bound = bind(&changing)?;
            ITSELF.set(Some(bound.as_fn()));
            call(bound.as_fn(), 1);
        }
        Some(case) => println!("{}", took(case, std::env::args().nth(2).ok_or("CASE COUNT")?.parse()?)?),
        None => all()?,
    }
    Ok(())
}

/// Returns the nanoseconds that a case takes when run `count` times.
fn took(case: &str, count: u32) -> Result<u128, Box<dyn std::error::Error + Send + Sync>> {
    let step = std::env::args().count() as i32;
    let closure = move |x: i32| x.wrapping_add(step);
    let kept = bind(&closure)?;
    let start = std::time::Instant::now();
    let mut x = 0;
    for _ in 0..count {
        x = match case {
            "call" => call(black_box(kept.as_fn()), x),
            "create + call + free" => call(bind(&closure)?.as_fn(), x),
            _ => return Err("no such case".into()),
        };
    }
    black_box(x);
    Ok(start.elapsed().as_nanos())
}

fn all() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let step = std::env::args().count() as i32 * 5;
    assert_eq!(call(bind(&|x: i32| x + step)?.as_fn(), 1), 1 + step);

    let mut seen = Vec::new();
    let collect = by_mut(|x: i32| {
        seen.push(x);
        seen.len() as i32
    });
    let bound = bind(&collect)?;
    assert_eq!((call(bound.as_fn(), 7), call(bound.as_fn(), 8)), (1, 2));
    drop(bound);
    drop(collect);
    assert_eq!(seen, [7, 8]);

    // Every class of argument, and a result in memory.
    let mixed = |a: u8, b: f32, c: Large, d: i64, e: u16, f: f64, g: bool, h: &'static str| Large {
        x: f64::from(b) + f + c.x + f64::from(a) + f64::from(e),
        words: [c.words[3], d as u64, h.len() as u64, step as u64],
        tail: c.tail + u8::from(g),
    };
    let large = Large { x: 0.25, words: [1, 2, 3, 4], tail: 9 };
    let result = boxed(mixed)?.call((1, 0.5, large, -3, 10, 2.0, true, "four"));
    assert_eq!(result, Large { x: 13.75, words: [4, -3i64 as u64, 4, step as u64], tail: 10 });
    #[rustfmt::skip]
    let sixteen = |a: i8, b: i16, c: i32, d: i64, e: f32, f: f64, g: u8, h: u16, i: u32, j: u64, k: i8, l: i16, m: i32, n: i64, o: f32, p: f64| {
        f64::from(a) + f64::from(b) + f64::from(c) + d as f64 + f64::from(e) + f + f64::from(g) + f64::from(h) + f64::from(i)
            + j as f64 + f64::from(k) + f64::from(l) + f64::from(m) + n as f64 + f64::from(o) + p + f64::from(step)
    };
    let sum = bind(&sixteen)?.call((1, 2, 3, 4, 5., 6., 7, 8, 9, 10, 11, 12, 13, 14, 15., 16.));
    assert_eq!(sum, 136. + f64::from(step));

    // Closures that are kept, dropped and consumed.
    let kept = Rc::new(Cell::new(0));
    let guards: Vec<Guard<Number>> = (0..5)
        .map(|i| {
            let kept = kept.clone();
            Guard::new(move |x: i32| kept.replace(kept.get() + x * i))
        })
        .collect::<Result<_, _>>()?;
    for guard in &guards {
        call(guard.as_fn(), 10);
    }
    assert_eq!((kept.get(), Rc::strong_count(&kept), statictramp::live()), (100, 6, 5));
    drop(guards);
    assert_eq!((Rc::strong_count(&kept), statictramp::live()), (1, 0));
    let in_place = pin!(InPlace::new(|x: i32| x * step));
    assert_eq!(call(in_place.bind()?, 3), 3 * step);
    let text = String::from("consumed");
    assert_eq!(call(statictramp::one_shot(move |x: i32| text.into_bytes().len() as i32 + x)?, 1), 9);
    let consuming = once(|| kept);
    assert_eq!(bind(&consuming)?.call(()).get(), 100);
    assert_eq!(statictramp::plain(|x: i32| x - 1)(5), 4);

    #[cfg(target_arch = "x86")]
    other_conventions(step)?;

    // A call may drop its own guard.
    thread_local!(static GUARD: RefCell<Option<Guard<Number>>> = const { RefCell::new(None) });
    let word = String::from("alive");
    let guard = Guard::new(move |x: i32| {
        drop(GUARD.take());
        word.len() as i32 + x
    })?;
    let f = guard.as_fn();
    GUARD.set(Some(guard));
    assert_eq!(call(f, 1), 6);

    // The table is full, and its addresses are recognised.
    let before = statictramp::live();
    let closures: Vec<_> = (before..statictramp::capacity()).map(|i| move |x: i32| x + i as i32).collect();
    let bound: Vec<_> = closures.iter().map(bind).collect::<Result<_, _>>()?;
    let full = bind(&closures[0]).map(|_| ()).unwrap_err();
    assert_eq!(full, AllocError::Full);
    assert!(bound.iter().zip(before..).all(|(callback, i)| call(callback.as_fn(), 1) == 1 + i as i32));
    let address = bound[3].as_fn() as *const ();
    assert!(
        matches!(statictramp::lookup(address), Ok(Lookup::Live { slot, .. }) if slot == bound[3].trampoline().slot())
    );
    assert_eq!(statictramp::live_trampolines().count(), statictramp::capacity());
    drop(bound);
    assert!(matches!(statictramp::lookup(address), Ok(Lookup::Dead { .. })));
    // SAFETY: no slot there is live.
    assert_eq!(unsafe { statictramp::free(address) }, Err(FreeError::Dead));
    assert_eq!(statictramp::lookup(core::ptr::null()), Err(LookupError::Foreign));
    let chains = match Trampoline::new(address, core::ptr::null_mut()) {
        Ok(_) => "static chains are passed".into(),
        Err(why) => why.to_string(),
    };
    println!("{} slots; {chains}", statictramp::capacity());
    Ok(())
}

/// Tests the conventions in which the callee pops its arguments or takes some of them in registers.
#[cfg(target_arch = "x86")]
fn other_conventions(step: i32) -> Result<(), AllocError> {
    macro_rules! calls {
        ($($abi:literal)*) => {$(
            let mut sum = 0;
            let add = statictramp::typed(by_mut(|a: i32, b: u8, c: f64, d: i64, e: i32| {
                sum += i64::from(a) + i64::from(b) + c as i64 + d + i64::from(e) + i64::from(step);
                sum
            }));
            let bound = bind(&add)?;
            let f: unsafe extern $abi fn(i32, u8, f64, i64, i32) -> i64 = bound.as_fn();
            for i in 1..1000 {
                // SAFETY: `bound` is alive.
                assert_eq!(unsafe { f(black_box(1), 2, 3.5, -4 << 32, 5) }, i * (11 + i64::from(step) - (4 << 32)), $abi);
            }
        )*};
    }
    calls!("stdcall" "fastcall" "thiscall");
    Ok(())
}
