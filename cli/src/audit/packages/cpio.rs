//! Members of cpio archives in the formats `newc`, `crc` and `odc` (cpio(5)), including those in RPM packages and
//! initramfs images.
//!
//! The `cpio` crate is not used, because it reads names of any length into memory and rejects non-UTF-8 names.

use super::{LONGEST_NAME, Members, Package, read_fully, streamed};
use std::io::{self, Read};

/// The magic numbers of `newc` and `crc` (with hexadecimal fields), and of `odc` (with octal fields).
const NEW: [&[u8]; 2] = [b"070701", b"070702"];
const ODC: &[u8] = b"070707";
/// RPM's own archive format, used for packages that contain files larger than 4 GiB. Its entries refer to the package's
/// header.
const STRIPPED: &[u8] = b"07070X";
const MAGIC: usize = 6;
const NEW_LEN: usize = 110;
const ODC_LEN: usize = 76;

pub fn is_one(head: &[u8]) -> bool {
    NEW.iter().any(|magic| head.starts_with(magic)) || head.starts_with(ODC)
}

/// Returns whether a file begins like an archive in the old binary format, which has only a 16-bit magic number.
pub fn is_binary(head: &[u8]) -> bool {
    let word = |at: usize| head.get(at..)?.first_chunk().copied();
    let Some(magic) = word(0) else { return false };
    let (mode, name) = match u16::from_le_bytes(magic) {
        0o070_707 => (word(6).map(u16::from_le_bytes), word(20).map(u16::from_le_bytes)),
        0o143_561 => (word(6).map(u16::from_be_bytes), word(20).map(u16::from_be_bytes)),
        _ => return false,
    };
    let is_kind = |mode: u16| [1, 2, 4, 6, 8, 10, 12].contains(&(mode >> 12));
    mode.is_some_and(is_kind) && name.is_some_and(|len| (2..=1024).contains(&len))
}

/// An entry's mode, the lengths of its contents and name, and the alignment to which both are padded.
type Entry = (u32, u64, usize, u64);

/// Returns the fields of a header, or `None` if the header is invalid.
fn entry(header: &[u8]) -> Option<Entry> {
    let field = |at: usize, len: usize, radix: u32| {
        let digits = std::str::from_utf8(header.get(at..at + len)?).ok()?;
        u64::from_str_radix(digits, radix).ok()
    };
    let (mode, len, named, pad) = if header.starts_with(ODC) {
        (field(18, 6, 8)?, field(65, 11, 8)?, field(59, 6, 8)?, 1)
    } else {
        (field(14, 8, 16)?, field(54, 8, 16)?, field(94, 8, 16)?, 4)
    };
    Some((u32::try_from(mode).ok()?, len, usize::try_from(named).ok()?, pad))
}

/// A reader with a buffer for bytes that were read but not yet used.
struct Ahead<'r> {
    bytes: Vec<u8>,
    inner: &'r mut dyn Read,
}

impl Read for Ahead<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.bytes.is_empty() {
            return self.inner.read(into);
        }
        let len = self.bytes.len().min(into.len());
        into.get_mut(..len).unwrap_or_default().copy_from_slice(self.bytes.get(..len).unwrap_or_default());
        self.bytes.drain(..len);
        Ok(len)
    }
}

/// Examines the files in a cpio archive, and in the archives that follow it. (An initramfs image is often an
/// uncompressed archive followed by a compressed one.)
pub fn members(reader: &mut dyn Read, of: &Package<'_>, to: &mut dyn Members) -> Result<(), String> {
    let mut ahead = Ahead { bytes: Vec::new(), inner: reader };
    while one(&mut ahead, to)? {
        let mut head = [0; super::BLOCK];
        let (first, rest) = head.split_at_mut(1);
        while first == [0] {
            if read_fully(&mut ahead, first).map_err(|error| broken(&error))? == 0 {
                return Ok(());
            }
        }
        let held = 1 + read_fully(&mut ahead, rest).map_err(|error| broken(&error))?;
        let head = head.get(..held).unwrap_or_default();
        if !is_one(head) {
            return streamed(head, &mut ahead, of, to).unwrap_or_else(|| {
                to.skip(None, "a cpio archive followed by other data, which was not searched");
                Ok(())
            });
        }
        ahead.bytes.splice(..0, head.iter().copied());
    }
    Ok(())
}

fn broken(error: &io::Error) -> String {
    format!("an incomplete or invalid cpio archive: {error}")
}

/// Examines the files in one archive. Returns false if the format does not allow another archive to follow.
fn one(reader: &mut dyn Read, to: &mut dyn Members) -> Result<bool, String> {
    let broken = |error: io::Error| broken(&error);
    loop {
        let mut header = [0; NEW_LEN];
        let (magic, rest) = header.split_at_mut(MAGIC);
        reader.read_exact(magic).map_err(broken)?;
        if magic == STRIPPED {
            to.skip(None, "an RPM package that contains files larger than 4 GiB");
            return Ok(false);
        }
        if !is_one(magic) {
            return Err("an incomplete or invalid cpio archive".into());
        }
        let len = if magic == ODC { ODC_LEN } else { NEW_LEN };
        reader.read_exact(rest.get_mut(..len - MAGIC).unwrap_or_default()).map_err(broken)?;
        let Some((mode, content, named, pad)) = entry(&header) else {
            return Err("an invalid cpio archive".into());
        };
        if named > LONGEST_NAME {
            return Err("a cpio archive with an overlong name".into());
        }
        // Both the header (together with the name) and the contents are padded.
        let padded = (len + named).next_multiple_of(pad as usize) - len;
        let mut name = vec![0; padded];
        reader.read_exact(&mut name).map_err(broken)?;
        name.truncate(named.saturating_sub(1));
        if name == b"TRAILER!!!" {
            return Ok(true);
        }
        let mut inner = (&mut *reader).take(content);
        if mode & 0o170_000 == 0o100_000 {
            to.member(&name, &mut inner)?;
        }
        io::copy(&mut inner, &mut io::sink()).map_err(broken)?;
        let more = content.next_multiple_of(pad) - content;
        io::copy(&mut (&mut *reader).take(more), &mut io::sink()).map_err(broken)?;
    }
}
