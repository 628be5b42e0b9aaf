//! Closures through plain function pointers, called by real C functions and by our own.

use core::ffi::{c_int, c_void};
use std::cell::RefCell;
use std::process::Command;
use std::sync::Mutex;

/// The table belongs to the process: tests that fill it take turns.
static TURN: Mutex<()> = Mutex::new(());

fn turn() -> std::sync::MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[test]
fn qsort_sorts_by_what_the_closure_captured() {
    let _turn = turn();
    let keys = [5u8, 3, 9, 1];
    let compare = |a: *const c_void, b: *const c_void| -> c_int {
        // SAFETY: qsort passes pointers to two elements of `order`.
        let (a, b) = unsafe { (*a.cast::<u16>(), *b.cast::<u16>()) };
        c_int::from(keys[a as usize]) - c_int::from(keys[b as usize])
    };
    let callback = statictramp::bind(&compare).unwrap();
    let mut order = [0u16, 1, 2, 3];
    // SAFETY: 4 elements of 2 bytes; the callback outlives the call.
    unsafe { libc::qsort(order.as_mut_ptr().cast(), 4, 2, Some(callback.as_fn())) };
    assert_eq!(order, [3, 1, 0, 2]);
}

#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug)]
struct Large([u64; 5]);

#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug)]
struct Split {
    x: f64,
    n: u64,
}

/// On Arm, where no argument may be on the stack (`src/closure/adapters/four_registers.rs`).
#[cfg(target_arch = "arm")]
#[test]
fn arguments_and_results_of_every_class_go_through() {
    let _turn = turn();
    let base = 1000u64;
    let large = |x: u32| Large([x.into(), base, 3, 4, 5]);
    assert_eq!(statictramp::bind(&large).unwrap().call((1,)), Large([1, 1000, 3, 4, 5]));
    let floats = |x: f64| x + base as f64;
    assert_eq!(statictramp::bind(&floats).unwrap().call((0.5,)), 1000.5);
    let mixed = |a: u8, x: f32, b: i16| a as i32 + x as i32 + i32::from(b) + base as i32;
    assert_eq!(statictramp::bind(&mixed).unwrap().call((1, 2.5, -4)), 999);
    let wide = |x: u64| (x >> 32) as u32 + base as u32;
    assert_eq!(statictramp::bind(&wide).unwrap().call((7 << 32,)), 1007);
    let four = |a: i8, b: u16, c: f32, d: char| {
        a as u32 + u32::from(b) * 10 + c as u32 * 100 + d as u32 + base as u32
    };
    assert_eq!(statictramp::bind(&four).unwrap().call((1, 2, 3.5, 'A')), 1386);
    let aligned = |n: u64, x: f64| (n as f64 + x) as u32 + base as u32;
    assert_eq!(statictramp::bind(&aligned).unwrap().call((2, 0.5)), 1002);
    let by_reference = |s: &Split, n: u32| s.n as u32 * n + base as u32;
    assert_eq!(statictramp::bind(&by_reference).unwrap().call((&Split { x: 0.5, n: 3 }, 4)), 1012);
}

#[cfg(not(target_arch = "arm"))]
#[test]
fn arguments_and_results_of_every_class_go_through() {
    let _turn = turn();
    let base = 1000u64;
    let none = || base;
    assert_eq!(statictramp::bind(&none).unwrap().call(()), 1000);

    let in_memory =
        |by_value: Large, x: f64, tail: u8| Large([by_value.0[4] + base, x as u64, tail.into(), 0, 7]);
    let bound = statictramp::bind(&in_memory).unwrap();
    assert_eq!(bound.call((Large([0, 1, 2, 3, 4]), 2.5, 9)), Large([1004, 2, 9, 0, 7]));

    let split = |s: Split, t: Split, f: f32| Split { x: s.x + t.x + f64::from(f), n: s.n * t.n + base };
    let bound = statictramp::bind(&split).unwrap();
    let result = bound.call((Split { x: 0.5, n: 3 }, Split { x: 0.25, n: 4 }, 8.0));
    assert_eq!(result, Split { x: 8.75, n: 1012 });

    let six = |a: u8, b: f64, c: i64, d: Split, e: f32| {
        (a as f64 + b + c as f64 + d.x + d.n as f64 + e as f64) as u64 + base
    };
    let bound = statictramp::bind(&six).unwrap();
    assert_eq!(bound.call((1, 2.0, -3, Split { x: 4.0, n: 5 }, 6.0)), 1015);

    let in_memory = |a: u64, b: u64, c: f64| Large([a, b, c as u64, base, 5]);
    assert_eq!(statictramp::bind(&in_memory).unwrap().call((1, 2, 3.0)), Large([1, 2, 3, 1000, 5]));
}

/// More than six words of arguments: where the target passes them in a way that needs no knowledge of their types.
#[cfg(target_arch = "x86_64")]
#[test]
fn sixteen_arguments_go_through() {
    let _turn = turn();
    let base = 1000u64;
    #[rustfmt::skip]
    let many = |a: u8, b: i16, c: u32, d: i64, e: f32, f: f64, g: u64, h: i8,
                i: f64, j: u16, k: Large, l: f32, m: i32, n: u64, o: f64, p: u8| {
        (a as f64 + b as f64 + c as f64 + d as f64 + e as f64 + f + g as f64 + h as f64 + i + j as f64
            + k.0[2] as f64 + l as f64 + m as f64 + n as f64 + o) * p as f64 + base as f64
    };
    let bound = statictramp::bind(&many).unwrap();
    let sum = bound.call((
        1,
        -2,
        3,
        -4,
        0.5,
        6.25,
        7,
        -8,
        9.0,
        10,
        Large([0, 0, 11, 0, 0]),
        12.0,
        -13,
        14,
        0.25,
        2,
    ));
    assert_eq!(
        sum,
        (1. - 2. + 3. - 4. + 0.5 + 6.25 + 7. - 8. + 9. + 10. + 11. + 12. - 13. + 14. + 0.25) * 2. + 1000.
    );
}

#[test]
fn each_of_many_has_its_own_context_and_a_full_table_is_an_error() {
    let _turn = turn();
    statictramp::set_limit(statictramp::capacity());
    let closures: Vec<_> = (0..statictramp::capacity()).map(|i| move |x: usize| x * 3 + i).collect();
    let bound: Vec<_> = closures.iter().map(|closure| statictramp::bind(closure).unwrap()).collect();
    assert_eq!(statictramp::live(), statictramp::capacity());
    let refused = statictramp::bind(&closures[0]);
    assert!(matches!(refused, Err(statictramp::AllocError::Full)));
    assert!(refused.err().unwrap().to_string().contains("STATICTRAMP_"));
    for (i, callback) in bound.iter().enumerate() {
        assert_eq!(callback.call((100,)), 300 + i);
    }
    drop(bound);
    assert_eq!(statictramp::live(), 0);
}

#[test]
fn an_address_alone_is_enough_to_look_up_and_free() {
    let _turn = turn();
    use statictramp::{FreeError, Lookup, NotOurs, Trampoline};
    let (callee, chain) = (turn as *const (), core::ptr::without_provenance_mut(0x55));
    assert_eq!(Trampoline::new(core::ptr::null(), chain).unwrap_err(), statictramp::AllocError::NullCallee);
    let trampoline = Trampoline::new(callee, chain).unwrap();
    let slot = trampoline.slot();
    let address = trampoline.into_raw();
    assert_eq!(statictramp::lookup(address), Ok(Lookup::Live { slot, callee, chain, entry: callee }));
    assert_eq!(statictramp::lookup(address.wrapping_byte_add(1)), Err(NotOurs::Interior));
    assert_eq!(statictramp::lookup(callee), Err(NotOurs::Foreign));
    // SAFETY: nobody else frees the one trampoline, which came from `into_raw`.
    unsafe {
        assert_eq!(
            statictramp::free(address.wrapping_byte_add(8)),
            Err(FreeError::NotOurs(NotOurs::Interior))
        );
        assert_eq!(statictramp::free(core::ptr::null()), Err(FreeError::NotOurs(NotOurs::Foreign)));
        assert_eq!(statictramp::free(address), Ok(()));
        assert_eq!(statictramp::free(address), Err(FreeError::Dead));
    }
    assert_eq!(statictramp::lookup(address), Ok(Lookup::Dead { callee }));
}

#[test]
fn a_closure_may_free_and_make_trampolines_and_call_itself() {
    let _turn = turn();
    thread_local!(static SELF: RefCell<Option<unsafe extern "C" fn(u64) -> u64>> = const { RefCell::new(None) });
    let factorial = |n: u64| {
        let inner = |x: u64| x * n;
        let bound = statictramp::bind(&inner).unwrap();
        let itself = SELF.with(|s| s.borrow().unwrap());
        // SAFETY: the callback below lives until the outermost call is back.
        if n <= 1 { 1 } else { bound.call((unsafe { itself(n - 1) },)) }
    };
    let bound = statictramp::bind(&factorial).unwrap();
    SELF.with(|s| *s.borrow_mut() = Some(bound.as_fn()));
    assert_eq!(bound.call((20,)), 2_432_902_008_176_640_000);
}

/// Runs one test of this file again in a process of its own, with a variable set.
fn rerun(test: &str) -> std::process::Output {
    this_program().args(["--exact", test, "--nocapture"]).env("STATICTRAMP_TEST_CHILD", "1").output().unwrap()
}

fn is_child() -> bool {
    std::env::var_os("STATICTRAMP_TEST_CHILD").is_some()
}

#[test]
fn a_call_after_the_drop_says_so_and_aborts() {
    use std::os::unix::process::ExitStatusExt;
    if is_child() {
        let closure = |x: c_int| x;
        let bound = statictramp::bind(&closure).unwrap();
        let stale = bound.as_fn();
        drop(bound);
        // SAFETY: none: this call is what the library must catch.
        unsafe { stale(1) };
        unreachable!();
    }
    let output = rerun("a_call_after_the_drop_says_so_and_aborts");
    assert_eq!(output.status.signal(), Some(libc::SIGABRT));
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said.lines().find(|line| line.starts_with("statictramp: ")).expect("a line");
    assert!(line.contains("slot ") && line.contains("late callee 0x"), "{line}");
}

#[test]
fn a_panic_in_a_closure_aborts_instead_of_unwinding_into_c() {
    use std::os::unix::process::ExitStatusExt;
    if is_child() {
        let closure = |x: c_int| {
            if x == 1 {
                panic!("in a closure")
            }
        };
        let bound = statictramp::bind(&closure).unwrap();
        // SAFETY: the callback is alive.
        let _ = std::panic::catch_unwind(|| unsafe { bound.as_fn()(1) });
        unreachable!();
    }
    let output = rerun("a_panic_in_a_closure_aborts_instead_of_unwinding_into_c");
    assert_eq!(output.status.signal(), Some(libc::SIGABRT));
}

#[test]
fn a_closure_that_changes_what_it_captured_is_called_one_call_at_a_time() {
    let _turn = turn();
    let mut seen = Vec::new();
    let collect = statictramp::by_mut(|x: u32, y: f32| {
        seen.push((x, y));
        seen.len()
    });
    let bound = statictramp::bind(&collect).unwrap();
    assert_eq!((bound.call((1, 0.5)), bound.call((2, 1.5))), (1, 2));
    drop(bound);
    assert_eq!(seen, [(1, 0.5), (2, 1.5)]);
}

#[test]
fn a_closure_that_consumes_is_called_once_or_dropped() {
    let _turn = turn();
    let counted = std::rc::Rc::new(());
    let held = counted.clone();
    let give = statictramp::once(move |x: u8| (x, held));
    let bound = statictramp::boxed(give).unwrap();
    // A result that C has no type for: only `call` can take it.
    let (x, held) = bound.call((7,));
    assert_eq!((x, std::rc::Rc::strong_count(&counted)), (7, 2));
    drop((held, bound));
    let held = counted.clone();
    drop(statictramp::boxed(statictramp::once(move || drop(held))).unwrap());
    assert_eq!(std::rc::Rc::strong_count(&counted), 1, "not called, but dropped");
}

#[test]
fn a_panic_unwinds_through_stub_and_adapter_where_it_may() {
    let _turn = turn();
    // One signature goes through registers, the other by way of memory.
    let (limit, silent) = (3u64, std::panic::take_hook());
    std::panic::set_hook(Box::new(|_| {}));
    let short = statictramp::unwind(|x: u64| if x > limit { panic!("short") } else { x });
    #[cfg(not(target_arch = "arm"))]
    let (long, large) = (
        statictramp::unwind(
            |a: Large, b: u64, c: u64, d: u64| {
                if a.0[0] + b + c + d > limit { panic!("long") } else { Large([limit; 5]) }
            },
        ),
        |x| Large([x; 5]),
    );
    #[cfg(target_arch = "arm")]
    let (long, large) = (
        statictramp::unwind(
            |a: u8, b: u8, c: u8, d: u8| {
                if u64::from(a + b + c + d) > limit { panic!("long") } else { limit as u8 }
            },
        ),
        |x| x as u8,
    );
    let (short, long) = (statictramp::bind(&short).unwrap(), statictramp::bind(&long).unwrap());
    let f: unsafe extern "C-unwind" fn(u64) -> u64 = short.as_fn();
    for x in 0..6 {
        // SAFETY: the callbacks are alive.
        let caught = std::panic::catch_unwind(|| unsafe { f(x) });
        assert_eq!(caught.ok(), (x <= 3).then_some(x));
        let caught = std::panic::catch_unwind(|| long.call((large(x), 0, 0, 0)));
        assert_eq!(caught.ok(), (x <= 3).then_some(large(3)));
    }
    let by_mut = statictramp::unwind(statictramp::by_mut(|x: u64| {
        if x > limit {
            panic!()
        }
    }));
    let by_mut = statictramp::bind(&by_mut).unwrap();
    assert!(std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| by_mut.call((9,)))).is_err());
    by_mut.call((1,)); // a panic ends the call, too
    std::panic::set_hook(silent);
}

#[test]
fn what_is_stored_beside_its_guard_or_on_the_heap_ends_with_it() {
    let _turn = turn();
    let before = statictramp::live();
    let counted = std::rc::Rc::new(core::cell::Cell::new(0));
    {
        let held = counted.clone();
        let mut place = core::pin::pin!(statictramp::InPlace::new(move |x: i32| held.set(held.get() + x)));
        let f = place.as_mut().bind().unwrap();
        assert_eq!(f as usize, place.as_mut().bind().unwrap() as usize, "the pointer stays the same");
        // SAFETY: the place is alive.
        unsafe { (f(5), f(6)) };
        assert_eq!((counted.get(), statictramp::live()), (11, before + 1));
    }
    let held = counted.clone();
    let boxed = statictramp::boxed(move |x: i32| held.set(held.get() + x)).unwrap();
    boxed.call((1,));
    boxed.into_inner()(2);
    assert_eq!((counted.get(), statictramp::live()), (14, before));
    assert_eq!(std::rc::Rc::strong_count(&counted), 1);

    let text = String::from("for good");
    let f = statictramp::leaked(move || text.len()).unwrap();
    // SAFETY: it is never freed.
    assert_eq!(unsafe { f() }, 8);
    assert_eq!(statictramp::live(), before + 1);
    // SAFETY: its only owner was forgotten.
    unsafe { statictramp::free(f as *const ()) }.unwrap();
}

#[test]
fn a_failed_bind_gives_the_closure_back() {
    let _turn = turn();
    statictramp::set_limit(statictramp::capacity());
    let filler = || ();
    let all: Vec<_> = std::iter::from_fn(|| statictramp::bind(&filler).ok()).collect();
    let text = String::from("kept");
    let Err(error) = statictramp::boxed(move || text.len()) else { panic!("bound one too many") };
    assert_eq!((error.why, (error.closure)()), (statictramp::AllocError::Full, 4));
    drop(all);
}

#[test]
fn the_system_convention_has_its_own_type() {
    let _turn = turn();
    let base = 5;
    let add = statictramp::system(|x: u32| x + base);
    let f: unsafe extern "system" fn(u32) -> u32 = statictramp::bind(&add).unwrap().as_fn();
    let _ = f;
}

#[test]
fn guards_are_as_sendable_as_the_closure_allows() {
    fn send<T: Send>(_: &T) {}
    fn sync<T: Sync>(_: &T) {}
    let _turn = turn();
    let shared = |x: u8| x;
    send(&statictramp::bind(&shared).unwrap());
    let mut count = 0;
    let exclusive = statictramp::by_mut(|| count += 1);
    send(&statictramp::bind(&exclusive).unwrap());
    let boxed = statictramp::boxed(statictramp::once(|| ())).unwrap();
    send(&boxed);
    sync(&boxed);
}

/// Counts its drops, and says whether there was one.
struct Witness(std::rc::Rc<core::cell::Cell<u32>>);

impl Drop for Witness {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

thread_local!(static GUARD: RefCell<Option<Box<dyn core::any::Any>>> = const { RefCell::new(None) });

/// Binds a closure that does `during`, keeps its guard in a place of its own, and calls it.
macro_rules! call_kept {
    ($closure:expr, $($argument:expr)?) => {{
        let bound = statictramp::boxed($closure).unwrap_or_else(|_| panic!());
        let f = bound.as_fn();
        GUARD.set(Some(Box::new(bound)));
        // SAFETY: the guard is there when the call begins.
        unsafe { f($($argument)?) }
    }};
}

fn drop_guard() {
    drop(GUARD.take().expect("once"));
}

#[test]
fn a_boxed_closure_may_drop_its_own_guard() {
    let _turn = turn();
    let before = statictramp::live();
    let drops = std::rc::Rc::new(core::cell::Cell::new(0));
    let witness = || Witness(drops.clone());
    let at_rest = |count| assert_eq!((drops.get(), statictramp::live()), (count, before));

    let (held, text) = (witness(), String::from("still here"));
    let plain = move |x: usize| {
        drop_guard();
        assert_eq!(held.0.get(), 0, "freed while it runs");
        text.len() + x
    };
    assert_eq!(call_kept!(plain, 1), 11);
    at_rest(1);

    let (held, mut calls) = (witness(), 0);
    let changing = statictramp::by_mut(move |x: u64| {
        calls += x;
        drop_guard();
        assert_eq!(held.0.get(), 1, "freed while it runs");
        calls
    });
    assert_eq!(call_kept!(changing, 7), 7);
    at_rest(2);

    let held = witness();
    let consuming = statictramp::once(move || {
        drop_guard();
        assert_eq!(held.0.get(), 2, "freed while it runs");
        drop(held);
    });
    call_kept!(consuming,);
    at_rest(3);

    let held = witness();
    let panicking = statictramp::unwind(move |x: u64| {
        drop_guard();
        assert_eq!(held.0.get(), 3, "freed while it runs");
        if x == 1 {
            std::panic::resume_unwind(Box::new(x)); // without a word
        }
    });
    assert!(std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| call_kept!(panicking, 1))).is_err());
    at_rest(4);

    // The innermost of three calls drops it: the outermost still needs it.
    thread_local!(static ITSELF: core::cell::Cell<Option<unsafe extern "C" fn(u32) -> u32>> = const { core::cell::Cell::new(None) });
    let held = witness();
    let nested = move |depth: u32| {
        // SAFETY: the guard is there.
        let inner = if depth == 0 { 0 } else { unsafe { ITSELF.get().unwrap()(depth - 1) } };
        if depth == 0 {
            drop_guard();
        }
        assert_eq!(held.0.get(), 4, "freed while it runs");
        inner + depth
    };
    let bound = statictramp::boxed(nested).unwrap();
    let f = bound.as_fn();
    ITSELF.set(Some(f));
    GUARD.set(Some(Box::new(bound)));
    // SAFETY: as above.
    assert_eq!(unsafe { f(2) }, 3);
    at_rest(5);
}

/// The call comes from another thread than the closure was bound on, as a timer's does.
#[test]
fn a_boxed_closure_may_drop_its_own_guard_on_another_thread() {
    static GUARD: Mutex<Option<Box<dyn core::any::Any + Send>>> = Mutex::new(None);
    static DROPS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    use std::sync::atomic::Ordering::Relaxed;
    struct Witness;
    impl Drop for Witness {
        fn drop(&mut self) {
            DROPS.fetch_add(1, Relaxed);
        }
    }
    let _turn = turn();
    let held = Witness;
    let bound = statictramp::boxed(move |x: u32| {
        let _held = &held;
        drop(GUARD.lock().unwrap().take().unwrap());
        assert_eq!(DROPS.load(Relaxed), 0, "freed while it runs");
        x + 1
    })
    .unwrap();
    let f = bound.as_fn();
    *GUARD.lock().unwrap() = Some(Box::new(bound));
    // SAFETY: the guard is there when the call begins.
    assert_eq!(std::thread::spawn(move || unsafe { f(1) }).join().unwrap(), 2);
    assert_eq!(DROPS.load(Relaxed), 1);
}

/// This test program once more; STATICTRAMP_RUNNER, words with blanks between, runs it where the kernel cannot.
fn this_program() -> Command {
    let this = std::env::current_exe().unwrap();
    let runner = std::env::var("STATICTRAMP_RUNNER").unwrap_or_default();
    let mut words = runner.split_whitespace();
    let Some(first) = words.next() else { return Command::new(this) };
    let mut command = Command::new(first);
    command.args(words).arg(this);
    command
}

/// Runs the named part below in a process of its own: what it says, and whether it aborted.
fn dies(part: &str) -> String {
    use std::os::unix::process::ExitStatusExt;
    let output = this_program()
        .args(["--exact", "parts_that_die", "--nocapture"])
        .env("STATICTRAMP_PART", part)
        .output()
        .unwrap();
    assert_eq!(output.status.signal(), Some(libc::SIGABRT), "{part}: {output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn parts_that_die() {
    match std::env::var("STATICTRAMP_PART").as_deref() {
        Ok("reentered") => {
            static POINTER: std::sync::OnceLock<unsafe extern "C" fn(u32) -> u32> =
                std::sync::OnceLock::new();
            let mut depth = 0;
            let closure = statictramp::by_mut(move |x: u32| {
                depth += 1;
                // SAFETY: the callback is alive.
                unsafe { POINTER.get().unwrap()(x + depth) }
            });
            let bound = statictramp::bind(&closure).unwrap();
            POINTER.set(bound.as_fn()).unwrap();
            bound.call((1,));
        }
        Ok("twice") => {
            let closure = statictramp::once(|| ());
            let bound = statictramp::bind(&closure).unwrap();
            bound.call(());
            bound.call(());
        }
        Ok("panic") => {
            let closure = |x: u32| assert!(x > 5);
            statictramp::bind(&closure).unwrap().call((1,));
        }
        Ok("dead") => {
            let closure = |x: u32| x;
            let f = statictramp::bind(&closure).unwrap().as_fn();
            // SAFETY: none; this is the point.
            unsafe { f(1) };
        }
        Ok("taken out of itself") => {
            thread_local!(static GUARD: RefCell<Option<Box<dyn FnOnce()>>> = const { RefCell::new(None) });
            let bound = statictramp::boxed(|| GUARD.take().unwrap()()).unwrap();
            let f = bound.as_fn();
            GUARD.set(Some(Box::new(|| {
                let _closure = bound.into_inner();
            })));
            // SAFETY: the guard is there when the call begins.
            unsafe { f() };
        }
        Ok("freed behind its owner") => {
            let closure = |x: u32| x;
            let bound = statictramp::bind(&closure).unwrap();
            // SAFETY: none; this is the point.
            unsafe { statictramp::free(bound.trampoline().as_ptr()) }.unwrap();
            let _reused = statictramp::bind(&closure).unwrap();
            drop(bound);
        }
        _ => {}
    }
}

#[test]
fn misuse_that_cannot_be_told_at_compile_time_ends_with_a_sentence() {
    assert!(dies("reentered").contains("was called while a call of it runs"));
    assert!(dies("twice").contains("can be called once was called again"));
    assert!(dies("panic").contains("panic in a function that cannot unwind"));
    assert!(dies("dead").contains("call through a freed trampoline: slot "));
    assert!(dies("taken out of itself").contains("was taken out of its guard while a call of it runs"));
    assert!(dies("freed behind its owner").contains("was freed by its address while its owner still had it"));
}
