//! Names of functions: the program's own records name closures, and the symbols of mapped files name other functions.
//!
//! A file name in `/proc/PID/maps` may now refer to another file, to a file in another mount namespace, or to something
//! that blocks when opened. Files are therefore opened in this order:
//!
//! - `/proc/PID/map_files` refers to the mapped file itself, if the user has permission to follow it
//!   (CAP_CHECKPOINT_RESTORE), and `/proc/PID/exe` refers to the program's file;
//! - otherwise, the name is opened relative to the process's root. If the opened file has the device and inode that the
//!   kernel lists, it is the mapped file. Since some file systems (overlay, btrfs) report different numbers in `fstat`,
//!   the file is also accepted if its headers equal those of the image in memory, unless the kernel reports the name as
//!   deleted.
//!
//! Only regular files are opened. The contents are used only for names and source locations.

use super::budget::{Budget, Limited};
use super::closures::Closures;
use super::symbols::{Functions, LONGEST_NAME};
use crate::audit::code::debug::declared::{declared, within};
use crate::audit::code::debug::{Debug, Sections, Unread};
use crate::image::maps::{MappedFile, Mapping, Maps, with_line_breaks};
use crate::image::notes::Image;
use crate::out::complain;
use crate::shown::shown;
use object::read::elf::ElfFile64;
use object::{Endianness, Object, ObjectSection, ReadCache, ReadRef};
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Maximum total size, in bytes, of the symbols read from all files. (Names are read only when needed.)
const MOST_SYMBOLS: u64 = 1 << 26;
/// Maximum number of names that are kept.
const MOST_NAMES: usize = 1 << 16;
/// Maximum total size, in bytes, of the names that are kept.
const MOST_KEPT: usize = 1 << 26;

/// Maximum number of functions whose source location is looked up.
const MOST_SOURCES: usize = 1 << 12;
/// Maximum size, in bytes, of the debug information read from one file.
const MOST_DEBUG_OF_FILE: u64 = 1 << 28;
/// Maximum total size, in bytes, of the debug information read from all files.
const MOST_DEBUG: u64 = 1 << 30;
/// Maximum size in bytes of one file's units (`.debug_info`). The units are searched one by one.
const MOST_UNITS: u64 = 1 << 26;

/// The known names of a function.
#[derive(Default)]
pub struct Name {
    /// The symbol as it appears in the file.
    pub symbol: Option<String>,
    /// A readable name: the type of a closure, or the demangled symbol.
    pub name: Option<String>,
    /// The file and the line of the function's source, according to debug information.
    pub source: Option<String>,
    /// The files and lines where a closure was bound, according to the program's own records.
    pub bound: Vec<String>,
}

impl Name {
    fn of(symbol: Option<&[u8]>, closure: Option<String>) -> Self {
        let plain = || symbol.and_then(demangled);
        let symbol = symbol.map(shown);
        Name { name: closure.or_else(plain).or_else(|| symbol.clone()), symbol, source: None, bound: vec![] }
    }

    fn len(&self) -> usize {
        [&self.symbol, &self.name, &self.source]
            .into_iter()
            .flatten()
            .chain(&self.bound)
            .map(String::len)
            .sum()
    }
}

/// Returns the demangled form of a Rust symbol, or `None` if the symbol belongs to another language or its demangled
/// form is too long.
fn demangled(symbol: &[u8]) -> Option<String> {
    let symbol = std::str::from_utf8(symbol).ok()?;
    let plain = format!("{:#}", rustc_demangle::try_demangle(symbol).ok()?);
    (plain.len() <= LONGEST_NAME).then(|| shown(plain.as_bytes()))
}

/// Finds names and caches them.
pub struct Names<'p> {
    /// The directory `/proc/PID` of the process.
    process: &'p Path,
    maps: &'p Maps,
    executable: Option<PathBuf>,
    symbols: Budget,
    files: HashMap<usize, Option<Functions>>,
    closures: Closures<'p, File>,
    /// Source locations that `find_sources` has found, indexed by the functions' addresses.
    sources: HashMap<u64, String>,
    known: HashMap<u64, Rc<Name>>,
    /// Total size of the cached names.
    kept: usize,
}

impl<'p> Names<'p> {
    pub fn new(process: &'p Path, maps: &'p Maps, closures: Closures<'p, File>) -> Self {
        let executable = fs::read_link(process.join("exe")).ok();
        let (files, known) = (HashMap::new(), HashMap::new());
        let symbols = Budget::of(MOST_SYMBOLS);
        Names { process, maps, executable, symbols, files, closures, sources: HashMap::new(), known, kept: 0 }
    }

    /// Returns the names of the function that contains an address. `image_of` returns a file's in-memory image.
    pub fn of<'i>(&mut self, address: u64, image_of: impl Fn(usize) -> Option<&'i Image>) -> Rc<Name> {
        if let Some(known) = self.known.get(&address) {
            return known.clone();
        }
        if self.known.len() >= MOST_NAMES || self.kept >= MOST_KEPT {
            self.known.clear(); // discarded names can be looked up again
            self.kept = 0;
        }
        let closure = self.closures.name(address);
        let source = self.sources.get(&address).cloned();
        let bound = self.closures.locations(address);
        let found =
            Rc::new(Name { source, bound, ..Name::of(self.find(address, image_of).as_deref(), closure) });
        self.kept += found.len();
        self.known.insert(address, found.clone());
        found
    }

    fn find<'i>(&mut self, address: u64, image_of: impl Fn(usize) -> Option<&'i Image>) -> Option<Vec<u8>> {
        let mapping = self.maps.code_at(address)?;
        let image = image_of(mapping.file);
        if !self.files.contains_key(&mapping.file) {
            let functions = self.open(mapping, image).and_then(|file| self.functions(mapping.file, file));
            self.files.insert(mapping.file, functions);
        }
        let functions = self.files.get(&mapping.file)?.as_ref()?;
        let offset = mapping.offset.checked_add(address - mapping.start)?;
        functions.name_at(image?.address_of(offset)?)
    }

    fn functions(&self, number: usize, file: File) -> Option<Functions> {
        self.symbols.exceeded.set(false);
        let functions = Functions::of(file, &self.symbols);
        if self.symbols.exceeded.get() {
            self.warn(number, "too many symbols; some function names may be missing");
        }
        functions
    }

    /// Reports why a file's names are missing.
    fn warn(&self, file: usize, what: &str) {
        let path = self.maps.files.get(file).map_or(String::new(), |file| shown(&file.path));
        complain(format_args!("{path}: {what}"));
    }

    /// Looks up the source locations of several functions together, so that each file's debug information is read only
    /// once.
    pub fn find_sources<'i>(
        &mut self,
        functions: impl Iterator<Item = u64>,
        image_of: impl Fn(usize) -> Option<&'i Image>,
    ) {
        type Asked<'a> = (&'a Mapping, Vec<(u64, u64)>);
        let mut asked: BTreeMap<usize, Asked> = BTreeMap::new();
        for function in functions.take(MOST_SOURCES) {
            let address = self.closures.knows(function).unwrap_or(function);
            let Some(mapping) = self.maps.code_at(address) else { continue };
            let linked = mapping.offset.checked_add(address - mapping.start);
            let linked = linked.and_then(|offset| image_of(mapping.file)?.address_of(offset));
            asked
                .entry(mapping.file)
                .or_insert((mapping, vec![]))
                .1
                .extend(linked.map(|linked| (function, linked)));
        }
        let mut left = MOST_DEBUG;
        for (number, (mapping, asked)) in asked {
            let Some(open) = self.open(mapping, image_of(number)) else { continue };
            let cache = ReadCache::new(open);
            let budget = Budget::of(left.min(MOST_DEBUG_OF_FILE));
            self.sources_in(number, Limited { data: &cache, budget: &budget }, &asked);
            left -= budget.spent();
        }
    }

    fn sources_in<'a>(&mut self, number: usize, data: Limited<'a, impl ReadRef<'a>>, asked: &[(u64, u64)]) {
        const TOO_MUCH: &str = "too much debug information; source lines are missing";
        let Ok(file) = ElfFile64::<Endianness, _>::parse(data) else {
            if data.budget.exceeded.get() {
                self.warn(number, TOO_MUCH);
            }
            return;
        };
        let size = |name| Some(file.section_by_name(name)?.compressed_file_range().ok()?.uncompressed_size);
        let units = size(".debug_info");
        let sections = match units.is_some_and(|size| size > MOST_UNITS) {
            true => Err(Unread::TooMuch),
            false => Sections::of(&file, data.budget.granted),
        };
        let sections = match sections {
            Ok(Some(sections)) => sections,
            Ok(None) => return,
            Err(Unread::Broken) if !data.budget.exceeded.get() => {
                return self.warn(number, "invalid debug information; source lines are missing");
            }
            Err(_) => return self.warn(number, TOO_MUCH),
        };
        let (closures, others): (Vec<_>, Vec<_>) =
            asked.iter().copied().partition(|&(function, _)| self.closures.knows(function).is_some());
        let (mut whole, mut split) = (true, false);
        let mut found: Vec<(u64, String)> = vec![];
        if !others.is_empty() {
            let wanted: Vec<_> = others.iter().map(|&(_, linked)| (None, linked)).collect();
            let debug = Debug::in_sections(&sections, &wanted);
            (whole, split) = (debug.whole, debug.split);
            found.extend(others.iter().zip(debug.origins).filter_map(|(of, origin)| {
                Some((of.0, within(origin.directory.as_deref(), origin.source.as_deref()?)))
            }));
        }
        if !closures.is_empty() {
            // If a bound value is a function rather than a closure, its type's name is the function's path.
            let path = |&(function, linked): &(u64, u64)| ((None, linked), self.closures.name(function));
            let wanted: Vec<_> = closures.iter().map(path).collect();
            let (origins, debug) = declared(&sections, &wanted);
            (whole, split) = (whole && debug.whole, split || debug.split);
            found.extend(closures.iter().zip(origins).filter_map(|(of, location)| Some((of.0, location?))));
        }
        if found.len() < asked.len() {
            if !whole {
                self.warn(number, "debug information took too long to read; source lines may be missing");
            }
            if split {
                self.warn(
                    number,
                    "the debug information is in other files (split DWARF), which are not read",
                );
            }
        }
        self.sources
            .extend(found.into_iter().map(|(function, location)| (function, shown(location.as_bytes()))));
    }

    fn open(&self, mapping: &Mapping, image: Option<&Image>) -> Option<File> {
        let listed = self.maps.files.get(mapping.file)?;
        let range = format!("map_files/{:x}-{:x}", mapping.start, mapping.end);
        if let Some(file) = open_regular(&self.process.join(range)) {
            return Some(file);
        }
        let names = [listed.path.clone(), with_line_breaks(&listed.path)];
        names.into_iter().find_map(|name| {
            if self.executable.as_deref().is_some_and(|path| path.as_os_str().as_bytes() == name) {
                return open_regular(&self.process.join("exe"));
            }
            let mut path = self.process.join("root").into_os_string().into_vec();
            path.extend(&name);
            let file = open_regular(Path::new(std::ffi::OsStr::from_bytes(&path)))?;
            is_listed(&file, listed, image).then_some(file)
        })
    }
}

/// Opens a file only if it is regular: opening a FIFO would block, and opening a device may have side effects.
fn open_regular(path: &Path) -> Option<File> {
    let any = OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(path).ok()?;
    if !any.metadata().ok()?.is_file() {
        return None;
    }
    let again = format!("/proc/self/fd/{}", any.as_raw_fd());
    OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(again).ok()
}

/// Returns whether a file opened by name is the mapped file.
fn is_listed(file: &File, listed: &MappedFile, image: Option<&Image>) -> bool {
    let Ok(found) = file.metadata() else { return false };
    let device = (libc::major(found.dev()), libc::minor(found.dev()));
    if (device, found.ino()) == (listed.device, listed.inode) {
        return true;
    }
    let same_head = |image: &Image| {
        let mut head = vec![0; image.head.len()];
        file.read_exact_at(&mut head, 0).is_ok() && head == image.head
    };
    !listed.path.ends_with(b" (deleted)") && image.is_some_and(same_head)
}
