//! `statictramp_bind`: a context in an ordinary argument register, for functions that know
//! nothing of static chains.
//!
//! The chain of a bound trampoline is the address of its slot's side, {context, callee}; its
//! stub enters one of the adapters below, which loads one argument register from there and
//! jumps on.

use crate::compiled::make_room;
use crate::errno::fail;
use crate::function::{StatictrampFn, address, function, function_or_errno};
use core::ffi::{c_uint, c_void};
use core::sync::atomic::Ordering::Relaxed;
use libc::EINVAL;
use statictramp::{Trampoline, side};

/// An adapter for each integer-argument register, in the order of the calling convention
/// (System V x86-64 psABI, section 3.2.3).
#[cfg(target_arch = "x86_64")]
mod adapters {
    macro_rules! adapter {
        ($name:ident, $register:literal) => {
            #[unsafe(naked)]
            pub(super) extern "C" fn $name() {
                core::arch::naked_asm!(
                    ".cfi_startproc",
                    "endbr64",
                    concat!("mov ", $register, ", [r10]"),
                    "jmp [r10 + 8]",
                    ".cfi_endproc",
                )
            }
        };
    }
    adapter!(statictramp_bind_0, "rdi");
    adapter!(statictramp_bind_1, "rsi");
    adapter!(statictramp_bind_2, "rdx");
    adapter!(statictramp_bind_3, "rcx");
    adapter!(statictramp_bind_4, "r8");
    adapter!(statictramp_bind_5, "r9");

    pub(super) const ALL: [extern "C" fn(); 6] = [
        statictramp_bind_0,
        statictramp_bind_1,
        statictramp_bind_2,
        statictramp_bind_3,
        statictramp_bind_4,
        statictramp_bind_5,
    ];
}

/// Makes a trampoline for an ordinary C function: at each call, integer-argument register `position` is
/// overwritten with `context`. Registers are counted from 0, not parameters: floating-point parameters take
/// none; a result returned in memory takes the first, for its hidden pointer; a struct passed in registers
/// takes one for each half that is not floating-point. So for `int f(void *context, int x)` the position is
/// 0, and the caller's `int (*)(void *, int)` passes anything as first argument.
///
/// Returns NULL and sets errno to EINVAL if callee is NULL or there is no such register (x86-64: 0 to 5), to
/// ENOMEM if all slots are in use. For the rest see statictramp_alloc.
#[unsafe(no_mangle)]
pub extern "C" fn statictramp_bind(
    callee: StatictrampFn,
    context: *mut c_void,
    position: c_uint,
) -> StatictrampFn {
    let Some(&adapter) = adapters::ALL.get(position as usize) else {
        return fail(EINVAL, None);
    };
    let callee = address(callee);
    let fill = |slot| {
        let pair = side::of(slot);
        // Relaxed: whoever may call the trampoline got its address after this.
        pair.first.store(context.cast(), Relaxed);
        pair.second.store(callee.cast_mut(), Relaxed);
        (adapter as *const (), core::ptr::from_ref(pair).cast_mut().cast())
    };
    match Trampoline::again(callee, fill) {
        Some(trampoline) => function(trampoline.into_raw()),
        None => function_or_errno(Trampoline::making_room(callee, fill, make_room)),
    }
}

/// The context of a bound trampoline, told by what its stub enters.
pub(crate) fn context(entry: *const (), chain: *mut ()) -> Option<*mut ()> {
    let bound = adapters::ALL.iter().any(|&adapter| adapter as *const () == entry);
    // SAFETY: only `statictramp_bind` makes trampolines that enter an adapter, and it
    // gives them the address of a side, which stays.
    bound.then(|| unsafe { (*chain.cast::<side::Side>()).first.load(Relaxed) })
}
