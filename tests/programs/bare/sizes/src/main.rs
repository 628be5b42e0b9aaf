//! Creates a trampoline, lets it be called, and frees it. The program does nothing else, so its size shows the
//! cost of the library.

#![no_std]
#![no_main]

#[unsafe(no_mangle)]
extern "C" fn entry(callee: *const (), chain: *mut (), user: extern "C" fn(*const ())) {
    if let Ok(trampoline) = statictramp::Trampoline::new(callee, chain) {
        user(trampoline.as_ptr());
    }
}

/// This is as short as possible, because it is not part of the library.
#[cfg(not(target_has_atomic = "ptr"))]
mod critical_section {
    struct Nothing;
    critical_section::set_impl!(Nothing);
    // SAFETY: this program is measured, not run.
    unsafe impl critical_section::Impl for Nothing {
        unsafe fn acquire() -> bool {
            false
        }
        unsafe fn release(_: bool) {}
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}
