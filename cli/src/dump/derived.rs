//! Objects of derived types. flang's tables describe their components (`statictramp_interop::descriptor::table`
//! documents the layout of the tables).

use super::captured::Memory;
use crate::image::source::Source;
use crate::shown::shown;
use statictramp_interop::descriptor::table::{Component, Genre, Table};
use statictramp_interop::descriptor::{Category, Format, View, size_of_rank};

/// The maximum numbers of components, nesting levels and bytes of a name to print.
const COMPONENTS: usize = 24;
pub const LEVELS: usize = 3;
const NAME: usize = 63;

impl<S: Source> Memory<'_, S> {
    /// Returns the address of the table for an object, from the object's descriptor. `view` is a copy of the descriptor
    /// at `address`.
    pub fn table(&self, address: u64, view: &View<'_>) -> Option<u64> {
        view.addendum()?;
        let addendum = address.wrapping_add(size_of_rank(view.dimensions().len()) as u64);
        self.word(addendum).ok().filter(|&table| table != 0)
    }

    /// Returns the name of a table's type.
    pub fn type_name(&self, table: u64) -> Result<String, String> {
        self.text(table.wrapping_add(Table::NAME_AT as u64))
    }

    /// Formats an object's components: offset, name, type and value. `levels` counts the enclosing objects.
    pub fn components(&self, table: u64, object: u64, levels: usize) -> Result<String, String> {
        let words = self.words(table.wrapping_add(Table::COMPONENTS_AT as u64))?;
        let view = View::of_words(&words).map_err(|e| e.to_string())?;
        let len = view.element_len();
        if view.dimensions().len() != 1 || !(Component::SHORTEST..=Component::LONGEST).contains(&len) {
            return Err("its component table has an unknown format".to_owned());
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
        let bytes = self.bytes(at, Component::READ)?;
        let component = bytes.first_chunk().and_then(|bytes| Component::of(bytes, format));
        let Component { genre, element_type: ty, rank, offset, characters, table, .. } =
            component.ok_or("its component table has an unknown format")?;
        let name = self.text(at)?;
        let address = object.wrapping_add(offset);
        let what = match ty.category {
            _ if genre != Genre::Data => self.described(address, levels + 1)?,
            _ if rank != 0 => format!("{ty} of rank {rank} at {address:#x}"),
            Category::Character if characters.is_some() => {
                let len = characters.and_then(|len| usize::try_from(len).ok()).unwrap_or(0);
                self.element(ty, len.saturating_mul(ty.kind.into()), address)?
            }
            Category::Struct => self.object(table, address, levels + 1)?,
            _ if ty.size() == 0 => format!("at {address:#x}"),
            _ => self.element(ty, ty.size(), address)?,
        };
        Ok(format!("+{offset} {name}: {what}"))
    }

    /// Formats an object of a table's type.
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
