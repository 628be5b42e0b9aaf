//! A copy of an ELF file in which the executable-stack flag is cleared. The code is async-signal-safe, and may run
//! after `vfork`.

use crate::sys::{self, File};
use core::ffi::{CStr, c_int};
use core::sync::atomic::{
    AtomicU64, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};

/// A path that ends with a zero byte.
#[derive(Clone, Copy)]
pub struct Path {
    bytes: [u8; 1024],
    len: usize,
}

impl Path {
    pub const EMPTY: Path = Path { bytes: [0; 1024], len: 0 };

    /// Concatenates the parts. Returns `None` if they are too long or contain a zero byte.
    pub fn of(parts: &[&[u8]]) -> Option<Path> {
        let mut path = Path::EMPTY;
        for part in parts {
            path.add(part)?;
        }
        Some(path)
    }

    pub fn add(&mut self, part: &[u8]) -> Option<()> {
        let end = self.len.checked_add(part.len())?;
        if end >= self.bytes.len() || part.contains(&0) {
            return None;
        }
        self.bytes[self.len..end].copy_from_slice(part);
        self.len = end;
        Some(())
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    pub fn c_str(&self) -> &CStr {
        CStr::from_bytes_with_nul(&self.bytes[..=self.len]).unwrap_or(c"")
    }
}

/// A record of a file that has been copied, so that the file is not copied again when it is loaded again. `number` is
/// the copy's descriptor plus 1, or 0 if the record is invalid. `copy` is the copy's inode.
struct Copied {
    device: AtomicU64,
    inode: AtomicU64,
    modified: AtomicU64,
    number: AtomicUsize,
    copy: AtomicU64,
}

static COPIES: [Copied; 256] = [const {
    Copied {
        device: AtomicU64::new(0),
        inode: AtomicU64::new(0),
        modified: AtomicU64::new(0),
        number: AtomicUsize::new(0),
        copy: AtomicU64::new(0),
    }
}; 256];

/// Maximum number of digits of a descriptor in a path in `/proc/self/fd`.
const DIGITS: usize = 10;

/// Kind of a file that is copied.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A program. A program is copied only if glibc's dynamic linker loads it.
    Program,
    /// A library. The path of its copy has at least this number of bytes.
    Library(usize),
}

/// Returns the path of a copy if the file requests an executable stack. Returns `None` if it does not, or if it cannot
/// be replaced by a copy.
pub fn cleared(path: &CStr, kind: Kind) -> Option<Path> {
    let file = File::open(path)?;
    let patch = flag(&file)?;
    let stat = file.stat()?;
    if stat.st_mode & libc::S_IFMT != libc::S_IFREG || stat.st_mode & (libc::S_ISUID | libc::S_ISGID) != 0 {
        return None;
    }
    let length = match kind {
        Kind::Library(length) => length,
        Kind::Program if patch.interpreted && !file.has_capabilities() => 0,
        Kind::Program => return None,
    };
    let number = match known(&stat) {
        Some(number) => number,
        None => {
            let number = copy(&file, path, stat.st_size as u64, patch)?;
            remember(&stat, number);
            number
        }
    };
    let mut digits = [b'0'; DIGITS];
    let mut left = number as usize;
    let mut at = DIGITS;
    while at == DIGITS || left > 0 {
        at -= 1;
        digits[at] = b'0' + (left % 10) as u8;
        left /= 10;
    }
    let mut path = Path::of(&[b"/proc/self/fd/"])?;
    while path.bytes().len() + DIGITS - at < length {
        path.add(b"/")?;
    }
    path.add(&digits[at..])?;
    Some(path)
}

/// Returns the descriptor of an earlier copy, if the program has not closed it.
fn known(stat: &libc::stat) -> Option<c_int> {
    for copied in &COPIES {
        // Acquire: pairs with the store in `remember`.
        let number = copied.number.load(Acquire);
        if number == 0 {
            continue;
        }
        if copied.device.load(Relaxed) == stat.st_dev && copied.inode.load(Relaxed) == stat.st_ino {
            let descriptor = (number - 1) as c_int;
            let now = sys::stat(descriptor)?;
            if now.st_ino == copied.copy.load(Relaxed)
                && copied.modified.load(Relaxed) == modified(stat)
                && now.st_size == stat.st_size
                && now.st_nlink == 0
            {
                return Some(descriptor);
            }
            // Relaxed: this store only clears the entry, and publishes no other data.
            copied.number.store(0, Relaxed);
        }
    }
    None
}

/// Returns the time when the file was last modified, in nanoseconds.
fn modified(stat: &libc::stat) -> u64 {
    (stat.st_mtime as u64).wrapping_mul(1_000_000_000).wrapping_add(stat.st_mtime_nsec as u64)
}

fn remember(stat: &libc::stat, number: c_int) {
    let Some(copy) = sys::stat(number) else { return };
    for copied in &COPIES {
        // Relaxed: the exchange takes the entry, or finds this file in it. The store to `number` publishes the entry's
        // other words.
        let taken = match copied.device.compare_exchange(0, stat.st_dev, Relaxed, Relaxed) {
            Ok(_) => true,
            Err(device) => device == stat.st_dev && copied.inode.load(Relaxed) == stat.st_ino,
        };
        if taken {
            copied.inode.store(stat.st_ino, Relaxed);
            copied.modified.store(modified(stat), Relaxed);
            copied.copy.store(copy.st_ino, Relaxed);
            copied.number.store(number as usize + 1, Release);
            return;
        }
    }
}

/// The program header to change, and its new first two words: type and flags.
struct Patch {
    offset: u64,
    words: [u8; 8],
    /// Whether glibc's dynamic linker loads the file as a program.
    interpreted: bool,
}

/// Finds the program header that makes the file request an executable stack. Returns `None` if the file does not
/// request one, or has no program header that can be changed to prevent this.
fn flag(file: &File) -> Option<Patch> {
    const PT_NULL: u32 = 0;
    const PT_INTERP: u32 = 3;
    const PT_NOTE: u32 = 4;
    const PT_GNU_STACK: u32 = 0x6474_e551;
    const READ_WRITE: u32 = 6;
    let mut header = [0; 64];
    if file.read_at(0, &mut header) != header.len() || !header.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let half = |bytes: &[u8], at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let word = |bytes: &[u8], at: usize| {
        u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
    };
    let (kind, machine) = (half(&header, 16), half(&header, 18));
    if !matches!(kind, 2 | 3) || machine != 62 {
        return None;
    }
    let start = u64::from(word(&header, 32)) | u64::from(word(&header, 36)) << 32;
    let (mut note, mut stack, mut interpreted) = (None, None, false);
    for number in 0..u64::from(half(&header, 56)) {
        let offset = start.checked_add(56 * number)?;
        let mut segment = [0; 56];
        if file.read_at(offset, &mut segment) != segment.len() {
            return None;
        }
        let words = |flags: u32| {
            let mut words = [0; 8];
            words[..4].copy_from_slice(&PT_GNU_STACK.to_le_bytes());
            words[4..].copy_from_slice(&flags.to_le_bytes());
            words
        };
        match word(&segment, 0) {
            PT_GNU_STACK if word(&segment, 4) & 1 == 0 => return None,
            PT_GNU_STACK => stack = Some((offset, words(word(&segment, 4) & !1))),
            PT_INTERP => {
                let mut linker = [0; 64];
                let len = file.read_at(u64::from(word(&segment, 8)), &mut linker);
                interpreted = linker[..len]
                    .split(|&byte| byte == 0)
                    .next()
                    .is_some_and(|linker| linker.windows(8).any(|part| part == b"ld-linux"));
            }
            // A file without PT_GNU_STACK requests an executable stack for its threads. An unused header or a PT_NOTE
            // can be replaced, because neither has an effect at run time.
            PT_NULL | PT_NOTE => note = Some((offset, words(READ_WRITE))),
            _ => {}
        }
    }
    stack.or(note).map(|(offset, words)| Patch { offset, words, interpreted })
}

/// Copies the file. Returns the descriptor, which remains open.
fn copy(file: &File, path: &CStr, len: u64, patch: Patch) -> Option<c_int> {
    if len > sys::longest_file() {
        return None; // a write would send SIGXFSZ
    }
    let full = path.to_bytes();
    let short = full.rsplit(|&byte| byte == b'/').next().unwrap_or(full);
    // The kernel limits the name to 249 bytes.
    let name = if full.len() <= 240 { full } else { &short[..short.len().min(240)] };
    let name = Path::of(&[name])?;
    let copy = File::in_memory(name.c_str())?;
    let mut buffer = [0; 16384];
    let mut offset = 0;
    while offset < len {
        let got = file.read_at(offset, &mut buffer);
        if got == 0 || !copy.write_at(offset, &buffer[..got]) {
            return None;
        }
        offset += got as u64;
    }
    copy.write_at(patch.offset, &patch.words).then(|| copy.into_high())
}
