//! The kinds of scalars, by the numbers that C has for them.

/// The scalar types of C.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[repr(u32)]
pub enum Kind {
    /// `i8`.
    Int8 = 1,
    /// `u8`; also C's `_Bool`, Rust's `bool`.
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
    /// `i128` or `u128`; not on processors of 32 bits.
    #[cfg(target_pointer_width = "64")]
    Int128,
    /// Any pointer that has one word.
    #[cfg(target_pointer_width = "64")]
    Pointer,
    /// Any pointer that has one word.
    #[cfg(not(target_pointer_width = "64"))]
    Pointer = 10,
    /// `f32`.
    Float,
    /// `f64`.
    Double,
    /// C's `long double`, for which Rust has no type: 16 bytes, of which x86-64 uses 10; 12 on x86 of 32 bits; on Arm, and with
    /// Microsoft's compiler, that is a [`Double`](Kind::Double).
    LongDouble,
}
