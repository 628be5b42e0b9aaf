//! The properties of a value that calling conventions depend on: its size, its alignment, and the scalars in it.

use super::kind::Kind as K;

/// A scalar within a struct. The C library passes its callers' arrays of leaves on unchanged.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Leaf {
    pub(crate) offset: usize,
    /// The number of a kind; may be invalid.
    pub(crate) kind: u32,
}

/// The properties of a scalar that calling conventions depend on.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Scalar {
    /// Size in bytes.
    size: u8,
    pub(crate) class: Class,
    /// Whether a smaller result is sign-extended.
    pub(crate) signed: bool,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Class {
    Integer,
    /// Not an integer on RISC-V.
    Pointer,
    Floating,
}

const WORD: usize = size_of::<usize>();
/// Upper limit of a scalar's alignment, which is otherwise its size.
const LARGEST_ALIGN: usize = match () {
    _ if cfg!(target_arch = "x86") => 4,
    _ if cfg!(target_arch = "s390x") => 8,
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

impl Scalar {
    /// Indexed by kind; 0 is not a kind.
    const KINDS: [Option<Scalar>; K::LongDouble as usize + 1] = {
        const fn of(size: usize, class: Class, signed: bool) -> Option<Scalar> {
            Some(Scalar { size: size as u8, class, signed })
        }
        let mut kinds = [None; K::LongDouble as usize + 1];
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
        kinds
    };

    /// `None` if the target has no such type.
    #[inline(always)]
    pub(crate) fn of(kind: u32) -> Option<Self> {
        *Self::KINDS.get(kind as usize)?
    }

    #[inline(always)]
    pub(crate) fn size(self) -> usize {
        usize::from(self.size)
    }

    #[inline(always)]
    fn align(self) -> usize {
        self.size().min(LARGEST_ALIGN)
    }

    /// Whether it may be passed in a floating-point register, if there are any.
    #[inline(always)]
    pub(crate) fn is_floating(self) -> bool {
        self.class == Class::Floating
    }
}

/// A value's type.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    pub(crate) size: usize,
    #[allow(dead_code)] // unused on targets that pass words or addresses
    pub(crate) align: usize,
    /// Whether it is a plain scalar, not a struct that contains one.
    #[allow(dead_code)] // unused on targets that pass a struct of one scalar like the scalar
    pub(crate) is_scalar: bool,
    leaves: &'a [Leaf],
}

impl<'a> Shape<'a> {
    /// The shape of a scalar, whose only leaf is `leaf`.
    pub(crate) fn scalar(leaf: &'a Leaf) -> Option<Self> {
        let scalar = Scalar::of(leaf.kind)?;
        Some(Shape {
            size: scalar.size(),
            align: scalar.align(),
            is_scalar: true,
            leaves: core::slice::from_ref(leaf),
        })
    }

    /// The shape of a struct as C compilers lay it out: leaves ordered by offset, aligned, without overlap, and after
    /// the last only the padding that the alignment requires. `None` for any other layout, and on Windows for an empty
    /// struct, for which gcc passes nothing and clang an address.
    pub fn of_struct(size: usize, leaves: &'a [Leaf]) -> Option<Self> {
        if cfg!(windows) && size == 0 {
            return None;
        }
        let (mut end, mut align) = (0usize, 1);
        for leaf in leaves {
            let scalar = Scalar::of(leaf.kind)?;
            if leaf.offset < end || !leaf.offset.is_multiple_of(scalar.align()) {
                return None;
            }
            end = leaf.offset.checked_add(scalar.size())?;
            align = align.max(scalar.align());
        }
        let is_whole = end.checked_next_multiple_of(align) == Some(size);
        is_whole.then_some(Shape { size, align, is_scalar: false, leaves })
    }

    /// The scalars with their offsets.
    pub(crate) fn leaves(&self) -> impl Iterator<Item = (usize, Scalar)> {
        self.leaves.iter().filter_map(|leaf| Some((leaf.offset, Scalar::of(leaf.kind)?)))
    }

    /// The common type of the leaves, and their number: 1 to 4 contiguous leaves of one floating-point type.
    #[cfg(any(target_arch = "aarch64", target_arch = "arm"))]
    pub(crate) fn homogeneous(&self) -> Option<(Scalar, usize)> {
        self.homogeneous_up_to(4)
    }

    /// The same for another maximum.
    #[cfg(any(target_arch = "aarch64", target_arch = "arm", target_arch = "powerpc64"))]
    #[inline(always)]
    pub(crate) fn homogeneous_up_to(&self, most: usize) -> Option<(Scalar, usize)> {
        let (_, first) = self.leaves().next()?;
        let count = self.leaves.len();
        let equal = self.leaves().all(|(_, scalar)| scalar == first);
        (equal && first.is_floating() && count <= most && self.size == count * first.size())
            .then_some((first, count))
    }
}
