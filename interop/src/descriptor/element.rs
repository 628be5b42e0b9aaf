//! Rust's types that are Fortran's, too.

use super::{Category, Type};

/// A type of Rust's that is an element of a Fortran array.
///
/// # Safety
/// The type is laid out as Fortran's of that category and kind is, any bits are one of its values, and it is as long as
/// [`Type::size`] says.
pub unsafe trait Element: Copy {
    /// Fortran's type.
    const TYPE: Type;
}

macro_rules! elements {
    ($($element:ty, $category:ident, $kind:expr;)*) => {
        $(
            // SAFETY: Fortran's kinds are those of C (ISO_C_BINDING); a complex number is its two parts.
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
