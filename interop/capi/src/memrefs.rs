//! C functions that check MLIR memrefs.

use core::ffi::{c_uint, c_void};
use statictramp_capi::for_interop::StatictrampFn;
use statictramp_interop::memref::{AnyRank, MemrefError, check_lowering};

/// An error in a memref.
#[repr(C)]
pub enum StatictrampMemrefError {
    /// No error.
    None = 0,
    /// A dimension has a negative size.
    NegativeSize,
    /// An element is outside the memory, the product of the sizes overflows, or there are more than 255 dimensions.
    OutOfBounds,
    /// The aligned pointer is NULL although there are elements, or a required address, such as the descriptor's, is
    /// NULL.
    Null,
    /// The aligned pointer is misaligned for the element type, the alignment is not a power of two, or the descriptor's
    /// address is not a multiple of 8.
    Misaligned,
    /// The memref has an offset, or its strides do not make it contiguous.
    NotIdentity,
    /// The size of a dimension differs from the size in the type.
    Size,
    /// MLIR code passes memrefs as bare pointers (use-bare-ptr-memref-call-conv).
    BarePointers,
    /// In MLIR code, index does not have 64 bits (index-bitwidth).
    IndexBits,
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
            Err(MemrefError::BarePointers) => Self::BarePointers,
            Err(MemrefError::IndexBits) => Self::IndexBits,
            Err(_) => Self::OutOfBounds,
        }
    }
}

/// The largest rank that these functions accept. Real programs use far fewer dimensions.
const MOST_DIMENSIONS: c_uint = 255;

/// # Safety
/// If the address is non-null and aligned, and the rank is at most [`MOST_DIMENSIONS`], the descriptor of a memref of
/// this rank must be readable there.
pub(crate) unsafe fn described<'m>(
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
    // SAFETY: the caller upholds the safety contract.
    Ok(unsafe { AnyRank::of(rank as usize, descriptor.cast()) })
}

/// Checks that every element of a memref is one of the `len` elements that begin at its aligned pointer, and that this
/// pointer is aligned to `align` bytes. `align` must be a power of two. `descriptor` must have the form that
/// llvm.emit_c_interface passes: the allocated pointer, the aligned pointer, the offset, `rank` sizes and `rank`
/// strides. No other memory is read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_check_memref(
    rank: c_uint,
    descriptor: *const c_void,
    len: usize,
    align: usize,
) -> StatictrampMemrefError {
    // SAFETY: the contract in the doc comment requires a descriptor of the form that llvm.emit_c_interface passes.
    unsafe { described(rank, descriptor) }
        .map_or_else(|error| error, |memref| memref.check(len, align).into())
}

/// Checks that a memref has no offset and is contiguous and row-major, as a type without a layout, such as
/// memref<?x?xf32>, implies.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_check_memref_identity(
    rank: c_uint,
    descriptor: *const c_void,
) -> StatictrampMemrefError {
    // SAFETY: the contract in the doc comment requires a descriptor of the form that llvm.emit_c_interface passes.
    unsafe { described(rank, descriptor) }.map_or_else(|error| error, |memref| memref.check_identity().into())
}

/// Checks that a memref has the sizes specified by its type, such as memref<4x?xf32>. Lowered MLIR code relies on these
/// sizes. `sizes` has one element for each dimension: its size in the type, or INT64_MIN if that is dynamic.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_check_memref_sizes(
    rank: c_uint,
    descriptor: *const c_void,
    sizes: *const i64,
) -> StatictrampMemrefError {
    // SAFETY: the contract in the doc comment requires a descriptor of the form that llvm.emit_c_interface passes.
    let memref = match unsafe { described(rank, descriptor) } {
        Ok(memref) => memref,
        Err(error) => return error,
    };
    if sizes.is_null() && rank != 0 {
        return StatictrampMemrefError::Null;
    }
    let mut wanted = [None; MOST_DIMENSIONS as usize];
    let wanted = wanted.get_mut(..rank as usize).unwrap_or_default();
    for (number, size_wanted) in wanted.iter_mut().enumerate() {
        // SAFETY: the contract in the doc comment requires one size for each dimension.
        let size = unsafe { sizes.add(number).read_unaligned() };
        *size_wanted = (size != i64::MIN).then_some(size as isize);
    }
    memref.check_sizes(wanted).into()
}

/// Checks that MLIR code was lowered with the options that functions made by statictramp_bind_memref require: each memref
/// as a descriptor, and index with 64 bits. `probe` must be this function, lowered together with the code:
///
/// func.func @statictramp_probe(%m: memref<2xindex>) -> index {
///   %one = arith.constant 1 : index
///   %x = memref.load %m[%one] : memref<2xindex>
///   return %x : index
/// }
///
/// The result is STATICTRAMP_MEMREF_ERROR_BARE_POINTERS for code lowered with use-bare-ptr-memref-call-conv, and
/// STATICTRAMP_MEMREF_ERROR_INDEX_BITS for code lowered with an index-bitwidth of 32 or 128; if both apply, it is
/// STATICTRAMP_MEMREF_ERROR_BARE_POINTERS. Values of index-bitwidth other than 32, 64 and 128 are not supported. If
/// `probe` is NULL, the result is STATICTRAMP_MEMREF_ERROR_NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_check_lowering(probe: StatictrampFn) -> StatictrampMemrefError {
    let Some(probe) = probe else { return StatictrampMemrefError::Null };
    // SAFETY: the contract in the doc comment requires the lowered function.
    unsafe { check_lowering(probe as *const ()) }.into()
}
