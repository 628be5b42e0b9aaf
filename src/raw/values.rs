//! How Rust describes values: scalars by their kinds or their types, structs by the scalars in them.

pub use crate::arch::convention::kind::Kind;
pub use crate::arch::convention::shape::Leaf;
use crate::arch::convention::shape::Shape;

impl Leaf {
    /// A scalar that begins so many bytes after its struct does, as [`offset_of!`](core::mem::offset_of) tells.
    pub const fn new(offset: usize, kind: Kind) -> Self {
        Leaf { offset, kind: kind as u32 }
    }
}

/// A C struct, by the scalars in it: those of its members, of members of members, of each element of an array, in the
/// order of their places.
///
/// ```
/// use core::mem::offset_of;
/// use statictramp::raw::{Kind, Leaf, Struct};
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
pub struct Struct<'a>(pub(super) Shape<'a>);

impl<'a> Struct<'a> {
    /// `None` if C compilers lay no struct out so, or the leaves have a kind that is not known here. Unions, vectors, bit-fields,
    /// packed and over-aligned structs cannot be described, nor floating-point numbers beside a member without a byte (an empty
    /// struct, an array of none, `PhantomData`), nor on Windows an empty struct, in which compilers differ.
    /// The size is that of [`size_of`], in bytes.
    pub fn new(size: usize, leaves: &'a [Leaf]) -> Option<Self> {
        Shape::of_struct(size, leaves).map(Struct)
    }
}

/// A type of one scalar. `bool`, integers, floating-point numbers and thin pointers have it.
///
/// ```
/// use statictramp::raw::{Argument, Kind};
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
/// C passes values of this type as it passes those of the kind, of which it has the size.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no scalar that a raw closure can take or return by its type",
    note = "structs are described by `raw::Struct`; implement `raw::Argument` for types that are one scalar"
)]
pub unsafe trait Argument {
    /// How C passes it.
    const KIND: Kind;
}

macro_rules! arguments {
    ($($type:ty: $kind:ident),*) => {$(
        // SAFETY: this is C's type of this kind.
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

// SAFETY: a pointer to a type with a size has one word.
unsafe impl<T> Argument for *const T {
    const KIND: Kind = Kind::Pointer;
}
// SAFETY: as above.
unsafe impl<T> Argument for *mut T {
    const KIND: Kind = Kind::Pointer;
}
