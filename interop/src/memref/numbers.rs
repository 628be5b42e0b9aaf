//! MLIR number types for which Rust has no equivalent. Elements of a memref may also have other types with the same
//! layout, such as the types of the `half` and `num-complex` crates.

/// MLIR's `complex`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Complex<T> {
    /// The real part.
    pub re: T,
    /// The imaginary part.
    pub im: T,
}

/// A 16-byte `vector`: `vector<4xf32>` is `Vector<f32, 4>`. Vectors of other sizes cannot be parameters, because their
/// calling convention depends on the processor's extensions.
#[repr(C, align(16))]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Vector<T, const N: usize>(pub [T; N]);

macro_rules! halves {
    ($($(#[$meta:meta])* $name:ident;)*) => {
        $(
            $(#[$meta])*
            #[repr(transparent)]
            #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
            pub struct $name(u16);

            impl $name {
                /// Makes the number with these bits.
                pub const fn from_bits(bits: u16) -> Self {
                    $name(bits)
                }

                /// Returns the bits of the number.
                pub const fn to_bits(self) -> u16 {
                    self.0
                }
            }
        )*
    };
}
halves! {
    /// MLIR's `f16` (IEEE 754 binary16), as bits.
    F16;
    /// MLIR's `bf16`, the upper half of an `f32`, as bits.
    Bf16;
}

impl From<Bf16> for f32 {
    /// Converts the number exactly.
    fn from(number: Bf16) -> f32 {
        f32::from_bits(u32::from(number.0) << 16)
    }
}
