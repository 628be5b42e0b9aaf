//! A shared library that returns closures with ten arguments. The program that loads the library calls them.

use core::ffi::c_long;

// On x86 and x86-64, closures need no thread-local words, so the library may have large thread-local variables of its own.
#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
std::thread_local! {
    static OWN: core::cell::RefCell<[u8; 4096]> = const { core::cell::RefCell::new([0; 4096]) };
}

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
    #[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
    OWN.with_borrow_mut(|own| own.fill(1));
    statictramp::leaked(closure).ok()
}
