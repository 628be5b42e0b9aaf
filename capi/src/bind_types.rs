//! `statictramp_bind_types` and `statictramp_bind_types_last`, which insert a context before or after the caller's
//! arguments, for a signature given as types.
//!
//! The core determines the registers and the stack words that caller and callee use. If each argument either stays
//! where it is or moves up by exactly one integer register, an adapter of statictramp_bind_first is used. If the
//! context comes last and is passed in a register, an adapter of statictramp_bind is used. Otherwise, a plan of the
//! moves is allocated, and its address becomes the slot's third extra word. All trampolines that need the same moves
//! share one plan. For a simple signature, the core only counts registers, without walking over the arguments.

use crate::arch::{ADAPTERS, AFTER_RESULT, FIRST};
use crate::bound::bound;
use crate::errno::{EINVAL, fail};
use crate::function::{StatictrampFn, address};
use crate::raw::{StatictrampType, types};
use core::ffi::c_void;
use statictramp_raw::for_capi::{MOST_PARAMETERS, Order, Type, register_after, registers, simple};

/// Makes a trampoline for an ordinary C function that takes one more argument than its caller passes. At each call,
/// `context` is passed before the caller's arguments. The function type used by the caller has the result type `result`
/// (NULL for void) and `count` parameters of the types in `parameters`. `callee` has the same result type, and takes a
/// `void *` (or another pointer to data) before the same parameters. The library reads the types only during this call.
/// In C11 and later, the macro STATICTRAMP_BIND determines the types.
///
/// If each argument either stays where it is or moves up by one integer register, a call is as fast as one through a
/// trampoline made by statictramp_bind_first. Otherwise, each call copies the arguments. Neither the caller's function
/// type nor `callee` may be variadic (statictramp_bind_raw supports variadic functions). If only one register is left
/// for a 128-bit integer, compilers for x86-64 disagree on how to pass the next integer; the library follows gcc.
///
/// Without an operating system, the library does not copy arguments. The context must then fit into a register, and each
/// argument must stay where it is or move up by one integer register.
///
/// Returns NULL and sets errno to EINVAL if `callee` is NULL, if there are more than 64 parameters, if one of the types
/// does not exist on the target, or if the context cannot be inserted. Returns NULL and sets errno to ENOMEM if all
/// slots are in use, or if no memory is available. In all other respects, the trampoline is like one made by
/// statictramp_alloc.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_bind_types(
    callee: StatictrampFn,
    context: *mut c_void,
    result: *const StatictrampType,
    parameters: *const StatictrampType,
    count: usize,
) -> StatictrampFn {
    // SAFETY: the header requires a type or NULL, and an array of `count` types.
    let Some((result, parameters)) = (unsafe { signature(result, parameters, count) }) else {
        return fail(EINVAL, None);
    };
    match simple(result, parameters).and_then(|used| FIRST.get(used)) {
        Some(&adapter) => enters(address(callee), context, adapter),
        None => walked(address(callee), context, result, parameters, Order::First),
    }
}

/// Makes a trampoline as statictramp_bind_types does, except that each call passes `context` after the caller's
/// arguments. `callee` has the same result type and the same parameters, followed by a `void *` (or another pointer to
/// data). No argument moves to another register, so if an argument register is left for the context, a call is as fast
/// as one through a trampoline made by statictramp_bind. On i386, where every argument is on the stack,
/// statictramp_bind_types is faster. `statictramp.hpp` therefore uses this function on all processors except i386.
///
/// Returns NULL and sets errno under the same conditions as statictramp_bind_types.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_bind_types_last(
    callee: StatictrampFn,
    context: *mut c_void,
    result: *const StatictrampType,
    parameters: *const StatictrampType,
    count: usize,
) -> StatictrampFn {
    // SAFETY: the header requires a type or NULL, and an array of `count` types.
    let Some((result, parameters)) = (unsafe { signature(result, parameters, count) }) else {
        return fail(EINVAL, None);
    };
    // On i386, statictramp_bind's adapters overwrite an argument word, so the caller must have passed that word.
    match simple(result, parameters)
        .filter(|_| !cfg!(target_arch = "x86"))
        .and_then(|used| ADAPTERS.get(used))
    {
        Some(&adapter) => enters(address(callee), context, adapter),
        None => walked(address(callee), context, result, parameters, Order::Last),
    }
}

/// Makes a trampoline that jumps to an adapter. This is a separate function, so that classifying a signature needs no
/// stack frame.
#[inline(never)]
fn enters(callee: *const (), context: *mut c_void, adapter: extern "C" fn()) -> StatictrampFn {
    bound(callee, context, adapter as *const ())
}

/// Makes a trampoline for any signature by walking over its arguments.
#[cold]
#[inline(never)]
fn walked(
    callee: *const (),
    context: *mut c_void,
    result: Option<&Type>,
    parameters: &[Type],
    order: Order,
) -> StatictrampFn {
    let adapter = match order {
        Order::First => registers(result, parameters)
            .and_then(|(used, in_memory)| if in_memory { AFTER_RESULT } else { FIRST }.get(used)),
        Order::Last => register_after(result, parameters).and_then(|register| ADAPTERS.get(register)),
    };
    match adapter {
        Some(&adapter) => enters(callee, context, adapter),
        None => forwarding(order, callee, context, result, parameters),
    }
}

/// Returns the types of a signature, or `None` if there are too many parameters, or if `parameters` is NULL and `count`
/// is not 0.
///
/// # Safety
/// `result` must be null or point to a type, and `parameters` must be an array of `count` types. All pointers in these
/// types must be valid.
unsafe fn signature<'a>(
    result: *const StatictrampType,
    parameters: *const StatictrampType,
    count: usize,
) -> Option<(Option<&'a Type>, &'a [Type])> {
    if count > MOST_PARAMETERS {
        return None;
    }
    // SAFETY: the caller upholds the safety contract. The two types have the same layout (`kinds.rs`).
    unsafe { Some((result.cast::<Type>().as_ref(), types(parameters, count)?)) }
}

#[cfg(any(unix, windows))]
fn forwarding(
    order: Order,
    callee: *const (),
    context: *mut c_void,
    result: Option<&Type>,
    parameters: &[Type],
) -> StatictrampFn {
    use statictramp_raw::for_capi::{Plan, forward, plans};
    let Some((plan, adapter)) = Plan::new(order, result, parameters).zip(forward()) else {
        return fail(EINVAL, None);
    };
    if callee.is_null() {
        return fail(EINVAL, None);
    }
    match plans::store(plan.words()) {
        Some(plan) => crate::bound::bound_with(callee, context, plan.cast_mut().cast(), adapter),
        None => fail(crate::errno::ENOMEM, None),
    }
}

#[cfg(not(any(unix, windows)))]
fn forwarding(_: Order, _: *const (), _: *mut c_void, _: Option<&Type>, _: &[Type]) -> StatictrampFn {
    fail(EINVAL, None)
}

/// Returns whether a trampoline with this entry moves arguments according to a plan.
pub(crate) fn is_entry(entry: *const ()) -> bool {
    statictramp_raw::for_capi::forward() == Some(entry)
}
