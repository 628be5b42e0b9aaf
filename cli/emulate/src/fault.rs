//! The SIGSEGV handler. If a jump to a trampoline on a stack faults, the handler lets the program continue at the
//! trampoline's callee.

use crate::message::Line;
use crate::signals::Entry;
use crate::signals::forward::{Forward, forward};
use crate::{module, recognise, report, sys};
use core::arch::naked_asm;
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use libc::{siginfo_t, ucontext_t};

/// The signal handler's entry point, which the kernel calls. It jumps to the program's own handler with the stack and
/// registers that the kernel set, so the handler runs as if the kernel had called it directly.
#[unsafe(naked)]
unsafe extern "C" fn enter() {
    naked_asm!(
        ".cfi_startproc",
        "endbr64",
        "push rdi",
        "push rsi",
        "push rdx",
        "sub rsp, 16", // aligns the stack for the call: the kernel has pushed a return address onto an aligned stack
        ".cfi_adjust_cfa_offset 40",
        "call {decide}",
        "add rsp, 16",
        "pop rdx",
        "pop rsi",
        "pop rdi",
        ".cfi_adjust_cfa_offset -40",
        "test rax, rax",
        "jz 2f",
        "mov edi, {segv}", // a queued SIGSEGV arrives with the proxy's number
        "jmp rax",
        "2: ret",
        ".cfi_endproc",
        segv = const libc::SIGSEGV,
        decide = sym decide,
    )
}

/// Returns from a signal. The bytes are the same as in libc, because unwinders and debuggers recognise them. No unwind
/// information may cover these bytes or the byte before them.
#[unsafe(naked)]
unsafe extern "C" fn returning() {
    naked_asm!("nop", ".byte 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0", "syscall") // mov $15, %rax
}

/// Returns the addresses to pass to the kernel.
pub fn entry() -> Entry {
    Entry { handler: (enter as *const ()).expose_provenance(), restorer: (returning as *const ()).addr() + 1 }
}

/// SEGV_ACCERR: the memory exists, but does not allow the access.
const SEGV_ACCERR: c_int = 2;

/// Returns the address of the program's handler, or 0 to return from the signal.
extern "C" fn decide(signal: c_int, info: *mut siginfo_t, context: *mut ucontext_t) -> usize {
    // SAFETY: the kernel passes the addresses of both structures, which are valid until the handler returns.
    let (info, context) = unsafe { (&mut *info, &mut *context) };
    let registers = &mut context.uc_mcontext.gregs;
    let at = registers[libc::REG_RIP as usize] as usize;
    if info.si_code > 0
        && let Some(next) = sys::continue_copy(at)
    {
        registers[libc::REG_RIP as usize] = next as i64;
        return 0;
    }
    let stack = registers[libc::REG_RSP as usize] as usize;
    // SAFETY: the kernel stores the address of a fault. For other signals, these bytes have a different meaning, and
    // the result is not used.
    let fetched =
        signal == libc::SIGSEGV && info.si_code == SEGV_ACCERR && unsafe { info.si_addr() }.addr() == at;
    if fetched && let Some(pair) = recognise::at(at, stack) {
        if lands_well(pair.callee) {
            report::faulted(pair.callee, stack);
            registers[libc::REG_R10 as usize] = pair.chain as i64;
            registers[libc::REG_R11 as usize] = pair.callee as i64;
            registers[libc::REG_RIP as usize] = pair.callee as i64;
            return 0;
        }
        complain(at, pair.callee);
    }
    match forward(signal, info, context) {
        Forward::Enter(handler) => handler,
        Forward::Return => 0,
    }
}

/// Returns whether a jump to the callee would also succeed if landing pads were enforced. This is the case if the callee
/// begins with a landing pad, or if its file is not marked as having landing pads.
fn lands_well(callee: usize) -> bool {
    !module::promises_landing_pads(callee) || recognise::has_landing_pad(callee)
}

/// Reports that the callee of a trampoline was not called. Only the first report is printed.
#[cold]
fn complain(at: usize, callee: usize) {
    static REPORTED: AtomicBool = AtomicBool::new(false);
    // Relaxed: no other data depends on this flag.
    if !REPORTED.swap(true, Relaxed) {
        Line::new()
            .text(b"the trampoline at ")
            .hexadecimal(at)
            .text(b" was not followed: its callee ")
            .hexadecimal(callee)
            .text(b" has no landing pad, although its file promises landing pads")
            .print();
    }
}
