//! Kinds of values that are not structs. The C interface uses the same numbers.

/// The scalar, complex and vector types of C and its extensions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[repr(u32)]
pub enum Kind {
    /// `i8`.
    Int8 = 1,
    /// `u8`, C's `_Bool` or Rust's `bool`.
    Uint8,
    /// `i16`.
    Int16,
    /// `u16`.
    Uint16,
    /// `i32`.
    Int32,
    /// `u32`.
    Uint32,
    /// `i64`.
    Int64,
    /// `u64`.
    Uint64,
    /// `i128` or `u128` (not on 32-bit processors).
    #[cfg(target_pointer_width = "64")]
    Int128,
    /// Any one-word pointer.
    #[cfg(target_pointer_width = "64")]
    Pointer,
    /// Any one-word pointer.
    #[cfg(not(target_pointer_width = "64"))]
    Pointer = 10,
    /// `f32`.
    Float,
    /// `f64`.
    Double,
    /// C's `long double`, for which Rust has no type. It takes 16 bytes on most targets (x86-64 uses 10 of them, except
    /// on Android) and 12 on 32-bit x86, and is the same as a [`Double`](Kind::Double) on 32-bit Arm, on AArch64 macOS,
    /// and with Microsoft's compiler.
    LongDouble,
    /// C's `float _Complex` (not on 32-bit PowerPC, where compilers differ).
    #[cfg(not(target_arch = "powerpc"))]
    ComplexFloat = 15,
    /// C's `double _Complex` (not on 32-bit PowerPC).
    #[cfg(not(target_arch = "powerpc"))]
    ComplexDouble,
    /// C's `long double _Complex` (not on 32-bit PowerPC).
    #[cfg(not(target_arch = "powerpc"))]
    ComplexLongDouble,
    /// An 8-byte SIMD vector with at least two elements, which is available on x86-64 (not on Windows), AArch64, and
    /// hard-float Arm.
    #[cfg(any(all(target_arch = "x86_64", not(windows)), target_arch = "aarch64", target_abi = "eabihf"))]
    Vector64 = 18,
    /// A 16-byte SIMD vector with at least two elements, which is available on x86-64, AArch64, hard-float Arm, and
    /// 64-bit PowerPC.
    #[cfg(any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "powerpc64",
        target_abi = "eabihf"
    ))]
    Vector128 = 19,
}
