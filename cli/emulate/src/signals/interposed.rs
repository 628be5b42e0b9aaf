//! Functions that set a signal's action. This library stores the program's action for SIGSEGV. For other signals it sets the
//! action in the kernel, after replacing a handler on a stack with a table trampoline and removing SIGSEGV from the mask.

use super::action::{self, Action, INSTALLED};
use super::kernel::{PROXY, kernel_action};
use super::masks::{self, Mask, copy_for_kernel, invalid};
use crate::next::Next;
use crate::sys::kernel_mask;
use crate::table::{Use, callback};
use core::ffi::c_int;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use libc::sigaction as CAction;

static SIGACTION: Next = Next::new(c"sigaction");

type SigactionFn = unsafe extern "C" fn(c_int, *const CAction, *mut CAction) -> c_int;

pub fn find_all() {
    for function in [&SIGACTION, &SIGNAL_, &SYSV] {
        function.address();
    }
}

fn next() -> SigactionFn {
    // SAFETY: this is the function's type in <signal.h>.
    unsafe { SIGACTION.function() }
}

/// The handler on a stack that the program has set for a signal, and the table trampoline that replaces it. If the program
/// reads the action, it gets its own handler.
struct Given {
    handler: AtomicUsize,
    stub: AtomicUsize,
}

static GIVEN: [Given; 65] = [const { Given { handler: AtomicUsize::new(0), stub: AtomicUsize::new(0) } }; 65];

/// A copy of a `Given`.
#[derive(Clone, Copy)]
struct Replaced {
    handler: usize,
    stub: usize,
}

// Relaxed for all words: if two threads set the same signal's action concurrently, each may read either handler, as it
// could without this library.
impl Given {
    /// Returns `None` for an invalid number, which libc rejects.
    fn of(signal: c_int) -> Option<&'static Given> {
        GIVEN.get(usize::try_from(signal).ok()?)
    }

    /// Returns the table trampoline that replaces a handler on a stack, and records both. Any other handler is returned
    /// unchanged. `function` is the function that received the handler.
    fn replace(&self, handler: usize, function: &'static Next) -> usize {
        let stub = callback(handler, Use::Kept, function, 0);
        if stub != handler {
            self.handler.store(handler, Relaxed);
            self.stub.store(stub, Relaxed);
        }
        stub
    }

    fn read(&self) -> Replaced {
        Replaced { handler: self.handler.load(Relaxed), stub: self.stub.load(Relaxed) }
    }
}

impl Replaced {
    /// Returns the handler that the program has set, for the handler that was passed on.
    fn original(self, found: usize) -> usize {
        if self.stub != 0 && found == self.stub { self.handler } else { found }
    }
}

/// Examines and changes the action of a signal.
#[unsafe(no_mangle)]
unsafe extern "C" fn sigaction(signal: c_int, new: *const CAction, old: *mut CAction) -> c_int {
    // Relaxed: the flag is set before the program begins.
    if signal == libc::SIGSEGV && INSTALLED.load(Relaxed) {
        // SAFETY: the caller passes its own arguments.
        unsafe { of_segv(new, old) };
        return 0;
    }
    // SAFETY: the caller passes its own arguments.
    unsafe { of_another(signal, new, old) }
}

/// Examines and changes the action of SIGSEGV.
///
/// # Safety
/// Same as for `sigaction`.
unsafe fn of_segv(new: *const CAction, old: *mut CAction) {
    if action::is_in_parents_memory() {
        // This is the child of a `vfork`, which will execute another program. The parent's action must not change.
        // SAFETY: the caller passes its own arguments.
        unsafe { next()(libc::SIGSEGV, new, old) };
        return;
    }
    let before = action::get();
    let given = &GIVEN[libc::SIGSEGV as usize];
    let replaced = given.read();
    // SAFETY: the pointer is null or points to an action. The action is read before `old` is written, because both may be
    // the same.
    let new = unsafe { new.as_ref() }.map(|new| Action {
        handler: given.replace(new.sa_sigaction, &SIGACTION),
        flags: new.sa_flags,
        // SAFETY: a sigset_t begins with the kernel's mask of 8 bytes.
        mask: Mask(unsafe { *(&raw const new.sa_mask).cast::<u64>() }),
    });
    if let Some(new) = new {
        action::set(new);
        action::install();
    }
    if !old.is_null() {
        // SAFETY: the structure belongs to the program, and all-zero bytes are a valid action.
        unsafe {
            old.write(MaybeUninit::zeroed().assume_init());
            (*old).sa_sigaction = replaced.original(before.handler);
            (*old).sa_flags = before.flags;
            (&raw mut (*old).sa_mask).cast::<u64>().write(before.mask.0);
        }
    }
}

/// Examines and changes the action of a signal in the kernel, with a handler and a mask that suit this library.
///
/// # Safety
/// Same as for `sigaction`.
unsafe fn of_another(signal: c_int, new: *const CAction, old: *mut CAction) -> c_int {
    let given = Given::of(signal);
    let replaced = given.map(Given::read);
    // SAFETY: the pointer is null or points to an action.
    let mut copy = unsafe { new.as_ref() }.copied();
    if let Some(copy) = &mut copy {
        if let Some(given) = given {
            copy.sa_sigaction = given.replace(copy.sa_sigaction, &SIGACTION);
        }
        // SAFETY: the program passes a signal set.
        if let Some(mask) = unsafe { copy_for_kernel(&raw const copy.sa_mask) } {
            copy.sa_mask = mask;
        }
    }
    let passed = copy.as_ref().map_or(core::ptr::null(), core::ptr::from_ref);
    // SAFETY: the caller passes its own arguments, and the action is a copy of the caller's.
    let result = unsafe { next()(signal, passed, old) };
    // SAFETY: the pointer is null, or the function has filled the structure.
    if let (0, Some(old)) = (result, unsafe { old.as_mut() }) {
        // SAFETY: the function has filled the set.
        unsafe { masks::for_program(&raw mut old.sa_mask) };
        if let Some(replaced) = replaced {
            old.sa_sigaction = replaced.original(old.sa_sigaction);
        }
        if signal == PROXY && old.sa_sigaction == action::handler_code() {
            old.sa_sigaction = libc::SIG_DFL;
            old.sa_flags = 0;
        }
    }
    result
}

/// Sets a handler with these flags. Returns the previous handler, or SIG_ERR.
fn set_handler(signal: c_int, handler: usize, flags: c_int, mask: Mask) -> usize {
    if !(1..=PROXY).contains(&signal) {
        invalid();
        return libc::SIG_ERR;
    }
    // SAFETY: all-zero bytes are a valid action.
    let (mut new, mut old): (CAction, CAction) = unsafe { MaybeUninit::zeroed().assume_init() };
    new.sa_sigaction = handler;
    new.sa_flags = flags;
    // SAFETY: a sigset_t begins with the kernel's mask of 8 bytes.
    unsafe { (&raw mut new.sa_mask).cast::<u64>().write(mask.0) };
    // SAFETY: both actions are valid.
    match unsafe { sigaction(signal, &raw const new, &raw mut old) } {
        0 => old.sa_sigaction,
        _ => libc::SIG_ERR,
    }
}

/// Sets the handler of SIGSEGV. For other signals, calls libc, which knows which signals `siginterrupt` has changed.
fn by(function: &'static Next, number: c_int, handler: usize, flags: c_int) -> usize {
    if number == libc::SIGSEGV {
        // As in libc, `signal` adds the signal to the mask, and `sysv_signal` leaves the mask empty.
        let mask = if flags & libc::SA_RESTART != 0 { 1 << (number - 1) } else { 0 };
        return set_handler(number, handler, flags, Mask(mask));
    }
    // SAFETY: all these functions have this type in <signal.h>.
    let next: extern "C" fn(c_int, usize) -> usize = unsafe { function.function() };
    let Some(given) = Given::of(number) else {
        return next(number, handler);
    };
    let replaced = given.read();
    match replaced.original(next(number, given.replace(handler, function))) {
        old if old == action::handler_code() => libc::SIG_DFL,
        old => old,
    }
}

static SIGNAL_: Next = Next::new(c"signal");
static SYSV: Next = Next::new(c"__sysv_signal");

/// Sets a handler that remains set after the signal has occurred.
#[unsafe(no_mangle)]
extern "C" fn signal(number: c_int, handler: usize) -> usize {
    by(&SIGNAL_, number, handler, libc::SA_RESTART)
}

/// Does the same as `signal`, under its other name.
#[unsafe(no_mangle)]
extern "C" fn bsd_signal(number: c_int, handler: usize) -> usize {
    by(&SIGNAL_, number, handler, libc::SA_RESTART)
}

/// Sets a handler as in System V: the action is reset when the signal occurs.
#[unsafe(no_mangle)]
extern "C" fn sysv_signal(number: c_int, handler: usize) -> usize {
    by(&SYSV, number, handler, libc::SA_RESETHAND | libc::SA_NODEFER)
}

/// Does the same as `sysv_signal`, under its name in <signal.h>.
#[unsafe(no_mangle)]
extern "C" fn __sysv_signal(number: c_int, handler: usize) -> usize {
    by(&SYSV, number, handler, libc::SA_RESETHAND | libc::SA_NODEFER)
}

/// Ignores a signal.
#[unsafe(no_mangle)]
extern "C" fn sigignore(number: c_int) -> c_int {
    if set_handler(number, libc::SIG_IGN, 0, Mask(0)) == libc::SIG_ERR { -1 } else { 0 }
}

/// Sets a handler and removes the signal from the mask, or adds it to the mask (SIG_HOLD). Returns SIG_HOLD if the signal
/// was blocked.
#[unsafe(no_mangle)]
extern "C" fn sigset(number: c_int, handler: usize) -> usize {
    const SIG_HOLD: usize = 2;
    if !(1..=PROXY).contains(&number) {
        invalid();
        return libc::SIG_ERR;
    }
    let mask = Mask(1 << (number - 1));
    let how = if handler == SIG_HOLD { libc::SIG_BLOCK } else { libc::SIG_UNBLOCK };
    let before = if handler == SIG_HOLD {
        match number {
            libc::SIGSEGV => action::get().handler,
            _ => kernel_action(number).handler,
        }
    } else {
        match set_handler(number, handler, 0, Mask(0)) {
            libc::SIG_ERR => return libc::SIG_ERR,
            before => before,
        }
    };
    let blocked = Mask(kernel_mask(how, mask.for_kernel().0)).for_program().has(number);
    if blocked { SIG_HOLD } else { before }
}
