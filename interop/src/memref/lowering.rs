//! A check of the options used to lower MLIR code. (The machine code does not record them.)

use super::MemrefError;

/// Checks that MLIR code was lowered with the options that memref closures require: memrefs are passed as
/// descriptors, and `index` is 64 bits wide. `probe` is the address of this function, lowered together with the code:
///
/// ```mlir
/// func.func @statictramp_probe(%m: memref<2xindex>) -> index {
///   %one = arith.constant 1 : index
///   %x = memref.load %m[%one] : memref<2xindex>
///   return %x : index
/// }
/// ```
///
/// # Errors
/// [`MemrefError::BarePointers`] if the code was lowered with `use-bare-ptr-memref-call-conv`, otherwise
/// [`MemrefError::IndexBits`] if its `index-bitwidth` is not 64.
///
/// # Safety
/// `probe` must be the address of the function above, lowered by MLIR with an `index-bitwidth` of 32, 64 or 128 and
/// any other options.
pub unsafe fn check_lowering(probe: *const ()) -> Result<(), MemrefError> {
    /// With other options, the function has fewer, narrower or wider parameters, of which it uses only the pointers.
    type Probe = unsafe extern "C" fn(*const Words, *const Words, usize, usize, usize) -> u64;
    #[repr(C, align(16))]
    struct Words([u32; 8]);

    // The pointers differ, so the result reveals which one the function used, and how long an element is.
    let (allocated, aligned) = (Words([1, 2, 3, 4, 5, 6, 7, 8]), Words([9, 10, 11, 12, 13, 14, 15, 16]));
    // The low 64 bits of the second element, if an element has 64 or 128 bits.
    let second = |Words([_, _, a, b, c, d, ..]): &Words| {
        let of = |low: u32, high: u32| {
            let ([a, b, c, d], [e, f, g, h]) = (low.to_ne_bytes(), high.to_ne_bytes());
            u64::from_ne_bytes([a, b, c, d, e, f, g, h])
        };
        (of(*a, *b), of(*c, *d))
    };
    // SAFETY: the caller guarantees that this is the function above, so it reads only the second element of one array.
    // Elements are at most 16 bytes, so the second one is within the array, and the result is in registers.
    let result = unsafe {
        let probe = core::mem::transmute::<*const (), Probe>(probe);
        probe(&raw const allocated, &raw const aligned, 0, 2, 1)
    };
    let (with_64, with_128) = second(&allocated);
    if result == second(&aligned).0 {
        Ok(())
    } else if [with_64, with_128].contains(&result) || result as u32 == 2 {
        Err(MemrefError::BarePointers)
    } else {
        Err(MemrefError::IndexBits)
    }
}
