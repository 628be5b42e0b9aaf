//! Functions that MLIR code can call, on the processors for which `statictramp_interop::memref` provides closures. On
//! other processors, the header replaces `statictramp_bind_memref` with an undefined name, so that the linker's error
//! message explains the reason.

use core::ffi::{CStr, c_char, c_void};
use statictramp_capi::for_interop::{EINVAL, ENOMEM, StatictrampFn, fail, function, make_room};
use statictramp_interop::memref::{Signature, Signed, bind};

/// Memory for a closure made by statictramp_bind_memref.
#[repr(C)]
pub struct StatictrampMemrefClosure {
    /// These words are reserved for the library.
    pub words: [u64; 64],
}

const _: () = assert!(size_of::<Signed>() <= size_of::<StatictrampMemrefClosure>());

/// Handles calls from MLIR code, given the context, the address of each argument, and the address of memory for the
/// results. A memref is stored as a descriptor, as with llvm.emit_c_interface; an unranked memref, as its rank followed
/// by the address of its descriptor; a complex number, as its two parts; a vector, as its elements (aligned to 16 bytes);
/// and an i1, as a byte. The results are laid out like the members of a struct. An unranked memref that the handler
/// returns must come from statictramp_unranked_result.
pub type StatictrampMemrefHandler =
    Option<unsafe extern "C" fn(context: *mut c_void, arguments: *const *const c_void, results: *mut c_void)>;

/// Makes a function that calls `handler`, and that MLIR code can call through func.call_indirect. `signature` is the
/// function's type in MLIR syntax, such as "memref<?x?xf32>, i64 -> memref<?xf32>, f64". A signature without -> has
/// no results. The supported types are i1, i8, i16, i32, i64, index, f32, f64, complex numbers with floating-point
/// parts, !llvm.ptr, and memrefs that are unranked or have at most 8 dimensions; f16 and bf16 on x86-64, AArch64 and
/// RISC-V; and 16-byte vectors on x86-64 and AArch64. A signature may have at most 16 arguments, 8 results and 40
/// static sizes, strides and offsets. MLIR code relies on these types, so each call prints a message and aborts if a
/// memref has a negative size, if a memref argument contradicts the static sizes in its type, or if a memref result
/// contradicts its whole type: static sizes, strides and offset, or, if the type has no layout, a contiguous row-major
/// layout. Affine maps, the layouts of arguments, and the sizes of unranked memrefs are not checked. The C type of a
/// memref argument is STATICTRAMP_MEMREF or, for an unranked memref, statictramp_unranked_memref.
///
/// The caller provides the memory for `closure`, which must remain unchanged until the result is passed to
/// statictramp_free. Returns NULL and sets errno to EINVAL if `closure`, `signature` or `handler` is NULL, if `closure`
/// is misaligned, or if the signature is invalid. Returns NULL and sets errno to ENOMEM if all slots are in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_bind_memref(
    closure: *mut StatictrampMemrefClosure,
    signature: *const c_char,
    handler: StatictrampMemrefHandler,
    context: *mut c_void,
) -> StatictrampFn {
    let closure = closure.cast::<Signed>();
    let (Some(handler), false) = (handler, closure.is_null() || !closure.is_aligned() || signature.is_null())
    else {
        return fail(EINVAL, None);
    };
    // SAFETY: the contract in the doc comment requires a string.
    let text = unsafe { CStr::from_ptr(signature) };
    let Some(signature) = text.to_str().ok().and_then(|text| Signature::parse(text).ok()) else {
        return fail(EINVAL, None);
    };
    // SAFETY: the contract in the doc comment requires that `closure` points to memory for a closure, which stays
    // valid, and that the handler conforms to the signature.
    let signed = unsafe {
        closure.write(Signed::new(signature, handler, context));
        &*closure
    };
    match bind(signed).or_else(|full| if make_room() { bind(signed) } else { Err(full) }) {
        Ok(made) => function(made.into_raw()),
        Err(_) => fail(ENOMEM, None),
    }
}
