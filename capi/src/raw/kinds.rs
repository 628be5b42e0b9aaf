//! The types that describe values in C.

use core::ffi::c_uint;
use statictramp::raw::Kind;
use statictramp::runtime::raw::Leaf;

/// The scalar types. `bool` is STATICTRAMP_KIND_UINT8, `char` is that or STATICTRAMP_KIND_INT8 depending on CHAR_MIN,
/// and an enumeration is the integer that represents it.
#[repr(C)]
#[allow(dead_code)] // numbers that C passes
pub enum StatictrampKind {
    Int8 = 1,
    Uint8,
    Int16,
    Uint16,
    Int32,
    Uint32,
    Int64,
    Uint64,
    /// A 128-bit integer, signed or unsigned; not on 32-bit processors.
    Int128,
    Pointer,
    Float,
    Double,
    /// The compiler's default `long double`, without options such as `-mlong-double-64`.
    LongDouble,
}

/// A scalar within a struct, with its offset as given by offsetof.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct StatictrampLeaf {
    /// Offset in bytes from the beginning of the struct.
    pub offset: usize,
    /// A statictramp_kind.
    pub kind: c_uint,
}

// These types correspond to the core's under other names, except that a leaf from C may have an invalid kind.
const _: () = {
    use StatictrampKind as K;
    assert!(
        size_of::<StatictrampLeaf>() == size_of::<Leaf>()
            && align_of::<StatictrampLeaf>() == align_of::<Leaf>()
    );
    assert!(core::mem::offset_of!(StatictrampLeaf, kind) == size_of::<usize>());
    assert!(K::Int8 as u32 == Kind::Int8 as u32 && K::Uint8 as u32 == Kind::Uint8 as u32);
    assert!(K::Int16 as u32 == Kind::Int16 as u32 && K::Uint16 as u32 == Kind::Uint16 as u32);
    assert!(K::Int32 as u32 == Kind::Int32 as u32 && K::Uint32 as u32 == Kind::Uint32 as u32);
    assert!(K::Int64 as u32 == Kind::Int64 as u32 && K::Uint64 as u32 == Kind::Uint64 as u32);
    #[cfg(target_pointer_width = "64")]
    assert!(K::Int128 as u32 == Kind::Int128 as u32);
    assert!(K::Pointer as u32 == Kind::Pointer as u32 && K::Float as u32 == Kind::Float as u32);
    assert!(K::Double as u32 == Kind::Double as u32 && K::LongDouble as u32 == Kind::LongDouble as u32);
};
