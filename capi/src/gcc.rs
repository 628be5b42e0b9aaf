//! What GCC's code calls from GCC 14 on, under `-ftrampoline-impl=heap`: a stack of
//! trampolines for each thread, of which only the newest is ever deleted.

use crate::compiled;
use crate::tls::Word::Newest;
use core::ffi::c_void;
use core::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};
use statictramp::line::fatal;
use statictramp::{AllocError, Trampoline, host, side, slot_of};

/// Makes a trampoline for a nested function and stores its address at `destination`.
///
/// The one before is remembered beside the slot.
#[unsafe(no_mangle)]
unsafe extern "C" fn __gcc_nested_func_ptr_created(
    chain: *mut c_void,
    function: *const (),
    destination: *mut *const (),
) {
    let address = match Trampoline::again(function, |_| (function, chain.cast())) {
        Some(trampoline) => trampoline.into_raw(),
        None => make_cold(function, chain),
    };
    before(address).store(with_exposed_provenance_mut(Newest.get()), Relaxed);
    Newest.set(address.expose_provenance());
    // SAFETY: compiled code passes the address of a variable for this.
    unsafe { destination.write(address) }
}

/// Apart, so that the usual case is a small function.
#[cold]
#[inline(never)]
fn make_cold(function: *const (), chain: *mut c_void) -> *const () {
    match Trampoline::making_room(function, |_| (function, chain.cast()), compiled::make_room) {
        Ok(trampoline) => trampoline.into_raw(),
        Err(AllocError::NullCallee) => {
            fatal("a nested function with a null address cannot have a trampoline")
        }
        Err(_) => compiled::full(),
    }
}

/// Frees the newest trampoline of this thread.
#[unsafe(no_mangle)]
extern "C" fn __gcc_nested_func_ptr_deleted() {
    let address: *const () = with_exposed_provenance(Newest.get());
    if address.is_null() {
        fatal("a nested function's trampoline was deleted, but this thread has none")
    }
    Newest.set(before(address).load(Relaxed).expose_provenance());
    // SAFETY: only this thread has it on its stack of trampolines, and now no more.
    if unsafe { statictramp::free(address) }.is_err() {
        fatal("a nested function's trampoline was freed before GCC's code deleted it")
    }
}

/// Where the trampoline before this one is remembered.
#[inline(always)]
fn before(address: *const ()) -> &'static AtomicPtr<()> {
    let slot = host::slot_in_table(address).or_else(|| slot_of(address));
    &side::of(slot.unwrap_or(0)).first // every address here is that of a trampoline
}
