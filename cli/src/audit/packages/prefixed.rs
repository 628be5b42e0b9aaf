//! Packages that follow a program, a script or another header: self-extracting archives, and Python zip applications.

use super::{BLOCK, decoders, tar};
use crate::audit::input::Input;

/// The end of a zip archive: the length of the end record, and the maximum length of the comment after the record.
const END: usize = 22;
const COMMENT: usize = 1 << 16;
/// Maximum length in bytes of the text before the data of a self-extracting script.
const LONGEST_SCRIPT: u64 = 1 << 20;
/// Number of bytes to check at the end of a script for data after its text.
const SAMPLE: usize = 1 << 10;
/// Markers at the end of programs made by PyInstaller.
const PYINSTALLER: &[u8] = b"MEI\x0c\x0b\x0a\x0b\x0e";

/// Data after a program or a script.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Follows {
    /// A zip archive.
    Zip,
    /// An archive, usually compressed, that begins at this offset.
    Archive(u64),
    /// Data of a kind that is not unpacked.
    Other(&'static str),
}

/// Returns the kind of data after the program or script in a file.
pub fn follows(input: Input<'_>, is_script: bool) -> Option<Follows> {
    let len = (END + COMMENT).min(usize::try_from(input.len()).ok()?);
    let mut end = vec![0; len];
    input.fill(input.len() - len as u64, &mut end).ok()?;
    if ends_a_zip(&end) {
        return Some(Follows::Zip);
    }
    if memchr::memmem::rfind(&end, PYINSTALLER).is_some_and(|at| len - at <= 4096) {
        return Some(Follows::Other("a PyInstaller program, whose archive is not unpacked"));
    }
    let sample = end.get(len.saturating_sub(SAMPLE)..)?;
    (is_script && !is_text(sample)).then(|| after_script(input))?
}

/// Returns whether the bytes end with a zip archive's end record. The record contains the length of the comment.
fn ends_a_zip(end: &[u8]) -> bool {
    memchr::memmem::rfind_iter(end, b"PK\x05\x06").any(|at| {
        let comment = end.get(at + END - 2..).and_then(|it| it.first_chunk());
        comment.is_some_and(|len| at + END + usize::from(u16::from_le_bytes(*len)) == end.len())
    })
}

/// Returns whether bytes look like text, that is, contain few control characters.
fn is_text(bytes: &[u8]) -> bool {
    let is_control = |byte: &&u8| matches!(byte, 0..=8 | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f);
    bytes.iter().filter(is_control).count() * 32 <= bytes.len()
}

/// Finds an archive that begins at the start of a line in a script.
fn after_script(input: Input<'_>) -> Option<Follows> {
    let len = usize::try_from(input.len().min(LONGEST_SCRIPT)).ok()?;
    let mut bytes = vec![0; len];
    input.fill(0, &mut bytes).ok()?;
    let begins = |&at: &usize| {
        let rest = bytes.get(at..).unwrap_or_default();
        decoders::is_compressed(rest) || rest.get(..BLOCK).is_some_and(tar::is_one)
    };
    let start = memchr::memchr_iter(b'\n', &bytes).map(|at| at + 1).find(begins);
    Some(start.map_or(Follows::Other("a script followed by data of an unknown kind"), |at| {
        Follows::Archive(at as u64)
    }))
}
