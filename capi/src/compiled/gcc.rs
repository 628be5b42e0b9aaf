//! The functions called by code that was compiled by GCC 14 or later with `-ftrampoline-impl=heap`. When a host (an
//! enclosing function) begins, it makes one trampoline for each of its nested functions. When the host ends, it deletes
//! its trampolines, newest first, through calls that do not identify the trampoline.
//!
//! Each thread therefore keeps a list of its trampolines (`thread_list.rs`), with the stack pointers of the calls that
//! made them. A host requests a deletion with the stack pointer that it had when it made the trampoline, so the newest
//! trampoline with that stack pointer is deleted. Hosts that were inlined into each other have the same stack pointer,
//! and delete their trampolines in the reverse order of their creation. If hand-written code makes and deletes a
//! trampoline in separate functions, the newest trampoline whose chain points into an active frame is deleted.
//!
//! A host that is abandoned by `longjmp` or a non-local goto does not request a deletion. Two rules identify the
//! trampolines of such hosts:
//!
//! - On the thread's own stack, a trampoline made below the current stack pointer belongs to an abandoned frame, unless
//!   its chain is above the stack pointer. The next call that makes or deletes a trampoline frees such trampolines from
//!   the top of the list, down to the first one made above the stack pointer. Each trampoline is therefore usually
//!   examined once, and abandoned trampolines on that stack do not accumulate. Trampolines on other stacks (fibers) are
//!   left alone.
//! - On any stack, a host that is called again with the stack pointer of its abandoned predecessor requests a
//!   trampoline with the same callee, chain and stack pointer. Two active hosts never request the same combination,
//!   because code compiled by GCC makes the trampoline when the host begins, before the host moves the stack pointer.
//!   The later host takes over its predecessor's entry and moves it to the top of the list.

use super::at_work::end_abandoned_work;
use super::reclaim::make_room;
use super::{maker, thread_list};
use crate::arch;
use crate::reclaim::enable;
use core::ffi::c_void;
use statictramp::for_capi::host::{self, Claimed, Recent};
use statictramp::for_capi::message::fatal;

/// Makes a trampoline for a nested function and stores its address at `destination`.
///
/// This function is naked, so that it can pass the caller's stack pointer to `created` as a fourth argument.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn __gcc_nested_func_ptr_created(
    chain: *mut c_void,
    callee: *const (),
    destination: *mut *const (),
) {
    arch::go_on!(__gcc_nested_func_ptr_created: stack_pointer fourth, created)
}

unsafe extern "C" fn created(
    chain: *mut c_void,
    callee: *const (),
    destination: *mut *const (),
    here: usize,
) {
    let chain = chain.cast();
    let claimed = if thread_list::is_further_up(here) { host::claim_fast(callee) } else { None };
    let address = match claimed {
        Some(claimed) => arm(claimed, callee, chain, here),
        None => created_slow(callee, chain, here),
    };
    // SAFETY: compiled code passes the address of a variable that receives the result.
    unsafe { destination.write(address) }
}

/// Makes a trampoline in a claimed slot, records the stack pointer and the thread, and adds the trampoline to this
/// thread's list.
#[inline(always)]
fn arm(claimed: Claimed, callee: *const (), chain: *mut (), here: usize) -> *const () {
    let slot = claimed.slot();
    maker::record_gcc(slot, here);
    let address = claimed.arm(callee, chain);
    thread_list::push(address, slot, here);
    address
}

/// Makes a trampoline in the cases that the fast path does not handle. This function is not inlined, to keep the fast
/// path small.
#[cold]
#[inline(never)]
fn created_slow(callee: *const (), chain: *mut (), here: usize) -> *const () {
    if callee.is_null() {
        fatal("a nested function with a null address cannot have a trampoline")
    }
    enable(make_room);
    end_abandoned_work(here);
    thread_list::free_abandoned_on_top(here);
    let recent = Recent::new(callee, chain);
    let same = |slot| host::equal_in(slot, callee, chain);
    // Takes over the trampoline of an abandoned predecessor that ran on this thread or on an earlier thread with the
    // same stack memory.
    if let Some(address) = thread_list::take_over(here, recent.slots(), thread_list::SHORT, same) {
        return address;
    }
    let claimed = match host::claim(callee, make_room) {
        Some(claimed) => claimed,
        // Abandoned entries with the same stack pointer but different chains can accumulate (AddressSanitizer moves
        // frames to the heap), so all entries are searched only if the table would otherwise have to grow.
        None => match thread_list::take_over(here, core::iter::empty(), usize::MAX, same) {
            Some(address) => return address,
            None => host::claim_or_grow(callee).unwrap_or_else(|| super::abort_table_full()),
        },
    };
    let slot = claimed.slot();
    let address = arm(claimed, callee, chain, here);
    recent.record(slot);
    address
}

/// Frees the newest trampoline of the calling host.
#[unsafe(no_mangle)]
#[unsafe(naked)]
extern "C" fn __gcc_nested_func_ptr_deleted() {
    arch::go_on!(__gcc_nested_func_ptr_deleted: stack_pointer first, deleted)
}

extern "C" fn deleted(here: usize) {
    if !thread_list::free_newest(here) {
        deleted_slow(here)
    }
}

/// Frees the calling host's newest trampoline in the cases that the fast path does not handle.
#[cold]
#[inline(never)]
fn deleted_slow(here: usize) {
    end_abandoned_work(here);
    if !thread_list::free_newest_active(here) {
        fatal("a nested function's trampoline was deleted, but this thread has none on this stack")
    }
}
