//! What the procedures of another process have captured, by layouts that a file has: each line a procedure's symbol and the
//! layout of what its chain points to, as `statictramp::interop::instance` has them; `#` begins a comment.

use statictramp::interop::descriptor::{Category, MOST_DIMENSIONS, RANK_AT, Type, View, size_of_rank};
use statictramp::interop::instance::{Kind, Layout, Variable};
use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// Layouts by symbols.
pub struct Layouts<'t>(BTreeMap<&'t str, Layout<'t>>);

impl<'t> Layouts<'t> {
    /// Of a file's text.
    pub fn parse(path: &str, text: &'t str) -> Result<Self, String> {
        let mut layouts = BTreeMap::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or("").trim();
            if line.is_empty() {
                continue;
            }
            let (symbol, layout) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let parsed = Layout::parse(layout);
            let parsed = parsed.map_err(|e| format!("{path}:{}: {e}: \"{layout}\"", number + 1))?;
            layouts.insert(symbol, parsed);
        }
        Ok(Layouts(layouts))
    }

    pub fn of(&self, symbol: &str) -> Option<Layout<'t>> {
        self.0.get(symbol).copied()
    }
}

/// The memory of another process.
pub struct Memory<'p>(pub &'p File);

/// As many elements of an array are shown, and bytes of a character.
const ELEMENTS: usize = 8;
const CHARACTERS: usize = 60;

impl Memory<'_> {
    fn bytes(&self, address: u64, len: usize) -> Result<Vec<u8>, String> {
        let mut bytes = vec![0; len];
        let read = self.0.read_exact_at(&mut bytes, address);
        read.map(|()| bytes).map_err(|_| format!("{address:#x} cannot be read"))
    }

    fn word(&self, address: u64) -> Result<u64, String> {
        let bytes = self.bytes(address, 8)?;
        bytes.first_chunk().map(|bytes| u64::from_le_bytes(*bytes)).ok_or_else(String::new)
    }

    /// Prints the variables, a line each.
    pub fn print_captured(&self, chain: u64, layout: Layout<'_>, mut named: impl FnMut(u64) -> String) {
        for (number, variable) in layout.variables().enumerate() {
            let shown = self.shown(chain, &variable, &mut named).unwrap_or_else(|why| why);
            let name = if variable.name.is_empty() { format!("#{number}") } else { variable.name.to_owned() };
            println!("    {name}: {shown}");
        }
    }

    fn shown(
        &self,
        chain: u64,
        variable: &Variable<'_>,
        named: &mut dyn FnMut(u64) -> String,
    ) -> Result<String, String> {
        let place = chain.wrapping_add(variable.offset as u64);
        Ok(match variable.kind {
            Kind::Reference(ty) => self.element(ty, ty.size(), self.word(place)?)?,
            Kind::Value(ty) => self.element(ty, ty.size(), place)?,
            Kind::Character => {
                let len = self.word(place.wrapping_add(8))? as usize;
                let ty = Type { category: Category::Character, kind: 1 };
                self.element(ty, len, self.word(place)?)?
            }
            Kind::Descriptor { .. } => self.described(place)?,
            Kind::ReferenceToDescriptor => self.described(self.word(place)?)?,
            Kind::Procedure => format!("procedure {}", named(self.word(place)?)),
            Kind::Address => format!("at {:#x}", self.word(place)?),
            Kind::Other(size, _) => format!("{size} bytes at {place:#x}"),
        })
    }

    /// What has a descriptor: its type and bounds, and some of its elements.
    fn described(&self, address: u64) -> Result<String, String> {
        let rank = usize::from(self.bytes(address, size_of_rank(0))?[RANK_AT]).min(MOST_DIMENSIONS);
        let bytes = self.bytes(address, size_of_rank(rank))?;
        // In words, so that the copy is aligned as a descriptor is.
        let words: Vec<u64> =
            bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("8 bytes"))).collect();
        // SAFETY: the header and as many dimensions as it says were copied.
        let view =
            unsafe { View::of(words.as_ptr().cast()) }.map_err(|e| format!("{e} (at {address:#x})"))?;
        let bounds: Vec<String> = view
            .dimensions()
            .iter()
            .map(|d| match d.extent {
                _ if view.base().is_null() => ":".to_owned(), // they mean nothing
                -1 => format!("{}:*", d.lower_bound),
                extent => format!("{}:{}", d.lower_bound, d.lower_bound.saturating_add(extent - 1)),
            })
            .collect();
        let what = match bounds.is_empty() {
            true => view.element_type().to_string(),
            false => format!("{}, dimension({})", view.element_type(), bounds.join(", ")),
        };
        if view.base().is_null() {
            return Ok(format!("{what}, nothing allocated or associated"));
        }
        let mut elements = vec![];
        let count = view.len().unwrap_or(0);
        for number in 0..count.min(ELEMENTS) {
            let mut rest = number as isize;
            let subscripts: Vec<isize> = view
                .dimensions()
                .iter()
                .map(|d| {
                    let index = rest % d.extent;
                    rest /= d.extent;
                    d.lower_bound + index
                })
                .collect();
            let Some(at) = view.element(&subscripts) else { break };
            elements.push(self.value(view.element_type(), view.element_len(), at.addr() as u64)?);
        }
        let more = if count > ELEMENTS { " ..." } else { "" };
        Ok(format!("{what} at {:#x}: {}{more}", view.base().addr(), elements.join(" ")))
    }

    /// A type and a value of it.
    fn element(&self, ty: Type, len: usize, address: u64) -> Result<String, String> {
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

/// A number by its bytes; what Rust has no type for as it lies there, the highest byte first.
fn number(category: Category, bytes: &[u8]) -> String {
    let mut wide = [0; 16];
    for (place, &byte) in wide.iter_mut().zip(bytes) {
        *place = byte;
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
