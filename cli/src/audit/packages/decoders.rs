//! Decompression: gzip, xz, zstd, bzip2, lzma.

use flate2::read::MultiGzDecoder;
use lzma_rust2::{LzmaReader, XzReader};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, BufRead, BufReader, Read};

/// Maximum memory of a decoder in KiB; `xz -9` needs 65 MiB. (ruzstd limits itself to 100 MiB.)
const MOST_MEMORY: u32 = 128 << 10;
/// Number of bytes that a zstd decoder produces at once.
const STEP: usize = 1 << 17;

const GZIP: &[u8] = b"\x1f\x8b\x08";
const XZ: &[u8] = b"\xfd7zXZ\0";
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";
const BZIP2: &[u8] = b"BZh";
/// The usual properties of lzma files, which have no magic number, and the lowest byte of the size of the dictionary.
const LZMA: &[u8] = b"\x5d\0\0";

/// Whether a file that begins with these bytes is compressed in one of the supported formats.
pub fn is_compressed(head: &[u8]) -> bool {
    [GZIP, XZ, ZSTD, LZMA].iter().any(|magic| head.starts_with(magic))
        || head.starts_with(BZIP2)
            && matches!(head.get(3..10), Some([b'1'..=b'9', b'1', b'A', b'Y', b'&', b'S', b'Y']))
}

/// The decompressed bytes of a stream in one of the supported formats.
pub fn decoded<'r>(inner: impl Read + 'r) -> io::Result<Box<dyn Read + 'r>> {
    let mut inner = BufReader::with_capacity(1 << 16, inner);
    let head = inner.fill_buf()?;
    let begins = |magic: &[u8]| head.starts_with(magic);
    Ok(if begins(GZIP) {
        Box::new(MultiGzDecoder::new(inner))
    } else if begins(XZ) {
        Box::new(XzReader::new_mem_limit(inner, true, MOST_MEMORY))
    } else if begins(ZSTD) {
        Box::new(Zstd { inner, decoder: FrameDecoder::new(), in_frame: false })
    } else if begins(BZIP2) {
        Box::new(bzip2::read::MultiBzDecoder::new(inner))
    } else if begins(LZMA) {
        Box::new(LzmaReader::new_mem_limit(inner, MOST_MEMORY, None).map_err(io::Error::other)?)
    } else {
        return Err(io::Error::other("its compression is not supported"));
    })
}

/// The frames of a zstd file, one after another.
struct Zstd<R> {
    inner: BufReader<R>,
    decoder: FrameDecoder,
    in_frame: bool,
}

impl<R: Read> Read for Zstd<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.in_frame {
                if self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                    let step = BlockDecodingStrategy::UptoBytes(STEP);
                    self.decoder.decode_blocks(&mut self.inner, step).map_err(io::Error::other)?;
                }
                let read = self.decoder.read(into)?;
                if read > 0 || into.is_empty() {
                    return Ok(read);
                }
                self.in_frame = !self.decoder.is_finished();
                continue;
            }
            if self.inner.fill_buf()?.is_empty() {
                return Ok(0);
            }
            match self.decoder.reset(&mut self.inner) {
                Ok(()) => self.in_frame = true,
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    io::copy(&mut (&mut self.inner).take(length.into()), &mut io::sink())?;
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
    }
}
