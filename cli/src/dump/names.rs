//! Names of functions, from the symbols of the files that are mapped.
//!
//! A file's name in `/proc/PID/maps` may mean another file by now, or one of another mount namespace, or something that is
//! no file and never answers. So, in this order:
//!
//! - `/proc/PID/map_files` leads to the very file, for those who may follow it (CAP_CHECKPOINT_RESTORE), and
//!   `/proc/PID/exe` to that of the program;
//! - else the name, from the root that the process sees. It is that file if device and inode are those that the kernel lists.
//!   Some file systems (overlay, btrfs) say other numbers in `fstat`: then it is taken for the same if its head is that of
//!   the image in memory, unless the kernel says that the name is no more.
//!
//! Nothing but a regular file is opened. What it holds is believed for names only.

use super::maps::{MappedFile, Mapping, Maps};
use super::notes::Image;
use object::elf::{FileHeader64, SHT_DYNSYM, SHT_SYMTAB, STT_FUNC, STT_GNU_IFUNC};
use object::read::elf::{FileHeader, Sym};
use object::{LittleEndian, ReadCache, ReadRef};
use std::cell::Cell;
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// More of the files is not read.
const MOST_BYTES_OF_FILE: u64 = 1 << 28;
const MOST_BYTES: u64 = 1 << 30;
/// As many symbols are looked at, before an address, whether it lies in one.
const MOST_BEFORE: usize = 64;
/// As many names are kept.
const MOST_NAMES: usize = 1 << 16;

/// Finds names, and keeps them.
pub struct Names<'p> {
    /// `/proc/PID`.
    process: &'p Path,
    maps: &'p Maps,
    executable: Option<PathBuf>,
    left: Cell<u64>,
    files: HashMap<usize, Option<Functions>>,
    known: HashMap<u64, Option<String>>,
}

impl<'p> Names<'p> {
    pub fn new(process: &'p Path, maps: &'p Maps) -> Self {
        let executable = fs::read_link(process.join("exe")).ok();
        let (files, known) = (HashMap::new(), HashMap::new());
        Names { process, maps, executable, left: Cell::new(MOST_BYTES), files, known }
    }

    /// The function that an address is in, if a symbol says so. `image_of` knows the images in memory.
    pub fn of<'i>(&mut self, address: u64, image_of: impl Fn(usize) -> Option<&'i Image>) -> Option<String> {
        if let Some(known) = self.known.get(&address) {
            return known.clone();
        }
        if self.known.len() >= MOST_NAMES {
            self.known.clear(); // any of them can be found again
        }
        let found = self.find(address, image_of);
        self.known.insert(address, found.clone());
        found
    }

    fn find<'i>(&mut self, address: u64, image_of: impl Fn(usize) -> Option<&'i Image>) -> Option<String> {
        let mapping = self.maps.code_at(address)?;
        let image = image_of(mapping.file);
        if !self.files.contains_key(&mapping.file) {
            let functions = self.open(mapping, image).and_then(|file| self.functions(&file));
            self.files.insert(mapping.file, functions);
        }
        let functions = self.files.get(&mapping.file)?.as_ref()?;
        let offset = mapping.offset.checked_add(address - mapping.start)?;
        functions.name_at(image?.address_of(offset)?)
    }

    fn functions(&self, file: &File) -> Option<Functions> {
        let cache = ReadCache::new(file);
        let granted = self.left.get().min(MOST_BYTES_OF_FILE);
        let left = Cell::new(granted);
        let functions = Functions::of(Limited { data: &cache, left: &left });
        self.left.set(self.left.get() - (granted - left.get()));
        functions
    }

    fn open(&self, mapping: &Mapping, image: Option<&Image>) -> Option<File> {
        let listed = self.maps.files.get(mapping.file)?;
        let range = format!("map_files/{:x}-{:x}", mapping.start, mapping.end);
        if let Some(file) = open_regular(&self.process.join(range)) {
            return Some(file);
        }
        // The kernel writes a line break so.
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

fn with_line_breaks(path: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((&first, behind)) = rest.split_first() {
        let (byte, behind) = rest.strip_prefix(b"\\012").map_or((first, behind), |behind| (b'\n', behind));
        plain.push(byte);
        rest = behind;
    }
    plain
}

/// Opens a regular file, and nothing else: to open a FIFO is to wait, to open a device may do something.
fn open_regular(path: &Path) -> Option<File> {
    let place = OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(path).ok()?;
    if !place.metadata().ok()?.is_file() {
        return None;
    }
    let again = format!("/proc/self/fd/{}", place.as_raw_fd());
    OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(again).ok()
}

/// Whether a file that was found by its name is the one that is mapped.
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

/// A file of which no more than so many bytes are read.
#[derive(Clone, Copy)]
struct Limited<'a, R> {
    data: R,
    left: &'a Cell<u64>,
}

impl<'a, R: ReadRef<'a>> Limited<'a, R> {
    fn take(self, size: u64) -> Result<(), ()> {
        self.left.set(self.left.get().checked_sub(size).ok_or(())?);
        Ok(())
    }
}

impl<'a, R: ReadRef<'a>> ReadRef<'a> for Limited<'a, R> {
    fn len(self) -> Result<u64, ()> {
        self.data.len()
    }

    fn read_bytes_at(self, offset: u64, size: u64) -> Result<&'a [u8], ()> {
        self.take(size)?;
        self.data.read_bytes_at(offset, size)
    }

    fn read_bytes_at_until(self, range: Range<u64>, delimiter: u8) -> Result<&'a [u8], ()> {
        self.take(range.end.saturating_sub(range.start).min(1 << 12))?;
        self.data.read_bytes_at_until(range, delimiter)
    }
}

/// The functions of a file by address.
pub struct Functions {
    /// In order of addresses; of equal ones the first of the file is the last.
    list: Vec<Function>,
    /// Where names begin.
    names: [Vec<u8>; 2],
}

struct Function {
    address: u64,
    size: u64,
    name: u32,
    table: u8,
}

impl Functions {
    /// Of its symbols, and of those that are there for the loader.
    pub fn of<'a>(data: impl ReadRef<'a>) -> Option<Self> {
        let header = FileHeader64::<LittleEndian>::parse(data).ok()?;
        let sections = header.sections(LittleEndian, data).ok()?;
        let mut functions = Functions { list: vec![], names: [vec![], vec![]] };
        for (number, kind) in [SHT_SYMTAB, SHT_DYNSYM].into_iter().enumerate() {
            let Ok(table) = sections.symbols(LittleEndian, data, kind) else { continue };
            let Ok(strings) = sections.section(table.string_section()) else { continue };
            let held =
                data.read_bytes_at(strings.sh_offset.get(LittleEndian), strings.sh_size.get(LittleEndian));
            let Ok(held) = held else { continue };
            if let Some(names) = functions.names.get_mut(number) {
                *names = held.to_vec();
            }
            let code = table.iter().filter(|symbol| {
                [STT_FUNC, STT_GNU_IFUNC].contains(&symbol.st_type()) && symbol.st_shndx(LittleEndian) != 0
            });
            functions.list.extend(code.map(|symbol| Function {
                address: symbol.st_value(LittleEndian),
                size: symbol.st_size(LittleEndian).max(1),
                name: symbol.st_name(LittleEndian),
                table: number as u8,
            }));
        }
        functions.list.reverse();
        functions.list.sort_by_key(|function| function.address);
        Some(functions)
    }

    /// The name of the function that an address is in.
    pub fn name_at(&self, address: u64) -> Option<String> {
        let behind = self.list.partition_point(|function| function.address <= address);
        let before = self.list.get(..behind)?.iter().rev().take(MOST_BEFORE);
        let mut around = before.filter(|function| address - function.address < function.size);
        around.find_map(|function| {
            let name = self.names.get(usize::from(function.table))?.get(function.name as usize..)?;
            let name = name.get(..name.iter().position(|&byte| byte == 0)?)?;
            (!name.is_empty()).then(|| crate::shown::shown(name.get(..1 << 10).unwrap_or(name)))
        })
    }
}
