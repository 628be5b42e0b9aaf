//! `/proc/self/maps`, read with nothing but system calls into memory on the stack, so that a
//! signal handler may.

use core::ffi::{CStr, c_char};

/// A stretch of memory as the kernel lists it (`proc_pid_maps(5)`).
pub(crate) struct Mapping {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Of the file, where the mapping starts.
    pub(crate) offset: usize,
    pub(crate) readable: bool,
    pub(crate) executable: bool,
    /// The file's path, ended by 0; empty if there is none.
    path: [u8; PATH],
}

/// Longer paths are not known here.
const PATH: usize = 1024;

impl Mapping {
    /// The mapping in which `address` lies. `None` also where `/proc` cannot be read.
    pub(crate) fn of(address: usize) -> Option<Self> {
        let file = File::open(c"/proc/self/maps")?;
        let mut lines = Lines { file: &file, bytes: [0; 512], at: 0, len: 0 };
        loop {
            let start = lines.number(16)?;
            let end = lines.number(16)?;
            let mut rights = [0; 4];
            rights.iter_mut().for_each(|place| *place = lines.byte().unwrap_or(b'-'));
            lines.byte()?;
            let offset = lines.number(16)?;
            lines.word()?; // device
            lines.word()?; // inode
            if !(start..end).contains(&address) {
                while lines.byte()? != b'\n' {}
                continue;
            }
            let [read, _, execute, _] = rights;
            let (readable, executable) = (read == b'r', execute == b'x');
            return Some(Mapping { start, end, offset, readable, executable, path: lines.path() });
        }
    }

    /// The path of the file that is mapped here.
    pub(crate) fn path(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.path).unwrap_or(c"")
    }
}

/// An open file, closed when it is dropped.
pub(crate) struct File(i32);

impl File {
    /// Opens a file for reading.
    pub(crate) fn open(path: &CStr) -> Option<Self> {
        let path: *const c_char = path.as_ptr();
        // SAFETY: a path that ends with 0.
        let file = unsafe { libc::open(path, libc::O_RDONLY | libc::O_CLOEXEC) };
        (file >= 0).then_some(File(file))
    }

    /// The descriptor.
    #[cfg(growing)]
    pub(crate) fn descriptor(&self) -> i32 {
        self.0
    }

    fn read(&self, bytes: &mut [u8]) -> usize {
        // SAFETY: the buffer is as long as it is.
        let got = unsafe { libc::read(self.0, bytes.as_mut_ptr().cast(), bytes.len()) };
        usize::try_from(got).unwrap_or(0)
    }

    /// Fills `bytes` from a place in the file; `None` if it ends before.
    pub(crate) fn read_at(&self, bytes: &mut [u8], offset: usize) -> Option<()> {
        let offset = libc::off_t::try_from(offset).ok()?;
        // SAFETY: as above.
        let got = unsafe { libc::pread(self.0, bytes.as_mut_ptr().cast(), bytes.len(), offset) };
        (usize::try_from(got) == Ok(bytes.len())).then_some(())
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: it is open, and only this has it.
        unsafe { libc::close(self.0) };
    }
}

struct Lines<'f> {
    file: &'f File,
    bytes: [u8; 512],
    at: usize,
    len: usize,
}

impl Lines<'_> {
    #[inline(never)]
    fn byte(&mut self) -> Option<u8> {
        if self.at == self.len {
            (self.at, self.len) = (0, self.file.read(&mut self.bytes));
        }
        let byte = *self.bytes.get(..self.len)?.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    /// A number and the byte behind it.
    fn number(&mut self, base: u32) -> Option<usize> {
        let mut number = 0;
        while let Some(digit) = char::from(self.byte()?).to_digit(base) {
            number = number * base as usize + digit as usize;
        }
        Some(number)
    }

    /// Skips a word and the blank behind it.
    fn word(&mut self) -> Option<()> {
        while self.byte()? != b' ' {}
        Some(())
    }

    /// The rest of the line without the blanks before it; empty if it is too long.
    fn path(&mut self) -> [u8; PATH] {
        let mut path = [0; PATH];
        let mut len = 0;
        while let Some(byte) = self.byte() {
            match byte {
                b'\n' => break,
                b' ' if len == 0 => {}
                _ => {
                    let Some(place) = path.get_mut(len).filter(|_| len + 1 < PATH) else {
                        return [0; PATH];
                    };
                    *place = byte;
                    len += 1;
                }
            }
        }
        path
    }
}
