//! The cost of a call through a trampoline on the stack, and of a call through a table trampoline.

use core::arch::naked_asm;
use core::hint::black_box;
use core::mem::MaybeUninit;
use statictramp::Trampoline;

/// The durations, in nanoseconds, of a call through the SIGSEGV handler and of a call through a table trampoline.
pub struct Cost {
    pub handler: usize,
    pub wrapper: usize,
}

#[unsafe(naked)]
extern "C" fn nothing() {
    naked_asm!("endbr64", "ret")
}

/// Measures both kinds of calls. This takes a few hundred microseconds.
pub fn measure() -> Cost {
    let callee = (nothing as *const ()).expose_provenance();
    let mut code = [0u8; 32];
    code[..2].copy_from_slice(&[0x49, 0xbb]);
    code[2..10].copy_from_slice(&callee.to_le_bytes());
    code[10..12].copy_from_slice(&[0x49, 0xba]);
    code[20..23].copy_from_slice(&[0x49, 0xff, 0xe3]);
    let handler = of_calls(black_box(&code).as_ptr().expose_provenance(), 100);
    let wrapper = Trampoline::new(nothing as *const (), core::ptr::null_mut())
        .map_or(0, |trampoline| of_calls(trampoline.as_ptr().expose_provenance(), 10_000));
    Cost { handler, wrapper }
}

/// Returns the time of one call to this address in nanoseconds. The call must reach `nothing`.
fn of_calls(address: usize, times: u64) -> usize {
    // SAFETY: the address belongs to a trampoline for a function without parameters or result.
    let call: extern "C" fn() =
        unsafe { core::mem::transmute(core::ptr::with_exposed_provenance::<()>(address)) };
    call();
    let before = now();
    for _ in 0..times {
        black_box(call)();
    }
    ((now() - before) / times) as usize
}

/// Returns the time of a monotonic clock, in nanoseconds.
fn now() -> u64 {
    let mut time = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: the function fills the structure, and all-zero bytes are a valid value of it.
    let time = unsafe {
        libc::clock_gettime(libc::CLOCK_MONOTONIC, time.as_mut_ptr());
        time.assume_init()
    };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
