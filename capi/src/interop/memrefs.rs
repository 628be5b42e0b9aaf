//! MLIR's memrefs. Closures over them are not there on PowerPC, where a program that binds one is not linked.

use crate::errno::{EINVAL, ENOMEM, fail};
#[cfg(not(target_arch = "powerpc64"))]
use crate::{
    function::{StatictrampFn, function},
    reclaim::make_room,
};
#[cfg(not(target_arch = "powerpc64"))]
use core::ffi::{CStr, c_char};
use core::ffi::{c_uint, c_void};
use statictramp_interop::memref::{AnyRank, MemrefError, UnrankedResult};
#[cfg(not(target_arch = "powerpc64"))]
use statictramp_interop::memref::{Signature, Signed, bind};

/// What is wrong with a memref.
#[repr(C)]
pub enum StatictrampMemrefError {
    /// Nothing.
    None = 0,
    /// A dimension has a negative size.
    NegativeSize,
    /// An element lies outside of the memory that is there, or the product of the sizes is more than can be, or there are
    /// more than 255 dimensions.
    OutOfBounds,
    /// The aligned pointer is NULL though there are elements, or the descriptor's address is NULL.
    Null,
    /// The aligned pointer is not aligned for the element type, or the alignment is no power of two, or the descriptor's
    /// address is not a multiple of 8.
    Misaligned,
    /// There is an offset, or the strides are not those of the sizes.
    NotIdentity,
    /// A dimension has another size than the type says, or there are not as many dimensions.
    Size,
}

impl From<Result<(), MemrefError>> for StatictrampMemrefError {
    fn from(result: Result<(), MemrefError>) -> Self {
        match result {
            Ok(()) => Self::None,
            Err(MemrefError::NegativeSize { .. }) => Self::NegativeSize,
            Err(MemrefError::Null) => Self::Null,
            Err(MemrefError::Misaligned) => Self::Misaligned,
            Err(MemrefError::NotIdentity) => Self::NotIdentity,
            Err(MemrefError::Size { .. }) => Self::Size,
            Err(_) => Self::OutOfBounds,
        }
    }
}

/// More dimensions than any program has: what is told to have more is not looked at.
const MOST_DIMENSIONS: c_uint = 255;

/// # Safety
/// The descriptor of a memref of this rank can be read there, unless the address is null or not aligned or the rank is
/// above [`MOST_DIMENSIONS`].
unsafe fn described<'m>(
    rank: c_uint,
    descriptor: *const c_void,
) -> Result<AnyRank<'m>, StatictrampMemrefError> {
    if descriptor.is_null() {
        return Err(StatictrampMemrefError::Null);
    }
    if !descriptor.cast::<usize>().is_aligned() {
        return Err(StatictrampMemrefError::Misaligned);
    }
    if rank > MOST_DIMENSIONS {
        return Err(StatictrampMemrefError::OutOfBounds);
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { AnyRank::of(rank as usize, descriptor.cast()) })
}

/// Checks that every element of a memref lies within the `len` elements from its aligned pointer on, and that this is a
/// multiple of `align` bytes, a power of two. `descriptor` points to what llvm.emit_c_interface passes: the allocated and the
/// aligned pointer, the offset, `rank` sizes, `rank` strides. Nothing else is read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_check_memref(
    rank: c_uint,
    descriptor: *const c_void,
    len: usize,
    align: usize,
) -> StatictrampMemrefError {
    // SAFETY: the comment above demands such a descriptor.
    unsafe { described(rank, descriptor) }
        .map_or_else(|wrong| wrong, |memref| memref.check(len, align).into())
}

/// Checks that a memref is what a type without a layout (memref<?x?xf32>) takes it for: no offset, no gaps, row-major.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_check_memref_identity(
    rank: c_uint,
    descriptor: *const c_void,
) -> StatictrampMemrefError {
    // SAFETY: as above.
    unsafe { described(rank, descriptor) }.map_or_else(|wrong| wrong, |memref| memref.check_identity().into())
}

/// Checks that a memref has the sizes of its type (memref<4x?xf32>): `sizes` has as many as there are dimensions, INT64_MIN
/// where the type has none. Code that MLIR has lowered takes them for granted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_check_memref_sizes(
    rank: c_uint,
    descriptor: *const c_void,
    sizes: *const i64,
) -> StatictrampMemrefError {
    // SAFETY: the comment above demands such a descriptor.
    let memref = match unsafe { described(rank, descriptor) } {
        Ok(memref) => memref,
        Err(wrong) => return wrong,
    };
    if sizes.is_null() && rank != 0 {
        return StatictrampMemrefError::Null;
    }
    let mut wanted = [None; MOST_DIMENSIONS as usize];
    let wanted = wanted.get_mut(..rank as usize).unwrap_or_default();
    for (number, place) in wanted.iter_mut().enumerate() {
        // SAFETY: the comment above demands as many sizes.
        let size = unsafe { sizes.add(number).read_unaligned() };
        *place = (size != i64::MIN).then_some(size as isize);
    }
    memref.check_sizes(wanted).into()
}

/// Memory for a function of statictramp_bind_memref.
#[cfg(not(target_arch = "powerpc64"))]
#[repr(C)]
pub struct StatictrampMemrefClosure {
    /// The library's.
    pub words: [u64; 64],
}

#[cfg(not(target_arch = "powerpc64"))]
const _: () = assert!(size_of::<Signed>() <= size_of::<StatictrampMemrefClosure>());

/// What MLIR code calls: the context, the address of each argument, and the place of the results. A memref is a descriptor as
/// llvm.emit_c_interface has it; one without a rank is the rank and the descriptor's address; a complex number its two parts;
/// a vector its elements, aligned to 16; an i1 a byte. The results lie one after the other, each aligned, as in a struct; a
/// memref without a rank is returned by statictramp_unranked_result.
#[cfg(not(target_arch = "powerpc64"))]
pub type StatictrampMemrefHandler =
    Option<unsafe extern "C" fn(context: *mut c_void, arguments: *const *const c_void, results: *mut c_void)>;

/// Makes a function for MLIR code to call through func.call_indirect, which calls `handler`. `signature` is its type in MLIR's
/// words: "memref<?x?xf32>, i64 -> memref<?xf32>, f64", with i1 to i64, index, f16, bf16, f32, f64, complex, !llvm.ptr, memrefs
/// of 8 dimensions at most and without a rank, on x86-64 and AArch64 vectors of 16 bytes; 16 arguments, 8 results and 32 sizes at
/// most. Each memref that comes is compared with the sizes in its type: one of another size ends the program with a line, as
/// MLIR's code takes them for granted. Layouts are passed over.
///
/// `closure` is the caller's memory, and stays as it is until statictramp_free of the result. Returns NULL and sets errno to
/// EINVAL if something is NULL, `closure` is not aligned or the signature cannot be read, to ENOMEM if all slots are in use.
#[cfg(not(target_arch = "powerpc64"))]
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

/// Copies a memref's descriptor to memory of malloc, as a function returns it whose result has no rank (memref<*xf32>): its
/// caller frees it. Returns NULL and sets errno to ENOMEM if there is none, to EINVAL if the descriptor is NULL or not
/// aligned or has more than 255 dimensions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_unranked_result(rank: c_uint, descriptor: *const c_void) -> *mut c_void {
    // SAFETY: as above.
    if unsafe { described(rank, descriptor) }.is_err() {
        return fail(EINVAL, core::ptr::null_mut());
    }
    // SAFETY: the comment above demands such a descriptor.
    match unsafe { UnrankedResult::<c_void>::copy_of(rank as usize, descriptor.cast()) } {
        Ok(copy) => copy.into_raw().1.cast(),
        Err(_) => fail(ENOMEM, core::ptr::null_mut()),
    }
}
