//! Decompression: gzip, xz, zstd, bzip2, lzma, and the formats in `lz.rs`.

use super::lz::{self, Lz4, Lzip};
use super::room::Room;
use flate2::read::MultiGzDecoder;
use lzma_rust2::{LzmaReader, XzReader};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, BufRead, BufReader, Read};

/// Memory in bytes that an xz, lzma or zstd decoder may use in addition to its dictionary (window).
const BESIDES: u64 = 3 << 20;
/// The dictionary size, in bytes, that `xz -6` and `zstd -19` use. Later blocks (or zstd frames) in a file may declare
/// larger dictionaries than the first one, up to this size.
const USUAL: u64 = 8 << 20;
/// Memory in bytes needed by a bzip2 decoder. Gzip decoders need less.
const BZIP2_MEMORY: u64 = 4 << 20;
/// Number of bytes that a zstd decoder produces per step.
const STEP: usize = 1 << 17;

const GZIP: &[u8] = b"\x1f\x8b\x08";
const XZ: &[u8] = b"\xfd7zXZ\0";
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";
const BZIP2: &[u8] = b"BZh";
/// The usual first bytes of an lzma file (the format has no magic number): the properties byte, and the two lowest
/// bytes of the dictionary size.
const LZMA: &[u8] = b"\x5d\0\0";

/// Returns whether a file that begins with `head` is compressed in one of the supported formats.
pub fn is_compressed(head: &[u8]) -> bool {
    [GZIP, XZ, ZSTD, LZMA, lz::LZIP, lz::LZ4, lz::LZ4_OLD].iter().any(|magic| head.starts_with(magic))
        || head.starts_with(BZIP2)
            && matches!(head.get(3..10), Some([b'1'..=b'9', b'1', b'A', b'Y', b'&', b'S', b'Y']))
}

/// Returns the decompressed bytes of a stream in one of the supported formats.
pub fn decoded<'r>(inner: impl Read + 'r) -> io::Result<Box<dyn Read + 'r>> {
    let mut inner = BufReader::with_capacity(1 << 16, inner);
    let head = inner.fill_buf()?;
    let begins = |magic: &[u8]| head.starts_with(magic);
    let window = if begins(XZ) {
        xz_dictionary(head)
    } else if begins(ZSTD) {
        zstd_window(head)
    } else if begins(LZMA) {
        head.get(1..5).and_then(|it| it.first_chunk()).map(|it| u32::from_le_bytes(*it).into())
    } else if begins(lz::LZIP) {
        lz::lzip_dictionary(head)
    } else if begins(lz::LZ4) || begins(lz::LZ4_OLD) {
        Some(lz::LZ4_MEMORY)
    } else {
        Some(0)
    };
    let window = window.ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof))?.max(USUAL);
    // ruzstd's buffer grows to the smallest power of two that holds the window.
    let buffer = if begins(ZSTD) { window.checked_next_power_of_two().unwrap_or(u64::MAX) } else { window };
    let needed = buffer.saturating_add(BESIDES);
    let is_small = begins(GZIP) || begins(BZIP2);
    let room = Room::take(if is_small { BZIP2_MEMORY } else { needed })?;
    let limit = u32::try_from(needed >> 10).unwrap_or(u32::MAX);
    let inner: Box<dyn Read + 'r> = if begins(GZIP) {
        Box::new(MultiGzDecoder::new(inner))
    } else if begins(XZ) {
        Box::new(XzReader::new_mem_limit(inner, true, limit))
    } else if begins(ZSTD) {
        let start = io::Cursor::new(Vec::new());
        Box::new(Zstd { start, inner, decoder: FrameDecoder::new(), in_frame: false, window })
    } else if begins(BZIP2) {
        Box::new(bzip2::read::MultiBzDecoder::new(inner))
    } else if begins(LZMA) {
        Box::new(LzmaReader::new_mem_limit(inner, limit, None).map_err(io::Error::other)?)
    } else if begins(lz::LZIP) {
        Box::new(Lzip::new(inner, window))
    } else if begins(lz::LZ4) || begins(lz::LZ4_OLD) {
        Box::new(Lz4::new(inner))
    } else {
        return Err(io::Error::other("unsupported compression"));
    };
    Ok(Box::new(Within { inner, _room: room }))
}

/// A decoder, together with the memory reserved for it.
struct Within<'r> {
    // The decoder. It is dropped before its memory is returned to the budget.
    inner: Box<dyn Read + 'r>,
    _room: Room,
}

impl Read for Within<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.inner.read(into)
    }
}

/// Returns the dictionary size declared in the first block header of an xz file, or 0 if the file declares none. Returns
/// `None` if the header is incomplete.
fn xz_dictionary(head: &[u8]) -> Option<u64> {
    const STREAM_HEADER: usize = 12;
    const LZMA2: u64 = 0x21;
    if *head.get(STREAM_HEADER)? == 0 {
        return Some(0); // this is the index, so the file has no blocks
    }
    let flags = *head.get(STREAM_HEADER + 1)?;
    let mut at = STREAM_HEADER + 2;
    // The compressed and uncompressed sizes.
    for bit in [0x40, 0x80] {
        if flags & bit != 0 {
            xz_number(head, &mut at)?;
        }
    }
    for _ in 0..=(flags & 3) {
        let (id, len) = (xz_number(head, &mut at)?, xz_number(head, &mut at)?);
        if id == LZMA2 {
            let bits = u32::from(head.get(at)? & 0x3f);
            return Some((2 | u64::from(bits & 1)) << (bits / 2 + 11));
        }
        at = at.checked_add(usize::try_from(len).ok()?)?;
    }
    Some(0)
}

/// Reads a variable-length integer from an xz header. Each byte contributes seven bits, and only the last byte is below
/// 0x80.
fn xz_number(head: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0;
    for shift in (0..63).step_by(7) {
        let byte = *head.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// Returns the window size declared in a zstd frame header (RFC 8878), or `None` if the header is incomplete.
fn zstd_window(head: &[u8]) -> Option<u64> {
    let (&descriptor, rest) = head.get(ZSTD.len()..)?.split_first()?;
    if descriptor & 0x20 == 0 {
        let window = *rest.first()?;
        let base = 1u64 << (10 + (window >> 3));
        return Some(base + base / 8 * u64::from(window & 7));
    }
    // In a single-segment frame, the window is as large as the content.
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let len = [1, 2, 4, 8][usize::from(descriptor >> 6)];
    let mut size = [0; 8];
    size.get_mut(..len)?.copy_from_slice(rest.get(dictionary..dictionary + len)?);
    Some(u64::from_le_bytes(size).saturating_add(if len == 2 { 256 } else { 0 }))
}

/// The frames of a zstd file, read one after another.
struct Zstd<R> {
    /// Bytes that were read for a frame header but not yet decoded.
    start: io::Cursor<Vec<u8>>,
    inner: BufReader<R>,
    decoder: FrameDecoder,
    in_frame: bool,
    /// Maximum window size of a frame.
    window: u64,
}

/// Maximum length in bytes of a zstd frame header, including the magic number.
const FRAME_HEADER: u64 = 18;

impl<R: Read> Zstd<R> {
    /// Begins the next frame. Returns false at the end of the file.
    fn begin(&mut self) -> io::Result<bool> {
        let mut start = Vec::new();
        self.start.read_to_end(&mut start)?;
        let more = FRAME_HEADER.saturating_sub(start.len() as u64);
        (&mut self.inner).take(more).read_to_end(&mut start)?;
        if start.is_empty() {
            return Ok(false);
        }
        if start.starts_with(ZSTD) && zstd_window(&start).is_some_and(|window| window > self.window) {
            return Err(io::Error::other(
                "a later zstd frame needs a larger window than the header of the first frame declares",
            ));
        }
        self.start = io::Cursor::new(start);
        let mut source = (&mut self.start).chain(&mut self.inner);
        match self.decoder.reset(&mut source) {
            Ok(()) => self.in_frame = true,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length, ..
            })) => {
                io::copy(&mut source.take(length.into()), &mut io::sink())?;
            }
            Err(error) => return Err(io::Error::other(error)),
        }
        Ok(true)
    }
}

impl<R: Read> Read for Zstd<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.in_frame {
                if self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                    let step = BlockDecodingStrategy::UptoBytes(STEP);
                    let source = (&mut self.start).chain(&mut self.inner);
                    self.decoder.decode_blocks(source, step).map_err(io::Error::other)?;
                }
                let read = self.decoder.read(into)?;
                if read > 0 || into.is_empty() {
                    return Ok(read);
                }
                self.in_frame = !self.decoder.is_finished();
            } else if !self.begin()? {
                return Ok(0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{decoded, xz_dictionary, zstd_window};

    #[test]
    fn the_sizes_of_dictionaries_are_read() {
        let xz = |block: &[u8]| [b"\xfd7zXZ\0\0\x04\xe6\xd6\xb4\x46", block].concat();
        // The first header contains only the LZMA2 filter. The second also contains the x86 filter with an offset, and
        // both sizes.
        assert_eq!(xz_dictionary(&xz(b"\x02\0\x21\x01\x16")), Some(8 << 20));
        assert_eq!(
            xz_dictionary(&xz(b"\x04\xc1\x80\x01\x05\x04\x04\xff\xff\xff\xff\x21\x01\x1c")),
            Some(64 << 20)
        );
        assert_eq!(xz_dictionary(&xz(b"\0")), Some(0));
        assert_eq!(xz_dictionary(&xz(b"\x02\0\x21")), None);
        assert_eq!(zstd_window(b"\x28\xb5\x2f\xfd\0\x68"), Some(8 << 20));
        assert_eq!(zstd_window(b"\x28\xb5\x2f\xfd\x61\0\x01\x01"), Some(0x101 + 256));
        assert_eq!(zstd_window(b"\x28\xb5\x2f\xfd\x60\x01"), None);
    }

    #[test]
    fn decompression_windows_beyond_the_limit_are_rejected() {
        for size in [1 << 30, u64::MAX / 2 + 2, u64::MAX] {
            let frame = [&b"\x28\xb5\x2f\xfd\xe0"[..], &size.to_le_bytes(), b"\x01\0\0"].concat();
            let error = decoded(&frame[..]).err().expect("a frame with a large window");
            assert_eq!(error.to_string(), "its decompression needs too much memory");
        }
    }
}
