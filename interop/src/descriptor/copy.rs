//! Descriptors in the program's own memory: copies in a chosen layout, and new descriptors.

use super::{
    ATTRIBUTES_OF_FLANG, ATTRIBUTES_OF_GFORTRAN, Attribute, DescriptorError, Dimension, Format, Header,
    MOST_DIMENSIONS, Type, VERSIONS, View,
};
use core::fmt;

/// A descriptor in any layout, with room for up to 15 dimensions, but without an addendum.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Descriptor {
    header: Header,
    dimensions: [Dimension; MOST_DIMENSIONS],
}

impl Descriptor {
    /// Makes a descriptor for a view's data in the given layout. If the view has flang's addendum (the dynamic type and
    /// the length parameters), the addendum is lost.
    ///
    /// # Errors
    /// [`DescriptorError::Type`] if the layout has no code for the type.
    pub fn new(view: &View<'_>, format: Format) -> Result<Self, DescriptorError> {
        let (ty, len) = (view.element_type(), view.element_len());
        Self::of_parts(format, view.base(), ty, len, view.attribute(), view.dimensions())
    }

    /// Makes a descriptor from its parts, which must have at most 15 dimensions. The parts are not checked.
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

    /// Returns the pointer to pass to a procedure.
    pub fn as_mut_ptr(&mut self) -> *mut () {
        (&raw mut *self).cast()
    }

    /// Returns a view of the current contents.
    ///
    /// # Errors
    /// [`DescriptorError`] if a procedure has changed the descriptor and made it invalid.
    pub fn view(&self) -> Result<View<'_>, DescriptorError> {
        // SAFETY: this descriptor has room for the maximum number of dimensions.
        unsafe { View::of((&raw const *self).cast()) }
    }

    /// Copies the changes that a procedure has made to this copy back to the original descriptor. The procedure may
    /// have allocated or freed memory, or associated the pointer with another target.
    ///
    /// # Errors
    /// [`DescriptorError::Unlike`] if the original differs in rank, type or attribute, or is neither a pointer nor
    /// allocatable. Other errors if one of the two descriptors is invalid. If an error is returned, nothing has been
    /// changed.
    ///
    /// # Safety
    /// Same as for [`View::of`]. In addition, `to` must be writable and must not overlap this descriptor.
    pub unsafe fn copy_back(&self, to: *mut ()) -> Result<(), DescriptorError> {
        let now = self.view()?;
        // SAFETY: the caller upholds the safety contract.
        let other = unsafe { View::of(to)? };
        let same = (now.element_type(), now.attribute(), now.dimensions().len())
            == (other.element_type(), other.attribute(), other.dimensions().len());
        if !same || now.attribute() == Attribute::Other {
            return Err(DescriptorError::Unlike);
        }
        let rank = now.dimensions().len();
        // SAFETY: the caller upholds the safety contract. Only as many dimensions as the descriptor's rank are written.
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
