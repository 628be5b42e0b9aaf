//! Type codes of gfortran and flang, as in their `ISO_Fortran_binding.h`.

use super::Format;

/// The category of an element type.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Category {
    /// INTEGER.
    Integer,
    /// UNSIGNED (a flang extension).
    Unsigned,
    /// LOGICAL.
    Logical,
    /// REAL.
    Real,
    /// COMPLEX.
    Complex,
    /// CHARACTER.
    Character,
    /// A derived type.
    Struct,
    /// `type(c_ptr)`.
    Pointer,
    /// `type(c_funptr)`, which flang encodes as a derived type or as a pointer.
    FunctionPointer,
    /// Any other type.
    Other,
}
use Category::*;

/// The type of an element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Type {
    /// The category.
    pub category: Category,
    /// The kind number, which is the same in both compilers. It is the size in bytes of a number, a character, or each
    /// part of a complex number, except that 10 stands for the x87 extended format, and 3 for bfloat16. The kind number
    /// is 0 if the category has no kinds.
    pub kind: u8,
}

impl Type {
    /// Returns the size in bytes of one number or character of this type, according to its kind, or 0 if the category
    /// has no kinds.
    pub const fn size(self) -> usize {
        match self.category {
            Complex => 2 * self.bytes_of_part(),
            _ => self.bytes_of_part(),
        }
    }

    /// Returns the size in bytes of a number, or of each part of a complex number.
    pub(crate) const fn bytes_of_part(self) -> usize {
        match (self.category, self.kind) {
            (Real | Complex, 3) => 2,
            (Real | Complex, 10) => 16,
            (_, kind) => kind as usize,
        }
    }
}

/// Formats the type as Fortran spells it, such as `integer(4)`.
impl core::fmt::Display for Type {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self.category {
            Integer => "integer",
            Unsigned => "unsigned",
            Logical => "logical",
            Real => "real",
            Complex => "complex",
            Character => "character",
            Struct => "type",
            Pointer => "type(c_ptr)",
            FunctionPointer => "type(c_funptr)",
            Other => "something",
        })?;
        if self.kind != 0 { write!(f, "({})", self.kind) } else { Ok(()) }
    }
}

/// The kind of the C type `long double`.
const LONG_DOUBLE: u8 = if cfg!(any(target_arch = "x86_64", target_arch = "x86")) { 10 } else { 16 };

/// The types for flang's type codes, starting with code 1. For an integer, a kind of 0 means that the element size
/// determines the kind, because the size of the C type depends on the target.
const FLANG: [(Category, u8); 49] = [
    (Integer, 1), // signed_char
    (Integer, 2), // short
    (Integer, 4), // int
    (Integer, 0), // long
    (Integer, 8), // long_long
    (Integer, 0), // size_t
    (Integer, 1), // int8_t
    (Integer, 2),
    (Integer, 4),
    (Integer, 8),
    (Integer, 16),
    (Integer, 1), // int_least8_t
    (Logical, 2), // int_least16_t: flang's code for LOGICAL(2), and so on
    (Logical, 4),
    (Logical, 8),
    (Integer, 16), // int_least128_t
    (Integer, 1),  // int_fast8_t
    (Integer, 0),
    (Integer, 0),
    (Integer, 8),
    (Integer, 16), // int_fast128_t
    (Integer, 8),  // intmax_t
    (Integer, 0),  // intptr_t
    (Integer, 0),  // ptrdiff_t
    (Real, 2),     // half_float
    (Real, 3),     // bfloat
    (Real, 4),
    (Real, 8),
    (Real, 10), // extended_double
    (Real, LONG_DOUBLE),
    (Real, 16), // float128
    (Complex, 2),
    (Complex, 3),
    (Complex, 4),
    (Complex, 8),
    (Complex, 10),
    (Complex, LONG_DOUBLE),
    (Complex, 16),
    (Logical, 1),   // Bool
    (Character, 1), // char
    (Pointer, 0),   // cptr
    (Struct, 0),
    (Character, 2), // char16_t
    (Character, 4), // char32_t
    (Unsigned, 1),  // uint8_t
    (Unsigned, 2),
    (Unsigned, 4),
    (Unsigned, 8),
    (Unsigned, 16),
];

/// The type codes for new flang descriptors. If a type has several codes, only the code of the exact-width or named
/// type is listed.
const FLANG_WRITES: [u8; 31] = [
    7, 8, 9, 10, 11, 13, 14, 15, 25, 26, 27, 28, 29, 31, 32, 33, 34, 35, 36, 38, 39, 40, 41, 42, 43, 44, 45,
    46, 47, 48, 49,
];

/// The categories for the low byte of gfortran's type codes, starting with the value 1. The high byte of a code is the
/// kind.
const GFORTRAN: [Category; 8] =
    [Integer, Logical, Real, Complex, Character, Struct, Pointer, FunctionPointer];

/// The code that both compilers use for all other types. These have no kind.
const OTHER: i32 = -1;

impl Type {
    /// Returns the type for a type code in a layout, or `None` if the code is invalid.
    pub(super) fn of(format: Format, code: i32, element_len: usize) -> Option<Self> {
        if code == OTHER {
            return Some(Type { category: Other, kind: 0 });
        }
        let number = usize::try_from(code).ok()?;
        if format == Format::Gfortran {
            let category = *GFORTRAN.get((number & 0xff).checked_sub(1)?)?;
            return Some(Type { category, kind: (number >> 8) as u8 });
        }
        let known = if format == Format::Flang2018 { 44 } else { FLANG.len() };
        let &(category, kind) = FLANG.get(number.checked_sub(1).filter(|&index| index < known)?)?;
        let of_element = category == Integer && kind == 0;
        Some(Type { category, kind: if of_element { u8::try_from(element_len).ok()? } else { kind } })
    }

    /// Returns the code of a type in a layout, or `None` if the layout has no code for the type.
    pub(super) fn code(self, format: Format) -> Option<i32> {
        if self.category == Other {
            return Some(OTHER);
        }
        if format == Format::Gfortran {
            let base = GFORTRAN.iter().position(|&category| category == self.category)? as i32 + 1;
            // gfortran's type code is a signed 16-bit value whose high byte is the kind, so the kind must fit in an
            // `i8`.
            return i8::try_from(self.kind).ok().map(|kind| base | i32::from(kind) << 8);
        }
        let category = if self.category == FunctionPointer { Pointer } else { self.category };
        let kindless = [Struct, Pointer].contains(&category);
        let wanted = (category, if kindless { 0 } else { self.kind });
        let code =
            FLANG_WRITES.into_iter().find(|&code| FLANG.get(usize::from(code) - 1) == Some(&wanted))?;
        (format == Format::Flang2024 || code <= 44).then_some(code.into())
    }
}
