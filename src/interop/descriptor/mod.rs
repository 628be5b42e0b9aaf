//! Fortran's descriptors (`CFI_cdesc_t`; Fortran 2023, 18.5.3), as gfortran and flang lay them out.
//!
//! ```text
//!            0      8          16        20     21          22          23      24
//!   both   | base | elem_len | version | rank |                               | dimensions: lower bound, extent,
//!   gfortran                                  | attribute | type  (2)         |   bytes from one to the next
//!   flang                                     | type      | attribute | extra |
//! ```
//!
//! A [`View`] finds out by the version whose layout it is and gives one picture of both; a [`Descriptor`] is the
//! other layout of a view, for code of the other compiler that looks at type or attribute. (Plain reading of
//! elements needs no conversion: both have those parts at the same places.)

mod types;

pub use types::{Category, Type};

use super::with_dimension;
use core::fmt;
use core::marker::PhantomData;

/// Whose layout a descriptor has.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// libgfortran's, version 1.
    Gfortran,
    /// flang's, of LLVM 19's version.
    Flang2018,
    /// flang's, of LLVM 20's and later.
    Flang2024,
}

const VERSIONS: [(Layout, i32); 3] =
    [(Layout::Gfortran, 1), (Layout::Flang2018, 20180515), (Layout::Flang2024, 20240719)];

/// POINTER, ALLOCATABLE or neither.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attribute {
    /// A pointer's.
    Pointer,
    /// An allocatable's.
    Allocatable,
    /// Neither.
    Other,
}

/// The three in the order of each compiler's numbers.
const ATTRIBUTES_OF_GFORTRAN: [Attribute; 3] = [Attribute::Pointer, Attribute::Allocatable, Attribute::Other];
const ATTRIBUTES_OF_FLANG: [Attribute; 3] = [Attribute::Other, Attribute::Pointer, Attribute::Allocatable];

/// A dimension (`CFI_dim_t`).
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dimension {
    /// The least subscript.
    pub lower_bound: isize,
    /// How many subscripts there are; -1 in the last dimension of an assumed-size array.
    pub extent: isize,
    /// Bytes from one element to the next; may be negative.
    pub stride: isize,
}

/// The most dimensions there can be (`CFI_MAX_RANK`).
pub const MOST_DIMENSIONS: usize = 15;

/// What is wrong with a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum DescriptorError {
    /// Its address is null.
    Null,
    /// Its address is not a multiple of 8.
    Misaligned,
    /// It is of no version that is known.
    Version(i32),
    /// It has more than [`MOST_DIMENSIONS`].
    Rank(u8),
    /// The number of its type means nothing, or the other layout has no number for its type.
    Type(i32),
    /// The number of its attribute means nothing.
    Attribute(u8),
    /// This dimension, counted from 0, has a negative extent.
    Extent(u8),
    /// An element's address is outside of what an address can be.
    Overflow,
    /// It cannot take over what another says: rank, type or attribute differ, or it is neither a pointer nor allocatable.
    Unlike,
    /// A copy of it ends before its last dimension.
    Short,
}

impl fmt::Display for DescriptorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("the descriptor is null"),
            Self::Misaligned => f.write_str("the descriptor is not aligned"),
            Self::Version(version) => write!(f, "{version} is no version of a descriptor that is known"),
            Self::Rank(rank) => write!(f, "{rank} dimensions are more than {MOST_DIMENSIONS}"),
            Self::Type(code) => write!(f, "{code} is the number of no type"),
            Self::Attribute(code) => write!(f, "{code} is the number of no attribute"),
            Self::Extent(dimension) => write!(f, "dimension {dimension} has a negative extent"),
            Self::Overflow => f.write_str("an element lies beyond the end of memory"),
            Self::Unlike => f.write_str("the descriptors are not of one rank, type and attribute"),
            Self::Short => f.write_str("the descriptor is cut off"),
        }
    }
}

impl core::error::Error for DescriptorError {}

/// The part that every descriptor has.
#[repr(C)]
#[derive(Clone, Copy)]
struct Header {
    base: *mut (),
    element_len: usize,
    version: i32,
    rank: u8,
    /// Attribute, then type, or type, attribute and extra.
    rest: [u8; 3],
}

/// Where in a descriptor its rank is, a byte.
pub const RANK_AT: usize = core::mem::offset_of!(Header, rank);

/// Bytes of a descriptor of a rank, without an addendum.
pub const fn size_of_rank(rank: usize) -> usize {
    size_of::<Header>() + rank * size_of::<Dimension>()
}

/// Set in flang's `extra` if an addendum follows the dimensions.
const ADDENDUM: u8 = 1;

/// What a descriptor says. It was looked through when this was made.
#[derive(Clone, Copy, Debug)]
pub struct View<'d> {
    layout: Layout,
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
        let (layout, _) = VERSIONS
            .into_iter()
            .find(|&(_, version)| version == header.version)
            .ok_or(DescriptorError::Version(header.version))?;
        let [first, second, third] = header.rest;
        let (attributes, attribute, code) = match layout {
            Layout::Gfortran => (ATTRIBUTES_OF_GFORTRAN, first, i16::from_le_bytes([second, third]).into()),
            _ => (ATTRIBUTES_OF_FLANG, second, i32::from(first as i8)),
        };
        let has_addendum = layout != Layout::Gfortran && third & ADDENDUM != 0;
        let view = View {
            layout,
            base: header.base,
            element_len: header.element_len,
            ty: Type::of(layout, code, header.element_len).ok_or(DescriptorError::Type(code))?,
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
    pub fn layout(&self) -> Layout {
        self.layout
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

    /// What flang keeps behind the dimensions of derived types, if it does.
    pub fn addendum(&self) -> Option<*const ()> {
        self.addendum
    }

    /// Whether the last extent is the caller's secret (`a(*)`).
    pub fn is_assumed_size(&self) -> bool {
        self.dimensions.last().is_some_and(|last| last.extent == -1) && self.attribute == Attribute::Other
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
    pub fn new(view: &View<'_>, layout: Layout) -> Result<Self, DescriptorError> {
        let code = view.ty.code(layout).ok_or(DescriptorError::Type(view.ty.kind.into()))?;
        let attributes =
            if layout == Layout::Gfortran { ATTRIBUTES_OF_GFORTRAN } else { ATTRIBUTES_OF_FLANG };
        let attribute =
            attributes.iter().position(|&attribute| attribute == view.attribute).unwrap_or(0) as u8;
        let [low, high] = (code as i16).to_le_bytes();
        let header = Header {
            base: view.base,
            element_len: view.element_len,
            version: VERSIONS.into_iter().find(|&(of, _)| of == layout).map_or(0, |(_, version)| version),
            rank: view.dimensions.len() as u8,
            rest: if layout == Layout::Gfortran { [attribute, low, high] } else { [low, attribute, 0] },
        };
        let mut dimensions = [Dimension { lower_bound: 0, extent: 0, stride: 0 }; MOST_DIMENSIONS];
        dimensions.iter_mut().zip(view.dimensions).for_each(|(place, &dimension)| *place = dimension);
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
        let same = (now.ty, now.attribute, now.dimensions.len())
            == (other.ty, other.attribute, other.dimensions.len());
        if !same || now.attribute == Attribute::Other {
            return Err(DescriptorError::Unlike);
        }
        let rank = now.dimensions.len();
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
