//! Hardening of an ELF file: its type, its symbol binding, and (from its symbols) the functions that it calls.

use super::File;
use crate::audit::files::facts::Unjudged;
use crate::audit::files::hardening::{Fortify, Hardening};
use crate::audit::input::{Cached, Input, may_be_read};
use object::read::elf::{FileHeader, SectionHeader, Sym};
use object::{Endianness, elf};
use std::cell::Cell;
use std::collections::BTreeSet;

/// Functions that are called when a stack canary has been overwritten. 32-bit x86 objects call the second one.
const CANARY: [&[u8]; 2] = [b"__stack_chk_fail", b"__stack_chk_fail_local"];

/// Sorted names of glibc functions with a checking variant `__NAME_chk`.
const FORTIFIED: &[&str] = &[
    "asprintf",
    "confstr",
    "dprintf",
    "explicit_bzero",
    "fdelt",
    "fgets",
    "fgets_unlocked",
    "fgetws",
    "fgetws_unlocked",
    "fprintf",
    "fread",
    "fread_unlocked",
    "fwprintf",
    "getcwd",
    "getdomainname",
    "getgroups",
    "gethostname",
    "getlogin_r",
    "gets",
    "getwd",
    "inet_ntop",
    "inet_pton",
    "longjmp",
    "mbsnrtowcs",
    "mbsrtowcs",
    "mbstowcs",
    "memcpy",
    "memmove",
    "mempcpy",
    "memset",
    "obstack_printf",
    "obstack_vprintf",
    "poll",
    "ppoll",
    "pread",
    "pread64",
    "printf",
    "ptsname_r",
    "read",
    "readlink",
    "readlinkat",
    "realpath",
    "recv",
    "recvfrom",
    "snprintf",
    "sprintf",
    "stpcpy",
    "stpncpy",
    "strcat",
    "strcpy",
    "strlcat",
    "strlcpy",
    "strncat",
    "strncpy",
    "swprintf",
    "syslog",
    "ttyname_r",
    "vasprintf",
    "vdprintf",
    "vfprintf",
    "vfwprintf",
    "vprintf",
    "vsnprintf",
    "vsprintf",
    "vswprintf",
    "vsyslog",
    "vwprintf",
    "wcpcpy",
    "wcpncpy",
    "wcrtomb",
    "wcscat",
    "wcscpy",
    "wcslcat",
    "wcslcpy",
    "wcsncat",
    "wcsncpy",
    "wcsnrtombs",
    "wcsrtombs",
    "wcstombs",
    "wctomb",
    "wmemcpy",
    "wmemmove",
    "wmempcpy",
    "wmemset",
    "wprintf",
];

/// Functions that a file calls or defines, according to its symbols.
#[derive(Default)]
struct Symbols {
    /// Whether the file calls a function in [`CANARY`].
    checks_canaries: bool,
    /// Whether the file defines a function in [`CANARY`].
    has_canary_check: bool,
    checked: BTreeSet<usize>,
    unchecked: BTreeSet<usize>,
}

impl<'c, 'a, Elf: FileHeader<Endian = Endianness>> File<'c, 'a, Elf> {
    /// Returns the file's hardening features. `bind_now` means that all symbols are resolved at startup.
    pub(super) fn hardening(&self, bind_now: Option<bool>) -> Hardening {
        let facts = &self.facts;
        let is_readable = !matches!(facts.unjudged, Some(Unjudged::NotCompiled | Unjudged::Packed));
        let kind = if facts.linked && !facts.is_static { elf::SHT_DYNSYM } else { elf::SHT_SYMTAB };
        let symbols = if is_readable { Symbols::of::<Elf>(self.input, kind) } else { None };
        Hardening {
            position_independent: facts.linked.then(|| self.header.e_type(self.endian) == elf::ET_DYN),
            bind_now,
            canaries: symbols.as_ref().and_then(Symbols::canaries),
            // A static program contains the C library, which calls these functions itself.
            fortify: symbols.filter(|_| !facts.is_static).and_then(|it| it.fortify(self.is_for_musl())),
        }
    }

    /// Returns whether the file needs a C library other than glibc. musl has no checking variants: its headers make the
    /// caller check the lengths.
    fn is_for_musl(&self) -> bool {
        self.sections.iter().filter(|it| it.sh_type(self.endian) == elf::SHT_DYNSYM).any(|it| {
            let strings = object::SectionIndex(it.sh_link(self.endian) as usize);
            let strings = self.sections.section(strings).and_then(|it| it.data(self.endian, self.data));
            let has =
                |name: &[u8]| strings.is_ok_and(|strings| memchr::memmem::find(strings, name).is_some());
            has(b"\0libc.musl-") || has(b"\0libc.so\0")
        })
    }
}

impl Symbols {
    /// Reads a symbol table. Returns `None` if the file has no such table, or if the table is invalid.
    ///
    /// The bytes read do not count towards `input`'s limit, so that --hardening does not change the verdict.
    fn of<Elf: FileHeader<Endian = Endianness>>(input: Input<'_>, kind: u32) -> Option<Self> {
        let left = Cell::new(may_be_read(input.len()));
        let (cache, last) = (input.with_left(&left).cached(), Cell::default());
        let data = Cached::new(&cache, &last);
        let header = Elf::parse(data).ok()?;
        let endian = header.endian().ok()?;
        let sections = header.sections(endian, data).ok()?;
        let symbols = sections.symbols(endian, data, kind).ok()?;
        if symbols.is_empty() {
            return None;
        }
        let mut found = Symbols::default();
        for symbol in symbols.iter() {
            let Ok(name) = symbol.name(endian, symbols.strings()) else { continue };
            let is_defined = symbol.st_shndx(endian) != elf::SHN_UNDEF;
            if CANARY.contains(&name) {
                found.has_canary_check |= is_defined;
                found.checks_canaries |= !is_defined;
            } else if !is_defined {
                found.call(name);
            }
        }
        Some(found)
    }

    fn call(&mut self, name: &[u8]) {
        let checked = name.strip_prefix(b"__").and_then(|it| it.strip_suffix(b"_chk"));
        let plain = checked.unwrap_or(name);
        if let Ok(index) = FORTIFIED.binary_search_by(|it| it.as_bytes().cmp(plain)) {
            if checked.is_some() { &mut self.checked } else { &mut self.unchecked }.insert(index);
        }
    }

    /// Returns whether a function checks a canary, or `None` for a static program in which all canary checks might come
    /// from the C library.
    fn canaries(&self) -> Option<bool> {
        (self.checks_canaries || !self.has_canary_check).then_some(self.checks_canaries)
    }

    fn fortify(&self, is_for_musl: bool) -> Option<Fortify> {
        let (checked, unchecked) = (self.checked.len(), self.unchecked.len());
        (checked > 0 || !is_for_musl).then_some(Fortify { checked, unchecked })
    }
}

#[cfg(test)]
mod tests {
    use super::{FORTIFIED, Symbols};

    #[test]
    fn checked_and_unchecked_calls_are_counted_once_per_function() {
        assert!(FORTIFIED.is_sorted());
        let mut symbols = Symbols::default();
        for name in ["memcpy", "memcpy", "__memcpy_chk", "__wprintf_chk", "__stack_chk", "puts", "__puts_chk"]
        {
            symbols.call(name.as_bytes());
        }
        let found = symbols.fortify(true).unwrap();
        assert_eq!((found.checked, found.unchecked), (2, 1));
        assert_eq!(Symbols::default().fortify(true), None);
    }
}
