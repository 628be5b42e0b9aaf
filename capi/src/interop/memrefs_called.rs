//! Functions for MLIR's code to call, on the processors for which `statictramp_interop::memref` has closures. Elsewhere the
//! header makes a name of `statictramp_bind_memref` that says so, and the linker says it.

use crate::errno::{EINVAL, ENOMEM, fail};
use crate::function::{StatictrampFn, function};
use crate::reclaim::make_room;
use core::ffi::{CStr, c_char, c_void};
use statictramp_interop::memref::{Signature, Signed, bind};

/// Memory for a function of statictramp_bind_memref.
#[repr(C)]
pub struct StatictrampMemrefClosure {
    /// The library's.
    pub words: [u64; 64],
}

const _: () = assert!(size_of::<Signed>() <= size_of::<StatictrampMemrefClosure>());

/// What MLIR code calls: the context, the address of each argument, and the place of the results. A memref is a descriptor as
/// llvm.emit_c_interface has it; one without a rank is the rank and the descriptor's address; a complex number its two parts;
/// a vector its elements, aligned to 16; an i1 a byte. The results lie one after the other, each aligned, as in a struct; a
/// memref without a rank is returned by statictramp_unranked_result.
pub type StatictrampMemrefHandler =
    Option<unsafe extern "C" fn(context: *mut c_void, arguments: *const *const c_void, results: *mut c_void)>;

/// Makes a function for MLIR code to call through func.call_indirect, which calls `handler`. `signature` is its type in MLIR's
/// words: "memref<?x?xf32>, i64 -> memref<?xf32>, f64" (without -> there are no results), with i1 to i64, index, f32, f64, on x86-64, AArch64 and RISC-V f16 and
/// bf16, complex, !llvm.ptr, memrefs of 8 dimensions at most and without a rank, on x86-64 and AArch64 vectors of 16 bytes; 16
/// arguments, 8 results and 32 sizes at most. Each memref that comes is compared with the sizes in its type: one of another size
/// ends the program with a line, as MLIR's code takes them for granted. Layouts are passed over. STATICTRAMP_MEMREF and
/// statictramp_unranked_memref are the types of what comes.
///
/// `closure` is the caller's memory, and stays as it is until statictramp_free of the result. Returns NULL and sets errno to
/// EINVAL if something is NULL, `closure` is not aligned or the signature cannot be read, to ENOMEM if all slots are in use.
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
    // SAFETY: the comment above demands a string.
    let text = unsafe { CStr::from_ptr(signature) };
    let Some(signature) = text.to_str().ok().and_then(|text| Signature::parse(text).ok()) else {
        return fail(EINVAL, None);
    };
    // SAFETY: it demands memory of that size, which stays, and a handler that keeps to the signature.
    let signed = unsafe {
        closure.write(Signed::new(signature, handler, context));
        &*closure
    };
    match bind(signed).or_else(|full| if make_room() { bind(signed) } else { Err(full) }) {
        Ok(made) => function(made.into_raw()),
        Err(_) => fail(ENOMEM, None),
    }
}
