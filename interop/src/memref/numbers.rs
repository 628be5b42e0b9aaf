//! Numbers of MLIR's that Rust has none for. As elements of a memref any type of the same layout will do, such as those of the
//! crates `half` and `num-complex`.

/// A `complex` of MLIR's.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Complex<T> {
    /// The real part.
    pub re: T,
    /// The imaginary part.
    pub im: T,
}

/// A `vector` of 16 bytes: `vector<4xf32>` is `Vector<f32, 4>`. Smaller and larger ones are passed in ways that depend on
/// what the processor has, and so are no parameters.
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
                /// The number of these bits.
                pub const fn from_bits(bits: u16) -> Self {
                    $name(bits)
                }

                /// Its bits.
                pub const fn to_bits(self) -> u16 {
                    self.0
                }
            }
        )*
    };
}
halves! {
    /// An `f16` of MLIR's (IEEE 754's binary16), by its bits.
    F16;
    /// A `bf16` of MLIR's: the upper half of an `f32`, by its bits.
    Bf16;
}

impl From<Bf16> for f32 {
    /// Exact.
    fn from(number: Bf16) -> f32 {
        f32::from_bits(u32::from(number.0) << 16)
    }
}
