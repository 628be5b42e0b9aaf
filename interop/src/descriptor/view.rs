//! Views of descriptors.

use super::{
    ADDENDUM, ATTRIBUTES_OF_FLANG, ATTRIBUTES_OF_GFORTRAN, Attribute, Category, DescriptorError, Dimension,
    Element, Format, Header, MOST_DIMENSIONS, RANK_AT, Type, VERSIONS, size_of_rank, table::Table,
};
use crate::extent::with_dimension;
use core::marker::PhantomData;

/// A checked view of a descriptor.
#[derive(Clone, Copy, Debug)]
pub struct View<'d> {
    format: Format,
    base: *mut (),
    element_len: usize,
    ty: Type,
    attribute: Attribute,
    dimensions: &'d [Dimension],
    addendum: Option<*const ()>,
    table: *const (),
    /// Whether flang's default allocator allocates the memory.
    has_default_allocator: bool,
    descriptor: PhantomData<&'d ()>,
}

impl<'d> View<'d> {
    /// Makes a view of the descriptor at an address. Reads only the header and as many dimensions as it specifies, and
    /// ignores the bounds of an object that is not allocated or associated.
    ///
    /// # Errors
    /// [`DescriptorError`] if the descriptor is invalid.
    ///
    /// # Safety
    /// If the address is non-null and aligned, 24 bytes must be readable there. If the number of dimensions (byte 20)
    /// is at most 15, another 24 bytes must be readable for each dimension. If the version is flang's and byte 23 is
    /// odd, the next 8 bytes (the first word of the addendum) must also be readable. These bytes must not change while
    /// the view exists.
    pub unsafe fn of(descriptor: *const ()) -> Result<Self, DescriptorError> {
        // SAFETY: the caller upholds the safety contract.
        unsafe { Self::of_bytes(descriptor, usize::MAX) }
    }

    /// # Safety
    /// Same as for [`of`](Self::of), but only the part of the addendum within the descriptor's first `readable` bytes
    /// must be readable.
    unsafe fn of_bytes(descriptor: *const (), readable: usize) -> Result<Self, DescriptorError> {
        if descriptor.is_null() {
            return Err(DescriptorError::Null);
        }
        let header = descriptor.cast::<Header>();
        if !header.is_aligned() {
            return Err(DescriptorError::Misaligned);
        }
        // SAFETY: the caller upholds the safety contract. The dimensions are read only if their number is valid.
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
        let addendum = has_addendum.then(|| dimensions.as_ptr_range().end.cast::<()>());
        let has_word = size_of_rank(dimensions.len()) + size_of::<*const ()>() <= readable;
        let view = View {
            format,
            base: header.base,
            element_len: header.element_len,
            ty: Type::of(format, code, header.element_len).ok_or(DescriptorError::Type(code))?,
            attribute: *attributes
                .get(usize::from(attribute))
                .ok_or(DescriptorError::Attribute(attribute))?,
            dimensions,
            addendum,
            // SAFETY: the caller guarantees that the addendum's first word is readable if it is within `readable`.
            table: addendum
                .filter(|_| has_word)
                .map_or(core::ptr::null(), |addendum| unsafe { addendum.cast::<*const ()>().read() }),
            has_default_allocator: format == Format::Gfortran || third & !ADDENDUM == 0,
            descriptor: PhantomData,
        };
        if !view.base.is_null() {
            view.check_dimensions()?;
        }
        Ok(view)
    }

    /// Makes a view of the descriptor at an address, or returns `None` if the address is null, as for an absent
    /// OPTIONAL argument.
    ///
    /// # Errors
    /// [`DescriptorError`] if the descriptor is invalid.
    ///
    /// # Safety
    /// Same as for [`of`](View::of).
    pub unsafe fn of_optional(descriptor: *const ()) -> Result<Option<Self>, DescriptorError> {
        if descriptor.is_null() {
            return Ok(None);
        }
        // SAFETY: the caller upholds the safety contract.
        unsafe { Self::of(descriptor) }.map(Some)
    }

    /// Makes a view of a copied descriptor, for example from another process that may be changing the original. Reads
    /// only words in the slice.
    ///
    /// # Errors
    /// [`DescriptorError::Short`] if the slice is too short for the header and the dimensions; other errors if the
    /// descriptor is invalid.
    pub fn of_words(words: &'d [u64]) -> Result<Self, DescriptorError> {
        const HEADER: usize = size_of_rank(0) / size_of::<u64>();
        let header = words.get(..HEADER).ok_or(DescriptorError::Short)?;
        let rank = header.last().map_or(0, |last| last.to_ne_bytes()[RANK_AT % size_of::<u64>()]);
        let bytes = size_of_rank(usize::from(rank));
        if usize::from(rank) <= MOST_DIMENSIONS && size_of_val(words) < bytes {
            return Err(DescriptorError::Short);
        }
        // SAFETY: the slice contains the header and, if the number of dimensions is valid, all dimensions. The slice
        // is borrowed while the view exists. A slice of `u64` is aligned for a descriptor, since addresses are at
        // most 8 bytes long.
        unsafe { Self::of_bytes(words.as_ptr().cast(), size_of_val(words)) }
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
            return Ok(()); // there are no elements
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

    /// Returns the address of the descriptor itself.
    pub fn address(&self) -> *const () {
        self.dimensions.as_ptr().cast::<Header>().wrapping_sub(1).cast()
    }

    /// Returns the descriptor's layout.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Returns the address of the first element, whose subscripts are the lower bounds, or null if nothing is allocated
    /// or associated.
    pub fn base(&self) -> *mut () {
        self.base
    }

    /// Returns the size of an element in bytes: for a character, its length times its kind.
    pub fn element_len(&self) -> usize {
        self.element_len
    }

    /// Returns the type of an element.
    pub fn element_type(&self) -> Type {
        self.ty
    }

    /// Returns the attribute: POINTER, ALLOCATABLE or neither.
    pub fn attribute(&self) -> Attribute {
        self.attribute
    }

    /// Returns the dimensions (as many as the rank), beginning with the one whose subscript varies fastest.
    pub fn dimensions(&self) -> &'d [Dimension] {
        self.dimensions
    }

    /// Returns the address of flang's addendum, which follows the dimensions in descriptors that have one.
    pub fn addendum(&self) -> Option<*const ()> {
        self.addendum
    }

    /// Returns the address of flang's table for the dynamic type, or null if the descriptor refers to none.
    pub(super) fn table(&self) -> *const () {
        self.table
    }

    /// Returns whether flang's default allocator allocates the object's memory.
    #[cfg_attr(not(target_pointer_width = "64"), allow(dead_code))] // used only by deep copies
    pub(super) fn has_default_allocator(&self) -> bool {
        self.has_default_allocator
    }

    /// Returns this view with a different derived-type table.
    pub(super) fn with_table(self, table: *const ()) -> Self {
        View { table, ..self }
    }

    /// Returns whether the array is assumed-size (`a(*)`), in which case the descriptor lacks the last extent.
    pub fn is_assumed_size(&self) -> bool {
        self.dimensions.last().is_some_and(|last| last.extent == -1) && self.attribute == Attribute::Other
    }

    /// Returns whether the array is contiguous and column-major (`CFI_is_contiguous`): true for a zero-size array,
    /// false if nothing is allocated or associated.
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

    /// Returns the elements of a contiguous array, in order. Returns `None` if their type is not `T`, their address is
    /// misaligned for `T`, or the array is assumed-size or not contiguous.
    ///
    /// # Safety
    /// The elements must be in valid memory, and no other code may use them while the result exists.
    pub unsafe fn as_mut_slice<T: Element>(&self) -> Option<&'d mut [T]> {
        let base = self.base.cast::<T>();
        if self.ty != T::TYPE
            || self.element_len != size_of::<T>()
            || !base.is_aligned()
            || !self.is_contiguous()
        {
            return None;
        }
        // SAFETY: the caller guarantees that `len` elements are in valid memory and are not used by other code. Every
        // bit pattern is a valid `T`.
        self.len().map(|len| unsafe { core::slice::from_raw_parts_mut(base, len) })
    }

    /// Returns the lower-case name of a derived-type object's dynamic type, read from flang's tables. For a polymorphic
    /// dummy argument, this is the type of the actual argument. Returns `None` if the descriptor does not refer to a
    /// table with a name; gfortran's descriptors never do.
    ///
    /// # Safety
    /// A compiler or its run-time library must have made the descriptor.
    pub unsafe fn type_name(&self) -> Option<&'d [u8]> {
        if self.table.is_null() {
            return None;
        }
        // SAFETY: the caller guarantees that the table is flang's. The tables are never freed.
        let name = unsafe { View::of(self.table.byte_add(Table::NAME_AT)).ok()? };
        let is_text =
            name.ty == Type { category: Category::Character, kind: 1 } && name.dimensions.is_empty();
        if !is_text || name.base.is_null() {
            return None;
        }
        // SAFETY: the tables contain a character object of this length.
        Some(unsafe { core::slice::from_raw_parts(name.base.cast::<u8>(), name.element_len) })
    }

    /// Returns the total number of elements, which is 0 if nothing is allocated or associated. Returns `None` if the
    /// array is assumed-size and no other extent is 0, or if the number does not fit into `usize`.
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

    /// Returns true if the array has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }

    /// Returns the address of the element with these subscripts. Returns `None` if their number differs from the rank,
    /// a subscript is out of bounds, nothing is allocated or associated, or an element of an assumed-size array would
    /// be outside the address space.
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
        offset_by(self.base, offset)
    }
}

/// Returns the address at a byte offset, or `None` if the sum overflows or is null (in a descriptor, a null address
/// means that there is no object).
pub(super) fn offset_by(base: *mut (), offset: isize) -> Option<*mut ()> {
    base.addr().checked_add_signed(offset).filter(|&address| address != 0)?;
    Some(base.wrapping_byte_offset(offset))
}
