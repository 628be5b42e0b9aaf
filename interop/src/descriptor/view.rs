//! What a descriptor says.

use super::{
    ADDENDUM, ATTRIBUTES_OF_FLANG, ATTRIBUTES_OF_GFORTRAN, Attribute, Category, DescriptorError, Dimension,
    Element, Format, Header, MOST_DIMENSIONS, RANK_AT, Type, VERSIONS, size_of_rank,
};
use crate::extent::with_dimension;
use core::marker::PhantomData;

/// What a descriptor says. It was looked through when this was made.
#[derive(Clone, Copy, Debug)]
pub struct View<'d> {
    format: Format,
    base: *mut (),
    element_len: usize,
    ty: Type,
    attribute: Attribute,
    dimensions: &'d [Dimension],
    addendum: Option<*const ()>,
    descriptor: PhantomData<&'d ()>,
}

impl<'d> View<'d> {
    /// Of the descriptor at an address: the header and as many dimensions as that says are read, and nothing else.
    /// The bounds of what is not allocated or associated mean nothing, and are not looked at.
    ///
    /// # Errors
    /// [`DescriptorError`].
    ///
    /// # Safety
    /// If the address is not null and aligned, 24 bytes can be read there, and 24 more for each of the dimensions that
    /// byte 20 says, up to 15; they do not change while the view is there.
    pub unsafe fn of(descriptor: *const ()) -> Result<Self, DescriptorError> {
        if descriptor.is_null() {
            return Err(DescriptorError::Null);
        }
        let header = descriptor.cast::<Header>();
        if !header.is_aligned() {
            return Err(DescriptorError::Misaligned);
        }
        // SAFETY: the caller's promise. The dimensions are read only if there are no more than there can be.
        let (header, dimensions) = unsafe {
            let read = header.read();
            let rank = usize::from(read.rank);
            if rank > MOST_DIMENSIONS {
                return Err(DescriptorError::Rank(read.rank));
            }
            (read, core::slice::from_raw_parts(header.add(1).cast::<Dimension>(), rank))
        };
        let (format, _) = VERSIONS
            .into_iter()
            .find(|&(_, version)| version == header.version)
            .ok_or(DescriptorError::Version(header.version))?;
        let [first, second, third] = header.rest;
        let (attributes, attribute, code) = match format {
            Format::Gfortran => (ATTRIBUTES_OF_GFORTRAN, first, i16::from_ne_bytes([second, third]).into()),
            _ => (ATTRIBUTES_OF_FLANG, second, i32::from(first as i8)),
        };
        let has_addendum = format != Format::Gfortran && third & ADDENDUM != 0;
        let view = View {
            format,
            base: header.base,
            element_len: header.element_len,
            ty: Type::of(format, code, header.element_len).ok_or(DescriptorError::Type(code))?,
            attribute: *attributes
                .get(usize::from(attribute))
                .ok_or(DescriptorError::Attribute(attribute))?,
            dimensions,
            addendum: has_addendum.then(|| dimensions.as_ptr_range().end.cast()),
            descriptor: PhantomData,
        };
        if !view.base.is_null() {
            view.check_dimensions()?;
        }
        Ok(view)
    }

    /// Of the descriptor at an address, or `None` of a null address: an OPTIONAL argument that is absent.
    ///
    /// # Errors
    /// [`DescriptorError`].
    ///
    /// # Safety
    /// As for [`of`](View::of).
    pub unsafe fn of_optional(descriptor: *const ()) -> Result<Option<Self>, DescriptorError> {
        if descriptor.is_null() {
            return Ok(None);
        }
        // SAFETY: the caller's promise.
        unsafe { Self::of(descriptor) }.map(Some)
    }

    /// Of a copy of a descriptor's words, as they lie in memory: of one that is not the program's own, and may change while
    /// it is looked at. No more is read than there is.
    ///
    /// # Errors
    /// [`DescriptorError`]; [`DescriptorError::Short`] if the words are fewer than the header and its dimensions take.
    pub fn of_words(words: &'d [u64]) -> Result<Self, DescriptorError> {
        const HEADER: usize = size_of_rank(0) / size_of::<u64>();
        let header = words.get(..HEADER).ok_or(DescriptorError::Short)?;
        let rank = header.last().map_or(0, |last| last.to_ne_bytes()[RANK_AT % size_of::<u64>()]);
        let bytes = size_of_rank(usize::from(rank));
        if usize::from(rank) <= MOST_DIMENSIONS && size_of_val(words) < bytes {
            return Err(DescriptorError::Short);
        }
        // SAFETY: the header is there, as many dimensions as it says, if that can be, and the words are borrowed. They are
        // aligned as a descriptor is where an address has 8 bytes at most.
        unsafe { Self::of(words.as_ptr().cast()) }
    }

    fn check_dimensions(&self) -> Result<(), DescriptorError> {
        for (number, dimension) in self.dimensions.iter().enumerate() {
            let assumed_size = number + 1 == self.dimensions.len()
                && dimension.extent == -1
                && self.attribute == Attribute::Other;
            if dimension.extent < 0 && !assumed_size {
                return Err(DescriptorError::Extent(number as u8));
            }
        }
        if self.len() == Some(0) {
            return Ok(()); // there is no element
        }
        let len = isize::try_from(self.element_len).ok().ok_or(DescriptorError::Overflow)?;
        let mut offsets = (0, len);
        for dimension in self.dimensions {
            offsets = with_dimension(offsets, dimension.extent, dimension.stride)
                .ok_or(DescriptorError::Overflow)?;
        }
        let in_memory = |offset: isize| self.base.addr().checked_add_signed(offset).is_some();
        if in_memory(offsets.0) && in_memory(offsets.1) { Ok(()) } else { Err(DescriptorError::Overflow) }
    }

    /// The descriptor's own address.
    pub fn address(&self) -> *const () {
        self.dimensions.as_ptr().cast::<Header>().wrapping_sub(1).cast()
    }

    /// Whose layout it is.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Where the first element is: the one whose subscripts are the lower bounds. Null if it is not allocated or
    /// associated.
    pub fn base(&self) -> *mut () {
        self.base
    }

    /// Bytes of an element; of a character that is its length times its kind.
    pub fn element_len(&self) -> usize {
        self.element_len
    }

    /// The type of an element.
    pub fn element_type(&self) -> Type {
        self.ty
    }

    /// POINTER, ALLOCATABLE or neither.
    pub fn attribute(&self) -> Attribute {
        self.attribute
    }

    /// The dimensions, the fastest varying first: as many as the rank.
    pub fn dimensions(&self) -> &'d [Dimension] {
        self.dimensions
    }

    /// What flang keeps after the dimensions of derived types, if it does.
    pub fn addendum(&self) -> Option<*const ()> {
        self.addendum
    }

    /// Whether the last extent is the caller's secret (`a(*)`).
    pub fn is_assumed_size(&self) -> bool {
        self.dimensions.last().is_some_and(|last| last.extent == -1) && self.attribute == Attribute::Other
    }

    /// Whether the elements follow each other without gaps, the first subscript varying fastest (`CFI_is_contiguous`). So
    /// they do where there is none; where nothing is allocated or associated they do not.
    pub fn is_contiguous(&self) -> bool {
        if self.base.is_null() {
            return false;
        }
        if self.is_empty() {
            return true;
        }
        let mut wanted = isize::try_from(self.element_len).ok();
        self.dimensions.iter().all(|dimension| {
            let follows = dimension.extent == 1 || wanted == Some(dimension.stride);
            wanted = wanted.and_then(|wanted| wanted.checked_mul(dimension.extent));
            follows
        })
    }

    /// The elements of an array without gaps, in their order; `None` if they have another type, if there are gaps, if the
    /// address is not aligned for the type, or of an assumed-size array.
    ///
    /// # Safety
    /// The elements are there, and are used by nobody else as long as the result is.
    pub unsafe fn as_mut_slice<T: Element>(&self) -> Option<&'d mut [T]> {
        let base = self.base.cast::<T>();
        if self.ty != T::TYPE
            || self.element_len != size_of::<T>()
            || !base.is_aligned()
            || !self.is_contiguous()
        {
            return None;
        }
        // SAFETY: so many elements of this type are there, and any bits are one of its values; the caller's promise.
        self.len().map(|len| unsafe { core::slice::from_raw_parts_mut(base, len) })
    }

    /// The name of the dynamic type of a derived type, in small letters, from flang's tables: of a polymorphic dummy argument
    /// the type of what was passed. `None` where the descriptor leads to no such table: gfortran has no names.
    ///
    /// # Safety
    /// The descriptor is of a compiler's or its runtime's own making.
    pub unsafe fn type_name(&self) -> Option<&'d [u8]> {
        /// In flang's table the name's descriptor follows that of the bindings, which has one dimension and an addendum of two
        /// words (`typeInfo::DerivedType`).
        const NAME_AT: usize = size_of_rank(1) + 16;
        // SAFETY: an addendum begins with the address of the type's table, or null. The tables are there for good.
        let name = unsafe {
            let table = self.addendum?.cast::<*const ()>().read();
            if table.is_null() {
                return None;
            }
            View::of(table.byte_add(NAME_AT)).ok()?
        };
        let is_text =
            name.ty == Type { category: Category::Character, kind: 1 } && name.dimensions.is_empty();
        if !is_text || name.base.is_null() {
            return None;
        }
        // SAFETY: a character of this length, in the tables.
        Some(unsafe { core::slice::from_raw_parts(name.base.cast::<u8>(), name.element_len) })
    }

    /// Elements in all, none if nothing is allocated or associated; `None` of an assumed-size array, unless another
    /// extent is 0, and where a `usize` does not hold it.
    pub fn len(&self) -> Option<usize> {
        if self.base.is_null() || self.dimensions.iter().any(|dimension| dimension.extent == 0) {
            return Some(0);
        }
        if self.is_assumed_size() {
            return None;
        }
        self.dimensions
            .iter()
            .try_fold(1usize, |product, dimension| product.checked_mul(dimension.extent as usize))
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }

    /// Where an element is, by its subscripts; `None` if there are not as many as dimensions, if one is out of bounds, or
    /// if nothing is allocated or associated.
    pub fn element(&self, subscripts: &[isize]) -> Option<*mut ()> {
        if self.base.is_null() || subscripts.len() != self.dimensions.len() {
            return None;
        }
        let mut offset = 0;
        for (number, (&subscript, dimension)) in subscripts.iter().zip(self.dimensions).enumerate() {
            let index = subscript.checked_sub(dimension.lower_bound).filter(|&index| index >= 0)?;
            let open = self.is_assumed_size() && number + 1 == subscripts.len();
            if index >= dimension.extent && !open {
                return None;
            }
            offset = index.checked_mul(dimension.stride).and_then(|bytes| bytes.checked_add(offset))?;
        }
        Some(self.base.wrapping_byte_offset(offset))
    }
}
