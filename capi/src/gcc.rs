//! What GCC's code calls from GCC 14 on, under `-ftrampoline-impl=heap`: a stack of
//! trampolines for each thread, of which only the newest is ever deleted.

use crate::bind::{Pair, pair};
use crate::compiled;
use core::ffi::c_void;
use core::sync::atomic::Ordering::Relaxed;
use statictramp::line::fatal;
use statictramp::slot_of;

/// Makes a trampoline for a nested function and stores its address at `destination`.
///
/// The one before is remembered in the pair of the slot, which a nested function does not
/// need.
#[unsafe(no_mangle)]
unsafe extern "C" fn __gcc_nested_func_ptr_created(
    chain: *mut c_void,
    function: *const (),
    destination: *mut *const (),
) {
    let null = "a nested function with a null address cannot have a trampoline";
    let address = compiled::make(function, chain, null);
    remember(address).context.store(newest::get().cast_mut(), Relaxed);
    newest::set(address);
    // SAFETY: compiled code passes the address of a variable for this.
    unsafe { destination.write(address) }
}

/// Frees the newest trampoline of this thread.
#[unsafe(no_mangle)]
extern "C" fn __gcc_nested_func_ptr_deleted() {
    let address = newest::get();
    if address.is_null() {
        fatal("a nested function's trampoline was deleted, but this thread has none")
    }
    newest::set(remember(address).context.load(Relaxed));
    // SAFETY: only this thread has it on its stack of trampolines, and now no more.
    if unsafe { statictramp::free(address) }.is_err() {
        fatal("a nested function's trampoline was freed before GCC's code deleted it")
    }
}

/// Where the trampoline before this one is remembered.
#[inline(always)]
fn remember(address: *const ()) -> &'static Pair {
    pair(slot_of(address).unwrap_or(0)) // every address here is that of a trampoline
}

/// The newest trampoline of this thread, in a thread-local variable.
///
/// Initial-exec: one load from the thread pointer, also in a library loaded later (eight
/// bytes of the room that the C library keeps for such libraries). The general model would
/// cost a call each time (ELF Handling for Thread-Local Storage, section 4.3.6).
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod newest {
    use core::arch::{asm, global_asm};

    global_asm!(
        ".pushsection .tbss, \"awT\", @nobits",
        ".balign 8",
        ".hidden statictramp_0_1_newest",
        ".globl statictramp_0_1_newest",
        ".type statictramp_0_1_newest, @tls_object",
        ".size statictramp_0_1_newest, 8",
        "statictramp_0_1_newest:",
        ".skip 8",
        ".popsection",
    );

    #[inline(always)]
    pub(super) fn get() -> *const () {
        let value;
        // SAFETY: reads the variable above, which each thread has, zero at first.
        unsafe {
            asm!(
                "mov {0}, [rip + statictramp_0_1_newest@GOTTPOFF]",
                "mov {0}, fs:[{0}]",
                out(reg) value, options(readonly, nostack, preserves_flags),
            );
        }
        value
    }

    #[inline(always)]
    pub(super) fn set(value: *const ()) {
        // SAFETY: writes the variable above, which only this module uses.
        unsafe {
            asm!(
                "mov {0}, [rip + statictramp_0_1_newest@GOTTPOFF]",
                "mov fs:[{0}], {1}",
                out(reg) _, in(reg) value, options(nostack, preserves_flags),
            );
        }
    }
}
