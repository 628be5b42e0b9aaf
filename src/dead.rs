//! What a call through a freed trampoline runs, and says.

#[cfg(not(loom))]
use crate::hook::Hook;
#[cfg(all(not(loom), unix))]
use crate::line::Line;

/// Told of a call through a freed trampoline: the slot's number (`usize::MAX` if it could
/// not be told) and the address of the procedure the slot served last (null likewise).
///
/// It runs on the stack of the caller, on whatever thread that is, perhaps in a signal
/// handler or an interrupt. When it returns, the process is aborted (on a target without
/// processes: the processor is trapped).
pub type DeadCallHandler = extern "C" fn(slot: usize, late_procedure: *const ());

#[cfg(not(loom))]
static HANDLER: Hook = Hook::new();

/// Replaces what a call through a freed trampoline does; `None` brings back the default:
/// one line on standard error and abort. Returns nothing and cannot fail; safe at any
/// time, in any thread.
#[cfg(not(loom))]
pub fn on_dead_call(handler: Option<DeadCallHandler>) {
    HANDLER.set(handler.map_or(core::ptr::null(), |handler| handler as *const ()));
}

/// Reached from [`dead_procedure`](crate::arch::dead_procedure) with what the stub found
/// in the slot's chain.
#[cfg(not(loom))]
pub(crate) extern "C" fn diagnose(record: usize) {
    let late = crate::POOL.late_procedure(record);
    let (slot, procedure) =
        late.map_or((usize::MAX, core::ptr::null()), |(index, late)| (index as usize, late));
    // SAFETY: only `on_dead_call` stores there, and it stores such a function or null, which is
    // how an `Option` of a function pointer is represented.
    match unsafe { core::mem::transmute::<*const (), Option<DeadCallHandler>>(HANDLER.get()) } {
        Some(handler) => handler(slot, procedure),
        None =>
        {
            #[cfg(unix)]
            report(slot, procedure)
        }
    }
    crate::line::abort()
}

/// One line on standard error, put together on the stack: async-signal-safe.
#[cfg(all(not(loom), unix))]
fn report(slot: usize, procedure: *const ()) {
    let mut line = Line::new("call through a freed trampoline");
    if procedure.is_null() {
        line.text(" whose slot is being reused");
    } else {
        line.text(": slot ").decimal(slot).text(", late callee ").address(procedure);
        #[cfg(target_os = "linux")]
        crate::symbol::append(&mut line, procedure.addr());
    }
    line.print();
}
