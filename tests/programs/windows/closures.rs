//! Closures on Windows, without std: signatures for every variant in `src/arch/x86_64/windows.rs`, called as
//! the compiler calls functions of their types. `windows_closures` returns the number of calls; a wrong result ends the
//! program.
#![no_std]

use core::ffi::c_int;

unsafe extern "C" {
    fn abort() -> !;
    fn printf(format: *const core::ffi::c_char, ...) -> c_int;
}

// The personality function that core's unwind information names; no exception is thrown here (ExceptionContinueSearch).
core::arch::global_asm!(".globl rust_eh_personality", "rust_eh_personality:", "mov eax, 1", "ret");

#[panic_handler]
fn panic(info: &core::panic::PanicInfo) -> ! {
    let line = info.location().map_or(0, |location| location.line());
    // SAFETY: the format takes one number, which is passed.
    unsafe {
        printf(c"closures.rs: a panic in line %u\n".as_ptr(), line);
        abort()
    }
}

/// This type is returned through a hidden pointer, and passed by reference.
#[repr(C)]
#[derive(Clone, Copy)]
struct Large([u64; 5]);
/// This type is passed in one word.
#[repr(C)]
#[derive(Clone, Copy)]
struct Floats(f32, f32);
/// This type is passed by reference, although it would fit in a register.
#[repr(C)]
#[derive(Clone, Copy)]
struct Three([u8; 3]);
/// A zero-sized type.
#[repr(C)]
#[derive(Clone, Copy)]
struct Nothing;

/// A value of a type, determined by a number.
trait Numbered: Copy {
    fn number(n: u8) -> Self;
}
macro_rules! numbered {
    ($($type:ty: $n:ident => $value:expr),*) => {$(
        impl Numbered for $type {
            fn number($n: u8) -> Self {
                $value
            }
        }
    )*};
}
numbered!(
    u8: n => n, i16: n => -i16::from(n), u32: n => u32::from(n) << 20, u64: n => u64::from(n) << 40, i128: n => -(i128::from(n) << 80),
    f32: n => f32::from(n) / 4.0, f64: n => f64::from(n) / 8.0, Large: n => Large([u64::from(n), 0, 1, 2, u64::from(n) << 50]),
    Floats: n => Floats(f32::from(n), 0.5), Three: n => Three([n, 0, n ^ 0xff]), Nothing: _n => Nothing,
    core::arch::x86_64::__m128i: n => of_vector(n)
);
fn of_vector(n: u8) -> core::arch::x86_64::__m128i {
    // SAFETY: both types have 16 bytes, and any contents are valid.
    unsafe { core::mem::transmute([n; 16]) }
}
fn equal<T: Numbered>(a: T, n: u8) -> bool {
    let b = T::number(n);
    let bytes = |value: &T| {
        // SAFETY: these types have no padding.
        unsafe { core::slice::from_raw_parts(core::ptr::from_ref(value).cast::<u8>(), size_of::<T>()) }
            .as_ptr()
    };
    let (a, b) = (bytes(&a), bytes(&b));
    // SAFETY: as above.
    (0..size_of::<T>()).all(|i| unsafe { *a.add(i) == *b.add(i) })
}

/// Tests one signature: every argument arrives unchanged, the context is the closure's, and the result is complete.
macro_rules! call {
    ($count:ident; $result:ty; $($name:ident $type:ty: $n:literal),*) => {{
        let context = 200u8 - $count as u8;
        let closure = |$($name: $type),*| -> $result {
            assert!(true $(&& equal($name, $n))*);
            <$result>::number(context)
        };
        let bound = statictramp::bind(&closure).unwrap_or_else(|_| panic!());
        let f = core::hint::black_box(bound.as_fn());
        // SAFETY: the callback is alive.
        assert!(equal(unsafe { f($(<$type>::number($n)),*) }, context));
        $count += 1;
    }};
}
/// Does the same for every result type.
macro_rules! calls {
    ($count:ident; $($arguments:tt)*) => {
        call!($count; u8; $($arguments)*);
        call!($count; u64; $($arguments)*);
        call!($count; f32; $($arguments)*);
        call!($count; f64; $($arguments)*);
        call!($count; Large; $($arguments)*);
        call!($count; Floats; $($arguments)*);
        call!($count; Three; $($arguments)*);
        call!($count; Nothing; $($arguments)*);
        call!($count; i128; $($arguments)*);
        call!($count; core::arch::x86_64::__m128i; $($arguments)*);
    };
}

/// All signatures.
#[unsafe(no_mangle)]
pub extern "C" fn windows_closures() -> c_int {
    let mut count = 0;
    calls!(count; );
    calls!(count; a u64: 1);
    calls!(count; a f64: 1);
    calls!(count; a Large: 1);
    calls!(count; a Nothing: 1);
    calls!(count; a u8: 1, b f32: 2);
    calls!(count; a Three: 1, b Nothing: 2);
    calls!(count; a f64: 1, b i16: 2, c Floats: 3);
    calls!(count; a f64: 1, b f32: 2, c f64: 3, d f32: 4);
    calls!(count; a u64: 1, b i128: 2, c Large: 3, d f64: 4, e u8: 5);
    calls!(count; a Nothing: 1, b u32: 2, c Nothing: 3, d f64: 4, e Nothing: 5, f Three: 6, g f32: 7);
    calls!(count; a u8: 1, b i16: 2, c u32: 3, d u64: 4, e f32: 5, f f64: 6, g Large: 7, h Floats: 8, i Three: 9,
        j i128: 10, k f64: 11, l u8: 12, m f32: 13, n u64: 14, o i16: 15, p f64: 16);
    count
}
