//! Closures that C++ calls, and whose C++ callee throws: the exception passes through their frames and through the
//! adapters.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

unsafe extern "C-unwind" {
    /// Throws its parameter, unless that is 0.
    fn throws(number: u32);
}

static DROPPED: AtomicU32 = AtomicU32::new(0);
struct Counted;
impl Drop for Counted {
    fn drop(&mut self) {
        DROPPED.fetch_add(1, Relaxed);
    }
}

/// Returns the number of values in closures' frames that have been dropped.
#[unsafe(no_mangle)]
extern "C" fn dropped() -> u32 {
    DROPPED.load(Relaxed)
}

/// Calls the callee from a frame with a value to drop.
fn call(number: u32) {
    let _counted = Counted;
    // SAFETY: the callee accepts any number.
    unsafe { throws(number) };
}

#[repr(C)]
pub struct Large([u64; 5]);

// These closures use the variants `Register`, `Registers` and `Stack` of `src/arch/x86_64/windows.rs`.
#[unsafe(no_mangle)]
extern "C" fn in_register() -> unsafe extern "C-unwind" fn(u32, f64) -> u32 {
    let base = dropped();
    statictramp::leaked(statictramp::unwind(move |number: u32, x: f64| {
        call(number);
        base + x as u32
    }))
    .unwrap()
}
#[unsafe(no_mangle)]
extern "C" fn in_registers() -> unsafe extern "C-unwind" fn(u32) -> Large {
    let base = dropped();
    statictramp::leaked(statictramp::unwind(move |number: u32| {
        call(number);
        Large([base.into(), 0, 0, 0, 9])
    }))
    .unwrap()
}
#[unsafe(no_mangle)]
extern "C" fn on_stack() -> unsafe extern "C-unwind" fn(u32, f64, u64, u64, u64, f32) -> u32 {
    let base = dropped();
    statictramp::leaked(statictramp::unwind(move |number: u32, x: f64, a: u64, b: u64, c: u64, y: f32| {
        call(number);
        base + x as u32 + (a + b + c) as u32 + y as u32
    }))
    .unwrap()
}
