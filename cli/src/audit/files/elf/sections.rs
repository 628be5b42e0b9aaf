//! Section headers of linked files. The headers might be invalid, because programs run without using them.

use crate::audit::input::{Bytes, Input};
use object::Endianness;
use object::elf;
use object::read::ReadRef;
use object::read::elf::{FileHeader, SectionHeader, SectionTable};
use std::ops::Range;

/// Returns true if the first section header is empty and the contents of all sections are inside the file.
pub fn are_valid<'data, Elf, R>(sections: &SectionTable<'data, Elf, R>, endian: Endianness, len: u64) -> bool
where
    Elf: FileHeader<Endian = Endianness>,
    R: ReadRef<'data>,
{
    sections.iter().enumerate().all(|(index, section)| {
        let kind = section.sh_type(endian);
        if index == 0 || kind == elf::SHT_NULL {
            return kind == elf::SHT_NULL;
        }
        let end = section.sh_offset(endian).into().checked_add(section.sh_size(endian).into());
        kind == elf::SHT_NOBITS || end.is_some_and(|end| end <= len)
    })
}

/// A file that has no sections, according to its header.
pub struct WithoutSections<'a> {
    inner: Input<'a>,
    /// e_shoff, and the fields from e_shentsize through e_shstrndx; all of these are read as zeros.
    hidden: [Range<u64>; 2],
}

impl<'a> WithoutSections<'a> {
    /// Hides the section headers of an ELF file. Returns `None` if the file cannot be read.
    pub fn of(inner: Input<'a>) -> Option<Self> {
        let mut class = [0; 5];
        inner.fill(0, &mut class).ok()?;
        let hidden = match class[4] {
            2 => [0x28..0x30, 0x3a..0x40],
            _ => [0x20..0x24, 0x2e..0x34],
        };
        Some(WithoutSections { inner, hidden })
    }
}

impl Bytes for WithoutSections<'_> {
    fn fill(&self, at: u64, into: &mut [u8]) -> Result<(), ()> {
        self.inner.fill_uncharged(at, into)?;
        for hidden in &self.hidden {
            for offset in hidden.clone() {
                let byte =
                    offset.checked_sub(at).and_then(|offset| into.get_mut(usize::try_from(offset).ok()?));
                if let Some(byte) = byte {
                    *byte = 0;
                }
            }
        }
        Ok(())
    }
}
