//! Facts about a relocatable ELF file, collected from its sections.

use super::{File, Found, MOST};
use crate::audit::code::patterns::{self, Convention, Site};
use crate::audit::files::facts::{Asks, Unjudged};
use crate::audit::files::machine::{self, Outside};
use crate::audit::files::wants::Wants;
use crate::audit::input::Cached;
use crate::audit::table;
use object::elf;
use object::read::elf::{ElfFile, FileHeader, SectionHeader};
use object::{Architecture, Endianness, Object, ObjectSection, ObjectSymbol, RelocationTarget};

/// Maximum number of templates in an object. The tool ignores further templates when it searches for code that copies
/// one.
const MOST_TEMPLATES: usize = 16;

impl<'c, 'a, Elf: FileHeader<Endian = Endianness>> File<'c, 'a, Elf> {
    /// Collects the facts about a relocatable file.
    pub(super) fn relocatable(&mut self, wants: &Wants) -> Result<(), String> {
        let (endian, machine) = (self.endian, self.facts.machine);
        let mut not_compiled = false;
        let mut has_code = false;
        let sections: Vec<_> = self.sections.iter().enumerate().collect();
        for (index, section) in sections {
            let flags: u64 = section.sh_flags(endian).into();
            let name = self.sections.section_name(endian, section).unwrap_or_default();
            let executable = flags & u64::from(elf::SHF_EXECINSTR) != 0;
            let loaded = flags & u64::from(elf::SHF_ALLOC) != 0;
            if name == b".note.GNU-stack" {
                // If an object has several `.note.GNU-stack` sections, lld sets the flag if any of them requests an
                // executable stack.
                let asked = executable || self.facts.asks == Asks::Yes;
                self.facts.asks = if asked { Asks::Yes } else { Asks::No };
            }
            self.has_table |= name == table::NOTE.as_bytes();
            not_compiled |= name.starts_with(b".gnu.lto_") || name == b".llvm.lto";
            let has_bytes = section.sh_type(endian) != elf::SHT_NOBITS;
            has_code |= loaded && executable && has_bytes && section.sh_size(endian).into() > 0;
            if machine::is_module(name) {
                self.facts.outside.get_or_insert(Outside::Firmware);
            }
            self.attributes(section);
            self.writable_section(flags, name, 0);
            if wants.quick {
                continue;
            }
            if section.sh_type(endian) == elf::SHT_NOTE
                && name == b".note.gnu.property"
                && let Ok(Some(notes)) = section.notes(endian, self.data)
            {
                self.properties(notes);
            }
            if !loaded
                || !has_bytes
                || !patterns::may_be_in(machine, executable)
                || self.found.len() > MOST
                || self.facts.outside.is_some()
            {
                continue;
            }
            let (at, len) = (section.sh_offset(endian).into(), section.sh_size(endian).into());
            self.input.pieces(at, len, |piece| {
                for site in patterns::search(machine, Convention::SystemV, piece.bytes, executable) {
                    if piece.own.contains(&site.offset) {
                        self.found.push((Some(index), piece.start + site.offset as u64, site));
                    }
                }
                self.found.len() <= MOST
            })?;
        }
        // An object may contain both machine code and an intermediate representation for link-time optimization. The
        // verdict is based on the machine code, which a linker without the LTO plugin uses. The machine code may be
        // outside `.text`, in sections named after its functions.
        if not_compiled && !has_code {
            self.facts.unjudged = Some(Unjudged::NotCompiled);
        } else if self.facts.asks == Asks::SaysNothing && (!has_code || silence_is_no(machine)) {
            self.facts.asks = Asks::No;
        }
        Ok(())
    }

    /// Replaces each template in an object with the code whose relocations refer to it. Implicit addends are not read,
    /// so any relocation with one that refers to the template's section is treated as a reference to the template.
    pub(super) fn find_relocated_copies(&mut self, file: &ElfFile<'c, Elf, Cached<'c, 'a>>) {
        let is_template = |site: &Site| site.doubt == Some(patterns::Doubt::Template);
        let templates: Vec<Found> =
            self.found.iter().copied().filter(|(.., site)| is_template(site)).take(MOST_TEMPLATES).collect();
        if templates.is_empty() {
            return;
        }
        let mut copies: Vec<(Found, Found)> = Vec::new();
        for section in file.sections().filter(|it| it.kind() == object::SectionKind::Text) {
            for (offset, relocation) in section.relocations() {
                let RelocationTarget::Symbol(symbol) = relocation.target() else { continue };
                let Ok(symbol) = file.symbol_by_index(symbol) else { continue };
                let Some(target) = symbol.section_index().map(|it| it.0) else { continue };
                let to = symbol.address().wrapping_add(relocation.addend() as u64);
                let reaches = |&&(its, address, _): &&Found| {
                    its == Some(target)
                        && (relocation.has_implicit_addend()
                            || address.checked_sub(to).is_some_and(|pad| pad <= patterns::PAD))
                };
                if let Some(&template) = templates.iter().find(reaches).filter(|_| copies.len() < MOST) {
                    let site = Site { doubt: None, ..template.2 };
                    copies.push((template, (Some(section.index().0), offset, site)));
                }
            }
        }
        // Code that computes an address from two halves has two relocations, but is counted once.
        copies.sort_by_key(|&(_, (section, offset, _))| (section, offset));
        copies.dedup_by(|next, last| next.1.0 == last.1.0 && next.1.1 - last.1.1 <= 16);
        let key = |it: &Found| (it.0, it.1);
        self.found.retain(|found| !copies.iter().any(|(template, _)| key(template) == key(found)));
        self.found.extend(copies.into_iter().map(|(_, copy)| copy));
    }
}

/// Returns whether linkers assume that an object without `.note.GNU-stack` needs no executable stack. (GNU ld 2.40 does
/// not assume this on x86 and Arm.)
fn silence_is_no(machine: Architecture) -> bool {
    use Architecture::{Aarch64, Aarch64_Ilp32, Riscv32, Riscv64};
    matches!(machine, Aarch64 | Aarch64_Ilp32 | Riscv32 | Riscv64)
}
