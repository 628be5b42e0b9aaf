//! The descriptors that gfortran passes to procedures without BIND(C) for assumed-shape, pointer and allocatable dummy
//! arguments (`GFC_ARRAY_DESCRIPTOR` in libgfortran; gfortran 9 and later).
//!
//! ```text
//!   0      8        16         24        28     29     30          32     40
//!   | base | offset | elem_len | version | rank | type | attribute | span | dimensions: elements from one to the next,
//!                                                                         |   lower bound, upper bound
//! ```
//!
//! The fields for type, rank, attribute and element length are unreliable: the compiler may leave them unset, or store
//! the element length of a whole structure. Only the procedure's interface is reliable, so [`Declared`] must repeat its
//! relevant parts.
//!
//! A `character(*)` argument has no descriptor: its address is passed in the argument's position, and its length is
//! passed as an additional `usize` argument after all others. [`Descriptor::of_text`] makes a descriptor from both.

use super::view::offset_by;
use super::{
    Attribute, Category, Descriptor, DescriptorError, Dimension, Format, MOST_DIMENSIONS, Type, View,
};

/// A dummy argument as declared in the procedure's interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Declared {
    /// The type of an element.
    pub element_type: Type,
    /// The element size in bytes: [`Type::size`] for a number, or the hidden length argument for a character.
    pub element_len: usize,
    /// The attribute: POINTER, ALLOCATABLE or neither.
    pub attribute: Attribute,
    /// The number of dimensions.
    pub rank: u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Header {
    base: *mut (),
    /// The distance from the base to the (possibly nonexistent) element whose subscripts are all 0, in the same unit as
    /// the strides.
    offset: isize,
    element_len: usize,
    version: i32,
    rank: i8,
    ty: i8,
    attribute: i16,
    /// For a pointer, the unit of the strides and the offset, in bytes.
    span: isize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    /// The distance from one element to the next, in elements or, for a pointer, in units of the span.
    stride: isize,
    lower: isize,
    upper: isize,
}

/// A descriptor for gfortran procedures without BIND(C), with room for up to 15 dimensions.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct GfortranDescriptor {
    header: Header,
    dimensions: [Bounds; MOST_DIMENSIONS],
}

impl GfortranDescriptor {
    /// Makes a descriptor for a view's data. For a derived type, flang's addendum is lost.
    ///
    /// # Errors
    /// [`DescriptorError::Type`] if gfortran has no such type; [`DescriptorError::Stride`] if the array is not a
    /// pointer and the distance between its elements is not a multiple of the element size; [`DescriptorError::Extent`]
    /// for an assumed-size array; [`DescriptorError::Overflow`] if an upper bound or the offset exceeds `isize`.
    pub fn new(view: &View<'_>) -> Result<Self, DescriptorError> {
        let ty = view.element_type();
        let mut header = Header {
            base: view.base(),
            offset: 0,
            element_len: view.element_len(),
            version: 0,
            rank: view.dimensions().len() as i8,
            ty: number(ty.category).ok_or(DescriptorError::Type(ty.kind.into()))?,
            attribute: 0,
            span: unit(view),
        };
        let mut dimensions = [Bounds { stride: 0, lower: 0, upper: -1 }; MOST_DIMENSIONS];
        if header.base.is_null() {
            return Ok(GfortranDescriptor { header, dimensions });
        }
        for (number, (bounds, dimension)) in dimensions.iter_mut().zip(view.dimensions()).enumerate() {
            let &Dimension { lower_bound, extent, stride } = dimension;
            if extent < 0 {
                return Err(DescriptorError::Extent(number as u8));
            }
            if stride % header.span != 0 && extent > 1 {
                return Err(DescriptorError::Stride(number as u8));
            }
            *bounds = Bounds {
                stride: stride / header.span,
                lower: lower_bound,
                upper: lower_bound.checked_add(extent - 1).ok_or(DescriptorError::Overflow)?,
            };
            header.offset = (lower_bound.checked_mul(bounds.stride))
                .and_then(|first| header.offset.checked_sub(first))
                .ok_or(DescriptorError::Overflow)?;
        }
        Ok(GfortranDescriptor { header, dimensions })
    }

    /// Returns the pointer to pass to a procedure.
    pub fn as_mut_ptr(&mut self) -> *mut () {
        (&raw mut *self).cast()
    }

    /// Overwrites gfortran's descriptor at `to` with this one, so that the procedure's caller sees a pointer
    /// association, or the allocation or deallocation of an allocatable.
    ///
    /// # Errors
    /// [`DescriptorError::Null`] or [`DescriptorError::Misaligned`]. In both cases, nothing is stored.
    ///
    /// # Safety
    /// `to` must be the address of a writable descriptor that gfortran made. The corresponding dummy argument must have
    /// the same type, rank and attribute (pointer or allocatable) as this descriptor. If the data that `to` described
    /// is still needed, the program must have another pointer to it.
    pub unsafe fn store(&self, to: *mut ()) -> Result<(), DescriptorError> {
        let to = checked(to.cast_const())?.cast_mut();
        // SAFETY: the caller upholds the safety contract. Only the dimensions within the descriptor's rank are written.
        unsafe {
            to.write(self.header);
            let rank = self.header.rank as usize;
            to.add(1).cast::<Bounds>().copy_from_nonoverlapping(self.dimensions.as_ptr(), rank);
        }
        Ok(())
    }
}

impl Descriptor {
    /// Converts one of gfortran's own descriptors to another format. The result describes the same elements.
    ///
    /// # Errors
    /// [`DescriptorError`] if the address is null (an absent OPTIONAL argument) or misaligned, if the bounds are
    /// invalid, or if the format has no code for the type.
    ///
    /// # Safety
    /// `own` must be null or misaligned, or point to a readable gfortran descriptor of a dummy argument that `declared`
    /// describes.
    pub unsafe fn of_gfortran(
        own: *const (),
        declared: &Declared,
        format: Format,
    ) -> Result<Self, DescriptorError> {
        let own = checked(own)?;
        let rank = usize::from(declared.rank);
        if rank > MOST_DIMENSIONS {
            return Err(DescriptorError::Rank(declared.rank));
        }
        // SAFETY: the caller guarantees that a header and `declared.rank` dimensions are readable.
        let (header, bounds) =
            unsafe { (own.read(), core::slice::from_raw_parts(own.add(1).cast::<Bounds>(), rank)) };
        let mut dimensions = [Dimension { lower_bound: 0, extent: 0, stride: 0 }; MOST_DIMENSIONS];
        let dimensions = dimensions.get_mut(..rank).unwrap_or_default();
        let mut base = header.base;
        if !base.is_null() {
            let is_pointer = declared.attribute == Attribute::Pointer;
            let len = isize::try_from(declared.element_len).ok().ok_or(DescriptorError::Overflow)?;
            let unit = if is_pointer && header.span > 0 { header.span } else { len };
            // For a zero-size array, the strides are irrelevant.
            let is_empty = bounds.iter().any(|bounds| bounds.upper < bounds.lower);
            let mut first = Some(header.offset);
            for (dimension, bounds) in dimensions.iter_mut().zip(bounds) {
                let extent = match bounds.upper < bounds.lower {
                    true => Some(0),
                    false => bounds.upper.checked_sub(bounds.lower).and_then(|last| last.checked_add(1)),
                };
                let extent = extent.ok_or(DescriptorError::Overflow)?;
                let stride = bounds.stride.checked_mul(unit);
                let stride = stride.or(is_empty.then_some(unit)).ok_or(DescriptorError::Overflow)?;
                *dimension = Dimension { lower_bound: bounds.lower, extent, stride };
                first =
                    first.zip(bounds.lower.checked_mul(bounds.stride)).and_then(|(a, b)| a.checked_add(b));
            }
            if first.is_none() && !is_empty {
                return Err(DescriptorError::Overflow);
            }
            // Procedures compiled by gfortran assume that the base of an assumed-shape array is the address of its
            // first element, whatever the offset.
            if declared.attribute != Attribute::Other {
                base = (first.and_then(|first| first.checked_mul(unit)))
                    .and_then(|first| offset_by(base, first))
                    .or(is_empty.then_some(base))
                    .ok_or(DescriptorError::Overflow)?;
            }
        }
        Descriptor::establish(
            format,
            base,
            declared.element_type,
            declared.element_len,
            declared.attribute,
            dimensions,
        )
    }
}

/// Returns the address as a pointer to a descriptor's header, if it is non-null and aligned.
pub(super) fn checked(own: *const ()) -> Result<*const Header, DescriptorError> {
    let own = own.cast::<Header>();
    match own {
        _ if own.is_null() => Err(DescriptorError::Null),
        _ if !own.is_aligned() => Err(DescriptorError::Misaligned),
        _ => Ok(own),
    }
}

/// Returns the unit of a descriptor's strides in bytes: the element size or, for a pointer, a common divisor of all
/// strides.
fn unit(view: &View<'_>) -> isize {
    let len = isize::try_from(view.element_len()).unwrap_or(isize::MAX).max(1);
    let strides = || {
        view.dimensions().iter().filter(|dimension| dimension.extent > 1).map(|dimension| dimension.stride)
    };
    if view.attribute() != Attribute::Pointer || strides().all(|stride| stride % len == 0) {
        return len;
    }
    let divisor =
        strides().fold(0, |divisor, stride| greatest_common_divisor(divisor, stride.unsigned_abs()));
    // If the divisor exceeds `isize::MAX`, all strides are `isize::MIN`, so half the divisor also divides them.
    isize::try_from(divisor).unwrap_or(1 << (isize::BITS - 2)).max(1)
}

fn greatest_common_divisor(mut a: usize, mut b: usize) -> usize {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Returns gfortran's code for a type category.
fn number(category: Category) -> Option<i8> {
    use Category::*;
    Some(match category {
        Integer => 1,
        Logical => 2,
        Real => 3,
        Complex => 4,
        Struct | Pointer | FunctionPointer => 5,
        Character => 6,
        Unsigned | Other => return None,
    })
}
