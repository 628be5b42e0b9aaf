//! `/proc/self/maps`, read with nothing but system calls into memory on the stack, so that a
//! signal handler may; and the files that are mapped, opened anew.
//!
//! A path says where a file was, not which file: whoever may write to its directory can put
//! another there. So a page of a file that was opened by its path is mapped, and the
//! kernel asked whether both mappings are of one file, before anything of it is used.

use super::elf::Word;
use super::system;
use core::ffi::{CStr, c_char, c_int};
use core::ptr::null_mut;

/// A stretch of memory as the kernel lists it (`proc_pid_maps(5)`).
pub(crate) struct Mapping {
    pub(crate) start: usize,
    /// The address behind the last byte. If mappings of the same file, with the same rights, continue both the addresses and
    /// the file's bytes, this is the end of the last one: `mlock` of one page, for example, makes three lines of one.
    pub(crate) end: usize,
    /// Where in the file the mapping begins, in bytes.
    pub(crate) offset: usize,
    pub(crate) readable: bool,
    pub(crate) executable: bool,
    /// Major and minor number of the file's device, and its inode there, which is 0 where no file is mapped.
    file: (u64, u64, u64),
    /// The file's path, ended by 0; empty if there is none.
    path: [u8; PATH],
}

/// Longer paths are not known here.
const PATH: usize = 1024;

/// What the kernel writes after the path of a file that is not there any more. The name of a file may end so, too.
const DELETED: &[u8] = b" (deleted)";

impl Mapping {
    /// None that there is: a place for [`find`](Mapping::find) to fill.
    pub(crate) const NONE: Mapping = Mapping {
        start: 0,
        end: 0,
        offset: 0,
        readable: false,
        executable: false,
        file: (0, 0, 0),
        path: [0; PATH],
    };

    /// The mapping in which `address` lies. `None` also where `/proc` cannot be read.
    #[inline(always)]
    pub(crate) fn of(address: usize) -> Option<Self> {
        let mut mapping = Mapping::NONE;
        mapping.find(address).then_some(mapping)
    }

    /// Becomes that mapping; false if there is none. In its place, since it is large for a small stack.
    #[inline(never)]
    pub(crate) fn find(&mut self, address: usize) -> bool {
        // Where the first thread has ended, and others run on, nothing is listed for the process.
        let mut lines = Lines::new();
        (lines.open(c"/proc/self/maps") || lines.open(c"/proc/thread-self/maps"))
            && self.find_in(&mut lines, address).is_some()
    }

    fn find_in(&mut self, lines: &mut Lines, address: usize) -> Option<()> {
        let first = loop {
            let line = lines.line()?;
            if (line.start..line.end).contains(&address) {
                break line;
            }
            lines.skip_line()?;
        };
        let [read, _, execute, _] = first.rights;
        (self.readable, self.executable) = (read == b'r', execute == b'x');
        (self.start, self.end, self.offset, self.file) = (first.start, first.end, first.offset, first.file);
        lines.path(&mut self.path);
        // Without a path the rest of the line may not have been read, and no file can be opened.
        if self.path().is_empty() || !self.is_of_a_file() {
            return Some(());
        }
        while let Some(next) = lines.line()
            && (next.start, next.offset) == (self.end, self.offset_of(self.end))
            && (next.rights, next.file) == (first.rights, first.file)
        {
            self.end = next.end;
            if lines.skip_line().is_none() {
                break;
            }
        }
        Some(())
    }

    /// Whether a file is mapped here, even one that has no path any more.
    pub(crate) fn is_of_a_file(&self) -> bool {
        self.file.2 != 0
    }

    /// The path of the file that is mapped here, as the kernel writes it.
    pub(crate) fn path(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.path).unwrap_or(c"")
    }

    /// Where in the file an address of this mapping is.
    pub(crate) fn offset_of(&self, address: usize) -> usize {
        self.offset.wrapping_add(address.wrapping_sub(self.start))
    }

    /// The very file that is mapped here, opened anew. `None` if it cannot be had: it is deleted, its path leads to
    /// another file, or may not be read.
    ///
    /// `/proc/self/exe` opens an executable even if it was deleted, but not where the first thread has ended; the path of
    /// a shared library is all there is of it.
    #[inline(never)]
    pub(crate) fn open(&self) -> Option<Opened> {
        let this = |file: File| {
            let read_implies_exec = self.is_of(&file)?;
            Some(Opened { file, read_implies_exec })
        };
        let executable =
            || File::open(c"/proc/self/exe", 0).or_else(|| File::open(c"/proc/thread-self/exe", 0));
        executable()
            .and_then(this)
            .or_else(|| self.open_path().and_then(this))
            .or_else(|| self.open_unescaped().and_then(this))
    }

    fn open_path(&self) -> Option<File> {
        let path = self.path();
        let usable = path.to_bytes().starts_with(b"/") && !path.to_bytes().ends_with(DELETED);
        // The kernel has resolved every link in the path.
        usable.then(|| File::open(path, libc::O_NOFOLLOW))?
    }

    /// Apart, for the room that it takes on the stack.
    #[cold]
    #[inline(never)]
    fn open_unescaped(&self) -> Option<File> {
        let path = unescaped(self.path)?;
        File::open(CStr::from_bytes_until_nul(&path).ok()?, libc::O_NOFOLLOW)
    }

    /// If `file` is the file that is mapped here, [`Opened::read_implies_exec`]; `None` if it is another. A page of it is
    /// mapped, so that the kernel lists both in the same way: what it says of a file elsewhere, by `fstat`, differs from that
    /// on some file systems, and on others two files of one device may have one inode number, so their paths must be the
    /// same, too.
    /// (QEMU 11 calls the page `[heap]` if it comes to lie right behind the program; no file is listed by such a name.)
    #[inline(never)]
    fn is_of(&self, file: &File) -> Option<bool> {
        let page = system::getauxval(libc::AT_PAGESZ) as usize;
        let offset = libc::off_t::try_from(self.offset).ok()?;
        // SAFETY: a new mapping, at an address that is free, and nothing is read from it.
        let place =
            unsafe { system::mmap(null_mut(), page, libc::PROT_READ, libc::MAP_PRIVATE, file.0, offset) };
        if place == libc::MAP_FAILED {
            return None;
        }
        let mut its = Mapping::NONE;
        let found = its.find(place.addr());
        // SAFETY: mapped above, and no other code knows it.
        unsafe { system::munmap(place, page) };
        let same = found
            && self.is_of_a_file()
            && its.file == self.file
            && (its.path.starts_with(b"[heap]\0") || its.path() == self.path())
            && its.offset_of(place.addr()) == self.offset;
        same.then_some(its.executable)
    }
}

/// A path with the line feeds that the kernel has written as `\012`; `None` if it has none of these.
fn unescaped(mut path: [u8; PATH]) -> Option<[u8; PATH]> {
    const ESCAPE: &[u8] = b"\\012";
    let (mut from, mut to, mut found) = (0, 0, false);
    while let Some(&byte) = path.get(from) {
        let escaped = path.get(from..).is_some_and(|rest| rest.starts_with(ESCAPE));
        found |= escaped;
        *path.get_mut(to)? = if escaped { b'\n' } else { byte };
        (from, to) = (from + if escaped { ESCAPE.len() } else { 1 }, to + 1);
    }
    path.get_mut(to..)?.fill(0);
    let text = CStr::from_bytes_until_nul(&path).ok()?.to_bytes();
    (found && text.starts_with(b"/") && !text.ends_with(DELETED)).then_some(path)
}

/// The file of a mapping.
pub(crate) struct Opened {
    pub(crate) file: File,
    /// Whether a page that is mapped to be read is executable, too: personality(2)'s READ_IMPLIES_EXEC, as the kernel heeds it
    /// for this thread. Writable memory would be executable as well.
    #[cfg_attr(not(growing), expect(dead_code, reason = "only growth maps code"))]
    pub(crate) read_implies_exec: bool,
}

/// An open file, closed when it is dropped.
pub(crate) struct File(c_int);

impl File {
    /// Opens a file for reading. Neither a pipe that nobody writes to nor another's lease makes it wait.
    #[inline(never)]
    pub(crate) fn open(path: &CStr, flags: c_int) -> Option<Self> {
        let path: *const c_char = path.as_ptr();
        let flags = flags | libc::O_RDONLY | libc::O_CLOEXEC | libc::O_NONBLOCK | libc::O_NOCTTY;
        // On 32 bits a file of 2 GiB or more is refused otherwise, wherever in it the code is.
        let flags = flags | libc::O_LARGEFILE;
        // SAFETY: a path that ends with 0.
        let file = unsafe { system::open(path, flags) };
        (file >= 0).then_some(File(file))
    }

    /// The descriptor.
    #[cfg(growing)]
    pub(crate) fn descriptor(&self) -> c_int {
        self.0
    }

    fn read(&self, bytes: &mut [u8]) -> usize {
        // SAFETY: `bytes` may be written, and its own length is given.
        let got = unsafe { system::read(self.0, bytes.as_mut_ptr().cast(), bytes.len()) };
        usize::try_from(got).unwrap_or(0)
    }

    /// Fills `bytes` from a place in the file, as far as it goes: how many there are.
    #[inline(never)]
    pub(crate) fn read_some_at(&self, bytes: &mut [u8], offset: Word) -> usize {
        let Ok(offset) = libc::off_t::try_from(offset) else { return 0 };
        // SAFETY: as above.
        let got = unsafe { system::pread(self.0, bytes.as_mut_ptr().cast(), bytes.len(), offset) };
        usize::try_from(got).unwrap_or(0)
    }

    /// Fills all of `bytes` from a place in the file; `None` if it ends before.
    pub(crate) fn read_at(&self, bytes: &mut [u8], offset: Word) -> Option<()> {
        (self.read_some_at(bytes, offset) == bytes.len()).then_some(())
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: it is open, and only this has it.
        unsafe { system::close(self.0) };
    }
}

/// The numbers of a line, as [`Mapping`] has them.
struct Line {
    start: usize,
    end: usize,
    rights: [u8; 4],
    offset: usize,
    file: (u64, u64, u64),
}

/// The bytes of a file in `/proc`, one after the other.
pub(super) struct Lines {
    file: Option<File>,
    bytes: [u8; 512],
    at: usize,
    len: usize,
}

impl Lines {
    pub(super) const fn new() -> Self {
        Lines { file: None, bytes: [0; 512], at: 0, len: 0 }
    }

    /// Begins with a file; false if there is nothing in it.
    pub(super) fn open(&mut self, path: &CStr) -> bool {
        self.file = File::open(path, 0);
        self.fill();
        self.len > 0
    }

    /// The next line, up to the path.
    #[inline(never)]
    fn line(&mut self) -> Option<Line> {
        let (start, end) = (self.number(16)?, self.number(16)?);
        let mut rights = [0; 4];
        rights.iter_mut().for_each(|place| *place = self.byte().unwrap_or(b'-'));
        self.byte()?;
        let offset = self.number(16)?;
        let file = (self.long_number(16)?, self.long_number(16)?, self.long_number(10)?);
        Some(Line { start, end, rights, offset, file })
    }

    fn fill(&mut self) {
        (self.at, self.len) = (0, self.file.as_ref().map_or(0, |file| file.read(&mut self.bytes)));
    }

    #[inline(never)]
    pub(super) fn byte(&mut self) -> Option<u8> {
        if self.at == self.len {
            self.fill();
        }
        let byte = *self.bytes.get(..self.len)?.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    /// A number; the byte after it is read, too. Of a number that is too large, the lower part.
    #[inline(never)]
    pub(super) fn number(&mut self, base: u32) -> Option<usize> {
        self.long_number(base).map(|number| number as usize)
    }

    /// The same, of 64 bits, which inode numbers have on every processor.
    #[inline(never)]
    fn long_number(&mut self, base: u32) -> Option<u64> {
        let mut number = 0u64;
        while let Some(digit) = char::from(self.byte()?).to_digit(base) {
            number = number.wrapping_mul(base.into()).wrapping_add(digit.into());
        }
        Some(number)
    }

    /// Skips the rest of the line.
    fn skip_line(&mut self) -> Option<()> {
        while self.byte()? != b'\n' {}
        Some(())
    }

    /// The rest of the line without the blanks before it; empty if it is too long.
    fn path(&mut self, path: &mut [u8; PATH]) {
        path.fill(0);
        let mut len = 0;
        while let Some(byte) = self.byte() {
            match byte {
                b'\n' => break,
                b' ' if len == 0 => {}
                _ => {
                    let Some(place) = path.get_mut(len).filter(|_| len + 1 < PATH) else {
                        return path.fill(0);
                    };
                    *place = byte;
                    len += 1;
                }
            }
        }
    }
}
