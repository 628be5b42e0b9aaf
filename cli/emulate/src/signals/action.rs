//! The action that the program has set for SIGSEGV.

use super::kernel::{KernelAction, PROXY, kernel_action, set_kernel_action};
use super::masks::Mask;
use crate::sys::{self, kernel_mask};
use core::ffi::c_int;
use core::sync::atomic::{
    AtomicBool, AtomicU64, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
    fence,
};

/// A signal's action as the program has set it.
#[derive(Clone, Copy)]
pub struct Action {
    pub handler: usize,
    pub flags: c_int,
    pub mask: Mask,
}

/// Whether the handler is installed. The handler is installed only in the program's own namespace.
pub static INSTALLED: AtomicBool = AtomicBool::new(false);

const SA_RESTORER: usize = 0x0400_0000;

/// The addresses to pass to the kernel: this library's signal handler, and the code that returns from the handler.
pub struct Entry {
    pub handler: usize,
    pub restorer: usize,
}

/// The two addresses of the stored [`Entry`]. Relaxed suffices, because they are set before other threads exist.
static HANDLER_CODE: AtomicUsize = AtomicUsize::new(0);
static RESTORER: AtomicUsize = AtomicUsize::new(0);

/// Stores the addresses that [`for_kernel`] passes to the kernel.
pub fn enter_at(entry: Entry) {
    HANDLER_CODE.store(entry.handler, Relaxed);
    RESTORER.store(entry.restorer, Relaxed);
}

/// Returns the address of this library's SIGSEGV handler, or 0 if none was installed.
pub fn handler_code() -> usize {
    HANDLER_CODE.load(Relaxed)
}

/// A number that is odd while the action changes.
static VERSION: AtomicUsize = AtomicUsize::new(0);
static HANDLER: AtomicUsize = AtomicUsize::new(libc::SIG_DFL);
static FLAGS: AtomicUsize = AtomicUsize::new(0);
static MASK: AtomicU64 = AtomicU64::new(0);
/// A lock that is held by the thread that changes the action. That thread has blocked all signals, so no handler can
/// interrupt it.
static LOCK: AtomicBool = AtomicBool::new(false);

/// Returns the program's action. Waits only while another thread is between its two stores to `VERSION`. That thread
/// has blocked all signals.
pub fn get() -> Action {
    loop {
        // Acquire: orders the loads below after this one. The fence orders them before the second load of `VERSION`.
        let before = VERSION.load(Acquire);
        let action = Action {
            handler: HANDLER.load(Relaxed),
            flags: FLAGS.load(Relaxed) as c_int,
            mask: Mask(MASK.load(Relaxed)),
        };
        fence(Acquire);
        if before & 1 == 0 && VERSION.load(Relaxed) == before {
            return action;
        }
        core::hint::spin_loop();
    }
}

/// Sets the program's action.
pub fn set(action: Action) {
    let old = kernel_mask(libc::SIG_BLOCK, !0);
    // Acquire: orders the stores below after the acquisition of the lock.
    while LOCK.swap(true, Acquire) {
        core::hint::spin_loop();
    }
    // Relaxed, and a Release fence: a reader that sees one of the stores below also sees the odd number.
    VERSION.store(VERSION.load(Relaxed) + 1, Relaxed);
    fence(Release);
    HANDLER.store(action.handler, Relaxed);
    FLAGS.store(action.flags as usize, Relaxed);
    MASK.store(action.mask.0, Relaxed);
    // Release: a reader that sees the even number sees the stores above.
    VERSION.store(VERSION.load(Relaxed) + 1, Release);
    LOCK.store(false, Release);
    kernel_mask(libc::SIG_SETMASK, old);
}

/// The signals that a faulting instruction can cause. These signals are not blocked while this library's handler
/// runs.
const BY_INSTRUCTIONS: u64 = 1 << (libc::SIGSEGV - 1)
    | 1 << (libc::SIGBUS - 1)
    | 1 << (libc::SIGILL - 1)
    | 1 << (libc::SIGFPE - 1)
    | 1 << (libc::SIGTRAP - 1)
    | 1 << (libc::SIGSYS - 1);

/// Converts the program's action to the action that is set in the kernel, which has the same stack and flags. Signals
/// that are not caused by instructions are blocked while this library's handler runs, because their handlers might
/// leave this handler by jumping or by switching to another context.
pub fn for_kernel(action: &Action) -> KernelAction {
    // If the program has not set a handler, its alternate stack may be too small, or may no longer exist.
    let mut flags = libc::SA_RESTART;
    if action.handler != libc::SIG_DFL && action.handler != libc::SIG_IGN {
        flags = action.flags & !libc::SA_RESETHAND;
    }
    flags |= libc::SA_SIGINFO | libc::SA_NODEFER;
    KernelAction {
        handler: handler_code(),
        flags: flags as usize | SA_RESTORER,
        restorer: RESTORER.load(Relaxed),
        mask: !BY_INSTRUCTIONS,
    }
}

/// Returns the mask that the kernel would set for the program's handler. `interrupted` is the mask of the interrupted
/// code. SIGSEGV itself is never blocked. Its proxy is blocked instead.
pub fn mask_in_handler(action: &Action, interrupted: Mask) -> Mask {
    let mask = Mask(interrupted.0 | action.mask.for_kernel().0);
    if action.flags & libc::SA_NODEFER == 0 { mask.with(PROXY) } else { mask }
}

/// Sets this library's handler in the kernel, with the flags of the program's current action.
pub fn install() {
    let action = for_kernel(&get());
    set_kernel_action(libc::SIGSEGV, &action);
    // The program may use the proxy's signal itself.
    if kernel_action(PROXY).handler == action.handler {
        set_kernel_action(PROXY, &action);
    }
}

/// Returns whether this process is the child of a `vfork`: it has its own signal actions, but shares the parent's memory.
pub fn is_in_parents_memory() -> bool {
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
