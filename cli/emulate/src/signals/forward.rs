//! Signals that this library's handler receives and delivers to the program.

use super::action::{self, Action};
use super::kernel::{KernelAction, PROXY, set_kernel_action};
use super::masks::Mask;
use crate::sys::kernel_mask;
use crate::{report, sys};
use core::ffi::c_int;
use libc::{siginfo_t, ucontext_t};

/// Marks a queued SIGSEGV, in a field that the kernel does not use for signals from processes.
const QUEUED: c_int = 0x5e67_5e67;

/// The action to take after a signal that was not caused by a jump to a trampoline.
pub enum Forward {
    /// Call this handler of the program.
    Enter(usize),
    /// Return from the signal.
    Return,
}

/// Delivers a signal to the program as if this library were not loaded. The signal is not a jump to a trampoline.
pub fn forward(signal: c_int, info: &mut siginfo_t, context: &mut ucontext_t) -> Forward {
    // A positive code means that the signal is a fault. Otherwise the signal was sent, usually by a process.
    let is_fault = info.si_code > 0;
    if signal == PROXY {
        if info.si_errno != QUEUED {
            // The program has not set an action for this signal, because that action would have replaced this handler.
            return die(PROXY, false, info);
        }
        info.si_signo = libc::SIGSEGV;
        info.si_errno = 0;
    } else if Mask::of(context).has(PROXY) {
        // For the program, SIGSEGV is blocked.
        if is_fault {
            return die(libc::SIGSEGV, true, info);
        }
        info.si_errno = QUEUED;
        queue(PROXY, info);
        return Forward::Return;
    }
    let action = action::get();
    match action.handler {
        libc::SIG_DFL => die(libc::SIGSEGV, is_fault && signal != PROXY, info),
        libc::SIG_IGN if is_fault && signal != PROXY => die(libc::SIGSEGV, true, info),
        libc::SIG_IGN => Forward::Return,
        handler => {
            if action.flags & libc::SA_RESETHAND != 0 {
                action::set(Action { handler: libc::SIG_DFL, ..action });
            }
            kernel_mask(libc::SIG_SETMASK, action::mask_in_handler(&action, Mask::of(context)).0);
            Forward::Enter(handler)
        }
    }
}

/// Restores the default action and lets the signal occur again, so that the kernel ends the process where the signal occurred.
fn die(signal: c_int, is_fault: bool, info: &siginfo_t) -> Forward {
    report::write();
    set_kernel_action(signal, &KernelAction { handler: libc::SIG_DFL, flags: 0, restorer: 0, mask: 0 });
    if !is_fault {
        queue(signal, info);
        kernel_mask(libc::SIG_UNBLOCK, 1 << (signal - 1));
    }
    Forward::Return
}

/// Sends a signal to this thread, with the same information.
fn queue(signal: c_int, info: &siginfo_t) {
    // SAFETY: the information has the kernel's layout, because the kernel has written it.
    unsafe {
        sys::call(
            sys::SYS_rt_tgsigqueueinfo,
            [sys::process(), sys::thread(), signal as usize, core::ptr::from_ref(info).addr(), 0, 0],
        )
    };
}
