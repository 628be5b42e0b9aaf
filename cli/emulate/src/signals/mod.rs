//! The program's signals: its SIGSEGV handler and its masks work as if this library were not loaded.
//!
//! - `kernel.rs`: the kernel's actions; `action.rs`: the program's action for SIGSEGV, which is not set in the
//!   kernel; `forward.rs`: signals that are delivered to the program;
//! - `interposed.rs`: functions that set actions; `masks.rs`: functions that set masks.
//!
//! The kernel must not find SIGSEGV blocked, because it would then kill the process at the first jump to a stack. Masks that
//! the program sets therefore contain the last signal (SIGRTMAX, **the proxy**) in its place. The kernel saves and restores
//! the proxy with the mask: when handlers return, `siglongjmp` is called, threads begin, or contexts are exchanged. If
//! another process sends SIGSEGV while the program has it blocked, the signal is queued as the proxy, and is delivered when
//! the program unblocks SIGSEGV.

mod action;
pub mod forward;
mod interposed;
mod kernel;
pub mod masks;
mod notify;

use action::{Action, INSTALLED, is_in_parents_memory};
use core::ffi::c_int;
use core::sync::atomic::Ordering::Relaxed;
use kernel::{PROXY, kernel_action, set_kernel_action};
use libc::ucontext_t;
use masks::{Mask, unblock};

pub use action::Entry;

/// Installs the SIGSEGV handler.
pub fn install(entry: Entry) {
    action::enter_at(entry);
    let signal = libc::SIGSEGV;
    let before = kernel_action(signal);
    interposed::find_all();
    masks::find_all();
    notify::find_all();
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
    if INSTALLED.load(Relaxed) && now.handler != action::handler_code() {
        action::set(Action { handler: now.handler, flags: now.flags as c_int, mask: Mask(now.mask) });
        action::install();
    }
}

/// Replaces SIGSEGV with its proxy in the mask of a context.
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
