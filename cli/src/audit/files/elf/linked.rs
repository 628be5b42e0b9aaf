//! Facts about a linked ELF file, collected from its segments.

use super::{File, MOST};
use crate::audit::code::patterns::{self, Convention, Copies, Site};
use crate::audit::files::facts::{Asks, Call, Relro, Unjudged, WritableCode};
use crate::audit::files::machine::Outside;
use crate::audit::files::wants::Wants;
use crate::audit::table;
use object::elf;
use object::read::elf::{Dyn, FileHeader, ProgramHeader, Rel, Rela, SectionHeader};
use object::{Architecture, Endianness};

/// Facts collected from a dynamic section.
#[derive(Clone, Copy, Default)]
struct Dynamic {
    /// Whether all symbols are resolved at startup.
    now: bool,
    /// Whether there is a SONAME. Libraries have a SONAME, but a program may also have one.
    has_name: bool,
    /// Whether the file was linked as a program. Linkers add DT_DEBUG to programs only; before 2015 they did not set
    /// DF_1_PIE.
    is_program: bool,
}

impl<'c, 'a, Elf: FileHeader<Endian = Endianness>> File<'c, 'a, Elf> {
    /// Collects facts about a linked file from its loaded segments. Returns whether all symbols are resolved at startup,
    /// if the file has a dynamic section.
    pub(super) fn linked(&mut self, wants: &Wants) -> Result<Option<bool>, String> {
        let endian = self.endian;
        let (mut relro, mut interpreted, mut dynamic) = (false, false, None);
        for header in self.segments {
            let flags = header.p_flags(endian);
            match header.p_type(endian) {
                elf::PT_GNU_STACK => {
                    self.facts.asks = if flags & elf::PF_X != 0 { Asks::Yes } else { Asks::No };
                }
                elf::PT_GNU_RELRO => relro = true,
                elf::PT_INTERP => interpreted = true,
                elf::PT_LOAD => {
                    if flags & (elf::PF_X | elf::PF_W) == elf::PF_X | elf::PF_W
                        && self.facts.writable_code.len() < MOST
                    {
                        let address = header.p_vaddr(endian).into();
                        self.facts.writable_code.push(WritableCode { address, section: None });
                    }
                    if !wants.quick && self.facts.outside.is_none() {
                        self.segment(header)?;
                    }
                }
                elf::PT_DYNAMIC => dynamic = Some(self.dynamic(header)),
                elf::PT_NOTE if !wants.quick => {
                    let Ok(notes) = header.data(endian, self.data) else { continue };
                    self.has_table |= memchr::memmem::find(notes, b"statictramp").is_some();
                    let Ok(Some(notes)) = header.notes(endian, self.data) else { continue };
                    self.properties(notes);
                }
                _ => {}
            }
        }
        if self.facts.has_system {
            self.facts.outside = self.facts.outside.filter(|&it| it != Outside::Firmware);
        }
        let Dynamic { now, has_name, is_program } = dynamic.unwrap_or_default();
        self.facts.is_static = !interpreted && (dynamic.is_none() || is_program);
        let may_be_loaded = self.header.e_type(endian) == elf::ET_DYN && !is_program;
        self.facts.is_library = may_be_loaded && (has_name || !interpreted);
        for section in self.sections.iter() {
            let name = self.sections.section_name(endian, section).unwrap_or_default();
            self.has_table |= name == table::NOTE.as_bytes();
            self.writable_section(section.sh_flags(endian).into(), name, section.sh_addr(endian).into());
            self.attributes(section);
            self.facts.is_bolted |= name == b".note.bolt_info" || name == b".bolt.org.text";
        }
        if self.facts.text_relocations && !wants.quick {
            self.facts.idle_text_relocations = !self.changes_code();
        }
        self.facts.protection.relro = match (relro, now) {
            (false, _) => Relro::None,
            (true, false) => Relro::Partial,
            (true, true) => Relro::Full,
        };
        if self.is_packed() {
            self.facts.unjudged = Some(Unjudged::Packed);
        }
        if !wants.quick && self.facts.outside.is_none() {
            self.find_copies()?;
        }
        Ok(dynamic.map(|it| it.now))
    }

    /// Searches a loaded segment for templates, and for code that writes trampolines.
    pub(super) fn segment(&mut self, header: &Elf::ProgramHeader) -> Result<(), String> {
        let (endian, machine) = (self.endian, self.facts.machine);
        let executable = header.p_flags(endian) & elf::PF_X != 0;
        let templates = !executable && machine == Architecture::X86_64;
        if !patterns::may_be_in(machine, executable) && !templates || self.found.len() > MOST {
            return Ok(());
        }
        let (at, len) = (header.p_offset(endian).into(), header.p_filesz(endian).into());
        let start: u64 = header.p_vaddr(endian).into();
        let mut has_heap = false;
        self.input.pieces(at, len, |piece| {
            // In a stripped program, this template is the only sign that libgcc's heap-trampoline code is linked in.
            has_heap |= templates && patterns::gcc_heap_template(piece.bytes);
            for site in patterns::search(machine, Convention::SystemV, piece.bytes, executable) {
                if piece.own.contains(&site.offset) {
                    let address = start.wrapping_add(piece.start).wrapping_add(site.offset as u64);
                    self.found.push((None, address, site));
                }
            }
            self.found.len() <= MOST
        })?;
        if has_heap {
            self.facts.calls.push(Call::GccHeap);
        }
        Ok(())
    }

    /// Replaces each template with the code that copies it to the stack, if any.
    pub(super) fn find_copies(&mut self) -> Result<(), String> {
        let templates = self.found.iter().filter(|(.., site)| site.doubt == Some(patterns::Doubt::Template));
        let mut copies = Copies::of(self.facts.machine, templates.map(|&(_, address, _)| address));
        if copies.is_empty() {
            return Ok(());
        }
        for header in self.segments.iter().filter(|it| it.p_type(self.endian) == elf::PT_LOAD) {
            if header.p_flags(self.endian) & elf::PF_X == 0 {
                continue;
            }
            let start: u64 = header.p_vaddr(self.endian).into();
            let (at, len) = (header.p_offset(self.endian).into(), header.p_filesz(self.endian).into());
            self.input.pieces(at, len, |piece| {
                copies.search(piece.bytes, start.wrapping_add(piece.start), piece.own);
                copies.found.len() <= MOST
            })?;
        }
        let is_copied = |address: u64| copies.found.iter().any(|it| it.template == address);
        let mut copied = Vec::new();
        for it in &copies.found {
            let found = self.found.iter().find(|&&(_, address, _)| address == it.template);
            copied.extend(found.map(|&(_, _, site)| (None, it.code, Site { doubt: it.doubt, ..site })));
        }
        self.found.retain(|&(_, address, _)| !is_copied(address));
        self.found.append(&mut copied);
        Ok(())
    }

    /// Reads the dynamic section, and records whether the file has text relocations.
    fn dynamic(&mut self, header: &Elf::ProgramHeader) -> Dynamic {
        let mut found = Dynamic::default();
        let entries = header.dynamic(self.endian, self.data).ok().flatten().unwrap_or_default();
        for entry in entries {
            let (tag, value): (u64, u64) = (entry.d_tag(self.endian).into(), entry.d_val(self.endian).into());
            if tag == u64::from(elf::DT_NULL) {
                break;
            }
            let (Ok(tag), value) = (u32::try_from(tag), value as u32) else { continue };
            self.facts.text_relocations |=
                tag == elf::DT_TEXTREL || tag == elf::DT_FLAGS && value & elf::DF_TEXTREL != 0;
            found.has_name |= tag == elf::DT_SONAME;
            found.is_program |= tag == elf::DT_DEBUG || tag == elf::DT_FLAGS_1 && value & elf::DF_1_PIE != 0;
            found.now |= tag == elf::DT_BIND_NOW
                || tag == elf::DT_FLAGS && value & elf::DF_BIND_NOW != 0
                || tag == elf::DT_FLAGS_1 && value & elf::DF_1_NOW != 0;
        }
        found
    }

    /// Returns whether a dynamic relocation changes memory that is loaded without write permission. Assumes so if the
    /// file has no section headers, without which the relocations cannot be found.
    fn changes_code(&self) -> bool {
        let endian = self.endian;
        let loaded = || self.segments.iter().filter(|it| it.p_type(endian) == elf::PT_LOAD);
        let is_code = |address: u64| {
            let into = |it: &&Elf::ProgramHeader| {
                address
                    .checked_sub(it.p_vaddr(endian).into())
                    .is_some_and(|at| at < it.p_memsz(endian).into())
            };
            loaded().find(into).is_some_and(|it| it.p_flags(endian) & elf::PF_W == 0)
        };
        let is_mips64 = self.header.is_mips64el(endian);
        for section in self.sections.iter().filter(|it| it.sh_addr(endian).into() != 0) {
            if let Ok(Some((all, _))) = section.rela(endian, self.data) {
                let mut all = all.iter().filter(|it| it.r_type(endian, is_mips64) != 0);
                if all.any(|it| is_code(it.r_offset(endian).into())) {
                    return true;
                }
            }
            if let Ok(Some((all, _))) = section.rel(endian, self.data) {
                let mut all = all.iter().filter(|it| it.r_type(endian) != 0);
                if all.any(|it| is_code(it.r_offset(endian).into())) {
                    return true;
                }
            }
        }
        self.sections.is_empty()
    }

    /// Returns whether UPX has compressed the code. The UPX header directly follows the program headers.
    pub(super) fn is_packed(&self) -> bool {
        let len = size_of_val(self.segments) as u64;
        let end = self.header.e_phoff(self.endian).into().saturating_add(len);
        // The fields l_checksum and l_magic. Some versions put the decompressor's header before these fields.
        let mut bytes = [0; 8];
        self.input.fill(end, &mut bytes).is_ok() && bytes.ends_with(b"UPX!")
    }

    /// Returns whether this file contains only a program's debug information (`objcopy --only-keep-debug`): the program's
    /// headers, but no code.
    pub(super) fn is_detached(&self) -> bool {
        self.lacks_code() && !self.is_loadable()
    }

    /// Returns whether the kernel or the dynamic linker (which ignore section headers) would load the file, that is,
    /// whether it contains its interpreter's name, its dynamic section or its first instruction.
    fn is_loadable(&self) -> bool {
        let endian = self.endian;
        let first = |kind| self.segments.iter().find(|it| it.p_type(endian) == kind);
        let interpreter = first(elf::PT_INTERP).map(|it| it.data(endian, self.data).unwrap_or_default());
        let is_name = |bytes: &[u8]| bytes.first().is_some_and(u8::is_ascii_graphic) && bytes.ends_with(&[0]);
        let entries = first(elf::PT_DYNAMIC).and_then(|it| it.dynamic(endian, self.data).ok().flatten());
        let has =
            |tag: u32| entries.unwrap_or_default().iter().any(|it| it.d_tag(endian).into() == u64::from(tag));
        let entry: u64 = self.header.e_entry(endian).into();
        let holds_entry = |it: &Elf::ProgramHeader| {
            let at =
                entry.checked_sub(it.p_vaddr(endian).into()).filter(|&at| at < it.p_filesz(endian).into());
            let offset = at.and_then(|at| at.checked_add(it.p_offset(endian).into()));
            it.p_type(endian) == elf::PT_LOAD && offset.is_some_and(|offset| offset < self.input.len())
        };
        interpreter.is_some_and(is_name)
            || has(elf::DT_STRTAB) && has(elf::DT_SYMTAB)
            || interpreter.is_none() && entry != 0 && self.segments.iter().any(holds_entry)
    }

    /// Returns whether the file has no code, according to its section headers or, if none describes code, its segments.
    fn lacks_code(&self) -> bool {
        let endian = self.endian;
        let is_code = |flags: u64| flags & u64::from(elf::SHF_EXECINSTR) != 0;
        let mut code = self.sections.iter().filter(|it| is_code(it.sh_flags(endian).into())).peekable();
        if code.peek().is_some() {
            return code.all(|it| it.sh_type(endian) == elf::SHT_NOBITS);
        }
        // A file without code sections contains only debug information if it has executable segments but contains none
        // of their bytes.
        let loaded = self.segments.iter().filter(|it| it.p_type(endian) == elf::PT_LOAD);
        let mut code = loaded.filter(|it| it.p_flags(endian) & elf::PF_X != 0).peekable();
        code.peek().is_some() && code.all(|it| it.p_filesz(endian).into() == 0)
    }
}
