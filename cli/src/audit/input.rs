//! Reads bytes of a file or of a part of it, within limits that depend on the file's length.

use object::read::{ReadCache, ReadCacheOps, ReadRef};
use std::cell::{Cell, RefCell};
use std::fs::File;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The bytes of a file, read in chunks. Mapping the file would be faster, but this program would then crash if
/// another program truncated the file.
pub trait Bytes {
    /// Fills the buffer with the bytes at offset `at`.
    ///
    /// # Errors
    /// Returns an error if a byte is beyond the end, or cannot be read.
    fn fill(&self, at: u64, into: &mut [u8]) -> Result<(), ()>;
}

impl Bytes for [u8] {
    fn fill(&self, at: u64, into: &mut [u8]) -> Result<(), ()> {
        let at = usize::try_from(at).map_err(drop)?;
        let bytes = self.get(at..).and_then(|rest| rest.get(..into.len())).ok_or(())?;
        into.copy_from_slice(bytes);
        Ok(())
    }
}

impl Bytes for &[u8] {
    fn fill(&self, at: u64, into: &mut [u8]) -> Result<(), ()> {
        Bytes::fill(*self, at, into)
    }
}

/// A file on disk. Its first bytes, which contain most headers, are kept in memory.
pub struct OnDisk<'a> {
    file: &'a File,
    head: &'a [u8],
    /// Cache for short reads: the bytes around the last read, and their offset. An archive's member headers are close
    /// together.
    window: RefCell<(u64, Vec<u8>)>,
}

/// Number of bytes to fetch for a short read. `SHORT` is the maximum length of a short read.
const WINDOW: usize = 1 << 14;
const SHORT: usize = 1 << 10;

impl<'a> OnDisk<'a> {
    pub fn new(file: &'a File, head: &'a [u8]) -> Self {
        OnDisk { file, head, window: RefCell::default() }
    }

    /// Reads from offset `at` until the buffer is full or the file ends.
    fn read(&self, at: u64, into: &mut [u8]) -> Result<usize, ()> {
        let mut done = 0;
        while let Some(rest) = into.get_mut(done..).filter(|rest| !rest.is_empty()) {
            match super::system::read_at(self.file, rest, at.saturating_add(done as u64)) {
                Ok(0) => break,
                Ok(more) => done += more,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return Err(()),
            }
        }
        Ok(done)
    }
}

impl Bytes for OnDisk<'_> {
    fn fill(&self, at: u64, into: &mut [u8]) -> Result<(), ()> {
        if self.head.fill(at, into).is_ok() {
            return Ok(());
        }
        if into.len() > SHORT {
            return if self.read(at, into)? == into.len() { Ok(()) } else { Err(()) };
        }
        let (start, bytes) = &mut *self.window.borrow_mut();
        if at
            .checked_sub(*start)
            .is_some_and(|into_window| Bytes::fill(bytes.as_slice(), into_window, into).is_ok())
        {
            return Ok(());
        }
        bytes.resize(WINDOW, 0);
        let held = self.read(at, bytes)?;
        bytes.truncate(held);
        *start = at;
        Bytes::fill(bytes.as_slice(), 0, into)
    }
}

/// A file, or a part of a file. The number of bytes read is limited in proportion to the file's length, because a few
/// bytes can describe many parts, each as long as the file. There is also an absolute limit, because a sparse file can
/// have any length.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    bytes: &'a dyn Bytes,
    start: u64,
    len: u64,
    /// The remaining number of bytes that may be read from the whole file, or 0 if the limit was reached or exceeded.
    left: &'a Cell<u64>,
}

/// Returns the number of bytes that may be read from a file of `len` bytes. This number exceeds `len`, up to a fixed
/// limit of 2 GiB, because name tables are read several times.
pub fn may_be_read(len: u64) -> u64 {
    (len.saturating_mul(8) + (1 << 20)).min(1 << 31)
}

/// Size in bytes of a chunk of code. Each chunk is searched as a whole.
const PIECE: usize = 1 << 20;
/// Number of bytes to read before a chunk, because a search may need the beginning of a function.
const BEFORE: usize = 1 << 16;
/// Number of bytes to read after a chunk, because code may continue in the next chunk.
const AFTER: usize = 1 << 12;

/// Number of bytes that all threads have searched or unpacked, for the progress line. Relaxed: no other data depends on
/// it.
pub static DONE: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The buffer of [`Input::pieces`].
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A chunk of code with the bytes around it, and the chunk's range within `bytes`.
pub struct Piece<'a> {
    pub bytes: &'a [u8],
    /// Offset of the first byte of `bytes` in the searched range.
    pub start: u64,
    pub own: Range<usize>,
}

impl<'a> Input<'a> {
    /// Creates an input for the whole file. `left` contains the number of bytes that may be read.
    pub fn whole(bytes: &'a dyn Bytes, len: u64, left: &'a Cell<u64>) -> Self {
        Input { bytes, start: 0, len, left }
    }

    /// Returns a part of this input, or `None` if it does not contain the range.
    pub fn part(self, start: u64, len: u64) -> Option<Self> {
        let end = start.checked_add(len)?;
        (end <= self.len).then(|| Input { start: self.start + start, len, ..self })
    }

    /// Returns the same bytes with a different limit.
    pub fn with_left(self, left: &'a Cell<u64>) -> Self {
        Input { left, ..self }
    }

    /// Returns an input with the same length and limit, but a different source of bytes.
    pub fn with_bytes<'b>(self, bytes: &'b dyn Bytes) -> Input<'b>
    where
        'a: 'b,
    {
        Input { bytes, start: 0, len: self.len, left: self.left }
    }

    /// Fills the buffer like [`Input::fill`], but without changing the limit.
    pub fn fill_uncharged(self, at: u64, into: &mut [u8]) -> Result<(), ()> {
        let part = self.part(at, into.len() as u64).ok_or(())?;
        self.bytes.fill(part.start, into)
    }

    pub fn len(self) -> u64 {
        self.len
    }

    /// Returns whether the limit was exceeded.
    pub fn is_spent(self) -> bool {
        self.left.get() == 0
    }

    /// Fills the buffer with the bytes at offset `at`. Fails if any are outside the input, or if the limit is exceeded.
    pub fn fill(self, at: u64, into: &mut [u8]) -> Result<(), ()> {
        let part = self.part(at, into.len() as u64).ok_or(())?;
        let left = self.left.get().saturating_sub(part.len);
        self.left.set(left);
        if left == 0 {
            return Err(());
        }
        self.bytes.fill(part.start, into)
    }

    /// Returns the first `N` bytes, or all bytes of a shorter input, in an array, and the number of bytes read.
    pub fn head<const N: usize>(self) -> Result<([u8; N], usize), String> {
        let (mut bytes, len) = ([0; N], self.len.min(N as u64) as usize);
        let held = bytes.get_mut(..len).ok_or(()).and_then(|into| self.fill(0, into));
        held.map(|()| (bytes, len)).map_err(|()| self.why_unreadable())
    }

    /// Returns the reason why a part could not be read.
    pub fn why_unreadable(self) -> String {
        match self.left.get() {
            0 => "its headers describe more data than a file of its length can contain, or it is too large"
                .into(),
            _ => "a part of it extends beyond its end or cannot be read".into(),
        }
    }

    /// Returns a cache of the input's bytes for the `object` crate's parsers.
    pub fn cached(self) -> ReadCache<Cursor<'a>> {
        ReadCache::new(Cursor { input: self, at: 0 })
    }

    /// Passes a range to `visit` in chunks of bounded size, until `visit` returns false.
    pub fn pieces(
        self,
        start: u64,
        len: u64,
        mut visit: impl FnMut(Piece<'_>) -> bool,
    ) -> Result<(), String> {
        let part = self.part(start, len).ok_or_else(|| self.why_unreadable())?;
        if len >= self.left.get() {
            self.left.set(0);
            return Err(self.why_unreadable());
        }
        BUFFER.with_borrow_mut(|buffer| {
            let mut at = 0u64;
            while at < len {
                let end = (at + PIECE as u64).min(len);
                let (first, last) = (at.saturating_sub(BEFORE as u64), (end + AFTER as u64).min(len));
                let len = (last - first) as usize;
                if buffer.len() < len {
                    buffer.resize(len, 0);
                }
                let bytes = buffer.get_mut(..len).ok_or_else(|| part.why_unreadable())?;
                part.fill(first, bytes).map_err(|()| part.why_unreadable())?;
                let own = (at - first) as usize..(end - first) as usize;
                DONE.fetch_add(end - at, Relaxed);
                if !visit(Piece { bytes, start: first, own }) {
                    break;
                }
                at = end;
            }
            Ok(())
        })
    }
}

/// An [`Input`] with a position.
pub struct Cursor<'a> {
    input: Input<'a>,
    at: u64,
}

impl ReadCacheOps for Cursor<'_> {
    fn len(&mut self) -> Result<u64, ()> {
        Ok(self.input.len)
    }

    fn seek(&mut self, at: u64) -> Result<u64, ()> {
        self.at = at;
        Ok(at)
    }

    fn read(&mut self, into: &mut [u8]) -> Result<usize, ()> {
        let len = (self.input.len.saturating_sub(self.at)).min(into.len() as u64) as usize;
        self.read_exact(into.get_mut(..len).ok_or(())?)?;
        Ok(len)
    }

    fn read_exact(&mut self, into: &mut [u8]) -> Result<(), ()> {
        self.input.fill(self.at, into)?;
        self.at += into.len() as u64;
        Ok(())
    }
}

/// Length in bytes of the blocks in which name tables are read.
const BLOCK: u64 = 1 << 16;

/// The block that a name was last read from, and the block's offset. The next name is usually in the same block.
pub type LastBlock<'c> = Cell<(u64, &'c [u8])>;

/// A cache of an [`Input`]'s bytes for the `object` crate's parsers. Names are read in blocks, not one by one.
#[derive(Clone, Copy)]
pub struct Cached<'c, 'a> {
    cache: &'c ReadCache<Cursor<'a>>,
    last: &'c LastBlock<'c>,
}

impl<'c, 'a> Cached<'c, 'a> {
    pub fn new(cache: &'c ReadCache<Cursor<'a>>, last: &'c LastBlock<'c>) -> Self {
        Cached { cache, last }
    }

    /// Returns the bytes from offset `at` to the end of its block, which is the last name's block or, if that does not
    /// contain the offset, a new one.
    fn block(self, at: u64) -> Result<&'c [u8], ()> {
        let (start, last) = self.last.get();
        let held = at.checked_sub(start).and_then(|into| last.get(usize::try_from(into).ok()?..));
        if let Some(held) = held.filter(|held| !held.is_empty()) {
            return Ok(held);
        }
        let start = at - at % BLOCK;
        let len = BLOCK.min(self.len()?.checked_sub(start).ok_or(())?);
        let block = self.read_bytes_at(start, len)?;
        self.last.set((start, block));
        block.get((at - start) as usize..).ok_or(())
    }
}

impl<'c> ReadRef<'c> for Cached<'c, '_> {
    fn len(self) -> Result<u64, ()> {
        self.cache.len()
    }

    fn read_bytes_at(self, offset: u64, size: u64) -> Result<&'c [u8], ()> {
        self.cache.read_bytes_at(offset, size)
    }

    fn read_bytes_at_until(self, range: Range<u64>, delimiter: u8) -> Result<&'c [u8], ()> {
        let rest = self.block(range.start)?;
        let rest = rest.get(..rest.len().min(range.end.saturating_sub(range.start) as usize)).ok_or(())?;
        match memchr::memchr(delimiter, rest) {
            Some(end) => rest.get(..end).ok_or(()),
            // The name may continue in the next block.
            None => self.cache.read_bytes_at_until(range, delimiter),
        }
    }
}
