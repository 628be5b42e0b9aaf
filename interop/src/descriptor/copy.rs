//! A descriptor of the program's own: a copy in the layout of another compiler, or one that was made.

use super::{
    ATTRIBUTES_OF_FLANG, ATTRIBUTES_OF_GFORTRAN, Attribute, DescriptorError, Dimension, Format, Header,
    MOST_DIMENSIONS, Type, VERSIONS, View,
};
use core::fmt;

/// A descriptor in either layout, with room for every rank; it has no addendum.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Descriptor {
    header: Header,
    dimensions: [Dimension; MOST_DIMENSIONS],
}

impl Descriptor {
    /// What a view shows, in a layout. Of a derived type flang's addendum is lost: the dynamic type and the length
    /// parameters.
    ///
    /// # Errors
    /// [`DescriptorError::Type`] if the layout has no number for the type.
    pub fn new(view: &View<'_>, format: Format) -> Result<Self, DescriptorError> {
        let (ty, len) = (view.element_type(), view.element_len());
        Self::of_parts(format, view.base(), ty, len, view.attribute(), view.dimensions())
    }

    /// Of 15 dimensions at most, which are not looked at.
    pub(super) fn of_parts(
        format: Format,
        base: *mut (),
        element_type: Type,
        element_len: usize,
        attribute: Attribute,
        of: &[Dimension],
    ) -> Result<Self, DescriptorError> {
        let code = element_type.code(format).ok_or(DescriptorError::Type(element_type.kind.into()))?;
        let attributes =
            if format == Format::Gfortran { ATTRIBUTES_OF_GFORTRAN } else { ATTRIBUTES_OF_FLANG };
        let attribute = attributes.iter().position(|&known| known == attribute).unwrap_or(0) as u8;
        let [first, second] = (code as i16).to_ne_bytes();
        let header = Header {
            base,
            element_len,
            version: VERSIONS.into_iter().find(|&(of, _)| of == format).map_or(0, |(_, version)| version),
            rank: of.len() as u8,
            rest: if format == Format::Gfortran {
                [attribute, first, second]
            } else {
                [code as u8, attribute, 0]
            },
        };
        let mut dimensions = [Dimension { lower_bound: 0, extent: 0, stride: 0 }; MOST_DIMENSIONS];
        dimensions.iter_mut().zip(of).for_each(|(place, &dimension)| *place = dimension);
        Ok(Descriptor { header, dimensions })
    }

    /// What is passed to a procedure.
    pub fn as_mut_ptr(&mut self) -> *mut () {
        (&raw mut *self).cast()
    }

    /// What it says now.
    ///
    /// # Errors
    /// [`DescriptorError`], if a procedure has made something else of it.
    pub fn view(&self) -> Result<View<'_>, DescriptorError> {
        // SAFETY: there is room for every rank.
        unsafe { View::of((&raw const *self).cast()) }
    }

    /// Gives what a procedure has done to this copy back to the descriptor that it was made from: it may have allocated,
    /// freed or pointed elsewhere.
    ///
    /// # Errors
    /// [`DescriptorError::Unlike`] if the other is not of the same rank, type and attribute, or is neither a pointer nor
    /// allocatable; nothing is changed then. Others, if one of the two is wrong in itself.
    ///
    /// # Safety
    /// As for [`View::of`], and the other can be written. It does not overlap this one.
    pub unsafe fn copy_back(&self, to: *mut ()) -> Result<(), DescriptorError> {
        let now = self.view()?;
        // SAFETY: the caller's promise.
        let other = unsafe { View::of(to)? };
        let same = (now.element_type(), now.attribute(), now.dimensions().len())
            == (other.element_type(), other.attribute(), other.dimensions().len());
        if !same || now.attribute() == Attribute::Other {
            return Err(DescriptorError::Unlike);
        }
        let rank = now.dimensions().len();
        // SAFETY: the caller's promise; as many dimensions as are there.
        unsafe {
            let header = to.cast::<Header>();
            (*header).base = self.header.base;
            (*header).element_len = self.header.element_len;
            header.add(1).cast::<Dimension>().copy_from_nonoverlapping(self.dimensions.as_ptr(), rank);
        }
        Ok(())
    }
}

impl fmt::Debug for Descriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}
