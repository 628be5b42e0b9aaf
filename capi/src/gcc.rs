//! What GCC's code calls from GCC 14 on, under `-ftrampoline-impl=heap`: a stack of
//! trampolines for each thread, of which only the newest is ever deleted.

use crate::bind::pair;
use crate::flang::full;
use core::ffi::c_void;
use core::sync::atomic::Ordering::Relaxed;
use statictramp::line::fatal;
use statictramp::{Lookup, Trampoline, lookup};

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
    let made = Trampoline::by_way_of(function, |slot| {
        pair(slot).context.store(newest::get().cast_mut(), Relaxed);
        (function, chain.cast())
    });
    let Ok(trampoline) = made else { full() };
    let address = trampoline.into_raw();
    newest::set(address);
    // SAFETY: compiled code passes the address of a variable for this.
    unsafe { destination.write(address) }
}

/// Frees the newest trampoline of this thread.
#[unsafe(no_mangle)]
extern "C" fn __gcc_nested_func_ptr_deleted() {
    let address = newest::get();
    let Some(slot) = slot_of(address) else {
        fatal("a nested function's trampoline was deleted, but this thread has none")
    };
    newest::set(pair(slot).context.load(Relaxed));
    // SAFETY: only this thread has it on its stack of trampolines, and now no more.
    if unsafe { statictramp::free(address) }.is_err() {
        fatal("a nested function's trampoline was freed before GCC's code deleted it")
    }
}

fn slot_of(address: *const ()) -> Option<usize> {
    match lookup(address) {
        Ok(Lookup::Live { slot, .. }) => Some(slot),
        _ => None,
    }
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
