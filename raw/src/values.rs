//! Descriptions of types in Rust: scalars by their kinds or Rust types, and structs by the scalars in them.

pub use crate::convention::kind::Kind;
use crate::convention::layout::Layout;
pub use crate::convention::layout::Leaf;

impl Leaf {
    /// Returns a member of this kind. `offset` is the member's byte offset in the struct, as returned by
    /// [`offset_of!`](core::mem::offset_of).
    #[must_use]
    pub const fn new(offset: usize, kind: Kind) -> Self {
        Leaf { offset, kind: kind as u32, of: core::ptr::null() }
    }
}

/// A C struct, described by all scalars in it, including those in nested structs and in each element of an array, in
/// the order of their offsets.
///
/// ```
/// use core::mem::offset_of;
/// use statictramp_raw::{Kind, Leaf, Struct};
///
/// #[repr(C)]
/// struct Reading {
///     value: f64,
///     unit: [u8; 2],
/// }
/// let leaves = [
///     Leaf::new(offset_of!(Reading, value), Kind::Double),
///     Leaf::new(offset_of!(Reading, unit), Kind::Uint8),
///     Leaf::new(offset_of!(Reading, unit) + 1, Kind::Uint8),
/// ];
/// assert!(Struct::new(size_of::<Reading>(), &leaves).is_some());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Struct<'a>(pub(super) Layout<'a>);

impl<'a> Struct<'a> {
    /// Describes a struct of `size` bytes (as returned by [`size_of`]). Returns `None` if no C compiler uses such a
    /// layout, or if a leaf's kind does not exist on this target. Unions, bit-fields, vectors for which there is no
    /// [`Kind`], packed or over-aligned structs, and structs with both floating-point numbers and a zero-sized member
    /// (an empty struct, an array of length 0, or `PhantomData`) cannot be described, nor can empty structs on Windows,
    /// because compilers disagree about how to pass them.
    pub fn new(size: usize, leaves: &'a [Leaf]) -> Option<Self> {
        Layout::of_struct(size, leaves).map(Struct)
    }
}

/// A type that consists of one scalar: `bool`, an integer (128-bit only on 64-bit targets), `f32`, `f64` or a thin
/// pointer.
///
/// ```
/// use statictramp_raw::{Argument, Kind};
///
/// #[repr(transparent)]
/// struct Handle(u32);
/// // SAFETY: transparent, and any number is a handle.
/// unsafe impl Argument for Handle {
///     const KIND: Kind = Kind::Uint32;
/// }
/// ```
///
/// # Safety
/// The type must have the size of its kind, and C must pass its values in the same way as values of the kind.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no scalar that a raw closure can take or return by its type",
    note = "structs are described by `statictramp_raw::Struct`; implement `statictramp_raw::Argument` for types that are one scalar"
)]
pub unsafe trait Argument {
    /// The kind of the C type that is passed in the same way as this type.
    const KIND: Kind;
}

macro_rules! arguments {
    ($($type:ty: $kind:ident),*) => {$(
        // SAFETY: C passes this type as a value of this kind, which has the same size.
        unsafe impl Argument for $type {
            const KIND: Kind = Kind::$kind;
        }
    )*};
}
arguments!(bool: Uint8, i8: Int8, u8: Uint8, i16: Int16, u16: Uint16, i32: Int32, u32: Uint32, i64: Int64, u64: Uint64);
arguments!(f32: Float, f64: Double);
#[cfg(target_pointer_width = "64")]
arguments!(isize: Int64, usize: Uint64, i128: Int128, u128: Int128);
#[cfg(not(target_pointer_width = "64"))]
arguments!(isize: Int32, usize: Uint32);

// SAFETY: a pointer to a sized type is one word.
unsafe impl<T> Argument for *const T {
    const KIND: Kind = Kind::Pointer;
}
// SAFETY: as above.
unsafe impl<T> Argument for *mut T {
    const KIND: Kind = Kind::Pointer;
}
