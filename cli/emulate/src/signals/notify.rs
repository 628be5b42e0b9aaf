//! Functions that accept a function to run on a new thread (SIGEV_THREAD). The C library blocks all signals in such threads
//! with direct system calls.

use crate::next::{Next, functions};
use crate::recognise::Pair;
use crate::table::{Use, callback, table_trampoline};
use core::arch::naked_asm;
use core::ffi::{c_int, c_void};

/// glibc's `struct sigevent`, which has 64 bytes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Event {
    value: usize,
    signal: c_int,
    notify: c_int,
    function: usize,
    attributes: usize,
    rest: [u64; 4],
}

/// Copies the event that the program passed to `next`, so that the event's function is called with the proxy blocked
/// instead of SIGSEGV. Returns the event itself if it needs no change, or if no table trampoline can be made.
///
/// # Safety
/// The pointer must be null or point to an event.
unsafe fn with_proxy(event: *const Event, next: &'static Next, copy: &mut Event) -> *const Event {
    // SAFETY: the caller guarantees that the pointer is valid.
    let Some(&given) = (unsafe { event.as_ref() }) else { return event };
    if given.notify != libc::SIGEV_THREAD {
        return event;
    }
    let function = callback(given.function, Use::Kept, next, 0);
    let pair = Pair { callee: (begin as *const ()).expose_provenance(), chain: function };
    let Some(stub) = table_trampoline(function, pair, Use::Kept) else { return event };
    *copy = Event { function: stub, ..given };
    copy
}

/// Begins a thread: changes the mask, and jumps to the program's function, whose address is the static chain.
#[unsafe(naked)]
unsafe extern "C" fn begin() {
    naked_asm!(
        ".cfi_startproc",
        "endbr64",
        "push rdi",
        "push r10",
        "sub rsp, 8",
        ".cfi_adjust_cfa_offset 24",
        "call {unblock}",
        "add rsp, 8",
        "pop r10",
        "pop rdi",
        ".cfi_adjust_cfa_offset -24",
        "jmp r10",
        ".cfi_endproc",
        unblock = sym unblock,
    )
}

extern "C" fn unblock() {
    super::masks::unblock();
}

/// Defines functions with the C library's contract.
macro_rules! with_events {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        functions! { $($name)* }

        $(
            /// Calls the original function with the changed event.
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name($($argument: $type),*, event: *const Event, last: *mut c_void) -> c_int {
                let interposed = &FUNCTIONS[Number::$name as usize];
                let mut copy = Event { value: 0, signal: 0, notify: 0, function: 0, attributes: 0, rest: [0; 4] };
                // SAFETY: this is the function's type in the C library's headers, and the arguments are the program's own. If
                // the function has no last argument, it does not read the register.
                unsafe {
                    let next: unsafe extern "C" fn($($type),*, *const Event, *mut c_void) -> c_int = interposed.function();
                    next($($argument),*, with_proxy(event, interposed, &mut copy), last)
                }
            }
        )*
    };
}

with_events! {
    timer_create(clock: c_int);
    mq_notify(queue: c_int);
    getaddrinfo_a(mode: c_int, list: *mut c_void, count: c_int);
}
