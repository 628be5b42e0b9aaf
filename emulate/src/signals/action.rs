//! The program's action for SIGSEGV.

use super::{KernelAction, Mask, PROXY, kernel_action, kernel_mask, set_kernel_action};
use crate::fault;
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

const SA_RESTORER: usize = 0x0400_0000;

/// The action, and a number that is odd while it changes.
static VERSION: AtomicUsize = AtomicUsize::new(0);
static HANDLER: AtomicUsize = AtomicUsize::new(libc::SIG_DFL);
static FLAGS: AtomicUsize = AtomicUsize::new(0);
static MASK: AtomicU64 = AtomicU64::new(0);
/// Held by the thread that changes the action, with all signals blocked, so no handler can interrupt it.
static LOCK: AtomicBool = AtomicBool::new(false);

/// Returns the program's action. Waits only while another thread, with all signals blocked, is between its two stores
/// to the number.
pub fn get() -> Action {
    loop {
        // Acquire: the loads below come after it. The fence orders them before the second load of the number.
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
    // Acquire: the stores below come after the lock is held.
    while LOCK.swap(true, Acquire) {
        core::hint::spin_loop();
    }
    // Relaxed, and a Release fence: a reader that sees one of the stores below sees the odd number.
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

/// The signals that instructions cause. They are not blocked while this library's handler runs.
const BY_INSTRUCTIONS: u64 = 1 << (libc::SIGSEGV - 1)
    | 1 << (libc::SIGBUS - 1)
    | 1 << (libc::SIGILL - 1)
    | 1 << (libc::SIGFPE - 1)
    | 1 << (libc::SIGTRAP - 1)
    | 1 << (libc::SIGSYS - 1);

/// Returns the action that the kernel gets for an action of the program: the same stack and flags. All other signals
/// wait until this library's handler has ended, because their handlers may leave it, and its stack, for good or for
/// another context.
pub fn for_kernel(action: &Action) -> KernelAction {
    // Without a handler of the program, its alternate stack may be too small, or may not exist any more.
    let mut flags = libc::SA_RESTART;
    if action.handler != libc::SIG_DFL && action.handler != libc::SIG_IGN {
        flags = action.flags & !libc::SA_RESETHAND;
    }
    flags |= libc::SA_SIGINFO | libc::SA_NODEFER;
    KernelAction {
        handler: fault::address(),
        flags: flags as usize | SA_RESTORER,
        restorer: fault::restorer(),
        mask: !BY_INSTRUCTIONS,
    }
}

/// Returns the mask that the kernel would set for the program's handler, where `interrupted` is that of the interrupted
/// code. SIGSEGV itself is never blocked, its proxy is.
pub fn mask_in_handler(action: &Action, interrupted: Mask) -> Mask {
    let mask = Mask(interrupted.0 | action.mask.for_kernel().0);
    if action.flags & libc::SA_NODEFER == 0 { mask.with(PROXY) } else { mask }
}

/// Gives the kernel the handler, for the present action of the program.
pub fn install() {
    let action = for_kernel(&get());
    set_kernel_action(libc::SIGSEGV, &action);
    // The program may use the proxy's signal itself.
    if kernel_action(PROXY).handler == action.handler {
        set_kernel_action(PROXY, &action);
    }
}
