//! What a value is to a calling convention: its size, its alignment, and the scalars that lie in it.

use super::kind::Kind as K;

/// A scalar within a struct. The C library passes arrays of them on as it gets them.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Leaf {
    pub(crate) offset: usize,
    /// The number of a kind, or of none.
    pub(crate) kind: u32,
}

/// What a scalar is to a calling convention.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Scalar {
    /// Bytes.
    size: u8,
    pub(crate) class: Class,
    /// Whether a smaller result is widened with its sign.
    pub(crate) signed: bool,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Class {
    Integer,
    /// To RISC-V no integer.
    Pointer,
    Floating,
}

const WORD: usize = size_of::<usize>();
/// Every scalar is aligned to its size, but to no more than this.
const LARGEST_ALIGN: usize = match () {
    _ if cfg!(target_arch = "x86") => 4,
    _ if cfg!(target_arch = "s390x") => 8,
    _ => 16,
};
/// Bytes of a `long double`.
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
    /// By kind, but for 0, which is none.
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

    /// `None` if there is no such type here.
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

    /// Whether it may travel in a floating-point register, if there are any.
    #[inline(always)]
    pub(crate) fn is_floating(self) -> bool {
        self.class == Class::Floating
    }
}

/// A value's type.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    pub(crate) size: usize,
    #[allow(dead_code)] // where each has words, or an address
    pub(crate) align: usize,
    /// Whether it is a scalar by itself, not a struct that has one.
    #[allow(dead_code)] // where a struct of one scalar travels as that does
    pub(crate) is_scalar: bool,
    leaves: &'a [Leaf],
}

impl<'a> Shape<'a> {
    /// Of a scalar, whose only leaf is `leaf`.
    pub(crate) fn scalar(leaf: &'a Leaf) -> Option<Self> {
        let scalar = Scalar::of(leaf.kind)?;
        Some(Shape {
            size: scalar.size(),
            align: scalar.align(),
            is_scalar: true,
            leaves: core::slice::from_ref(leaf),
        })
    }

    /// Of a struct as C compilers lay it out: leaves in the order of their places, aligned, each apart from the others,
    /// and no more than the alignment asks for after the last. `None` of any other, and on Windows of an empty one, for which
    /// gcc passes nothing and clang an address.
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

    /// The scalars and their places.
    pub(crate) fn leaves(&self) -> impl Iterator<Item = (usize, Scalar)> {
        self.leaves.iter().filter_map(|leaf| Some((leaf.offset, Scalar::of(leaf.kind)?)))
    }

    /// What all the leaves are, and how many: 1 to 4 of one floating-point type, with nothing between them.
    #[cfg(any(target_arch = "aarch64", target_arch = "arm"))]
    pub(crate) fn homogeneous(&self) -> Option<(Scalar, usize)> {
        self.homogeneous_up_to(4)
    }

    /// The same of another number.
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
