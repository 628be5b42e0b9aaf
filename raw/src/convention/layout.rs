//! The properties of a type that calling conventions depend on: its size, its alignment, and the scalars in it.

use super::kind::Kind as K;
use core::mem::MaybeUninit;

/// A member of a struct: a scalar, a complex number, a vector or another struct. libstatictramp passes its callers'
/// arrays of leaves on unchanged.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Leaf {
    pub(crate) offset: usize,
    /// The kind's number, which may be invalid.
    pub(crate) kind: u32,
    /// For [`STRUCT`], a pointer to the struct's description. It is not read for other kinds.
    pub(crate) of: *const Description,
}

// SAFETY: a leaf that Rust makes contains a null pointer. The description to which a leaf from C points is only read,
// and C code must not change the description while the leaf is in use.
unsafe impl Send for Leaf {}
// SAFETY: as above.
unsafe impl Sync for Leaf {}

impl Leaf {
    /// Returns the only leaf of a type that is not a struct.
    pub(crate) fn plain(kind: u32) -> Self {
        Leaf { offset: 0, kind, of: core::ptr::null() }
    }
}

/// A struct type as C describes it.
#[derive(Debug)]
#[repr(C)]
pub struct Description {
    size: usize,
    count: usize,
    leaves: *const Leaf,
}

impl Description {
    /// Returns the leaves, or `None` if `count` is not 0 but the pointer to them is null.
    fn leaves(&self) -> Option<&[Leaf]> {
        match self.count {
            0 => Some(&[]),
            _ if self.leaves.is_null() => None,
            // SAFETY: only C code makes descriptions, and C code guarantees that `leaves` points to `count` leaves.
            count => Some(unsafe { core::slice::from_raw_parts(self.leaves, count) }),
        }
    }
}

/// The type of a parameter or a result, as C describes it.
#[cfg(feature = "__for-capi")]
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Type {
    /// The kind's number, which may be invalid.
    kind: u32,
    /// For [`STRUCT`], a pointer to the struct's description. It is not read for other kinds.
    of: *const Description,
}

#[cfg(feature = "__for-capi")]
impl Type {
    /// The number that denotes a struct in place of a kind.
    pub const STRUCT: u32 = STRUCT;

    /// Returns the kind's number, which may be invalid.
    #[inline(always)]
    pub(super) fn kind(&self) -> u32 {
        self.kind
    }

    /// Returns a type that is not a struct.
    #[cfg(test)]
    pub(super) fn of_kind(kind: u32) -> Self {
        Type { kind, of: core::ptr::null() }
    }

    /// Returns the type as the only leaf of a layout.
    pub(crate) fn leaf(&self) -> Leaf {
        Leaf { offset: 0, kind: self.kind, of: self.of }
    }

    /// Returns whether the type exists on this target.
    pub fn exists(&self) -> bool {
        Layout::of(&self.leaf()).is_some()
    }
}

/// The number that denotes a struct in place of a kind.
pub(crate) const STRUCT: u32 = 14;

/// The lowest number of a vector kind.
const VECTOR64: u32 = 18;

/// Maximum nesting depth of structs.
const DEEPEST: usize = 16;

/// The properties of a scalar that calling conventions depend on.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Scalar {
    /// Size in bytes.
    size: u8,
    pub(crate) class: Class,
    /// Whether the type is signed, so that a result smaller than a word is sign-extended.
    pub(crate) signed: bool,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Class {
    Integer,
    /// A pointer. On RISC-V and LoongArch, a struct of a pointer and a floating-point number is not passed by the
    /// floating-point convention.
    Pointer,
    Floating,
    /// A SIMD vector.
    #[allow(dead_code)] // on targets without vectors
    Vector,
}

const WORD: usize = size_of::<usize>();
/// Upper limit of a scalar's alignment in bytes. Up to this limit, the alignment equals the size.
const LARGEST_ALIGN: usize = match () {
    _ if cfg!(target_arch = "x86") => 4,
    _ if cfg!(any(target_arch = "s390x", target_arch = "arm")) => 8,
    _ => 16,
};
/// Size of a `long double` in bytes.
pub(crate) const LONG_DOUBLE: usize = match () {
    _ if cfg!(any(
        target_arch = "arm",
        target_env = "msvc",
        all(target_arch = "aarch64", target_os = "macos")
    )) =>
    {
        8
    }
    _ if cfg!(target_arch = "x86") => 12,
    _ => 16,
};

/// The highest number of a kind.
const LAST_KIND: usize = VECTOR64 as usize + 1;

impl Scalar {
    /// The scalars, indexed by kind. The elements for 0 (which is not a kind), for complex numbers and for structs are
    /// `None`.
    pub(super) const KINDS: [Option<Scalar>; LAST_KIND + 1] = {
        const fn of(size: usize, class: Class, signed: bool) -> Option<Scalar> {
            Some(Scalar { size: size as u8, class, signed })
        }
        let mut kinds = [None; LAST_KIND + 1];
        let mut log = 0;
        while log < 4 {
            kinds[K::Int8 as usize + 2 * log] = of(1 << log, Class::Integer, true);
            kinds[K::Uint8 as usize + 2 * log] = of(1 << log, Class::Integer, false);
            log += 1;
        }
        #[cfg(target_pointer_width = "64")]
        {
            kinds[K::Int128 as usize] = of(16, Class::Integer, false);
        }
        kinds[K::Pointer as usize] = of(WORD, Class::Pointer, false);
        kinds[K::Float as usize] = of(4, Class::Floating, false);
        kinds[K::Double as usize] = of(8, Class::Floating, false);
        kinds[K::LongDouble as usize] = of(LONG_DOUBLE, Class::Floating, false);
        #[cfg(any(
            all(target_arch = "x86_64", not(windows)),
            target_arch = "aarch64",
            target_abi = "eabihf"
        ))]
        {
            kinds[VECTOR64 as usize] = of(8, Class::Vector, false);
        }
        #[cfg(any(
            target_arch = "x86_64",
            target_arch = "aarch64",
            target_arch = "powerpc64",
            target_abi = "eabihf"
        ))]
        {
            kinds[LAST_KIND] = of(16, Class::Vector, false);
        }
        kinds
    };

    /// Returns the scalar for a kind. Returns `None` if the target has no such type, or if the type is not a scalar.
    #[inline(always)]
    pub(crate) fn of(kind: u32) -> Option<Self> {
        *Self::KINDS.get(kind as usize)?
    }

    /// Returns the type of each part of a complex number of this kind, or `None` for any other kind.
    const fn part_of(kind: u32) -> Option<Self> {
        const FIRST: u32 = STRUCT + 1;
        match kind {
            FIRST..VECTOR64 if !cfg!(target_arch = "powerpc") => {
                Self::KINDS[(kind - FIRST) as usize + K::Float as usize]
            }
            _ => None,
        }
    }

    #[inline(always)]
    pub(crate) const fn size(self) -> usize {
        self.size as usize
    }

    #[inline(always)]
    fn align(self) -> usize {
        self.size().min(LARGEST_ALIGN)
    }

    /// Returns whether the scalar may be passed in a floating-point or vector register, if the target has such
    /// registers.
    #[inline(always)]
    pub(crate) fn is_floating(self) -> bool {
        matches!(self.class, Class::Floating | Class::Vector)
    }
}

/// Returns the size in bytes of values of a kind, or 0 for a struct and for a kind that the target does not support.
pub(crate) const fn size_of_kind(kind: u32) -> usize {
    match (Scalar::KINDS[kind as usize], Scalar::part_of(kind)) {
        (Some(scalar), _) => scalar.size as usize,
        (None, Some(part)) => 2 * part.size as usize,
        (None, None) => 0,
    }
}

/// Whether a value is a scalar, a complex number or a struct.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Form {
    /// A plain scalar or vector, not a struct that contains one.
    Scalar,
    /// A plain complex number.
    Complex,
    Struct,
}

/// The properties of a value's type.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'a> {
    pub(crate) size: usize,
    #[allow(dead_code)] // unused on targets that pass arguments as whole words or by address
    pub(crate) align: usize,
    pub(crate) form: Form,
    leaves: &'a [Leaf],
}

impl<'a> Layout<'a> {
    /// Returns the layout of a type that is not a struct and has `leaf` as its only leaf. Returns `None` if the target
    /// does not support the type.
    pub(crate) fn plain(leaf: &'a Leaf) -> Option<Self> {
        let (scalar, size, form) = match Scalar::of(leaf.kind) {
            Some(scalar) => (scalar, scalar.size(), Form::Scalar),
            None => {
                let part = Scalar::part_of(leaf.kind)?;
                (part, 2 * part.size(), Form::Complex)
            }
        };
        Some(Layout { size, align: scalar.align(), form, leaves: core::slice::from_ref(leaf) })
    }

    /// Returns the layout of any type. `leaf` describes the type as if it were the only member of a struct. Returns
    /// `None` if the target does not support the type, or if its layout is not one that C compilers use.
    #[cfg(feature = "__for-capi")]
    pub(crate) fn of(leaf: &'a Leaf) -> Option<Self> {
        if leaf.kind != STRUCT {
            return Layout::plain(leaf);
        }
        // SAFETY: only C code makes leaves of this kind, and C code guarantees that the pointer is null or valid.
        let described = unsafe { leaf.of.as_ref() }?;
        Layout::of_struct(described.size, described.leaves()?)
    }

    /// Returns the layout of a struct, if C compilers use that layout: the leaves are ordered by offset and aligned,
    /// they do not overlap, and only the padding that the alignment requires follows the last leaf. Returns `None` for
    /// any other layout, and for structs that are nested too deeply or larger than any object can be. On Windows, also
    /// returns `None` for an empty struct, for which gcc passes nothing and clang passes an address.
    pub fn of_struct(size: usize, leaves: &'a [Leaf]) -> Option<Self> {
        if cfg!(windows) && size == 0 || size > isize::MAX as usize {
            return None;
        }
        let align = align_of_struct(size, leaves, DEEPEST)?;
        Some(Layout { size, align, form: Form::Struct, leaves })
    }

    /// Returns the layout of each part of a complex number.
    #[cfg(target_arch = "powerpc64")]
    pub(crate) fn half(&self) -> Self {
        Layout { size: self.size / 2, form: Form::Scalar, ..*self }
    }

    /// Returns whether the value is a plain scalar or vector.
    #[allow(dead_code)] // unused on targets that pass a one-scalar struct like the scalar
    #[inline(always)]
    pub(crate) fn is_scalar(&self) -> bool {
        self.form == Form::Scalar
    }

    /// Returns the scalars with their offsets. Each nested struct is replaced by its scalars, and each complex number
    /// by its two parts.
    #[inline(always)]
    pub(crate) fn leaves(&self) -> Leaves<'a> {
        Leaves {
            rest: self.leaves,
            base: 0,
            second: None,
            outer: [const { MaybeUninit::uninit() }; DEEPEST],
            depth: 0,
        }
    }

    /// Returns a struct's direct members, with their offsets. The scalar of a member that is a struct or a complex
    /// number is `None`.
    #[allow(dead_code)] // unused on targets that pass a nested struct's members like direct members
    #[inline(always)]
    pub(crate) fn members(&self) -> impl Iterator<Item = (usize, Option<Scalar>)> + use<'a> {
        self.leaves.iter().map(|leaf| (leaf.offset, Scalar::of(leaf.kind)))
    }

    /// Returns the type and the number of a value's leaves, if the value consists of 1 to 4 contiguous leaves of one
    /// floating-point or vector type.
    #[cfg(any(target_arch = "aarch64", target_arch = "arm"))]
    pub(crate) fn homogeneous(&self) -> Option<(Scalar, usize)> {
        self.homogeneous_up_to(4)
    }

    /// Like `homogeneous`, but accepts up to `most` leaves.
    #[cfg(any(target_arch = "aarch64", target_arch = "arm", target_arch = "powerpc64"))]
    #[inline(always)]
    pub(crate) fn homogeneous_up_to(&self, most: usize) -> Option<(Scalar, usize)> {
        let (_, first) = self.leaves().next()?;
        if !first.is_floating() {
            return None;
        }
        let mut count = 0;
        for (_, scalar) in self.leaves() {
            count += 1;
            if scalar != first || count > most {
                return None;
            }
        }
        (self.size == count * first.size()).then_some((first, count))
    }
}

/// Returns the alignment of a struct in bytes, or `None` if C compilers do not use such a layout.
fn align_of_struct(size: usize, leaves: &[Leaf], depth: usize) -> Option<usize> {
    let (mut end, mut align) = (0usize, 1);
    for leaf in leaves {
        let (of, its_align) = if leaf.kind == STRUCT {
            // SAFETY: only C code makes leaves of this kind, and C code guarantees that the pointer is null or valid.
            let inner = unsafe { leaf.of.as_ref() }?;
            // A description must omit empty members, so a struct cannot be described for a convention that passes it
            // differently because of one.
            if depth == 0 || inner.size == 0 {
                return None;
            }
            (inner.size, align_of_struct(inner.size, inner.leaves()?, depth - 1)?)
        } else {
            let layout = Layout::plain(leaf)?;
            (layout.size, layout.align)
        };
        if leaf.offset < end || !leaf.offset.is_multiple_of(its_align) {
            return None;
        }
        end = leaf.offset.checked_add(of)?;
        align = align.max(its_align);
    }
    (end.checked_next_multiple_of(align) == Some(size)).then_some(align)
}

/// An iterator over the scalars of a value.
#[derive(Clone)]
pub(crate) struct Leaves<'a> {
    rest: &'a [Leaf],
    /// The offset of the struct that contains `rest`.
    base: usize,
    /// The second part of a complex number, if it comes next.
    second: Option<(usize, Scalar)>,
    /// The values of `rest` and `base` for the enclosing structs. The first `depth` elements have been written.
    outer: [MaybeUninit<(&'a [Leaf], usize)>; DEEPEST],
    depth: usize,
}

impl Iterator for Leaves<'_> {
    type Item = (usize, Scalar);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if self.second.is_some() {
            return self.second.take();
        }
        loop {
            let Some((leaf, rest)) = self.rest.split_first() else {
                self.depth = self.depth.checked_sub(1)?;
                // SAFETY: the first `depth` elements were written when the iterator entered the nested structs.
                (self.rest, self.base) = unsafe { self.outer.get(self.depth)?.assume_init() };
                continue;
            };
            self.rest = rest;
            let offset = self.base.wrapping_add(leaf.offset);
            if let Some(scalar) = Scalar::of(leaf.kind) {
                return Some((offset, scalar));
            }
            if let Some(part) = Scalar::part_of(leaf.kind) {
                self.second = Some((offset + part.size(), part));
                return Some((offset, part));
            }
            if leaf.kind != STRUCT {
                continue;
            }
            // SAFETY: the layout was made from this leaf, whose pointer is valid.
            let inner = unsafe { leaf.of.as_ref() }?;
            self.outer.get_mut(self.depth)?.write((self.rest, self.base));
            self.depth += 1;
            (self.rest, self.base) = (inner.leaves()?, offset);
        }
    }
}
