//! Objects of derived types, whose components flang's tables describe. A descriptor's addendum begins with the address of
//! the table for the object's dynamic type.
//!
//! ```text
//! table (typeInfo::DerivedType)           component (typeInfo::Component)
//!   0  descriptor of the bindings           0  descriptor of the name
//!  64  descriptor of the name              24  genre, category, kind, rank: a byte each
//!  88  size in bytes                       32  offset in the object
//!  96  other descriptors                   40  length of a character: a byte for its form, a number at 48
//! 232  descriptor of the components        56  descriptor whose base is the table of the component's type
//! ```

use super::captured::Memory;
use crate::image::source::{Source, word};
use crate::shown::shown;
use statictramp_interop::descriptor::{Category, Format, Type, View, size_of_rank};

const NAME_AT: u64 = 64;
const COMPONENTS_AT: u64 = 232;
/// The bytes of a component that are read, and the most bytes that a component of a later flang may have.
const COMPONENT: usize = 96;
const LARGEST_COMPONENT: usize = 1 << 12;

/// The most components of a type, levels of nested types, and bytes of a name that are shown.
const COMPONENTS: usize = 24;
pub const LEVELS: usize = 3;
const NAME: usize = 63;

impl<S: Source> Memory<'_, S> {
    /// Returns the address of the table that an object's descriptor refers to. `view` is a copy of the descriptor at
    /// `address`.
    pub fn table(&self, address: u64, view: &View<'_>) -> Option<u64> {
        view.addendum()?;
        let addendum = address.wrapping_add(size_of_rank(view.dimensions().len()) as u64);
        self.word(addendum).ok().filter(|&table| table != 0)
    }

    /// Returns the name of a table's type.
    pub fn type_name(&self, table: u64) -> Result<String, String> {
        self.text(table.wrapping_add(NAME_AT))
    }

    /// Formats an object's components: offset, name, type and value. `levels` counts the enclosing objects.
    pub fn components(&self, table: u64, object: u64, levels: usize) -> Result<String, String> {
        let words = self.words(table.wrapping_add(COMPONENTS_AT))?;
        let view = View::of_words(&words).map_err(|e| e.to_string())?;
        let len = view.element_len();
        if view.dimensions().len() != 1 || !(COMPONENT..=LARGEST_COMPONENT).contains(&len) {
            return Err("its table of components has an unknown form".to_owned());
        }
        let count = view.len().unwrap_or(0);
        let component = |number: usize| {
            let at = (view.base().addr() as u64).wrapping_add((number * len) as u64);
            self.component(at, object, view.format(), levels)
        };
        let mut shown: Vec<String> =
            (0..count.min(COMPONENTS)).map(component).collect::<Result<_, String>>()?;
        if count > COMPONENTS {
            shown.push("...".to_owned());
        }
        Ok(shown.join(", "))
    }

    fn component(&self, at: u64, object: u64, format: Format, levels: usize) -> Result<String, String> {
        const POINTER: u8 = 2;
        const AUTOMATIC: u8 = 4;
        let bytes = self.bytes(at, COMPONENT)?;
        let name = self.text(at)?;
        let [genre, category, kind, rank] = *bytes[24..].first_chunk().unwrap_or(&[0; 4]);
        let offset = word(&bytes, 32).unwrap_or(0);
        let place = object.wrapping_add(offset);
        let ty = Type { category: category_of(category, format), kind };
        let what = match ty.category {
            _ if (POINTER..=AUTOMATIC).contains(&genre) => self.described(place, levels + 1)?,
            _ if rank != 0 => format!("{ty} of rank {rank} at {place:#x}"),
            Category::Character if bytes[40] == 2 => {
                let len = word(&bytes, 48).and_then(|len| usize::try_from(len).ok()).unwrap_or(0);
                self.element(ty, len.saturating_mul(kind.into()), place)?
            }
            Category::Struct => {
                let table = self.word(at.wrapping_add(56))?;
                self.object(table, place, levels + 1)?
            }
            _ if ty.size() == 0 => format!("at {place:#x}"),
            _ => self.element(ty, ty.size(), place)?,
        };
        Ok(format!("+{offset} {name}: {what}"))
    }

    /// Formats an object of the type that a table describes.
    pub fn object(&self, table: u64, object: u64, levels: usize) -> Result<String, String> {
        let name = self.type_name(table)?;
        if levels >= LEVELS {
            return Ok(format!("type({name}) at {object:#x}"));
        }
        Ok(format!("type({name}) at {object:#x} ({})", self.components(table, object, levels)?))
    }

    /// Returns the text of a character object with a descriptor.
    fn text(&self, descriptor: u64) -> Result<String, String> {
        let words = self.words(descriptor)?;
        let view = View::of_words(&words).map_err(|e| format!("{e} (at {descriptor:#x})"))?;
        if view.element_type().category != Category::Character || view.base().is_null() {
            return Err(format!("no name at {descriptor:#x}"));
        }
        let bytes = self.bytes(view.base().addr() as u64, view.element_len().min(NAME))?;
        Ok(shown(&bytes).to_string())
    }
}

/// Returns the category for a number in flang's tables. flang 20 inserted UNSIGNED, and changed the descriptors' version in
/// the same release.
fn category_of(number: u8, format: Format) -> Category {
    use Category::*;
    let later = [Integer, Unsigned, Real, Complex, Character, Logical, Struct];
    let earlier = [Integer, Real, Complex, Character, Logical, Struct];
    let known = if format == Format::Flang2018 { &earlier[..] } else { &later[..] };
    known.get(usize::from(number)).copied().unwrap_or(Other)
}
