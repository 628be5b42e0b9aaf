//! Rust types that correspond to Fortran types.

use super::{Category, Type};

/// A Rust type that can be an element of a Fortran array.
///
/// # Safety
/// The Rust type must have the layout and the size ([`Type::size`]) of the Fortran type that `TYPE` names, and every
/// bit pattern must be a valid value of the Rust type.
pub unsafe trait Element: Copy {
    /// The corresponding Fortran type.
    const TYPE: Type;
}

macro_rules! elements {
    ($($element:ty, $category:ident, $kind:expr;)*) => {
        $(
            // SAFETY: the kinds correspond to the C types (ISO_C_BINDING), and a complex number is a pair of real
            // numbers.
            unsafe impl Element for $element {
                const TYPE: Type = Type { category: Category::$category, kind: $kind };
            }
            const _: () = assert!(size_of::<$element>() == <$element>::TYPE.size());
        )*
    };
}
elements! {
    i8, Integer, 1;
    i16, Integer, 2;
    i32, Integer, 4;
    i64, Integer, 8;
    f32, Real, 4;
    f64, Real, 8;
    [f32; 2], Complex, 4;
    [f64; 2], Complex, 8;
}
