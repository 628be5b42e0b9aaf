//! Variables captured by procedures in another process. A layout file specifies their locations. Each line contains a
//! procedure's symbol, and the layout of the memory that its chain points to, in the format of
//! `statictramp_interop::instance`. `#` begins a comment.

use super::derived::LEVELS;
use crate::image::source::{Source, word};
use crate::shown::shown;
use statictramp_interop::descriptor::{Category, MOST_DIMENSIONS, RANK_AT, Type, View, size_of_rank};
use statictramp_interop::instance::{FrameLayout, Storage, Variable};
use std::collections::BTreeMap;

/// The layouts in a file, by symbol.
pub struct Layouts<'t>(BTreeMap<&'t str, FrameLayout<'t>>);

impl<'t> Layouts<'t> {
    /// Parses the text of a file. An error message begins with the number of the invalid line.
    pub fn parse(text: &'t str) -> Result<Self, String> {
        let mut layouts = BTreeMap::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or("").trim();
            if line.is_empty() {
                continue;
            }
            let (symbol, layout) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let parsed = FrameLayout::parse(layout);
            let parsed = parsed.map_err(|e| {
                let shown = shown(layout.as_bytes().get(..LONGEST_SHOWN).unwrap_or(layout.as_bytes()));
                format!("{}: {e}: \"{shown}\"", number + 1)
            })?;
            layouts.insert(symbol, parsed);
        }
        Ok(Layouts(layouts))
    }

    pub fn of(&self, symbol: &str) -> Option<FrameLayout<'t>> {
        self.0.get(symbol).copied()
    }
}

/// The memory of another process. That process may be running.
pub struct Memory<'p, S>(pub &'p S);

/// The maximum number of array elements, or of bytes in a character object, to print.
const ELEMENTS: usize = 8;
const CHARACTERS: usize = 60;
/// The maximum number of bytes of an invalid layout to print.
const LONGEST_SHOWN: usize = 200;

impl<S: Source> Memory<'_, S> {
    pub(super) fn bytes(&self, address: u64, len: usize) -> Result<Vec<u8>, String> {
        self.0.copy(address, len).ok_or_else(|| format!("{address:#x} cannot be read"))
    }

    pub(super) fn word(&self, address: u64) -> Result<u64, String> {
        word(&self.bytes(address, 8)?, 0).ok_or_else(String::new)
    }

    /// Returns one line of text for each captured variable.
    pub fn captured<'l>(
        &self,
        chain: u64,
        layout: FrameLayout<'l>,
        mut named: impl FnMut(u64) -> String,
    ) -> impl Iterator<Item = String> {
        layout.variables().enumerate().map(move |(number, variable)| {
            let held = self.held(chain, &variable, &mut named).unwrap_or_else(|why| why);
            match variable.name.as_bytes() {
                [] => format!("#{number}: {held}"),
                name => format!("{}: {held}", shown(name)),
            }
        })
    }

    fn held(
        &self,
        chain: u64,
        variable: &Variable<'_>,
        named: &mut dyn FnMut(u64) -> String,
    ) -> Result<String, String> {
        let address = chain.wrapping_add(variable.offset as u64);
        Ok(match variable.storage {
            // A null address represents an absent OPTIONAL argument.
            Storage::Reference(ty) if self.word(address)? == 0 => format!("{ty}, absent"),
            Storage::Character | Storage::ReferenceToDescriptor if self.word(address)? == 0 => {
                "absent".to_owned()
            }
            Storage::Reference(ty) => self.element(ty, ty.size(), self.word(address)?)?,
            Storage::Value(ty) => self.element(ty, ty.size(), address)?,
            Storage::Character => {
                let len = self.word(address.wrapping_add(8))? as usize;
                let ty = Type { category: Category::Character, kind: 1 };
                self.element(ty, len, self.word(address)?)?
            }
            Storage::Descriptor { .. } => self.described(address, 0)?,
            Storage::ReferenceToDescriptor => self.described(self.word(address)?, 0)?,
            Storage::Procedure => format!("procedure {}", named(self.word(address)?)),
            Storage::Address => format!("at {:#x}", self.word(address)?),
            Storage::Other(size, _) => format!("{size} bytes at {address:#x}"),
        })
    }

    /// Returns a copy of the descriptor at an address, in 64-bit words and without the addendum.
    pub(super) fn words(&self, address: u64) -> Result<Vec<u64>, String> {
        // The header is read only once, because a second read might return a different rank.
        let mut bytes = self.bytes(address, size_of_rank(0))?;
        let rank = bytes.get(RANK_AT).map_or(0, |&rank| usize::from(rank).min(MOST_DIMENSIONS));
        let behind = address.wrapping_add(size_of_rank(0) as u64);
        bytes.extend(self.bytes(behind, size_of_rank(rank) - size_of_rank(0))?);
        Ok(bytes.chunks_exact(8).filter_map(|bytes| word(bytes, 0)).collect())
    }

    /// Formats an object with a descriptor: its type, its bounds and some of its elements. `levels` counts the
    /// enclosing objects of derived types.
    pub(super) fn described(&self, address: u64, levels: usize) -> Result<String, String> {
        let words = self.words(address)?;
        let view = View::of_words(&words).map_err(|e| format!("{e} (at {address:#x})"))?;
        let bounds: Vec<String> = view
            .dimensions()
            .iter()
            .map(|d| match d.extent {
                _ if view.base().is_null() => ":".to_owned(), // neither allocated nor associated
                -1 => format!("{}:*", d.lower_bound),
                extent => format!("{}:{}", d.lower_bound, d.lower_bound.saturating_add(extent - 1)),
            })
            .collect();
        let ty = view.element_type();
        let ty = match ty.category {
            Category::Character if view.base().is_null() => "character(:)".to_owned(),
            Category::Character => format!("character({})", view.element_len() / usize::from(ty.kind.max(1))),
            Category::Struct => match self.table(address, &view) {
                Some(table) => format!("type({})", self.type_name(table)?),
                None => ty.to_string(),
            },
            _ => ty.to_string(),
        };
        let what = match bounds.is_empty() {
            true => ty,
            false => format!("{ty}, dimension({})", bounds.join(", ")),
        };
        if view.base().is_null() {
            return Ok(format!("{what}, neither allocated nor associated"));
        }
        let mut elements = vec![];
        let count = view.len().unwrap_or(0);
        // The nesting depth is limited, because a chain of pointers may be endless.
        let table = self.table(address, &view).filter(|_| levels < LEVELS);
        let most = if table.is_some() && levels > 0 { 1 } else { ELEMENTS };
        for number in 0..count.min(most) {
            let mut rest = number as isize;
            let subscripts: Vec<isize> = view
                .dimensions()
                .iter()
                .map(|d| {
                    // The array has elements, so no extent is 0. An offset that exceeds `isize` is out of bounds.
                    let index = rest.checked_rem(d.extent).unwrap_or(0);
                    rest = rest.checked_div(d.extent).unwrap_or(0);
                    d.lower_bound.wrapping_add(index)
                })
                .collect();
            let Some(at) = view.element(&subscripts) else { break };
            let at = at.addr() as u64;
            elements.push(match table {
                Some(table) => format!("({})", self.components(table, at, levels)?),
                None => self.value(view.element_type(), view.element_len(), at)?,
            });
        }
        let more = if count > most { " ..." } else { "" };
        Ok(format!("{what} at {:#x}: {}{more}", view.base().addr(), elements.join(" ")))
    }

    /// Formats a type and the value at an address.
    pub(super) fn element(&self, ty: Type, len: usize, address: u64) -> Result<String, String> {
        Ok(match ty.category {
            Category::Character => format!("character({len}) {}", self.value(ty, len, address)?),
            _ => format!("{ty} {}", self.value(ty, len, address)?),
        })
    }

    fn value(&self, ty: Type, len: usize, address: u64) -> Result<String, String> {
        let shown = if ty.category == Category::Character { len.min(CHARACTERS) } else { len };
        if shown > 1 << 12 {
            return Ok(format!("{len} bytes"));
        }
        let bytes = self.bytes(address, shown)?;
        Ok(match ty.category {
            Category::Character => {
                let more = if shown < len { " ..." } else { "" };
                format!("{:?}{more}", String::from_utf8_lossy(&bytes))
            }
            Category::Complex => {
                let (real, imaginary) = bytes.split_at(len / 2);
                format!("({}, {})", number(Category::Real, real), number(Category::Real, imaginary))
            }
            category => number(category, &bytes),
        })
    }
}

/// Formats `bytes` as a number or, if Rust has no such type, in hexadecimal, most significant byte first.
fn number(category: Category, bytes: &[u8]) -> String {
    let mut wide = [0; 16];
    for (address, &byte) in wide.iter_mut().zip(bytes) {
        *address = byte;
    }
    let unsigned = u128::from_le_bytes(wide);
    let unused = 128 - 8 * bytes.len().clamp(1, 16) as u32;
    match (category, bytes.len()) {
        (Category::Integer, 1..=16) => ((unsigned << unused) as i128 >> unused).to_string(),
        (Category::Unsigned, 1..=16) => unsigned.to_string(),
        (Category::Logical, 1..=16) => (unsigned != 0).to_string(),
        (Category::Real, 4) => f32::from_bits(unsigned as u32).to_string(),
        (Category::Real, 8) => f64::from_bits(unsigned as u64).to_string(),
        (_, 0) => "(no bytes)".to_owned(),
        _ => format!("0x{}", bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect::<String>()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::io::Result;

    /// A gfortran descriptor that has a different rank each time it is read.
    struct Changing(Cell<u8>);

    impl Source for Changing {
        fn read(&self, address: u64, bytes: &mut [u8]) -> Result<()> {
            let header = [0x1000u64, 4, 1 | u64::from(self.0.get()) << 32 | 0x0401_0200_0000_0000];
            let words = header.into_iter().chain(std::iter::repeat(1));
            let held: Vec<u8> =
                words.flat_map(u64::to_le_bytes).skip(address as usize).take(bytes.len()).collect();
            bytes.copy_from_slice(&held);
            self.0.set(MOST_DIMENSIONS as u8 - self.0.get());
            Ok(())
        }
    }

    #[test]
    fn a_changing_descriptor_is_read_consistently() {
        let layout = FrameLayout::parse("a: descriptor(15)").unwrap();
        for (first, dimensions) in [(0, 0), (15, 15), (1, 1), (14, 14)] {
            let process = Changing(Cell::new(first));
            let shown: Vec<String> = Memory(&process).captured(0, layout, |_| String::new()).collect();
            let [line] = &shown[..] else { panic!("{shown:?}") };
            assert!(line.starts_with("a: integer(4)"), "{line}");
            assert_eq!(line.matches("1:1").count(), dimensions, "{line}");
        }
    }
}
