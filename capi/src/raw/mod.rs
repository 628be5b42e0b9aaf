//! `statictramp_bind_raw`, for functions whose signature is known only at run time. A handler takes the expected
//! arguments one by one, then sets the result.
//!
//! A raw trampoline's stub jumps to the core's function `enter`, which saves all argument registers in a block on the
//! stack, passes the block to the handler, and then loads all result registers from the block. No other code runs in
//! between, so a C++ exception or a `longjmp` passes through `enter` as through any other function.
//!
//! The `statictramp-raw` crate implements the calling conventions, and offers the same closures to Rust.

mod kinds;

use crate::bound::bound;
use crate::errno::{EINVAL, fail};
use crate::function::StatictrampFn;
use core::ffi::{c_int, c_uint, c_void};
pub use kinds::{StatictrampLeaf, StatictrampType};
use statictramp_raw::for_capi::{self, Block, Layout, Leaf, Type, VaList as CVaList};

/// A call to a raw trampoline, as seen by its handler: the caller's arguments and the result. The object is valid
/// until the handler returns.
pub struct StatictrampRawCall {
    _private: [u8; 0],
}

/// The function that a raw trampoline calls. It may pass `call` to the statictramp_raw_ functions. It may also exit
/// through longjmp, or throw a C++ exception, which propagates to the caller.
pub type StatictrampRawHandler =
    Option<unsafe extern "C" fn(context: *mut c_void, call: *mut StatictrampRawCall)>;

/// A struct type, described by its members and the elements of its arrays, in order of their offsets. A member that is
/// a struct is described by one leaf, or by the leaves of its members. Structs may be nested up to 16 levels deep in
/// the outermost struct. A complex member is described by a leaf of a complex kind, or by two leaves. If a struct is
/// described only by its scalars, they are treated as its own members. The manual page statictramp_registers(3) lists
/// the processors on which that makes a difference, and explains how members that are structs, arrays or complex
/// numbers must be described there. Unions, bit-fields, and packed or over-aligned structs are not supported, nor are
/// structs that contain both a floating-point number and a zero-sized member (an empty struct, a zero-length array, a
/// flexible array). Empty structs are not supported on Windows. Structs whose only member is an array containing a
/// single floating-point number are not supported on s390x. If a struct contains no floating-point number, omit its
/// zero-sized members.
#[repr(C)]
pub struct StatictrampStruct {
    /// The size of the struct as given by sizeof.
    pub size: usize,
    /// The number of leaves, which is 0 for an empty C struct.
    pub count: usize,
    /// The leaves, which describe the members.
    pub leaves: *const StatictrampLeaf,
}

/// The value to pass to statictramp_raw_expect if all arguments are named in the function's type. `cbindgen.toml` defines
/// this constant for the header.
///
/// cbindgen:ignore
pub const STATICTRAMP_NOT_VARIADIC: usize = usize::MAX;

/// Makes a trampoline for functions whose type is known only at run time, as needed by interpreters and FFI modules.
/// The result can be cast to a function pointer of any type. Each call runs `handler` with `context` and an object that
/// represents the call. The handler uses this object to read the arguments in order (statictramp_raw_next,
/// statictramp_raw_next_struct) and to set the result (statictramp_raw_return, statictramp_raw_return_struct). If the
/// result is a struct or is returned in memory, or if the caller's function type is variadic, the handler must call
/// statictramp_raw_expect first.
///
/// A result that the handler does not set is 0. The handler must, however, set a result of these types: `long double`
/// or `long double _Complex` on x86-64, any floating-point type on i386, and `float` or `float _Complex` on RISC-V if
/// the ABI passes a `double` in a floating-point register.
///
/// Returns NULL and sets errno to EINVAL if `handler` is NULL, or to ENOMEM if all slots are in use. In all other
/// respects, the trampoline is like one made by statictramp_alloc. For a raw trampoline, statictramp_lookup stores the
/// handler as the callee.
#[unsafe(no_mangle)]
pub extern "C" fn statictramp_bind_raw(
    handler: StatictrampRawHandler,
    context: *mut c_void,
) -> StatictrampFn {
    let handler = handler.map_or(core::ptr::null(), |handler| handler as *const ());
    bound(handler, context, for_capi::entry())
}

/// Declares that the caller's function type has a struct result or is variadic. This function must be called before the
/// first argument is taken.
///
/// `result` is the struct type that the function returns, or NULL if the result is not a struct. The first `named`
/// arguments are named, and the others are variadic. If all are named, pass STATICTRAMP_NOT_VARIADIC.
///
/// A result that is not a struct must also be declared if it is returned in memory. Declare a scalar as a struct with
/// the scalar as its only member, and a complex number as a struct of its two parts. The following results are returned
/// in memory: on s390x, 16-byte scalars and complex numbers; on Windows, a long double and complex numbers of more than
/// 8 bytes; on i386, `double _Complex` and `long double _Complex`; on Arm, complex numbers in soft-float code and from
/// variadic functions. RISC-V, LoongArch and MIPS also return `long double _Complex` in memory. 32-bit RISC-V also
/// returns `long double` in memory, as well as `double _Complex` unless the ABI passes a `double` in a floating-point
/// register. Do not declare any other scalar or complex result.
///
/// Returns 0, or returns -1 and sets errno to EINVAL if an argument has already been taken or the type cannot be
/// described.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_raw_expect(
    call: *mut StatictrampRawCall,
    result: *const StatictrampStruct,
    named: usize,
) -> c_int {
    // SAFETY: the header requires a handler to pass the call that it received, and a type or NULL.
    let (call, described) = unsafe { (&mut *call.cast::<Block>(), result.as_ref()) };
    // SAFETY: as above.
    let result = described.map(|described| unsafe { struct_of(described) });
    let named = (named != STATICTRAMP_NOT_VARIADIC).then_some(named);
    // SAFETY: the header requires the type to be the result type that the caller expects.
    if matches!(result, Some(None)) || !unsafe { call.expect(result.flatten().as_ref(), named) } {
        return fail(EINVAL, -1);
    }
    0
}

/// Takes the next argument, which must not be a struct, and stores it at `value`.
///
/// Returns 0, or returns -1 and sets errno to EINVAL if the type does not exist on this target or is
/// STATICTRAMP_KIND_STRUCT. There must be a next argument of this type (for a variadic argument, the promoted type):
/// the library does not know how many arguments the caller has passed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_raw_next(
    call: *mut StatictrampRawCall,
    kind: c_uint,
    value: *mut c_void,
) -> c_int {
    // SAFETY: `call` is the handler's own. By the contract above, there is a next argument of this type, and room
    // for it.
    let is_kind = unsafe { (*call.cast::<Block>()).next(kind, value.cast()) };
    if is_kind { 0 } else { fail(EINVAL, -1) }
}

/// Takes the next argument, which must have the struct type `of`, and stores it at `value`. An object of a non-trivial
/// C++ class is passed by address, and cannot be returned by a raw trampoline.
///
/// Returns 0, or returns -1 and sets errno to EINVAL if the type cannot be described. There must be a next argument, and
/// it must have this type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_raw_next_struct(
    call: *mut StatictrampRawCall,
    of: *const StatictrampStruct,
    value: *mut c_void,
) -> c_int {
    // SAFETY: the contract above guarantees a struct type.
    let Some(of_struct) = (unsafe { struct_of(&*of) }) else { return fail(EINVAL, -1) };
    // SAFETY: `call` is the handler's own. By the contract above, there is a next argument of this type, and room
    // for it.
    unsafe { (*call.cast::<Block>()).next_value(&of_struct, value.cast()) };
    0
}

/// Stores the remaining arguments at `list`, for functions such as vsnprintf. These arguments must all be variadic. The
/// list is valid until the handler returns, and needs no va_end. The arguments remain available, so the handler may
/// obtain several lists, or also take the arguments with statictramp_raw_next.
///
/// Returns 0, or returns -1 and sets errno to EINVAL if statictramp_raw_expect has not declared the function variadic, or
/// if `list` is NULL. All named arguments must have been taken. On processors that pass named and variadic arguments
/// differently, the function also fails if a named argument is left.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_raw_va_list(call: *mut StatictrampRawCall, list: *mut CVaList) -> c_int {
    // SAFETY: `call` is the handler's own. By the contract above, no named argument is left.
    match unsafe { (*call.cast::<Block>()).variadic() } {
        Some(arguments) if !list.is_null() => {
            // SAFETY: the header requires the address of a `va_list`.
            unsafe { list.write(arguments) };
            0
        }
        _ => fail(EINVAL, -1),
    }
}

/// Sets the result, which must not be a struct, to the value at `value`.
///
/// Returns 0, or returns -1 and sets errno to EINVAL if the type does not exist on this target or is
/// STATICTRAMP_KIND_STRUCT, or if the result is returned in memory and was not declared with statictramp_raw_expect.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_raw_return(
    call: *mut StatictrampRawCall,
    kind: c_uint,
    value: *const c_void,
) -> c_int {
    // SAFETY: the handler passes its own call, and a value of this type is at `value`, as the header requires.
    let is_kind = unsafe { (*call.cast::<Block>()).set(kind, value.cast()) };
    if is_kind { 0 } else { fail(EINVAL, -1) }
}

/// Sets the result, which must have the struct type `of`, to the value at `value`.
///
/// Returns 0, or returns -1 and sets errno to EINVAL if the type cannot be described, or if the result is returned in
/// memory and its type was not declared with statictramp_raw_expect.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_raw_return_struct(
    call: *mut StatictrampRawCall,
    of: *const StatictrampStruct,
    value: *const c_void,
) -> c_int {
    // SAFETY: the contract above guarantees a struct type.
    let Some(of_struct) = (unsafe { struct_of(&*of) }) else { return fail(EINVAL, -1) };
    // SAFETY: the handler passes its own call, and a value of this type is at `value`.
    let was_expected = unsafe { (*call.cast::<Block>()).set_value(&of_struct, value.cast()) };
    if was_expected { 0 } else { fail(EINVAL, -1) }
}

/// Returns the layout of a struct type, or `None` if the type cannot be described.
///
/// # Safety
/// The type's leaves must be readable.
unsafe fn struct_of(described: &StatictrampStruct) -> Option<Layout<'_>> {
    let leaves = match described.count {
        0 => &[],
        _ if described.leaves.is_null() => return None,
        // SAFETY: the caller guarantees that the leaves are readable, and the two types have the same layout
        // (`kinds.rs`).
        count => unsafe { core::slice::from_raw_parts(described.leaves.cast::<Leaf>(), count) },
    };
    Layout::of_struct(described.size, leaves)
}

/// Checks in advance whether a raw trampoline's handler can take arguments and set a result of the given types.
/// `result` is NULL for a function without a result. The first `named` of the `count` parameters are named, and the
/// others are variadic. If all parameters are named, pass STATICTRAMP_NOT_VARIADIC.
///
/// Returns 0 if the statictramp_raw_* functions support all of these types. Otherwise returns -1 and sets errno to
/// EINVAL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_raw_check(
    result: *const StatictrampType,
    parameters: *const StatictrampType,
    count: usize,
    named: usize,
) -> c_int {
    let _ = named; // a variadic parameter may have any type
    // SAFETY: the header requires a type or NULL, and an array of `count` types.
    let types = unsafe { (result.cast::<Type>().as_ref(), types(parameters, count)) };
    let (result, Some(parameters)) = types else { return fail(EINVAL, -1) };
    if result.into_iter().chain(parameters).all(Type::exists) { 0 } else { fail(EINVAL, -1) }
}

/// Returns the types in an array, or `None` if the pointer is NULL and `count` is not 0.
///
/// # Safety
/// The array must have `count` elements, and every pointer in them must be valid.
pub(crate) unsafe fn types<'a>(array: *const StatictrampType, count: usize) -> Option<&'a [Type]> {
    match count {
        0 => Some(&[]),
        _ if array.is_null() => None,
        // SAFETY: the caller guarantees that the array is readable, and the two types have the same layout (`kinds.rs`).
        _ => Some(unsafe { core::slice::from_raw_parts(array.cast::<Type>(), count) }),
    }
}

/// Returns whether a trampoline with this entry is a raw trampoline.
pub(crate) fn is_entry(entry: *const ()) -> bool {
    entry == for_capi::entry()
}
