//! Bound trampolines: the stub jumps to an adapter and passes it the address of the slot's extra words.

use crate::function::{StatictrampFn, function, function_or_errno};
use crate::reclaim::make_room;
use core::ffi::c_void;
use core::sync::atomic::Ordering::Relaxed;
use statictramp::Trampoline;
use statictramp::for_capi::extra;

/// Makes a trampoline that passes the address of its slot's extra words, {context, callee}, to an adapter.
#[inline(always)]
pub(crate) fn bound(callee: *const (), context: *mut c_void, adapter: *const ()) -> StatictrampFn {
    match Trampoline::new_fast(callee, filled(callee, context, adapter)) {
        Some(trampoline) => function(trampoline.into_raw()),
        None => bound_slowly(callee, context, adapter),
    }
}

/// The slow path of [`bound`], in a separate function so that the fast path keeps all values in registers.
#[cold]
#[inline(never)]
fn bound_slowly(callee: *const (), context: *mut c_void, adapter: *const ()) -> StatictrampFn {
    function_or_errno(Trampoline::with_reclaim(callee, filled(callee, context, adapter), make_room))
}

/// Returns a closure that takes a slot's number, fills the slot's extra words, and returns the entry and the chain.
#[inline(always)]
fn filled(
    callee: *const (),
    context: *mut c_void,
    adapter: *const (),
) -> impl FnOnce(usize) -> (*const (), *mut ()) {
    move |slot| {
        let pair = extra::of(slot);
        // Relaxed: code that calls the trampoline obtains its address only after these stores.
        pair.first.store(context.cast(), Relaxed);
        pair.second.store(pair.word_of(callee, context.cast()), Relaxed);
        (adapter, core::ptr::from_ref(pair).cast_mut().cast())
    }
}

/// Makes a trampoline that passes the address of its slot's extra words, {context, callee, third}, to an adapter.
#[cfg(any(unix, windows))]
pub(crate) fn bound_with(
    callee: *const (),
    context: *mut c_void,
    third: *mut (),
    adapter: *const (),
) -> StatictrampFn {
    let fill = |slot| {
        extra::of(slot).third.store(third, Relaxed); // Relaxed: as in `filled`
        filled(callee, context, adapter)(slot)
    };
    function_or_errno(Trampoline::with_reclaim(callee, fill, make_room))
}

/// Returns the index in `adapters` of the adapter at the address `entry`.
pub(crate) fn number(adapters: &[extern "C" fn()], entry: *const ()) -> Option<usize> {
    adapters.iter().position(|&adapter| adapter as *const () == entry)
}
