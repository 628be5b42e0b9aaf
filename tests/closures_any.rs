//! Signatures that leave no register free: up to 16 parameters of every class, on every processor with an operating
//! system.

#[path = "common/pending.rs"]
mod pending;

use core::ffi::{c_char, c_int, c_void};
use std::cell::Cell;
#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

#[test]
fn a_graphics_debug_callback_takes_seven_parameters() {
    type DebugProc = unsafe extern "C" fn(u32, u32, u32, u32, c_int, *const c_char, *const c_void);
    fn library_reports(f: DebugProc, user: *const c_void) {
        let message = c"shader recompiled";
        // SAFETY: the message has this length, and the callback is alive.
        unsafe { f(0x8246, 0x8250, 131_218, 0x9147, message.count_bytes() as c_int, message.as_ptr(), user) }
    }
    let seen = std::cell::RefCell::new(Vec::new());
    let on_message = |source: u32,
                      kind: u32,
                      id: u32,
                      severity: u32,
                      length: c_int,
                      text: *const c_char,
                      user: *const c_void| {
        // SAFETY: the caller passes a text of `length` bytes.
        let text = unsafe { core::slice::from_raw_parts(text.cast::<u8>(), length as usize) };
        seen.borrow_mut().push((
            source,
            kind,
            id,
            severity,
            String::from_utf8_lossy(text).into_owned(),
            user.addr(),
        ));
    };
    let callback = statictramp::bind(&on_message).unwrap();
    library_reports(callback.as_fn(), core::ptr::without_provenance(77));
    library_reports(callback.as_fn(), core::ptr::null());
    drop(callback);
    let message = |user| (0x8246, 0x8250, 131_218, 0x9147, String::from("shader recompiled"), user);
    assert_eq!(seen.into_inner(), [message(77), message(0)]);
}

/// This is the signature of LSODE's `JAC (NEQ, T, Y, ML, MU, PD, NROWPD)`.
#[test]
fn a_jacobian_callback_takes_seven_pointers() {
    type Jacobian = unsafe extern "C" fn(
        *const c_int,
        *const f64,
        *const f64,
        *const c_int,
        *const c_int,
        *mut f64,
        *const c_int,
    );
    /// Takes one step of Newton's method for `f(y) = 0` in two variables.
    fn newton(y: &mut [f64; 2], f: impl Fn(&[f64; 2]) -> [f64; 2], jacobian: Jacobian) {
        let (n, t, band, mut pd) = (2, 0.0, 0, [0.0; 4]);
        // SAFETY: there are two unknowns and a 2-by-2 matrix in column order, and the callback is alive.
        unsafe { jacobian(&n, &t, y.as_ptr(), &band, &band, pd.as_mut_ptr(), &n) };
        let ([a, c, b, d], [p, q]) = (pd, f(y));
        let det = a * d - b * c;
        y[0] -= (d * p - b * q) / det;
        y[1] -= (a * q - c * p) / det;
    }
    let (radius, slope) = (5.0, 0.75);
    let calls = Cell::new(0);
    let jacobian = |n: *const c_int,
                    _: *const f64,
                    y: *const f64,
                    _: *const c_int,
                    _: *const c_int,
                    pd: *mut f64,
                    rows: *const c_int| {
        // SAFETY: the solver passes two numbers and the dimension of the matrix.
        let (n, y, rows) = unsafe { (*n, core::slice::from_raw_parts(y, 2), *rows as usize) };
        assert_eq!(n, 2);
        for (index, value) in [(0, 2.0 * y[0]), (1, -slope), (rows, 2.0 * y[1]), (rows + 1, 1.0)] {
            // SAFETY: as above.
            unsafe { *pd.add(index) = value };
        }
        calls.set(calls.get() + 1);
    };
    let callback = statictramp::bind(&jacobian).unwrap();
    let mut y = [3.0, 4.5];
    for _ in 0..6 {
        newton(
            &mut y,
            |y| [y[0] * y[0] + y[1] * y[1] - radius * radius, y[1] - slope * y[0]],
            callback.as_fn(),
        );
    }
    assert!((y[0] - 4.0).abs() < 1e-12 && (y[1] - 3.0).abs() < 1e-12, "{y:?}");
    assert_eq!(calls.get(), 6);
}

#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug)]
struct Large([u64; 5]);

#[repr(C, align(16))]
#[derive(Clone, Copy, PartialEq, Debug)]
struct Aligned(u64, u64);

#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug)]
struct Floats([f64; 3]);

#[allow(clippy::too_many_arguments)]
#[test]
fn sixteen_arguments_of_mixed_classes_are_passed_with_a_result_in_memory() {
    let tag = 1000u64;
    let mixed = |a: u8,
                 b: f64,
                 c: Large,
                 d: i64,
                 e: Aligned,
                 f: f32,
                 g: *const u8,
                 h: Floats,
                 i: u32,
                 j: u64,
                 k: Aligned,
                 l: i16,
                 m: f64,
                 n: Large,
                 o: bool,
                 p: u64| {
        assert_eq!(
            (a, b, d, f, g.addr(), i, j, l, m, o, p),
            (1, 2.5, -4, 6.5, 7, 9, 10, -12, 13.5, true, 16)
        );
        assert_eq!(
            (c, e, h, k, n),
            (
                Large([1, 2, 3, 4, 5]),
                Aligned(5, 6),
                Floats([8.0, 8.5, 8.75]),
                Aligned(11, 12),
                Large([14; 5])
            )
        );
        assert_eq!((&raw const e).addr() % 16 + (&raw const k).addr() % 16, 0);
        Large([tag, u64::from(a), p, 3, 4])
    };
    let bound = statictramp::bind(&mixed).unwrap();
    pending::at_rest_and_between(|| {
        let result = bound.call((
            1,
            2.5,
            Large([1, 2, 3, 4, 5]),
            -4,
            Aligned(5, 6),
            6.5,
            core::ptr::without_provenance(7),
            Floats([8.0, 8.5, 8.75]),
            9,
            10,
            Aligned(11, 12),
            -12,
            13.5,
            Large([14; 5]),
            true,
            16,
        ));
        assert_eq!(result, Large([1000, 1, 16, 3, 4]));
    });
}

/// If a struct of floating-point numbers does not fit into the remaining registers, these registers stay unused. If
/// such structs follow a single number, only a few words of the arguments are in registers.
#[test]
fn structs_of_floats_are_passed_intact_if_few_registers_are_used() {
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Floats<T, const COUNT: usize>([T; COUNT]);
    fn behind_a_number<T: Copy + core::fmt::Debug + PartialEq, const COUNT: usize>(number: fn(u8) -> T) {
        let floats = |first: u8| Floats(core::array::from_fn::<_, COUNT, _>(|i| number(first + i as u8)));
        let tag = 7;
        let closure =
            |a: T, b: Floats<T, COUNT>, c: Floats<T, COUNT>, d: Floats<T, COUNT>, e: Floats<T, COUNT>| {
                assert_eq!((a, b, c, d, e), (number(1), floats(10), floats(20), floats(30), floats(40)));
                tag
            };
        let bound = statictramp::bind(&closure).unwrap();
        pending::at_rest_and_between(|| {
            assert_eq!(bound.call((number(1), floats(10), floats(20), floats(30), floats(40))), 7);
        });
        let closure = |a: T, b: Floats<T, COUNT>, c: Floats<T, COUNT>, d: Floats<T, COUNT>| {
            assert_eq!((a, b, c, d), (number(1), floats(10), floats(20), floats(30)));
            tag
        };
        let bound = statictramp::bind(&closure).unwrap();
        pending::at_rest_and_between(|| {
            assert_eq!(bound.call((number(1), floats(10), floats(20), floats(30))), 7);
        });
    }
    behind_a_number::<f32, 2>(f32::from);
    behind_a_number::<f32, 3>(f32::from);
    behind_a_number::<f32, 4>(f32::from);
    behind_a_number::<f64, 2>(f64::from);
    behind_a_number::<f64, 3>(f64::from);
    behind_a_number::<f64, 4>(f64::from);
}

/// The arguments are passed by value, and their alignment exceeds the alignment of the stack.
#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
#[test]
fn overaligned_arguments_stay_aligned() {
    #[repr(C, align(64))]
    #[derive(Clone, Copy)]
    struct CacheLine([u64; 8]);
    #[repr(C, align(4096))]
    #[derive(Clone, Copy)]
    struct Page([u8; 4096]);
    let tag = 7;
    let line = |a: u64, b: CacheLine, c: f64, d: u64, e: u64| {
        assert_eq!((&raw const b).addr() % 64, 0);
        a + b.0[0] + b.0[7] + c as u64 + d + e + tag
    };
    assert_eq!(statictramp::bind(&line).unwrap().call((1, CacheLine([2; 8]), 3.0, 4, 5)), 24);
    let page = |a: u64, b: Page, c: f64, d: CacheLine, e: u64| {
        assert_eq!((&raw const b).addr() % 4096 + (&raw const d).addr() % 64, 0);
        a + u64::from(b.0[0]) + u64::from(b.0[4095]) + c as u64 + d.0[7] + e + tag
    };
    assert_eq!(statictramp::bind(&page).unwrap().call((1, Page([2; 4096]), 3.0, CacheLine([4; 8]), 5)), 24);
}

/// Tests signatures in which the sizes of the arguments do not determine how many stack words they take.
#[cfg(target_arch = "x86")]
#[test]
fn vectors_and_128_bit_integers_are_passed_unchanged() {
    use core::arch::x86::{__m128i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_set1_epi32};
    #[repr(C, align(16))]
    #[derive(Clone, Copy)]
    struct Quarter(u32);
    let tag = 7;
    // SAFETY: this target has the vector instructions.
    let vector = |x| unsafe { _mm_set1_epi32(x) };
    // SAFETY: as above.
    let sum = |all: [__m128i; 5]| unsafe {
        _mm_cvtsi128_si32(all.into_iter().reduce(|a, b| _mm_add_epi32(a, b)).unwrap())
    };
    let all = |a: u8,
               b: __m128i,
               c: i128,
               d: __m128i,
               e: u64,
               f: __m128i,
               g: Quarter,
               h: __m128i,
               i: u128,
               j: __m128i| {
        let words = i128::from(a) + i128::from(e) + i128::from(g.0);
        c + i as i128 + words + i128::from(sum([b, d, f, h, j])) + tag
    };
    let result = statictramp::bind(&all).unwrap().call((
        1,
        vector(2),
        -(1 << 100),
        vector(3),
        4,
        vector(5),
        Quarter(6),
        vector(7),
        1 << 101,
        vector(8),
    ));
    assert_eq!(result, (1 << 100) + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 7);
    let returns = |a: i32, b: __m128i| vector(a + sum([b, b, b, b, b]) + tag as i32);
    let result = statictramp::bind(&returns).unwrap().call((1, vector(2)));
    assert_eq!(sum([result, vector(0), vector(0), vector(0), vector(0)]), 18);
}

type Ten = unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64, u64, u64) -> u64;

#[allow(clippy::too_many_arguments)]
#[test]
fn calls_may_nest_and_recurse() {
    thread_local!(static DEEPER: Cell<Option<Ten>> = const { Cell::new(None) });
    let tag = 3;
    let recurs = |depth: u64, b: u64, c: u64, d: u64, e: u64, f: u64, g: u64, h: u64, i: u64, j: u64| {
        if depth == 0 {
            return b + c + d + e + f + g + h + i + j + tag;
        }
        // SAFETY: the callback is alive, because the binding below outlives the call.
        unsafe { DEEPER.get().unwrap()(depth - 1, b, c, d, e, f, g, h, i, j) + depth }
    };
    let bound = statictramp::bind(&recurs).unwrap();
    DEEPER.set(Some(bound.as_fn()));
    // 2 + ... + 10 + tag + 1 + ... + 100
    pending::at_rest_and_between(|| assert_eq!(bound.call((100, 2, 3, 4, 5, 6, 7, 8, 9, 10)), 54 + 3 + 5050));
}

#[allow(clippy::too_many_arguments)]
#[test]
fn a_panic_unwinds_through_a_closure_with_stack_arguments() {
    struct Seen<'s>(&'s Cell<u32>);
    impl Drop for Seen<'_> {
        fn drop(&mut self) {
            self.0.set(self.0.get() + 1);
        }
    }
    let seen = Cell::new(0);
    let panics = statictramp::unwind(
        |a: u64, _: u64, _: u64, _: u64, _: u64, _: u64, _: u64, _: u64, _: u64, j: u64| -> u64 {
            let _seen = Seen(&seen);
            if a == 1 {
                std::panic::resume_unwind(Box::new(j));
            }
            a
        },
    );
    let bound = statictramp::bind(&panics).unwrap();
    let mut rounds = 0;
    pending::at_rest_and_between(|| {
        rounds += 100;
        for round in 0..100 {
            let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                bound.call((1, 2, 3, 4, 5, 6, 7, 8, 9, round))
            }));
            assert_eq!(*panic.unwrap_err().downcast::<u64>().unwrap(), round);
            assert_eq!(bound.call((5, 2, 3, 4, 5, 6, 7, 8, 9, round)), 5);
        }
    });
    assert_eq!(seen.get(), 2 * rounds);
}

/// The closure that a signal handler calls, and its number of calls.
#[cfg(target_os = "linux")]
static IN_HANDLER: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];

#[cfg(target_os = "linux")]
extern "C" fn on_timer(_: c_int) {
    let f = IN_HANDLER[0].load(Relaxed) as *const ();
    // SAFETY: this is the address of a function of this type, which is alive while the timer runs.
    let f = unsafe { core::mem::transmute::<*const (), Ten>(f) };
    let n = IN_HANDLER[1].fetch_add(1, Relaxed) as u64;
    // SAFETY: as above.
    let sum = unsafe { f(n, 100, 200, 300, 400, 500, 600, 700, 800, 900) };
    if sum != n + 4500 + 1_000_000 {
        // SAFETY: this ends the process.
        unsafe { libc::abort() }
    }
}

#[cfg(target_os = "linux")]
/// A timer's handler calls one closure while the program calls another. Neither call may ever use the address of the
/// other call's closure.
#[allow(clippy::too_many_arguments)]
#[test]
fn a_signal_storm_never_mixes_up_two_closures() {
    let seconds = std::env::var("STATICTRAMP_STORM_SECONDS").map_or(2, |text| text.parse().unwrap());
    let (one, million) = (1u64, 1_000_000u64);
    let in_program = |a: u64, b: u64, c: u64, d: u64, e: u64, f: u64, g: u64, h: u64, i: u64, j: u64| {
        a + b + c + d + e + f + g + h + i + j + one
    };
    let in_handler = |a: u64, b: u64, c: u64, d: u64, e: u64, f: u64, g: u64, h: u64, i: u64, j: u64| {
        a + b + c + d + e + f + g + h + i + j + million
    };
    let (in_program, in_handler) =
        (statictramp::bind(&in_program).unwrap(), statictramp::bind(&in_handler).unwrap());
    IN_HANDLER[0].store(in_handler.as_fn() as usize, Relaxed);
    // Several timers and signals are used, so that handlers interrupt handlers.
    let signals = [0, 1, 2, 3].map(|i| libc::SIGRTMIN() + i);
    let nanoseconds = if std::env::var_os("STATICTRAMP_RUNNER").is_some() { 400_000 } else { 40_000 }; // an emulator is slower
    let mut timers = Vec::new();
    for (i, signal) in signals.into_iter().enumerate() {
        // SAFETY: the handler only calls the closure, and the timer sends signals to this thread.
        unsafe {
            let mut action: libc::sigaction = core::mem::zeroed();
            action.sa_sigaction = on_timer as *const () as usize;
            action.sa_flags = libc::SA_RESTART; // at most one handler per signal runs at a time, so the use of the stack is bounded
            assert_eq!(libc::sigaction(signal, &action, core::ptr::null_mut()), 0);
            let mut event: libc::sigevent = core::mem::zeroed();
            const SIGEV_THREAD_ID: c_int = 4; // <linux/siginfo.h>; libc does not define it for musl
            (event.sigev_notify, event.sigev_signo) = (SIGEV_THREAD_ID, signal);
            event.sigev_notify_thread_id = libc::syscall(libc::SYS_gettid) as c_int;
            let mut timer = core::mem::zeroed();
            assert_eq!(libc::timer_create(libc::CLOCK_MONOTONIC, &mut event, &mut timer), 0);
            let mut every: libc::itimerspec = core::mem::zeroed();
            every.it_interval.tv_nsec = nanoseconds + nanoseconds / 5 * i as libc::c_long;
            every.it_value = every.it_interval;
            assert_eq!(libc::timer_settime(timer, 0, &every, core::ptr::null_mut()), 0);
            timers.push(timer);
        }
    }
    let start = std::time::Instant::now();
    let mut calls = 0u64;
    while start.elapsed().as_secs() < seconds {
        for _ in 0..10_000 {
            assert_eq!(in_program.call((calls, 1, 2, 3, 4, 5, 6, 7, 8, 9)), calls + 45 + 1);
            calls += 1;
        }
    }
    for timer in timers {
        // SAFETY: the timer was created above.
        unsafe { assert_eq!(libc::timer_delete(timer), 0) };
    }
    // Wait, so that pending signals are handled before the closures are dropped.
    std::thread::sleep(std::time::Duration::from_millis(10));
    println!("{calls} calls, {} in handlers", IN_HANDLER[1].load(Relaxed));
    assert!(IN_HANDLER[1].load(Relaxed) > 100);
}
