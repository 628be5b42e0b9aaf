//! Handling of calls through freed trampolines.

#[cfg(any(unix, windows, feature = "std"))]
use crate::message::Message;
use crate::sync::Hook;

/// A function that handles a call through a freed trampoline, on the caller's thread and stack, possibly in a signal
/// handler or an interrupt. It receives the slot's number (`usize::MAX` if unknown) and the address of the slot's
/// former callee (null if unknown).
///
/// If the handler returns, the process aborts or, on a target without processes, a trap instruction is executed.
pub type DeadCallHandler = extern "C" fn(slot: usize, former_callee: *const ());

#[cfg(not(loom))]
static HANDLER: Hook = Hook::new();
#[cfg(not(loom))]
static HANDLER_FROM: Hook = Hook::new();
#[cfg(loom)]
loom::lazy_static! {
    static ref HANDLER: Hook = Hook::new();
    static ref HANDLER_FROM: Hook = Hook::new();
}

/// Like [`DeadCallHandler`], but also receives the call's return address, so that the handler can identify the caller.
/// The address is null on targets without stubs, and under an operating system, because a debugger shows the caller
/// there.
pub type DeadCallFromHandler =
    extern "C" fn(slot: usize, former_callee: *const (), return_address: *const ());

/// Sets the handler for calls through freed trampolines. `None` restores the default, which prints a message and
/// aborts. This function cannot fail, and may be called at any time and on any thread.
pub fn on_dead_call(handler: Option<DeadCallHandler>) {
    HANDLER.set(handler.map_or(core::ptr::null(), |handler| handler as *const ()));
}

/// Like [`on_dead_call`], for a handler that also receives the return address. If both handlers are set, this one runs
/// first.
pub fn on_dead_call_from(handler: Option<DeadCallFromHandler>) {
    HANDLER_FROM.set(handler.map_or(core::ptr::null(), |handler| handler as *const ()));
}

/// Handles a call through a freed trampoline. `former` contains the slot's index and former callee if the slot is still
/// dead and the record of its last free could be read. Returns the slot's number, or `usize::MAX` if it is unknown. In
/// either case, the caller ends the process. This function is inlined so that the compiler calls a handler instead of
/// jumping to it through a register.
#[inline(always)]
pub(crate) fn dead_call(former: Option<(u32, *const ())>, return_address: *const ()) -> usize {
    let (slot, callee) =
        former.map_or((usize::MAX, core::ptr::null()), |(index, callee)| (index as usize, callee));
    // SAFETY: only `on_dead_call_from` stores to `HANDLER_FROM`, and it stores null or a `DeadCallFromHandler`. An
    // `Option` of a function pointer has the same representation.
    let from = unsafe { core::mem::transmute::<*const (), Option<DeadCallFromHandler>>(HANDLER_FROM.get()) };
    if let Some(handler) = from {
        handler(slot, callee, return_address);
    }
    // SAFETY: as above, for `on_dead_call`.
    match unsafe { core::mem::transmute::<*const (), Option<DeadCallHandler>>(HANDLER.get()) } {
        Some(handler) => handler(slot, callee),
        None if from.is_some() => {}
        None =>
        {
            #[cfg(any(unix, windows, feature = "std"))]
            report(slot, callee)
        }
    }
    slot
}

/// Prints one line, assembled on the stack, to standard error. Async-signal-safe.
#[cfg(any(unix, windows, feature = "std"))]
fn report(slot: usize, callee: *const ()) {
    let mut message = Message::new("call through a freed trampoline");
    if callee.is_null() {
        message.text(" whose slot is being freed or reused");
    } else {
        message.text(": slot ").decimal(slot).text(", former callee ").address(callee);
        name(&mut message, slot, callee);
    }
    message.print();
}

/// Appends the name of a closure or a function, in parentheses, if it can be found.
#[cfg(any(unix, windows, feature = "std"))]
fn name(message: &mut Message, slot: usize, callee: *const ()) {
    #[cfg(named)]
    if let Some(closure) = super::names::of(slot, callee) {
        closure.append(message.text(" ("));
        message.text(")");
        return;
    }
    #[cfg(all(target_os = "linux", not(loom)))]
    super::symbol::append(message, callee.addr());
    let _ = (message, slot, callee);
}
