//! The layout of flang's tables for derived types. A descriptor's addendum begins with the address of the table for the
//! object's dynamic type. To find a type's name and components, a debugger reads the table at the offsets in
//! [`Table`](table::Table), and each component with [`Component::of`](table::Component::of).
//!
//! ```text
//! table (typeInfo::DerivedType)           component (typeInfo::Component)
//!   0  descriptor of the bindings           0  descriptor of the name
//!  64  descriptor of the name              24  genre, category, kind, rank, memory: a byte each
//!  88  size in bytes                       32  offset in the object
//!  96  other descriptors                   40  length of a character: a byte for its form, a number at 48
//! 184  descriptor of the length            56  descriptor whose base is the table of the component's type
//!      parameters' kinds                   96  descriptor of the length parameters
//! 232  descriptor of the components       160  descriptor of the bounds: for each dimension two pairs of words, a
//!                                              form and a number
//! ```

use super::{Category, DescriptorError, Format, Type, View};

/// A table in this program, and field offsets that are valid in any program's tables.
#[derive(Clone, Copy)]
pub struct Table(*const ());

impl Table {
    /// The offset of the name's descriptor.
    pub const NAME_AT: usize = 64;
    /// The offset of the object's size in bytes.
    const SIZE_AT: usize = 88;
    /// The offset of the descriptor of the length-parameter kinds.
    const LENGTH_PARAMETERS_AT: usize = 184;
    /// The offset of the descriptor of the components.
    pub const COMPONENTS_AT: usize = 232;
}

/// How an object stores a component.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Genre {
    /// The object contains the component's elements.
    Data,
    /// The component is a pointer, and the component's descriptor is stored in the object.
    Pointer,
    /// The component is an allocatable, and the component's descriptor is stored in the object.
    Allocatable,
    /// The component's shape depends on length parameters, and the component's descriptor is stored in the object.
    Automatic,
}

/// A component, as described in the table.
#[derive(Clone, Copy, Debug)]
pub struct Component {
    /// How the object stores the component.
    pub genre: Genre,
    /// The type of the component.
    pub element_type: Type,
    /// The number of dimensions.
    pub rank: u8,
    /// Whether the component's memory is on a device.
    pub on_device: bool,
    /// The offset in the object, in bytes.
    pub offset: u64,
    /// For a character of constant length, the number of characters.
    pub characters: Option<u64>,
    /// The address of the table of the component's derived type, or 0 if its type is intrinsic.
    pub table: u64,
}

impl Component {
    /// The size in bytes of the shortest description of a component.
    pub const SHORTEST: usize = 256;
    /// The maximum size in bytes of a description, with room for later versions of flang.
    pub const LONGEST: usize = 1 << 12;
    /// The number of bytes that [`of`](Self::of) reads.
    pub const READ: usize = 64;
    /// The offset of a derived-type component's table address.
    const TYPE_AT: usize = 56;
    /// The offset of the descriptor of the bounds.
    const BOUNDS_AT: usize = 160;
    /// The form that marks a constant value.
    const EXPLICIT: u8 = 2;

    /// Reads a component's description. Returns `None` if the genre is unknown. `format` is the format of the table's
    /// descriptors.
    pub fn of(bytes: &[u8; Component::READ], format: Format) -> Option<Self> {
        let word = |at: usize| {
            bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |word| u64::from_ne_bytes(*word))
        };
        let &[genre, category, kind, rank, memory] = bytes.get(24..)?.first_chunk()?;
        let genre = match genre {
            1 => Genre::Data,
            2 => Genre::Pointer,
            3 => Genre::Allocatable,
            4 => Genre::Automatic,
            _ => return None,
        };
        Some(Component {
            genre,
            element_type: Type { category: category_of(category, format), kind },
            rank,
            on_device: memory != 0,
            offset: word(32),
            characters: (word(40).to_ne_bytes()[0] == Component::EXPLICIT).then(|| word(48)),
            table: word(Component::TYPE_AT),
        })
    }
}

/// Returns the category for a number in flang's tables. flang 20 inserted UNSIGNED and also changed the descriptor
/// version.
fn category_of(number: u8, format: Format) -> Category {
    use Category::*;
    let later = [Integer, Unsigned, Real, Complex, Character, Logical, Struct];
    let earlier = [Integer, Real, Complex, Character, Logical, Struct];
    let known = if format == Format::Flang2018 { &earlier[..] } else { &later[..] };
    known.get(usize::from(number)).copied().unwrap_or(Other)
}

impl Table {
    /// # Safety
    /// The address must point to one of flang's tables, which are never freed.
    pub(super) unsafe fn at(address: *const ()) -> Result<Self, DescriptorError> {
        if address.is_null() || !address.cast::<u64>().is_aligned() {
            return Err(DescriptorError::Table);
        }
        let table = Table(address);
        if table.descriptor(Self::LENGTH_PARAMETERS_AT)?.is_empty() {
            Ok(table)
        } else {
            Err(DescriptorError::Unsupported)
        }
    }

    fn descriptor(self, at: usize) -> Result<View<'static>, DescriptorError> {
        // SAFETY: the caller of `at` guarantees that this is a table, which contains descriptors at these offsets.
        unsafe { View::of(self.0.byte_add(at)) }
    }

    /// Returns the size of an object in bytes.
    pub(super) fn size(self) -> usize {
        // SAFETY: the caller of `at` guarantees that this is a table, which contains the size at this offset.
        unsafe { self.0.byte_add(Self::SIZE_AT).cast::<usize>().read() }
    }

    /// Returns the components, each with the address of its description.
    pub(super) fn components(
        self,
    ) -> Result<impl Iterator<Item = Result<(Component, *const ()), DescriptorError>>, DescriptorError> {
        let all = self.descriptor(Self::COMPONENTS_AT)?;
        let len = all.element_len();
        let known = all.base().is_null() || all.dimensions().len() == 1 && all.is_contiguous();
        if !known || !(Component::SHORTEST..=Component::LONGEST).contains(&len) && !all.is_empty() {
            return Err(DescriptorError::Table);
        }
        Ok((0..all.len().unwrap_or(0)).map(move |number| {
            let at = all.base().cast_const().wrapping_byte_add(number * len);
            // SAFETY: the table contains `len()` descriptions (`at`), each of at least `SHORTEST` bytes.
            let bytes = unsafe { at.cast::<[u8; Component::READ]>().read() };
            Component::of(&bytes, all.format()).map(|of| (of, at)).ok_or(DescriptorError::Table)
        }))
    }
}

/// Returns the number of elements of a component with constant bounds.
///
/// # Safety
/// The address must point to a component's description in a table.
pub(super) unsafe fn elements(component: &Component, at: *const ()) -> Result<usize, DescriptorError> {
    if component.rank == 0 {
        return Ok(1);
    }
    // SAFETY: the caller guarantees that the description contains a descriptor at this offset.
    let bounds = unsafe { View::of(at.byte_add(Component::BOUNDS_AT))? };
    let base = bounds.base().cast::<[i64; 2]>();
    if !bounds.is_contiguous()
        || bounds.element_len() != 16
        || bounds.len() != Some(2 * usize::from(component.rank))
    {
        return Err(DescriptorError::Table);
    }
    let bound = |number: usize| -> Result<i64, DescriptorError> {
        // SAFETY: the array contains two bounds for each dimension.
        let [form, value] = unsafe { base.add(number).read() };
        if form.to_ne_bytes()[0] == Component::EXPLICIT {
            Ok(value)
        } else {
            Err(DescriptorError::Unsupported)
        }
    };
    (0..usize::from(component.rank)).try_fold(1usize, |product, dimension| {
        let (lower, upper) = (bound(2 * dimension)?, bound(2 * dimension + 1)?);
        let extent = if upper < lower { 0 } else { (upper.abs_diff(lower) as usize).saturating_add(1) };
        product.checked_mul(extent).ok_or(DescriptorError::Overflow)
    })
}
