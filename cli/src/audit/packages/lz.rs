//! Decompression of lzip and lz4 files.

use flate2::Crc;
use lz4_flex::frame::FrameDecoder;
use lzma_rust2::LzmaReader;
use std::io::{self, Read};

pub const LZIP: &[u8] = b"LZIP\x01";
pub const LZ4: &[u8] = b"\x04\x22\x4d\x18";
/// The format written by `lz4 -l`, which the Linux kernel uses.
pub const LZ4_OLD: &[u8] = b"\x02\x21\x4c\x18";

/// Memory in bytes for one compressed and two decompressed blocks of an lz4 file. A block is at most 8 MiB.
pub const LZ4_MEMORY: u64 = 24 << 20;

/// Lengths in bytes of the header and the trailer of an lzip member.
const HEADER: usize = 6;
const TRAILER: usize = 20;

/// Returns the dictionary size declared in the header of an lzip member, or `None` if the header is incomplete or
/// invalid.
pub fn lzip_dictionary(head: &[u8]) -> Option<u64> {
    let coded = *head.strip_prefix(LZIP)?.first()?;
    let bits = u32::from(coded & 0x1f);
    let base = (12..=29).contains(&bits).then(|| 1u64 << bits)?;
    Some(base - base / 16 * u64::from(coded >> 5))
}

/// The members of an lzip file, read one after another. `LzipReader` from the same crate would limit only the first
/// member's dictionary.
pub struct Lzip<R: Read> {
    state: State<R>,
    /// Maximum dictionary size of a member.
    dictionary: u64,
    /// The checksum and the length of the data decompressed from the current member.
    sum: Crc,
    len: u64,
}

enum State<R: Read> {
    /// Between members: the bytes read from the source but not decoded, followed by the source itself.
    Between(io::Chain<io::Cursor<Vec<u8>>, R>),
    Member(Box<LzmaReader<io::Chain<io::Cursor<Vec<u8>>, R>>>),
    Ended,
}

impl<R: Read> Lzip<R> {
    pub fn new(inner: R, dictionary: u64) -> Self {
        let state = State::Between(io::Cursor::new(Vec::new()).chain(inner));
        Lzip { state, dictionary, sum: Crc::new(), len: 0 }
    }

    /// Begins the next member. Like lzip, ignores bytes after the last member.
    fn begin(&mut self, mut source: io::Chain<io::Cursor<Vec<u8>>, R>) -> io::Result<()> {
        let mut header = [0; HEADER];
        let held = super::read_fully(&mut source, &mut header)?;
        let Some(dictionary) = lzip_dictionary(header.get(..held).unwrap_or_default()) else {
            return Ok(());
        };
        if dictionary > self.dictionary {
            return Err(io::Error::other(
                "a later lzip member needs a larger dictionary than the header of the first member declares",
            ));
        }
        let (lc, lp, pb) = (3, 0, 2); // lzip's only setting
        let reader = LzmaReader::new(source, u64::MAX, lc, lp, pb, dictionary as u32, None);
        self.state = State::Member(Box::new(reader.map_err(io::Error::other)?));
        (self.sum, self.len) = (Crc::new(), 0);
        Ok(())
    }

    /// Checks a member's trailer: the checksum and the length of the decompressed data, and the member's own length.
    fn end(&mut self, member: LzmaReader<io::Chain<io::Cursor<Vec<u8>>, R>>) -> io::Result<()> {
        let (source, unused) = member.into_parts();
        // All bytes read before this member have been decoded, so the remaining bytes come from the source itself.
        let (before, inner) = source.into_inner();
        let at = (before.position() as usize).min(before.get_ref().len());
        let rest = before.into_inner().split_off(at);
        let mut source = io::Cursor::new([unused, rest].concat()).chain(inner);
        let mut trailer = [0; TRAILER];
        source.read_exact(&mut trailer)?;
        let sum = trailer.first_chunk().map(|it| u32::from_le_bytes(*it));
        let len = trailer.get(4..).and_then(|it| it.first_chunk()).map(|it| u64::from_le_bytes(*it));
        if (sum, len) != (Some(self.sum.sum()), Some(self.len)) {
            return Err(io::Error::other("an lzip member with the wrong length or checksum"));
        }
        self.state = State::Between(source);
        Ok(())
    }
}

impl<R: Read> Read for Lzip<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            match std::mem::replace(&mut self.state, State::Ended) {
                State::Ended => return Ok(0),
                State::Between(source) => self.begin(source)?,
                State::Member(mut member) => match member.read(into)? {
                    0 => self.end(*member)?,
                    read => {
                        self.len += read as u64;
                        self.sum.update(into.get(..read).unwrap_or_default());
                        self.state = State::Member(member);
                        return Ok(read);
                    }
                },
            }
        }
    }
}

/// The last bytes that were read from a source.
struct Last<R> {
    inner: R,
    bytes: [u8; 8],
}

impl<R: Read> Read for Last<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into)?;
        for &byte in into.get(..read).unwrap_or_default().iter().rev().take(8).rev() {
            self.bytes.rotate_left(1);
            self.bytes[7] = byte;
        }
        Ok(read)
    }
}

/// The frames of an lz4 file, read one after another.
pub struct Lz4<R: Read> {
    decoder: FrameDecoder<Last<R>>,
    is_old: bool,
}

impl<R: io::BufRead> Lz4<R> {
    pub fn new(mut inner: R) -> Self {
        let is_old = inner.fill_buf().is_ok_and(|head| head.starts_with(LZ4_OLD));
        Lz4 { decoder: FrameDecoder::new(Last { inner, bytes: [1; 8] }), is_old }
    }
}

impl<R: Read> Read for Lz4<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        // The decoder returns 0 at the end of each frame.
        for _ in 0..2 {
            match self.decoder.read(into)? {
                0 => {}
                read => return Ok(read),
            }
        }
        // The decoder does not report a frame that ends early. A frame ends with four zero bytes, optionally followed
        // by a four-byte checksum; the old format has no end mark.
        let bytes = self.decoder.get_ref().bytes;
        if self.is_old || bytes.starts_with(&[0; 4]) || bytes.ends_with(&[0; 4]) {
            return Ok(0);
        }
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}
