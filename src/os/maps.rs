//! The process's mappings, read from `/proc/self/maps`, and functions that reopen a mapped file. The list is read only
//! with system calls, into memory on the stack, so a signal handler may use this module.
//!
//! A path does not identify a file, because any user with write permission for the directory can replace the file.
//! After opening a file by its path, this module therefore maps one page of that file, and uses the file's contents
//! only if the kernel's list shows the same file for both mappings.

use super::elf::Word;
use super::system;
use core::ffi::{CStr, c_char, c_int};
use core::ptr::null_mut;

/// A mapping as the kernel lists it (`proc_pid_maps(5)`).
pub(crate) struct Mapping {
    pub(crate) start: usize,
    /// The address after the mapping's last byte. Adjacent mappings of the same file with the same permissions and
    /// contiguous offsets are treated as one mapping, because `mlock` of one page, for example, splits a mapping into
    /// three.
    pub(crate) end: usize,
    /// The offset in bytes within the file at which the mapping begins.
    pub(crate) offset: usize,
    pub(crate) readable: bool,
    pub(crate) writable: bool,
    pub(crate) executable: bool,
    /// The file's device (major and minor numbers) and inode number; the inode number is 0 if no file is mapped.
    file: (u64, u64, u64),
    /// The file's path, zero-terminated. It is empty if the mapping has no path, or if the path is too long.
    path: [u8; PATH],
}

/// Maximum length of a path, including the terminating zero.
const PATH: usize = 1024;

/// The suffix that the kernel appends to the path of a deleted file. The name of an existing file may end in the same
/// way.
const DELETED: &[u8] = b" (deleted)";

impl Mapping {
    /// An empty value, which [`find`](Mapping::find) fills in.
    pub(crate) const NONE: Mapping = Mapping {
        start: 0,
        end: 0,
        offset: 0,
        readable: false,
        writable: false,
        executable: false,
        file: (0, 0, 0),
        path: [0; PATH],
    };

    /// Returns the mapping that contains `address`, or `None` if there is none or `/proc` cannot be read.
    #[inline(always)]
    pub(crate) fn of(address: usize) -> Option<Self> {
        let mut mapping = Mapping::NONE;
        mapping.find(address).then_some(mapping)
    }

    /// Fills in this value with the mapping that contains an address. Works in place, because the value is too large to
    /// copy on a small stack. Returns false if no mapping contains the address.
    #[inline(never)]
    pub(crate) fn find(&mut self, address: usize) -> bool {
        // After the first thread has ended, the kernel's list for the process is empty, even while other threads run.
        // The list for the running thread is then read instead.
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
        let [read, write, execute, _] = first.rights;
        (self.readable, self.writable, self.executable) = (read == b'r', write == b'w', execute == b'x');
        (self.start, self.end, self.offset, self.file) = (first.start, first.end, first.offset, first.file);
        lines.path(&mut self.path);
        // Without a path, the rest of the line might not have been read, and no file can be opened.
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

    /// Returns whether this is the mapping of a file, even if the file has no path.
    pub(crate) fn is_of_a_file(&self) -> bool {
        self.file.2 != 0
    }

    /// Returns the path of the mapped file, as the kernel writes it.
    pub(crate) fn path(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.path).unwrap_or(c"")
    }

    /// Returns the file offset of an address in this mapping.
    pub(crate) fn offset_of(&self, address: usize) -> usize {
        self.offset.wrapping_add(address.wrapping_sub(self.start))
    }

    /// Opens the mapped file itself. Returns `None` if the process may not read the file, or if none of the following
    /// paths refers to the file.
    ///
    /// `/proc/self/exe` (or `/proc/thread-self/exe`, once the first thread has ended) refers to the executable even if
    /// it was deleted. For a shared library, only the path in the kernel's list is known.
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
        // The kernel has resolved all symbolic links in the path.
        usable.then(|| File::open(path, libc::O_NOFOLLOW))?
    }

    /// Opens the file by its path, after restoring the line feeds in the path. This is a separate function because it
    /// uses a lot of stack space.
    #[cold]
    #[inline(never)]
    fn open_unescaped(&self) -> Option<File> {
        let path = unescaped(self.path)?;
        File::open(CStr::from_bytes_until_nul(&path).ok()?, libc::O_NOFOLLOW)
    }

    /// Returns [`Opened::read_implies_exec`] if `file` is the file mapped here, and `None` otherwise. A page of the
    /// file is mapped because the device and inode numbers from `fstat` differ, on some file systems, from those in the
    /// kernel's list of mappings. On other file systems, two files on one device may have the same inode number, so the
    /// paths must also be equal. (If the page directly follows the program, QEMU 11 lists the page as `[heap]`, which
    /// is never the path of a file.)
    #[inline(never)]
    fn is_of(&self, file: &File) -> Option<bool> {
        let page = system::getauxval(libc::AT_PAGESZ) as usize;
        let offset = libc::off_t::try_from(self.offset).ok()?;
        // SAFETY: this makes a new mapping at a free address, and nothing is read from it.
        let mapped =
            unsafe { system::mmap(null_mut(), page, libc::PROT_READ, libc::MAP_PRIVATE, file.0, offset) };
        if mapped == libc::MAP_FAILED {
            return None;
        }
        let mut its = Mapping::NONE;
        let found = its.find(mapped.addr());
        // SAFETY: the page was mapped above, and no other code knows its address.
        unsafe { system::munmap(mapped, page) };
        let same = found
            && self.is_of_a_file()
            && its.file == self.file
            && (its.path.starts_with(b"[heap]\0") || its.path() == self.path())
            && its.offset_of(mapped.addr()) == self.offset;
        same.then_some(its.executable)
    }
}

/// Restores the line feeds in a path, which the kernel writes as `\012`. Returns `None` if the path contains none.
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

/// The file of a mapping, after it has been opened.
pub(crate) struct Opened {
    pub(crate) file: File,
    /// Whether a page that is mapped for reading is also executable, because the kernel applies the READ_IMPLIES_EXEC
    /// flag (`personality(2)`) to this thread. Writable memory would then also be executable.
    #[cfg_attr(not(growing), expect(dead_code, reason = "only a growing table maps code"))]
    pub(crate) read_implies_exec: bool,
}

/// An open file, which is closed when this value is dropped.
pub(crate) struct File(c_int);

impl File {
    /// Opens a file for reading. The call does not block, even if the file is a FIFO without a writer or another
    /// process has a lease on it.
    #[inline(never)]
    pub(crate) fn open(path: &CStr, flags: c_int) -> Option<Self> {
        let path: *const c_char = path.as_ptr();
        let flags = flags | libc::O_RDONLY | libc::O_CLOEXEC | libc::O_NONBLOCK | libc::O_NOCTTY;
        // Without this flag, a file of 2 GiB or more would be rejected on 32-bit targets, even if the code is at the
        // beginning of the file.
        let flags = flags | libc::O_LARGEFILE;
        // SAFETY: the path is zero-terminated.
        let file = unsafe { system::open(path, flags) };
        (file >= 0).then_some(File(file))
    }

    /// Returns the file descriptor.
    #[cfg(growing)]
    pub(crate) fn descriptor(&self) -> c_int {
        self.0
    }

    fn read(&self, bytes: &mut [u8]) -> usize {
        // SAFETY: `bytes` is valid for writes of its whole length.
        let got = unsafe { system::read(self.0, bytes.as_mut_ptr().cast(), bytes.len()) };
        usize::try_from(got).unwrap_or(0)
    }

    /// Reads into `bytes` from an offset in the file and returns the number of bytes read, fewer than requested if the
    /// file ends first.
    #[inline(never)]
    pub(crate) fn read_some_at(&self, bytes: &mut [u8], offset: Word) -> usize {
        let Ok(offset) = libc::off_t::try_from(offset) else { return 0 };
        // SAFETY: `bytes` is valid for writes of its whole length.
        let got = unsafe { system::pread(self.0, bytes.as_mut_ptr().cast(), bytes.len(), offset) };
        usize::try_from(got).unwrap_or(0)
    }

    /// Fills all of `bytes` from an offset in the file. Returns `None` if the file ends earlier.
    pub(crate) fn read_at(&self, bytes: &mut [u8], offset: Word) -> Option<()> {
        (self.read_some_at(bytes, offset) == bytes.len()).then_some(())
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: the descriptor is open, and only this object owns it.
        unsafe { system::close(self.0) };
    }
}

/// The fields of a line in the list, except the path. They have the same meanings as in [`Mapping`].
struct Line {
    start: usize,
    end: usize,
    rights: [u8; 4],
    offset: usize,
    file: (u64, u64, u64),
}

/// A sequential reader of a file in `/proc`.
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

    /// Opens a file and reads its beginning. Returns false if the file is empty or cannot be read.
    pub(super) fn open(&mut self, path: &CStr) -> bool {
        self.file = File::open(path, 0);
        self.fill();
        self.len > 0
    }

    /// Reads the next line up to the beginning of the path.
    #[inline(never)]
    fn line(&mut self) -> Option<Line> {
        let (start, end) = (self.number(16)?, self.number(16)?);
        let mut rights = [0; 4];
        rights.iter_mut().for_each(|right| *right = self.byte().unwrap_or(b'-'));
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

    /// Reads a number and the byte after it. A number that is too large is truncated to the low bits.
    #[inline(never)]
    pub(super) fn number(&mut self, base: u32) -> Option<usize> {
        self.long_number(base).map(|number| number as usize)
    }

    /// Reads a 64-bit number and the byte after it. Inode numbers have this size on every processor.
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

    /// Reads the path (the rest of the line without leading blanks). If the path is too long, stores an empty path.
    fn path(&mut self, path: &mut [u8; PATH]) {
        path.fill(0);
        let mut len = 0;
        while let Some(byte) = self.byte() {
            match byte {
                b'\n' => break,
                b' ' if len == 0 => {}
                _ => {
                    let Some(next) = path.get_mut(len).filter(|_| len + 1 < PATH) else {
                        return path.fill(0);
                    };
                    *next = byte;
                    len += 1;
                }
            }
        }
    }
}
