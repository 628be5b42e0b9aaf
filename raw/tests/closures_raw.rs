//! Tests of raw closures, whose handlers take the arguments that they expect one by one.
#![cfg(all(stubs, any(target_os = "linux", windows)))]

use core::ffi::{c_char, c_int, c_void};
use core::mem::{offset_of, transmute};
use statictramp_raw::{self as raw, Call, Kind, Leaf, Struct};
use std::cell::{Cell, RefCell};
use std::process::{Command, ExitStatus};

macro_rules! types {
    ($($kind:ident $type:ty: $leaves:expr;)*) => {$(
        fn $kind() -> (usize, Vec<Leaf>) {
            (size_of::<$type>(), $leaves.map(|(offset, kind)| Leaf::new(offset, kind)).to_vec())
        }
    )*};
}

/// A struct that is passed in registers of two classes, except on 32-bit Arm and RISC-V.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[repr(C)]
struct Mixed {
    number: f64,
    count: i32,
    byte: u8,
}
/// A struct that is passed in floating-point registers, if the target has any.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
    z: f32,
}
/// A struct that is passed in memory or by reference.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[repr(C)]
struct Large {
    words: [u64; 4],
    last: u16,
}

types! {
    mixed Mixed: [
        (offset_of!(Mixed, number), Kind::Double),
        (offset_of!(Mixed, count), Kind::Int32),
        (offset_of!(Mixed, byte), Kind::Uint8),
    ];
    point Point: [(0, Kind::Float), (4, Kind::Float), (8, Kind::Float)];
    large Large: [
        (0, Kind::Uint64),
        (8, Kind::Uint64),
        (16, Kind::Uint64),
        (24, Kind::Uint64),
        (offset_of!(Large, last), Kind::Uint16),
    ];
}

fn next_struct<T: Default>(call: &mut Call<'_>, (size, leaves): (usize, Vec<Leaf>)) -> T {
    let mut value = T::default();
    // SAFETY: the test's caller passes such a struct, and `self` has room for it.
    unsafe { call.next_struct(&Struct::new(size, &leaves).unwrap(), (&raw mut value).cast()) };
    value
}

#[test]
fn scalars_of_at_most_8_bytes_arrive_unchanged() {
    type F = unsafe extern "C" fn(
        i8,
        u8,
        i16,
        u16,
        i32,
        u32,
        i64,
        u64,
        isize,
        usize,
        bool,
        f32,
        f64,
        *const c_void,
        *mut u8,
    ) -> u64;
    let mut byte = 7u8;
    let (there, seen) = (&raw mut byte, RefCell::new(String::new()));
    let handler = |call: &mut Call<'_>| {
        // SAFETY: the caller's type is `F`.
        unsafe {
            let integers = (call.next::<i8>(), call.next::<u8>(), call.next::<i16>(), call.next::<u16>());
            let larger = (call.next::<i32>(), call.next::<u32>(), call.next::<i64>(), call.next::<u64>());
            let words = (call.next::<isize>(), call.next::<usize>(), call.next::<bool>());
            let floats = (call.next::<f32>(), call.next::<f64>());
            let null = call.next::<*const c_void>().is_null();
            *call.next::<*mut u8>() += 1;
            *seen.borrow_mut() = format!("{integers:?} {larger:?} {words:?} {floats:?} {null}");
            call.set(u64::MAX - 5);
        }
    };
    let callback = raw::bind(&handler).unwrap();
    let f: F = callback.as_fn();
    // SAFETY: the handler takes these arguments, and the callback is alive.
    let result = unsafe {
        f(
            -1,
            255,
            -2,
            65_535,
            -3,
            4_000_000_000,
            i64::MIN,
            u64::MAX,
            -4,
            9,
            true,
            0.5,
            -2.25,
            core::ptr::null(),
            there,
        )
    };
    assert_eq!((result, byte), (u64::MAX - 5, 8));
    let wanted = format!(
        "(-1, 255, -2, 65535) (-3, 4000000000, {}, {}) (-4, 9, true) (0.5, -2.25) true",
        i64::MIN,
        u64::MAX
    );
    drop(callback);
    assert_eq!(seen.into_inner(), wanted);
}

#[cfg(target_pointer_width = "64")]
#[test]
fn two_word_integers_arrive_unchanged() {
    let handler = |call: &mut Call<'_>| {
        // SAFETY: the caller's type is the one below.
        unsafe {
            if cfg!(target_arch = "s390x") {
                let wide = [Leaf::new(0, Kind::Int128)]; // this type is returned as a struct with this leaf
                call.expect(Struct::new(16, &wide).as_ref(), None);
            }
            let (_, a) = (call.next::<u8>(), call.next::<u8>());
            let (b, c) = (call.next::<i128>(), call.next::<u128>());
            call.set(b - i128::from(a) + c as i128);
        }
    };
    let callback = raw::boxed(handler).unwrap();
    // The integers begin in an even register, because gcc and LLVM differ on some processors if the register is odd.
    let f: unsafe extern "C" fn(u8, u8, i128, u128) -> i128 = callback.as_fn();
    // SAFETY: the handler takes these arguments, and the guard is alive.
    assert_eq!(unsafe { f(2, 1, -(1 << 100), 1 << 90) }, -(1 << 100) - 1 + (1 << 90));
}

#[test]
fn debug_output_begins_with_the_name_of_the_type() {
    let handler = |call: &mut Call<'_>| assert_eq!(format!("{call:?}"), "Call { .. }");
    let callback = raw::bind(&handler).unwrap();
    assert!(format!("{callback:?}").starts_with("Callback(0x"));
    let f: unsafe extern "C" fn() = callback.as_fn();
    // SAFETY: the handler takes no arguments, and the guard is alive.
    unsafe { f() };
    assert!(format!("{:?}", raw::boxed(handler).unwrap()).starts_with("Boxed(0x"));
}

#[test]
fn structs_in_registers_and_in_memory_arrive_unchanged() {
    type F = unsafe extern "C" fn(u8, Mixed, Point, Large, f64, Mixed, i32) -> Large;
    let seen = RefCell::new(Vec::new());
    let handler = |call: &mut Call<'_>| {
        let (size, leaves) = large();
        let result = Struct::new(size, &leaves).unwrap();
        // SAFETY: the caller's type is `F`.
        unsafe {
            call.expect(Some(&result), None);
            let first = call.next::<u8>();
            let (a, b): (Mixed, Point) = (next_struct(call, mixed()), next_struct(call, point()));
            let mut whole: Large = next_struct(call, large());
            let number = call.next::<f64>();
            let c: Mixed = next_struct(call, mixed());
            let last = call.next::<i32>();
            seen.borrow_mut().push((first, a, b, whole, number, c, last));
            whole.words[3] += 1;
            call.set_struct(&result, (&raw const whole).cast());
        }
    };
    let callback = raw::bind(&handler).unwrap();
    let f: F = callback.as_fn();
    let a = Mixed { number: 1.5, count: -7, byte: 200 };
    let b = Point { x: 1.0, y: -2.0, z: 0.25 };
    let c = Large { words: [1, 2, 3, 4], last: 5 };
    let d = Mixed { number: f64::MIN, count: i32::MAX, byte: 1 };
    // SAFETY: the handler takes these arguments, and the callback is alive.
    let result = unsafe { f(3, a, b, c, 2.5, d, -9) };
    assert_eq!(result, Large { words: [1, 2, 3, 5], last: 5 });
    drop(callback);
    assert_eq!(seen.into_inner(), [(3, a, b, c, 2.5, d, -9)]);
}

#[test]
fn scalars_and_structs_are_returned() {
    fn returns<R>(set: impl Fn(&mut Call<'_>)) -> R {
        let handler = |call: &mut Call<'_>| set(call);
        let callback = raw::bind(&handler).unwrap();
        let f: unsafe extern "C" fn() -> R = callback.as_fn();
        // SAFETY: the handler sets a result of this type.
        unsafe { f() }
    }
    fn of<T: Copy>(value: T, (size, leaves): (usize, Vec<Leaf>)) -> impl Fn(&mut Call<'_>) {
        move |call| {
            let of_struct = Struct::new(size, &leaves).unwrap();
            // SAFETY: the caller's result has this type.
            unsafe {
                call.expect(Some(&of_struct), None);
                call.set_struct(&of_struct, (&raw const value).cast());
            }
        }
    }
    fn assert_comes_back<T: raw::Argument + Copy + PartialEq + core::fmt::Debug>(value: T) {
        // SAFETY: the caller's result has the value's type.
        assert_eq!(returns::<T>(|call| unsafe { call.set(value) }), value);
    }
    macro_rules! scalars {
        ($($value:expr),*) => {$( assert_comes_back($value); )*};
    }
    scalars!(
        -1i8,
        255u8,
        -2i16,
        65_535u16,
        -3i32,
        4_000_000_000u32,
        i64::MIN,
        u64::MAX,
        true,
        1.5f32,
        -2.5f64
    );
    scalars!(core::ptr::null::<u8>(), -6isize);
    assert_eq!(returns::<u64>(|_| {}), 0);
    let a = Mixed { number: 1.5, count: -7, byte: 200 };
    let b = Point { x: 1.0, y: -2.0, z: 0.25 };
    let c = Large { words: [1, 2, 3, 4], last: 5 };
    assert_eq!(returns::<Mixed>(of(a, mixed())), a);
    assert_eq!(returns::<Point>(of(b, point())), b);
    assert_eq!(returns::<Large>(of(c, large())), c);
}

#[test]
fn kinds_may_be_known_only_at_run_time() {
    let kinds = [Kind::Int16, Kind::Double, Kind::Pointer];
    let seen = Cell::new([[0u8; 8]; 3]);
    let handler = |call: &mut Call<'_>| {
        let mut values = [[0u8; 8]; 3];
        for (kind, value) in kinds.into_iter().zip(&mut values) {
            // SAFETY: the caller's type is the one below.
            unsafe { call.next_kind(kind, value.as_mut_ptr()) };
        }
        seen.set(values);
        // SAFETY: as above.
        unsafe { call.set_kind(Kind::Int16, values[0].as_ptr()) };
    };
    let callback = raw::bind(&handler).unwrap();
    let f: unsafe extern "C" fn(i16, f64, *const u8) -> i16 = callback.as_fn();
    // SAFETY: the handler takes these arguments, and the callback is alive.
    assert_eq!(unsafe { f(-12, 0.1, core::ptr::without_provenance(99)) }, -12);
    let [a, b, c] = seen.get();
    assert_eq!((i16::from_ne_bytes([a[0], a[1]]), f64::from_ne_bytes(b)), (-12, 0.1));
    assert_eq!(usize::from_ne_bytes(*c.first_chunk().unwrap()), 99);
}

#[test]
fn raw_closures_take_twenty_arguments() {
    macro_rules! twenty {
        ($($number:literal)*) => {{
            type F = unsafe extern "C" fn($(<[u8; $number] as OfNumber>::Type),*) -> f64;
            let handler = |call: &mut Call<'_>| {
                // SAFETY: the caller's type is `F`.
                unsafe {
                    let mut sum = 0.0;
                    $(sum += $number as f64 * call.next::<<[u8; $number] as OfNumber>::Type>() as f64;)*
                    call.set(sum);
                }
            };
            let callback = raw::bind(&handler).unwrap();
            // SAFETY: this is a function pointer of this type. The handler takes these arguments, and the callback is
            // alive.
            let f = unsafe { transmute::<*const (), F>(callback.as_ptr()) };
            // SAFETY: as above.
            unsafe { f($($number as <[u8; $number] as OfNumber>::Type),*) }
        }};
    }
    trait OfNumber {
        type Type;
    }
    macro_rules! of_number {
        ($($number:literal $type:ty,)*) => {$(
            impl OfNumber for [u8; $number] {
                type Type = $type;
            }
        )*};
    }
    of_number!(1 u8, 2 f64, 3 i64, 4 f32, 5 u16, 6 i32, 7 f64, 8 i64, 9 u8, 10 f32,);
    of_number!(11 i64, 12 f64, 13 i8, 14 f64, 15 f64, 16 f32, 17 f64, 18 f64, 19 i16, 20 u64,);
    let sum = twenty!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20);
    assert_eq!(sum, (1..=20).map(|i| f64::from(i * i)).sum());
}

#[test]
fn a_variadic_caller_may_pass_arguments_of_several_types() {
    type Log = unsafe extern "C" fn(*mut c_char, usize, *const c_char, ...) -> c_int;
    // The handler works like snprintf with %d, %g and %s.
    let handler = |call: &mut Call<'_>| {
        // SAFETY: the caller's type is `Log`, and it passes the arguments that the format specifies.
        unsafe {
            call.expect(None, Some(3));
            let (to, room) = (call.next::<*mut c_char>(), call.next::<usize>());
            let format = core::ffi::CStr::from_ptr(call.next::<*const c_char>()).to_str().unwrap();
            let mut text = String::new();
            let mut rest = format.chars();
            while let Some(letter) = rest.next() {
                match (letter == '%').then(|| rest.next()).flatten() {
                    Some('d') => text += &call.next::<c_int>().to_string(),
                    Some('g') => text += &call.next::<f64>().to_string(),
                    Some('s') => {
                        text += core::ffi::CStr::from_ptr(call.next::<*const c_char>()).to_str().unwrap()
                    }
                    _ => text.push(letter),
                }
            }
            assert!(text.len() < room);
            to.cast::<u8>().copy_from(text.as_ptr(), text.len());
            to.cast::<u8>().add(text.len()).write(0);
            call.set(text.len() as c_int);
        }
    };
    let callback = raw::bind(&handler).unwrap();
    let log: Log = callback.as_fn();
    let mut to = [0 as c_char; 200];
    let format = c"%d %g %s %g %d %g %d %g %d %g %d %g %d %g %s %g %g";
    // SAFETY: the arguments match the format, the buffer is large enough, and the callback is alive.
    unsafe {
        let (at, room) = (to.as_mut_ptr(), to.len());
        let count = log(
            at,
            room,
            format.as_ptr(),
            -1 as c_int,
            0.5,
            c"text".as_ptr(),
            1.5,
            2 as c_int,
            2.5,
            3 as c_int,
            3.5,
            4 as c_int,
            4.5,
            5 as c_int,
            5.5,
            6 as c_int,
            6.5,
            c"end".as_ptr(),
            7.5,
            8.5,
        );
        let text = core::ffi::CStr::from_ptr(at).to_str().unwrap();
        assert_eq!(text, "-1 0.5 text 1.5 2 2.5 3 3.5 4 4.5 5 5.5 6 6.5 end 7.5 8.5");
        assert_eq!(count as usize, text.len());
    }
}

#[test]
fn a_handler_may_call_itself() {
    type F = unsafe extern "C" fn(u32) -> u64;
    let itself = Cell::new(None::<F>);
    let factorial = |call: &mut Call<'_>| {
        // SAFETY: the caller's type is `F`, and the callback is alive during its calls.
        unsafe {
            let n = call.next::<u32>();
            let rest = if n < 2 { 1 } else { itself.get().unwrap()(n - 1) };
            call.set(rest * u64::from(n.max(1)));
        }
    };
    let callback = raw::bind(&factorial).unwrap();
    itself.set(Some(callback.as_fn()));
    // SAFETY: the handler takes this argument.
    assert_eq!(unsafe { itself.get().unwrap()(20) }, 2_432_902_008_176_640_000);
}

#[test]
fn a_boxed_raw_closure_may_drop_its_own_guard() {
    use std::sync::{Arc, Mutex};
    let owner: Arc<Mutex<Option<Box<dyn Send>>>> = Arc::default();
    let token = Arc::new(());
    let handler = {
        let (owner, token) = (owner.clone(), token.clone());
        move |call: &mut Call<'_>| {
            drop(owner.lock().unwrap().take());
            // SAFETY: the caller's type is the one below.
            unsafe { call.set(Arc::strong_count(&token) as u32) }; // its captures are still alive
        }
    };
    let callback = raw::boxed(handler).unwrap();
    let f: unsafe extern "C" fn() -> u32 = callback.as_fn();
    let slot = callback.trampoline().slot();
    *owner.lock().unwrap() = Some(Box::new(callback));
    // SAFETY: the guard is alive when the call begins, and only that call drops it.
    let count = std::thread::spawn(move || unsafe { f() }).join().unwrap();
    assert_eq!((count, Arc::strong_count(&token)), (2, 1));
    assert!(
        matches!(statictramp::lookup(f as *const ()), Ok(statictramp::Lookup::Dead { .. })),
        "slot {slot}"
    );
}

#[test]
fn invalid_structs_are_rejected() {
    let invalid = [
        (8, vec![Leaf::new(0, Kind::Int32)]),  // too large
        (4, vec![Leaf::new(0, Kind::Double)]), // too small
        (8, vec![Leaf::new(2, Kind::Int32)]),  // not aligned
        (8, vec![Leaf::new(4, Kind::Int32), Leaf::new(0, Kind::Int32)]), // not in order
        (4, vec![Leaf::new(0, Kind::Int32), Leaf::new(0, Kind::Float)]), // a union
        (usize::MAX, vec![Leaf::new(usize::MAX & !7, Kind::Uint64)]), // beyond the end of memory
    ];
    for (size, leaves) in invalid {
        assert!(Struct::new(size, &leaves).is_none(), "{size} {leaves:?}");
    }
    // gcc and clang pass an empty struct in different ways on Windows.
    assert_eq!(Struct::new(0, &[]).is_some(), !cfg!(windows));
}

/// Errors that abort the process are caused here, in a child process that `misuse_and_panics_abort_the_process`
/// starts.
#[test]
fn errors_abort_the_child_process() {
    let handler = |call: &mut Call<'_>| {
        // SAFETY: the caller's type is the one below.
        unsafe {
            let what = call.next::<c_int>();
            match what {
                0 => panic!("a handler panics"),
                1 => call.expect(None, Some(1)),
                3 => drop(call.va_list()),
                _ => {
                    let (size, leaves) = large();
                    let value = Large::default();
                    call.set_struct(&Struct::new(size, &leaves).unwrap(), (&raw const value).cast());
                }
            }
        }
    };
    let Ok(what) = std::env::var("STATICTRAMP_TEST_END") else { return };
    let callback = raw::bind(&handler).unwrap(); // the bound one
    let mut f: unsafe extern "C" fn(c_int) = callback.as_fn();
    if what == "dead" {
        drop(callback);
    } else if what == "boxed, dead" {
        f = raw::boxed(|_| ()).unwrap().as_fn();
    }
    // SAFETY: the call must not return.
    unsafe { f(what.parse().unwrap_or_default()) };
    println!("came back");
}

/// Returns a command that runs this test program again. If the kernel cannot run it, the command in
/// STATICTRAMP_RUNNER (words separated by blanks) runs it.
fn this_program() -> Command {
    let this = std::env::current_exe().unwrap();
    let runner = std::env::var("STATICTRAMP_RUNNER").unwrap_or_default();
    let mut words = runner.split_whitespace();
    let Some(first) = words.next() else { return Command::new(this) };
    let mut command = Command::new(first);
    command.args(words).arg(this);
    command
}

/// Returns whether the process was ended by SIGABRT.
#[cfg(unix)]
fn aborted(status: ExitStatus) -> bool {
    std::os::unix::process::ExitStatusExt::signal(&status) == Some(libc::SIGABRT)
}

/// Returns whether the process was ended by `__fastfail`, whose status is STATUS_STACK_BUFFER_OVERRUN for every reason.
#[cfg(windows)]
fn aborted(status: ExitStatus) -> bool {
    status.code() == Some(0xc000_0409_u32 as i32)
}

#[test]
fn misuse_and_panics_abort_the_process() {
    let bound_at = |part: &str| {
        let line = include_str!("closures_raw.rs").lines().position(|line| line.contains(part)).unwrap() + 1;
        format!("errors_abort_the_child_process::{{{{closure}}}}, bound at {}:{line})", file!())
    };
    for (what, message) in [
        ("dead", &*bound_at("let callback = raw::bind(&handler).unwrap(); // the bound one")),
        ("boxed, dead", &*bound_at("f = raw::boxed(|_| ())")),
        ("0", "a handler panics"),
        ("1", "after taking an argument"),
        ("2", "without calling `expect` first"),
        ("3", "called `va_list` before `expect`"),
    ] {
        let out = this_program()
            .args(["--exact", "errors_abort_the_child_process", "--nocapture"])
            .env("STATICTRAMP_TEST_END", what)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(aborted(out.status), "{what}: {text}");
        assert!(text.contains(message), "{what}: {text}");
    }
}

#[test]
fn raw_closures_can_be_stored() {
    use statictramp::{Guard, Local, UnsafeFn};
    type Add = unsafe extern "C" fn(u32) -> u32;
    type Sum = unsafe extern "C" fn(c_int, ...) -> c_int;
    let add = |step: u32| {
        // SAFETY: the caller's type is `Add`.
        move |call: &mut Call<'_>| unsafe {
            let x = call.next::<u32>();
            call.set(x + step);
        }
    };
    // SAFETY: the caller's type is `Sum`, and the first argument is the number of those after it.
    let sum = |call: &mut Call<'_>| unsafe {
        call.expect(None, Some(1));
        let sum = (0..call.next::<c_int>()).map(|_| call.next::<c_int>()).sum::<c_int>();
        call.set(sum);
    };
    let (before, seen) = (statictramp::live(), Cell::new(0));
    let counting = raw::boxed(|call: &mut Call<'_>| {
        seen.set(seen.get() + 1);
        add(3)(call);
    });
    let local: [Guard<Add, dyn Local + '_>; 2] =
        [counting.unwrap().erase(), raw::boxed(add(1)).unwrap().erase_shared().into()];
    // SAFETY: the guards are alive, and the handlers take these arguments.
    assert_eq!([0, 1].map(|i: usize| unsafe { local[i].as_fn()(1) }), [4, 2]);
    let shared: Guard<Sum, dyn Send + Sync> = raw::boxed(sum).unwrap().erase_shared();
    std::thread::scope(|scope| {
        // SAFETY: as above.
        scope.spawn(|| assert_eq!(unsafe { shared.as_fn()(3, 1, 2, 3) }, 6));
    });
    drop((local, shared));
    assert_eq!((statictramp::live(), seen.get()), (before, 1));
    let leaked: [Add; 2] = [raw::leaked(add(5)).unwrap(), raw::boxed(add(6)).unwrap().leak()];
    // SAFETY: the closures are never freed.
    assert_eq!(leaked.map(|f| unsafe { f(1) }), [6, 7]);
    assert_eq!(statictramp::live(), before + 2);
    // SAFETY: nothing calls them again. Other tests count the slots.
    leaked.into_iter().for_each(|f| unsafe { statictramp::free(f.to_ptr()) }.unwrap());
}
