//! What GCC's code calls from GCC 14 on, under `-ftrampoline-impl=heap`: a host makes one
//! trampoline for each of its nested functions when it begins, and deletes them when it ends,
//! the newest first. A deletion does not say whose.
//!
//! So each thread keeps a list of its trampolines (`thread_list.rs`), with the stack pointer of the
//! call that made each. A host that calls for a deletion has the stack pointer it had when it called
//! for the making, so it means the newest with that. Hosts that were inlined into each other share
//! it, and delete in order. Hand-written code may make each call from a function of its own. A deletion then
//! means the newest trampoline whose chain is in an active frame.
//!
//! Hosts that are left by `longjmp` or a non-local goto do not call for a deletion. Two rules find
//! what they leave:
//!
//! - On the thread's own stack, what was made further down than where the stack pointer is now
//!   belongs to frames that are gone, unless the chain is further up. The next that makes or deletes frees those from the
//!   top of the list, down to the first that was made further up: so each is met once, as a rule, and what is
//!   left never piles up. What belongs to other stacks (fibers) is left alone.
//! - A host that is called again where its predecessor was left makes the same words at the
//!   same place, on whatever stack. GCC's code makes when a host begins, before that moves its
//!   stack pointer: so no two live hosts were at one place, and the later one takes that entry over,
//!   to the top of the list.

use super::at_work::end_left_work;
use super::{place, thread_list};
use crate::arch;
use crate::reclaim::make_room;
use core::ffi::c_void;
use statictramp::runtime::host::{self, Claimed};
use statictramp::runtime::message::fatal;
use statictramp::runtime::recent::Recent;

/// Makes a trampoline for a nested function and stores its address at `destination`.
///
/// Naked, to pass the stack pointer of the call on as a fourth argument.
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
        None => created_cold(callee, chain, here),
    };
    // SAFETY: compiled code passes the address of a variable for this.
    unsafe { destination.write(address) }
}

/// Notes where a trampoline is made and on which thread, makes it, and puts it on this thread's list.
#[inline(always)]
fn arm(claimed: Claimed, callee: *const (), chain: *mut (), here: usize) -> *const () {
    let slot = claimed.slot();
    place::note_of_gcc(slot, here);
    let address = claimed.arm(callee, chain);
    thread_list::push(address, slot, here);
    address
}

/// Not inlined, so that the usual case is a small function.
#[cold]
#[inline(never)]
fn created_cold(callee: *const (), chain: *mut (), here: usize) -> *const () {
    if callee.is_null() {
        fatal("a nested function with a null address cannot have a trampoline")
    }
    end_left_work(here);
    thread_list::free_left_on_top(here);
    let recent = Recent::new(callee, chain);
    let same = |slot| host::equal_in(slot, callee, chain);
    // That of a dead predecessor, of this thread or of one that had its memory before.
    if let Some(address) = thread_list::take_over(here, recent.slots(), same) {
        return address;
    }
    // An equal one was looked for above, in the few slots where it may be.
    let claimed = host::claim(callee, make_room).or_else(|| host::claim_by_growth(callee));
    let Some(claimed) = claimed else { super::full() };
    let slot = claimed.slot();
    let address = arm(claimed, callee, chain, here);
    recent.note(slot);
    address
}

/// Frees the newest trampoline of the host that calls.
#[unsafe(no_mangle)]
#[unsafe(naked)]
extern "C" fn __gcc_nested_func_ptr_deleted() {
    arch::go_on!(__gcc_nested_func_ptr_deleted: stack_pointer first, deleted)
}

extern "C" fn deleted(here: usize) {
    if !thread_list::free_newest(here) {
        deleted_cold(here)
    }
}

/// The newest is another host's.
#[cold]
#[inline(never)]
fn deleted_cold(here: usize) {
    end_left_work(here);
    if !thread_list::free_newest_active(here) {
        fatal("a nested function's trampoline was deleted, but this thread has none on this stack")
    }
}
