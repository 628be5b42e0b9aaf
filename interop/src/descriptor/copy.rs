//! Descriptors that the program owns: copies in a chosen layout, and new ones.

use super::{
    ADDENDUM, ATTRIBUTES_OF_FLANG, ATTRIBUTES_OF_GFORTRAN, Attribute, Category, DescriptorError, Dimension,
    Format, Header, MOST_DIMENSIONS, Type, VERSIONS, View, size_of_rank,
};
use core::fmt;

/// The number of words in 15 dimensions plus an addendum: the address of the type's table, and one length parameter.
const WORDS: usize = MOST_DIMENSIONS * DIMENSION + 2;
const DIMENSION: usize = size_of::<Dimension>() / size_of::<*const ()>();

/// A descriptor in any layout, with room for up to 15 dimensions and for an addendum without length parameters.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Descriptor {
    header: Header,
    /// The dimensions, then the addendum. gfortran's layout has no addendum, but the addendum's words still hold the
    /// dynamic type for a later conversion.
    words: [*const (); WORDS],
}

impl Descriptor {
    /// Makes a descriptor for a view's data in the given layout. If the view has flang's addendum, the dynamic type is
    /// preserved, so flang-compiled SELECT TYPE constructs select the same block. The type even survives a conversion
    /// to gfortran's layout and back, but code compiled by gfortran cannot see it.
    ///
    /// # Errors
    /// [`DescriptorError::Type`] if the layout has no code for the type.
    pub fn new(view: &View<'_>, format: Format) -> Result<Self, DescriptorError> {
        let (ty, len) = (view.element_type(), view.element_len());
        let mut made = Self::of_parts(format, view.base(), ty, len, view.attribute(), view.dimensions())?;
        made.set_type_of(view);
        Ok(made)
    }

    /// Sets the descriptor's dynamic type to that of a view's data.
    pub(super) fn set_type_of(&mut self, view: &View<'_>) {
        if view.addendum().is_none() && view.table().is_null() {
            return;
        }
        let at = usize::from(self.header.rank) * DIMENSION;
        self.words.iter_mut().skip(at).take(1).for_each(|word| *word = view.table());
        if self.header.version != VERSIONS[0].1 {
            self.header.rest[2] |= ADDENDUM;
        }
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
        let mut words = [core::ptr::null(); WORDS];
        let numbers = of.iter().flat_map(|d| [d.lower_bound, d.extent, d.stride]);
        words.iter_mut().zip(numbers).for_each(|(word, number)| {
            *word = core::ptr::without_provenance(number as usize);
        });
        Ok(Descriptor { header, words })
    }

    /// Returns the pointer to pass to a procedure.
    pub fn as_mut_ptr(&mut self) -> *mut () {
        (&raw mut *self).cast()
    }

    /// Returns a view of the current contents.
    ///
    /// # Errors
    /// [`DescriptorError`] if a procedure has made the descriptor invalid.
    pub fn view(&self) -> Result<View<'_>, DescriptorError> {
        // SAFETY: this descriptor has room for the maximum number of dimensions and an addendum.
        let view = unsafe { View::of((&raw const *self).cast())? };
        let table = self.words.get(view.dimensions().len() * DIMENSION).copied();
        Ok(view.with_table(table.unwrap_or(core::ptr::null())))
    }

    /// Returns the number of bytes that the descriptor uses, including any addendum.
    #[doc(hidden)]
    pub fn used(&self) -> usize {
        let has_addendum = self.header.version != VERSIONS[0].1 && self.header.rest[2] & ADDENDUM != 0;
        let addendum = if has_addendum { 2 * size_of::<*const ()>() } else { 0 };
        size_of_rank(self.header.rank.into()) + addendum
    }

    /// Copies changes that a procedure made to this descriptor (allocation, deallocation or pointer association) back
    /// to the original. If both descriptors have an addendum, the dynamic type is also copied. In code compiled by
    /// flang, a CLASS(*) variable accepts any type while it is not allocated or associated.
    ///
    /// # Errors
    /// [`DescriptorError::Unlike`] if the original differs in rank, type or attribute, or is neither a pointer nor
    /// allocatable; other errors if one of the two descriptors is invalid. On error, nothing has been changed.
    ///
    /// # Safety
    /// Same as for [`View::of`]. In addition, `to` must be writable and must not overlap this descriptor.
    pub unsafe fn copy_back(&self, to: *mut ()) -> Result<(), DescriptorError> {
        let now = self.view()?;
        // SAFETY: the caller upholds the safety contract.
        let other = unsafe { View::of(to)? };
        let same = now.element_type() == other.element_type();
        // flang's CLASS(*) variable has no type until it is allocated or associated.
        let takes_any = other.base().is_null()
            && other.addendum().is_some()
            && other.element_type().category == Category::Other
            && (now.element_type().category != Category::Struct || !now.table().is_null());
        let code = now.element_type().code(other.format()).filter(|_| takes_any && !same);
        if (now.attribute(), now.dimensions().len()) != (other.attribute(), other.dimensions().len())
            || !same && code.is_none()
            || now.attribute() == Attribute::Other
        {
            return Err(DescriptorError::Unlike);
        }
        let rank = now.dimensions().len();
        // SAFETY: the caller upholds the safety contract. Only the dimensions within the descriptor's rank are written.
        unsafe {
            let header = to.cast::<Header>();
            (*header).base = self.header.base;
            (*header).element_len = self.header.element_len;
            if let Some(code) = code {
                (*header).rest[0] = code as u8;
            }
            header.add(1).cast::<*const ()>().copy_from_nonoverlapping(self.words.as_ptr(), rank * DIMENSION);
            if let Some(addendum) = other.addendum()
                && (now.addendum().is_some() || !now.table().is_null() || code.is_some())
            {
                addendum.cast_mut().cast::<*const ()>().write(now.table());
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Descriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}
