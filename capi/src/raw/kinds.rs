//! The C types that programs use to describe the types of parameters and results.

use super::StatictrampStruct;
use core::ffi::c_uint;
use statictramp_raw::Kind;
use statictramp_raw::for_capi::{Leaf, Type};

/// The kinds of types. `bool` has the kind STATICTRAMP_KIND_UINT8. `char` has STATICTRAMP_KIND_UINT8 or
/// STATICTRAMP_KIND_INT8, depending on CHAR_MIN. An enumeration has the kind of its underlying integer type.
#[repr(C)]
#[allow(dead_code)] // only C code passes these numbers
pub enum StatictrampKind {
    Int8 = 1,
    Uint8,
    Int16,
    Uint16,
    Int32,
    Uint32,
    Int64,
    Uint64,
    /// A 128-bit integer, signed or unsigned (not on 32-bit processors).
    Int128,
    Pointer,
    Float,
    Double,
    /// `long double` in the compiler's default format, without options such as `-mlong-double-64`.
    LongDouble,
    /// A struct, described by a statictramp_struct.
    Struct,
    /// `float _Complex`. The complex kinds are not available on 32-bit PowerPC, because compilers disagree on how to
    /// pass them.
    ComplexFloat,
    /// `double _Complex` (not on 32-bit PowerPC).
    ComplexDouble,
    /// `long double _Complex` (not on 32-bit PowerPC).
    ComplexLongDouble,
    /// An 8-byte vector with at least two elements (`float32x2_t`, `__attribute__((vector_size(8)))`). It is available
    /// on x86-64 (except Windows), AArch64, and hard-float Arm.
    Vector64,
    /// A 16-byte vector with at least two elements (`__m128`, `float32x4_t`, `__attribute__((vector_size(16)))`). It is
    /// available on x86-64, AArch64, hard-float Arm and 64-bit PowerPC.
    Vector128,
}

/// A part of a struct: a member that is not an array, or one element of an array.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct StatictrampLeaf {
    /// The offset in bytes from the beginning of the struct, as given by offsetof.
    pub offset: usize,
    /// A statictramp_kind.
    pub kind: c_uint,
    /// The nested struct for STATICTRAMP_KIND_STRUCT; ignored for other kinds.
    pub of: *const StatictrampStruct,
}

/// The type of a parameter or a result.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct StatictrampType {
    /// A statictramp_kind.
    pub kind: c_uint,
    /// The struct for STATICTRAMP_KIND_STRUCT, or NULL for other kinds.
    pub of: *const StatictrampStruct,
}

// Each type in this file corresponds to a differently named type in the core, except that C code may pass a leaf with
// an invalid kind.
const _: () = {
    use StatictrampKind as K;
    assert!(
        size_of::<StatictrampLeaf>() == size_of::<Leaf>()
            && align_of::<StatictrampLeaf>() == align_of::<Leaf>()
    );
    assert!(core::mem::offset_of!(StatictrampLeaf, kind) == size_of::<usize>());
    assert!(core::mem::offset_of!(StatictrampLeaf, of) == 2 * size_of::<usize>());
    assert!(size_of::<StatictrampType>() == size_of::<Type>());
    assert!(core::mem::offset_of!(StatictrampType, of) == size_of::<usize>());
    assert!(K::Int8 as u32 == Kind::Int8 as u32 && K::Uint8 as u32 == Kind::Uint8 as u32);
    assert!(K::Int16 as u32 == Kind::Int16 as u32 && K::Uint16 as u32 == Kind::Uint16 as u32);
    assert!(K::Int32 as u32 == Kind::Int32 as u32 && K::Uint32 as u32 == Kind::Uint32 as u32);
    assert!(K::Int64 as u32 == Kind::Int64 as u32 && K::Uint64 as u32 == Kind::Uint64 as u32);
    #[cfg(target_pointer_width = "64")]
    assert!(K::Int128 as u32 == Kind::Int128 as u32);
    assert!(K::Pointer as u32 == Kind::Pointer as u32 && K::Float as u32 == Kind::Float as u32);
    assert!(K::Double as u32 == Kind::Double as u32 && K::LongDouble as u32 == Kind::LongDouble as u32);
    assert!(K::Struct as u32 == Type::STRUCT);
    #[cfg(not(target_arch = "powerpc"))]
    assert!(
        K::ComplexFloat as u32 == Kind::ComplexFloat as u32
            && K::ComplexDouble as u32 == Kind::ComplexDouble as u32
            && K::ComplexLongDouble as u32 == Kind::ComplexLongDouble as u32
    );
    #[cfg(any(all(target_arch = "x86_64", not(windows)), target_arch = "aarch64", target_abi = "eabihf"))]
    assert!(K::Vector64 as u32 == Kind::Vector64 as u32);
    #[cfg(any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "powerpc64",
        target_abi = "eabihf"
    ))]
    assert!(K::Vector128 as u32 == Kind::Vector128 as u32);
};
