//! gfortran's own descriptors, which it passes to procedures without BIND(C) for assumed-shape, pointer and allocatable
//! dummy arguments (`GFC_ARRAY_DESCRIPTOR` of libgfortran; gfortran 9 and later).
//!
//! ```text
//!   0      8        16         24        28     29     30          32     40
//!   | base | offset | elem_len | version | rank | type | attribute | span | dimensions: elements from one to the next,
//!                                                                         |   lower bound, upper bound
//! ```
//!
//! What is in the fields for type, rank and attribute cannot be relied upon: gfortran leaves the element length of a whole
//! structure there, or nothing. What counts is the procedure's interface, which [`Declared`] repeats.
//!
//! A `character(*)` argument has no descriptor: its address is passed, and its length as one more argument of type `usize`
//! after all others. [`Descriptor::of_text`] makes a descriptor of the two.

use super::{
    Attribute, Category, Descriptor, DescriptorError, Dimension, Format, MOST_DIMENSIONS, Type, View,
};

/// What the interface of a procedure says of a dummy argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Declared {
    /// The type of an element.
    pub element_type: Type,
    /// Bytes of an element: of a number [`Type::size`], of a character what the hidden length says.
    pub element_len: usize,
    /// POINTER, ALLOCATABLE or neither.
    pub attribute: Attribute,
    /// How many dimensions it has.
    pub rank: u8,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Header {
    base: *mut (),
    /// Elements from the one whose subscripts are all 0 to the base, with the sign turned round.
    offset: isize,
    element_len: usize,
    version: i32,
    rank: i8,
    ty: i8,
    attribute: i16,
    /// Of a pointer: in how many bytes strides and the offset are counted.
    span: isize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    /// In elements; of a pointer in spans.
    stride: isize,
    lower: isize,
    upper: isize,
}

/// A descriptor for procedures of gfortran's without BIND(C), with room for every rank.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct GfortranDescriptor {
    header: Header,
    dimensions: [Bounds; MOST_DIMENSIONS],
}

impl GfortranDescriptor {
    /// What a view shows. Of a derived type flang's addendum is lost.
    ///
    /// # Errors
    /// [`DescriptorError::Type`] if gfortran has no such type; [`DescriptorError::Stride`] if the array is no pointer and
    /// its elements are not a whole number of elements apart; [`DescriptorError::Extent`] of an assumed-size array.
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

    /// What is passed to a procedure.
    pub fn as_mut_ptr(&mut self) -> *mut () {
        (&raw mut *self).cast()
    }

    /// Stores it in place of another, which gfortran has passed: a pointer is associated then, an allocatable allocated or
    /// freed as this one is.
    ///
    /// # Errors
    /// [`DescriptorError::Null`], [`DescriptorError::Misaligned`]; nothing is stored then.
    ///
    /// # Safety
    /// The other is a descriptor of gfortran's own, of a dummy argument of the same type and rank that is a pointer or
    /// allocatable, as this one, and can be written. What it leads to is not lost by that, or not needed.
    pub unsafe fn store(&self, to: *mut ()) -> Result<(), DescriptorError> {
        let to = checked(to.cast_const())?.cast_mut();
        // SAFETY: the caller's promise; as many dimensions as are there.
        unsafe {
            to.write(self.header);
            let rank = self.header.rank as usize;
            to.add(1).cast::<Bounds>().copy_from_nonoverlapping(self.dimensions.as_ptr(), rank);
        }
        Ok(())
    }
}

impl Descriptor {
    /// Of a descriptor of gfortran's own, in another format; it shows the same elements.
    ///
    /// # Errors
    /// [`DescriptorError`]: of an address that is null (an absent OPTIONAL) or not aligned, of bounds that cannot be, and if
    /// the format has no number for the type.
    ///
    /// # Safety
    /// If the address is not null and aligned, a descriptor of gfortran's own can be read there, of a dummy argument of which
    /// `declared` is true.
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
        // SAFETY: the caller's promise: a header, and as many dimensions.
        let (header, bounds) =
            unsafe { (own.read(), core::slice::from_raw_parts(own.add(1).cast::<Bounds>(), rank)) };
        let mut dimensions = [Dimension { lower_bound: 0, extent: 0, stride: 0 }; MOST_DIMENSIONS];
        let dimensions = dimensions.get_mut(..rank).unwrap_or_default();
        let mut base = header.base;
        if !base.is_null() {
            let is_pointer = declared.attribute == Attribute::Pointer;
            let len = isize::try_from(declared.element_len).ok().ok_or(DescriptorError::Overflow)?;
            let unit = if is_pointer && header.span > 0 { header.span } else { len };
            let mut first = header.offset;
            for (dimension, bounds) in dimensions.iter_mut().zip(bounds) {
                let extent = bounds.upper.checked_sub(bounds.lower).and_then(|last| last.checked_add(1));
                let extent = extent.ok_or(DescriptorError::Overflow)?.max(0);
                let stride = bounds.stride.checked_mul(unit).ok_or(DescriptorError::Overflow)?;
                *dimension = Dimension { lower_bound: bounds.lower, extent, stride };
                first = (bounds.lower.checked_mul(bounds.stride))
                    .and_then(|by| first.checked_add(by))
                    .ok_or(DescriptorError::Overflow)?;
            }
            // Of an assumed-shape array the base is the first element, as its procedure takes it, whatever the offset.
            if declared.attribute != Attribute::Other {
                base = base.wrapping_byte_offset(first.checked_mul(unit).ok_or(DescriptorError::Overflow)?);
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

/// An address that can be one of a descriptor.
pub(super) fn checked(own: *const ()) -> Result<*const Header, DescriptorError> {
    let own = own.cast::<Header>();
    match own {
        _ if own.is_null() => Err(DescriptorError::Null),
        _ if !own.is_aligned() => Err(DescriptorError::Misaligned),
        _ => Ok(own),
    }
}

/// Bytes in which the strides of a descriptor can be counted: an element, or of a pointer what all strides are multiples of.
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
    isize::try_from(divisor).unwrap_or(isize::MAX).max(1)
}

fn greatest_common_divisor(mut a: usize, mut b: usize) -> usize {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// gfortran's number of a type.
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
