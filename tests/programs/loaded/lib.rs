//! A shared library that returns closures with ten arguments. The program that loads the library calls them.

use core::ffi::c_long;

type Ten = unsafe extern "C" fn(
    c_long, c_long, c_long, c_long, c_long, c_long, c_long, c_long, c_long, c_long,
) -> c_long;

#[unsafe(no_mangle)]
pub extern "C" fn make_ten(tag: c_long) -> Option<Ten> {
    #[rustfmt::skip]
    let closure = move |a: c_long, b: c_long, c: c_long, d: c_long, e: c_long,
                        f: c_long, g: c_long, h: c_long, i: c_long, j: c_long| {
        tag + a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j
    };
    statictramp::leaked(closure).ok()
}
