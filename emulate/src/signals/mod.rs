//! The program's signals: its SIGSEGV handler and its masks work as if this library were not loaded.
//!
//! - `action.rs`: the program's action for SIGSEGV, which is not set in the kernel;
//! - `interposed.rs`: functions that set actions; `masks.rs`: functions that set masks.
//!
//! The kernel must not find SIGSEGV blocked, because it would then kill the process at the first jump to a stack. Masks that
//! the program sets therefore contain another signal in its place, the last one (SIGRTMAX, **the proxy**). The kernel saves
//! and restores the proxy with the mask: when handlers return, `siglongjmp` is called, threads begin, or contexts are
//! exchanged. If another process sends SIGSEGV while the program has it blocked, the signal is queued as the proxy, and is
//! delivered when the program unblocks SIGSEGV.

mod action;
mod interposed;
mod masks;
mod notify;

use crate::fault;
use crate::message::Line;
use crate::sys;
use action::Action;
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use libc::{siginfo_t, ucontext_t};

pub use masks::Mask;

/// The proxy of SIGSEGV in masks.
const PROXY: c_int = 64;

/// Marks a queued SIGSEGV, in a field that the kernel does not use for signals from processes.
const QUEUED: c_int = 0x5e67_5e67;

/// The way to continue after a signal that was not caused by a jump to a trampoline.
pub enum Forward {
    /// Enter this handler of the program.
    Enter(usize),
    /// Return from the signal.
    Return,
}

/// The kernel's `struct sigaction` of x86-64.
#[repr(C)]
#[derive(Clone, Copy)]
struct KernelAction {
    handler: usize,
    flags: usize,
    restorer: usize,
    mask: u64,
}

/// Whether the handler is installed. It is installed only in the program's own namespace.
static INSTALLED: AtomicBool = AtomicBool::new(false);

/// Reads the kernel's action.
fn kernel_action(signal: c_int) -> KernelAction {
    let mut action = KernelAction { handler: 0, flags: 0, restorer: 0, mask: 0 };
    // SAFETY: the structure has the kernel's layout.
    unsafe { sys::call(sys::SYS_rt_sigaction, [signal as usize, 0, (&raw mut action).addr(), 8, 0, 0]) };
    action
}

/// Sets the kernel's action.
fn set_kernel_action(signal: c_int, action: &KernelAction) {
    // SAFETY: the structure has the kernel's layout; the handler is the program's, this library's, or SIG_DFL.
    unsafe {
        sys::call(sys::SYS_rt_sigaction, [signal as usize, core::ptr::from_ref(action).addr(), 0, 8, 0, 0])
    };
}

/// Changes the kernel's mask of this thread, and returns the previous one.
fn kernel_mask(how: c_int, mask: u64) -> u64 {
    let mut old = 0u64;
    // SAFETY: both masks have 8 bytes.
    unsafe {
        sys::call(
            sys::SYS_rt_sigprocmask,
            [how as usize, (&raw const mask).addr(), (&raw mut old).addr(), 8, 0, 0],
        )
    };
    old
}

/// Installs the SIGSEGV handler.
pub fn install() {
    let signal = libc::SIGSEGV;
    let before = kernel_action(signal);
    interposed::find_all();
    masks::find_all();
    // Relaxed: the constructor runs before other threads exist.
    INSTALLED.store(true, Relaxed);
    action::set(Action { handler: before.handler, flags: before.flags as c_int, mask: Mask(before.mask) });
    action::install();
    let proxy = kernel_action(PROXY);
    if proxy.handler == libc::SIG_DFL {
        set_kernel_action(PROXY, &action::for_kernel(&action::get()));
    }
    unblock();
    is_in_parents_memory(); // remembers the process
}

/// Adopts a SIGSEGV handler that another library has installed in a way that this library does not intercept. This function
/// is called when the program begins, after the constructors of its libraries.
pub fn take_over() {
    let now = kernel_action(libc::SIGSEGV);
    // Relaxed: as in `install`.
    if INSTALLED.load(Relaxed) && now.handler != fault::address() {
        action::set(Action { handler: now.handler, flags: now.flags as c_int, mask: Mask(now.mask) });
        action::install();
    }
}

/// Returns whether this process is the child of a `vfork`: it has its own signal actions, but shares the parent's memory.
fn is_in_parents_memory() -> bool {
    static PROCESS: AtomicUsize = AtomicUsize::new(0);
    let own = sys::process();
    // Relaxed: no other data depends on this word.
    let known = PROCESS.load(Relaxed);
    if known == own {
        return false;
    }
    if known != 0 && sys::shares_memory_with(known) {
        return true;
    }
    PROCESS.store(own, Relaxed); // the first call, or the child of a `fork`
    false
}

/// Replaces SIGSEGV by its proxy in the mask of a context.
///
/// # Safety
/// The pointer must be null or point to a context.
pub unsafe fn change_context(context: *mut ucontext_t) {
    // SAFETY: the caller guarantees that the pointer is valid. A sigset_t begins with the kernel's mask of 8 bytes.
    unsafe {
        if !context.is_null() {
            let mask = (&raw mut (*context).uc_sigmask).cast::<u64>();
            *mask = Mask(*mask).for_kernel().0;
        }
    }
}

/// Replaces SIGSEGV by its proxy in the mask of this thread. Returns whether the mask contained SIGSEGV.
pub fn unblock() -> bool {
    let mask = Mask(kernel_mask(libc::SIG_BLOCK, 0));
    let blocked = mask.has(libc::SIGSEGV);
    if blocked {
        kernel_mask(libc::SIG_SETMASK, mask.for_kernel().0);
    }
    blocked
}

/// Checks whether the program has blocked SIGSEGV by a direct system call. If it has, the next jump to its stack would kill
/// it, so this function unblocks SIGSEGV and blocks the proxy instead. The first time, it prints a message.
pub fn check_mask() {
    static SAID: AtomicBool = AtomicBool::new(false);
    // Relaxed: no other data depends on it.
    if unblock() && !SAID.swap(true, Relaxed) {
        Line::new()
            .text(b"the program blocked SIGSEGV by a system call of its own; a jump to its stack would then have killed it")
            .print();
    }
}

/// Delivers a signal to the program as if this library were not loaded. The signal is not a jump to a trampoline.
pub fn forward(signal: c_int, info: &mut siginfo_t, context: &mut ucontext_t) -> Forward {
    // A positive code means that the signal is a fault. Otherwise a process has sent the signal.
    let is_fault = info.si_code > 0;
    if signal == PROXY {
        if info.si_errno != QUEUED {
            // The program has not set an action for this signal, because that action would have replaced this handler.
            return die(PROXY, false, info);
        }
        info.si_signo = libc::SIGSEGV;
        info.si_errno = 0;
    } else if Mask::of(context).has(PROXY) {
        // The program believes SIGSEGV to be blocked.
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

/// Restores the default action and lets the signal occur again, so that the kernel ends the process at the place where the
/// signal occurred.
fn die(signal: c_int, is_fault: bool, info: &siginfo_t) -> Forward {
    crate::report::write();
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
