//! Descriptors of a program's own arrays (`CFI_establish`, `CFI_section`, `CFI_setpointer`; Fortran 2023, 18.5.5).

use super::view::offset_by;
use super::{
    Attribute, Category, Descriptor, DescriptorError, Dimension, Element, Format, MOST_DIMENSIONS, Type, View,
};

/// The part of a dimension that a section selects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subscript {
    /// The whole dimension.
    All,
    /// Only this subscript, which reduces the section's rank by one.
    At(isize),
    /// The subscripts from the first to the last. The step between them may be negative.
    Range {
        /// The first subscript.
        first: isize,
        /// The last possible subscript, which is selected only if the steps reach it exactly.
        last: isize,
        /// The step, which must not be 0.
        step: isize,
    },
}

impl Descriptor {
    /// Makes a descriptor for an array. If `base` is null, the object is not allocated or associated, and its bounds
    /// are not checked.
    ///
    /// # Errors
    /// [`DescriptorError::Rank`] for more than 15 dimensions, [`DescriptorError::Type`] if the format has no code for
    /// the type, and other errors for invalid bounds.
    pub fn establish(
        format: Format,
        base: *mut (),
        element_type: Type,
        element_len: usize,
        attribute: Attribute,
        dimensions: &[Dimension],
    ) -> Result<Self, DescriptorError> {
        if dimensions.len() > MOST_DIMENSIONS {
            return Err(DescriptorError::Rank(u8::try_from(dimensions.len()).unwrap_or(u8::MAX)));
        }
        let made = Self::of_parts(format, base, element_type, element_len, attribute, dimensions)?;
        made.view()?; // this checks the descriptor
        Ok(made)
    }

    /// Describes a slice as a contiguous, column-major array with lower bounds of 1. The descriptor is valid only while
    /// the slice is borrowed, but the compiler does not check this.
    ///
    /// # Errors
    /// [`DescriptorError::Unlike`] if the product of the extents differs from the slice's length. Otherwise, fails if
    /// [`establish`](Descriptor::establish) does, with the same error.
    pub fn of_slice<T: Element>(
        format: Format,
        slice: &mut [T],
        extents: &[usize],
    ) -> Result<Self, DescriptorError> {
        let mut room = [Dimension { lower_bound: 1, extent: 0, stride: 0 }; MOST_DIMENSIONS];
        let dimensions = room
            .get_mut(..extents.len())
            .ok_or(DescriptorError::Rank(u8::try_from(extents.len()).unwrap_or(u8::MAX)))?;
        let mut elements = 1usize;
        for (dimension, &extent) in dimensions.iter_mut().zip(extents) {
            dimension.extent = isize::try_from(extent).ok().ok_or(DescriptorError::Overflow)?;
            // The array has at most as many elements as the slice, so the product overflows only if there are no
            // elements.
            dimension.stride = (elements as isize).wrapping_mul(size_of::<T>() as isize);
            elements = elements.checked_mul(extent).ok_or(DescriptorError::Overflow)?;
        }
        if elements != slice.len() {
            return Err(DescriptorError::Unlike);
        }
        let base = slice.as_mut_ptr().cast();
        Self::establish(format, base, T::TYPE, size_of::<T>(), Attribute::Other, dimensions)
    }

    /// Makes a descriptor for a string that is passed as `character(*)`, that is, as an address and a length in bytes.
    ///
    /// # Errors
    /// Fails if [`establish`](Descriptor::establish) does, with the same error.
    pub fn of_text(format: Format, text: *mut u8, len: usize) -> Result<Self, DescriptorError> {
        let character = Type { category: Category::Character, kind: 1 };
        Self::establish(format, text.cast(), character, len, Attribute::Other, &[])
    }

    /// Makes a descriptor, in the same format, for a section of an array. The section is neither a pointer nor
    /// allocatable, and its lower bounds are 1.
    ///
    /// # Errors
    /// [`DescriptorError::Rank`] if the number of subscripts differs from the rank; [`DescriptorError::Subscript`] if a
    /// subscript is out of bounds or a step is 0; [`DescriptorError::Null`] if nothing is allocated or associated;
    /// [`DescriptorError::Overflow`] if an extent, a stride or an address cannot be represented.
    pub fn section(of: &View<'_>, subscripts: &[Subscript]) -> Result<Self, DescriptorError> {
        if subscripts.len() != of.dimensions().len() {
            return Err(DescriptorError::Rank(of.dimensions().len() as u8));
        }
        if of.base().is_null() {
            return Err(DescriptorError::Null);
        }
        let mut room = [Dimension { lower_bound: 1, extent: 0, stride: 0 }; MOST_DIMENSIONS];
        let (mut kept, mut rank, mut offset) = (room.iter_mut(), 0, Some(0isize));
        for (number, (subscript, dimension)) in subscripts.iter().zip(of.dimensions()).enumerate() {
            let error = DescriptorError::Subscript(number as u8);
            let open = dimension.extent < 0; // the array is assumed-size
            let index = |subscript: isize| {
                let index = subscript.checked_sub(dimension.lower_bound).filter(|&index| index >= 0)?;
                (open || index < dimension.extent).then_some(index)
            };
            let (first, extent, step) = match *subscript {
                Subscript::All if open => return Err(error),
                Subscript::All => (0, Some(dimension.extent), 1),
                Subscript::At(at) => (index(at).ok_or(error)?, None, 0),
                Subscript::Range { step: 0, .. } => return Err(error),
                Subscript::Range { first, last, step } => {
                    let is_empty = if step < 0 { first < last } else { last < first };
                    if is_empty {
                        (0, Some(0), 1) // there are no elements, so no subscript can be invalid
                    } else {
                        let (reach, by) = (last.abs_diff(first), step.unsigned_abs());
                        let end = match step < 0 {
                            true => last.wrapping_add_unsigned(reach % by),
                            false => last.wrapping_sub_unsigned(reach % by),
                        };
                        let (first, _) = index(first).zip(index(end)).ok_or(error)?;
                        let extent = isize::try_from(reach / by).ok().and_then(|steps| steps.checked_add(1));
                        (first, Some(extent.ok_or(DescriptorError::Overflow)?), step)
                    }
                }
            };
            offset =
                offset.zip(first.checked_mul(dimension.stride)).and_then(|(sum, by)| sum.checked_add(by));
            if let (Some(extent), Some(dimension_made)) = (extent, extent.and_then(|_| kept.next())) {
                let stride = dimension.stride.checked_mul(step).ok_or(DescriptorError::Overflow)?;
                *dimension_made = Dimension { lower_bound: 1, extent, stride };
                rank += 1;
            }
        }
        // A zero-size section has offset 0, because any other could be outside the array.
        let dimensions = room.get(..rank).unwrap_or_default();
        let is_empty = dimensions.iter().any(|dimension| dimension.extent == 0);
        let by = if is_empty { Some(0) } else { offset }.ok_or(DescriptorError::Overflow)?;
        let base = offset_by(of.base(), by).ok_or(DescriptorError::Overflow)?;
        let (ty, len) = (of.element_type(), of.element_len());
        let mut made = Self::establish(of.format(), base, ty, len, Attribute::Other, dimensions)?;
        made.set_type_of(of);
        Ok(made)
    }

    /// Makes a POINTER descriptor for a view's data, in the view's format. The lower bounds are `lower_bounds` or, if
    /// that is `None`, the view's. With [`copy_back`](Descriptor::copy_back), a program can then associate a pointer
    /// dummy argument with the data.
    ///
    /// # Errors
    /// [`DescriptorError::Rank`] if the number of bounds differs from the rank; [`DescriptorError::Extent`] for an
    /// assumed-size array.
    pub fn pointer_to(target: &View<'_>, lower_bounds: Option<&[isize]>) -> Result<Self, DescriptorError> {
        let mut room = [Dimension { lower_bound: 1, extent: 0, stride: 0 }; MOST_DIMENSIONS];
        let rank = target.dimensions().len();
        if lower_bounds.is_some_and(|bounds| bounds.len() != rank) {
            return Err(DescriptorError::Rank(rank as u8));
        }
        for (number, (dimension_made, dimension)) in room.iter_mut().zip(target.dimensions()).enumerate() {
            *dimension_made = *dimension;
            dimension_made.lower_bound = lower_bounds
                .and_then(|bounds| bounds.get(number).copied())
                .unwrap_or(dimension_made.lower_bound);
        }
        let dimensions = room.get(..rank).unwrap_or_default();
        let (ty, len) = (target.element_type(), target.element_len());
        let mut made =
            Self::establish(target.format(), target.base(), ty, len, Attribute::Pointer, dimensions)?;
        made.set_type_of(target);
        Ok(made)
    }
}
