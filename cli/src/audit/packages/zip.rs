//! Members of a zip archive, found through its central directory.

use super::{Charged, Members, Package};
use crate::audit::input::Input;
use rawzip::{CompressionMethod, ReaderAt, ZipArchive};
use std::cell::Cell;
use std::io::{self, Read};

struct At<'a>(Input<'a>);

impl ReaderAt for At<'_> {
    fn read_at(&self, into: &mut [u8], at: u64) -> io::Result<usize> {
        let len = self.0.len().saturating_sub(at).min(into.len() as u64) as usize;
        let into = into.get_mut(..len).unwrap_or_default();
        if len > 0 {
            self.0.fill(at, into).map_err(|()| io::Error::other(self.0.why_unreadable()))?;
        }
        Ok(len)
    }
}

/// Length in bytes of the buffer for headers.
const BUFFER: usize = 1 << 16;

/// Number of bytes that may be read from an archive: a fixed number plus a multiple of its length.
const LEAST_READ: u64 = 64 << 20;
const AGAIN: u64 = 64;

/// Examines the files in an archive.
pub fn members(of: &Package<'_>, input: Input<'_>, to: &mut dyn Members) -> Result<(), String> {
    let broken = |error: &dyn std::fmt::Display| format!("an incomplete or invalid zip archive: {error}");
    let mut buffer = vec![0; BUFFER];
    // Headers are read in blocks. A block can be larger than a member, so more bytes may be read than the archive
    // contains. Unpacked bytes are limited separately.
    let left = Cell::new(LEAST_READ + input.len().saturating_mul(AGAIN));
    let input = input.with_left(&left);
    let located = ZipArchive::with_max_search_space(BUFFER as u64 + 22);
    let archive =
        located.locate_in_reader(At(input), &mut buffer, input.len()).map_err(|(_, error)| broken(&error))?;
    let mut entries = archive.entries(&mut buffer);
    while let Some(entry) = entries.next_entry().map_err(|error| broken(&error))? {
        if entry.is_dir() || is_link(entry.external_attributes()) {
            continue;
        }
        let name = entry.file_path().as_ref().to_vec();
        if entry.flags().is_encrypted() {
            to.skip(Some(&name), "an encrypted member");
            continue;
        }
        let method = entry.compression_method();
        let content = archive.get_entry(entry.wayfinder()).map_err(|error| broken(&error))?;
        let reader = content.reader();
        let reader: Box<dyn Read> = match method {
            CompressionMethod::STORE => Box::new(reader),
            CompressionMethod::DEFLATE => Box::new(flate2::read::DeflateDecoder::new(reader)),
            _ => {
                to.skip(Some(&name), "a member with an unsupported compression method");
                continue;
            }
        };
        // An invalid member does not affect the other members.
        if let Err(why) = to.member(&name, &mut Charged { inner: reader, budget: of.budget }) {
            if of.budget.is_spent() {
                return Err(why);
            }
            to.broken(why);
        }
    }
    Ok(())
}

/// Returns whether a member's attributes mark it as a symbolic link created on Unix.
fn is_link(attributes: u32) -> bool {
    attributes >> 16 & 0o170_000 == 0o120_000
}
