//! Packages, and other files that contain files: .deb, .rpm, .whl, .apk, .tar.*, .zip, .cpio.
//!
//! - `decoders.rs`, `lz.rs`: decompression; `room.rs`: its memory; `tar.rs`, `zip.rs`, `rpm.rs`, `cpio.rs`: the
//!   containers; `prefixed.rs`: packages after a program or script; `kinds.rs`: kinds of packages.
//!
//! A package is recognised by its contents. Member names never become file names, and links in packages are not
//! followed. The number of unpacked bytes is limited in proportion to the outermost file's length. The number of
//! members and the nesting depth are also limited.

mod cpio;
mod decoders;
mod kinds;
mod lz;
mod prefixed;
mod room;
mod rpm;
mod tar;
mod zip;

use super::files::location::STANDARD_INPUT;
use super::input::{DONE, Input};
use std::cell::Cell;
use std::io::{self, Read};
use std::sync::atomic::Ordering::Relaxed;

pub use kinds::{Kind, is_library_name, is_package_name, kind, may_end_with_zip};
pub use prefixed::{Follows, follows};
pub use tar::{BLOCK, is_one as is_tar};

/// Number of bytes that may be unpacked from a file: a fixed number plus a multiple of the file's length.
const UNPACKED: u64 = 256 << 20;
const GROWTH: u64 = 100;
/// Maximum number of members in a file, including the members of packages in the file.
const MOST_MEMBERS: u64 = 1 << 20;
/// Maximum length in bytes of a member's name.
const LONGEST_NAME: usize = 4096;

/// The numbers of bytes and members that may still be unpacked from a file.
pub struct Budget {
    bytes: Cell<u64>,
    members: Cell<u64>,
}

impl Budget {
    /// Returns the budget for a file of `len` bytes.
    pub fn of(len: u64) -> Self {
        let bytes = UNPACKED.saturating_add(len.saturating_mul(GROWTH));
        Budget { bytes: Cell::new(bytes), members: Cell::new(MOST_MEMBERS) }
    }

    /// Returns whether the budget is used up.
    pub fn is_spent(&self) -> bool {
        self.bytes.get() == 0 || self.members.get() == 0
    }

    /// Counts a member.
    ///
    /// # Errors
    /// Returns an error if the file has too many members.
    pub fn member(&self) -> Result<(), String> {
        self.members.set(self.members.get().saturating_sub(1));
        if self.members.get() == 0 { Err(TOO_MUCH.into()) } else { Ok(()) }
    }
}

const TOO_MUCH: &str = "it unpacks to more data or more files than a package of its size may contain";

/// A reader that subtracts the number of bytes read from a budget.
struct Charged<'b, R> {
    inner: R,
    budget: &'b Budget,
}

impl<R: Read> Read for Charged<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = self.budget.bytes.get();
        if left == 0 {
            return Err(io::Error::other(TOO_MUCH));
        }
        let len = into.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let read = self.inner.read(into.get_mut(..len).unwrap_or_default())?;
        self.budget.bytes.set(left - read as u64);
        DONE.fetch_add(read as u64, Relaxed); // see `DONE`
        Ok(read)
    }
}

/// A source of unknown length, whose budget grows with the number of bytes read.
pub struct Source<'b, R> {
    inner: R,
    budget: &'b Budget,
}

impl<'b, R: Read> Source<'b, R> {
    pub fn new(inner: R, budget: &'b Budget) -> Self {
        Source { inner, budget }
    }
}

impl<R: Read> Read for Source<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into)?;
        DONE.fetch_add(read as u64, Relaxed); // see `DONE`
        let more = (read as u64).saturating_mul(GROWTH);
        self.budget.bytes.set(self.budget.bytes.get().saturating_add(more));
        Ok(read)
    }
}

/// An input, read from its beginning.
struct Stream<'a> {
    input: Input<'a>,
    at: u64,
}

impl Read for Stream<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let len = self.input.len().saturating_sub(self.at).min(into.len() as u64) as usize;
        let into = into.get_mut(..len).unwrap_or_default();
        if len > 0 {
            self.input.fill(self.at, into).map_err(|()| io::Error::other(self.input.why_unreadable()))?;
            self.at += len as u64;
        }
        Ok(len)
    }
}

/// A file that contains other files.
pub struct Package<'p> {
    /// The full name of the file. If the name has a package's extension, the file must be a package.
    pub name: &'p [u8],
    pub budget: &'p Budget,
}

/// The receiver of a package's members.
pub trait Members {
    /// Examines a member.
    ///
    /// # Errors
    /// Returns an error message if the member cannot be read.
    fn member(&mut self, name: &[u8], reader: &mut dyn Read) -> Result<(), String>;

    /// Records that a member, or the package itself if `name` is `None`, was not examined.
    fn skip(&mut self, name: Option<&[u8]>, why: &'static str);

    /// Reports that a part of the package cannot be read.
    fn broken(&mut self, why: String);

    /// Returns whether a file that begins with `head` may contain code.
    fn may_have_code(&self, head: &[u8]) -> bool;
}

/// Reads until the buffer is full or the input ends. Returns the number of bytes read.
pub fn read_fully(reader: &mut impl Read, into: &mut [u8]) -> io::Result<usize> {
    let mut held = 0;
    while let Some(rest) = into.get_mut(held..).filter(|rest| !rest.is_empty()) {
        match reader.read(rest) {
            Ok(0) => break,
            Ok(more) => held += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(held)
}

/// Returns a member's name without a leading `./` or `/`, truncated to the maximum length of a path.
pub fn clean(mut name: &[u8]) -> &[u8] {
    while let Some(rest) = name.strip_prefix(b"./").or_else(|| name.strip_prefix(b"/")) {
        name = rest;
    }
    name.get(..LONGEST_NAME).unwrap_or(name)
}

/// Passes the members of a package to `to`.
pub fn members(kind: Kind, of: &Package<'_>, input: Input<'_>, to: &mut dyn Members) -> Result<(), String> {
    match kind {
        Kind::Zip => zip::members(of, input, to),
        Kind::Rpm => rpm::members(of, input, to),
        Kind::Cpio => {
            cpio::members(&mut Charged { inner: Stream { input, at: 0 }, budget: of.budget }, of, to)
        }
        Kind::Compressed => compressed(of, Stream { input, at: 0 }, to),
        Kind::Other(what) => {
            to.skip(None, what);
            Ok(())
        }
    }
}

/// Passes the members of a tar archive to `to`.
pub fn tar_members(of: &Package<'_>, input: Input<'_>, to: &mut dyn Members) -> Result<(), String> {
    tar::members(&mut Charged { inner: Stream { input, at: 0 }, budget: of.budget }, to)
}

/// Passes the members of an archive that follows a script to `to`.
pub fn appended(of: &Package<'_>, input: Input<'_>, to: &mut dyn Members) -> Result<(), String> {
    let mut stream = Charged { inner: Stream { input, at: 0 }, budget: of.budget };
    let mut head = [0; BLOCK];
    let held = read_fully(&mut stream, &mut head).map_err(|error| error.to_string())?;
    streamed(head.get(..held).unwrap_or_default(), &mut stream, of, to).unwrap_or(Ok(()))
}

/// Passes the members of an archive in a Debian package to `to`.
pub fn deb_member(of: &Package<'_>, input: Input<'_>, to: &mut dyn Members) -> Result<(), String> {
    let (head, held) = input.head::<16>()?;
    if decoders::is_compressed(head.get(..held).unwrap_or_default()) {
        return compressed(of, Stream { input, at: 0 }, to);
    }
    tar_members(of, input, to)
}

/// Passes the members of an archive to `to`, reading each byte only once. The archive begins with `head`. Returns
/// `None` if the archive is in another format.
pub fn streamed(
    head: &[u8],
    rest: &mut dyn Read,
    of: &Package<'_>,
    to: &mut dyn Members,
) -> Option<Result<(), String>> {
    let mut whole = head.chain(rest);
    if tar::is_one(head) {
        return Some(tar::members(&mut whole, to));
    }
    if cpio::is_one(head) {
        return Some(cpio::members(&mut whole, of, to));
    }
    decoders::is_compressed(head).then(|| compressed(of, whole, to))
}

/// Decompresses a file and passes it (or, for an archive, each of its members) to `to`. A damaged file is merely
/// recorded as not examined. However, a file with a package's extension causes an error if it is damaged, or begins
/// with anything except an archive, possible code or zeros.
fn compressed(of: &Package<'_>, stream: impl Read, to: &mut dyn Members) -> Result<(), String> {
    let mut head = [0; BLOCK];
    let begun = decoders::decoded(stream).and_then(|decoded| {
        let mut decoded = Charged { inner: decoded, budget: of.budget };
        read_fully(&mut decoded, &mut head).map(|held| (held, decoded))
    });
    let (held, decoded) = match begun {
        Ok(begun) => begun,
        Err(error) if kinds::is_compressed_archive(of.name) || of.name == STANDARD_INPUT.as_bytes() => {
            return Err(error.to_string());
        }
        Err(_) => {
            to.skip(None, "a compressed file that is damaged or uses an unsupported compression method");
            return Ok(());
        }
    };
    let head = head.get(..held).unwrap_or_default();
    let mut decoded = decoded;
    if tar::is_one(head) || cpio::is_one(head) {
        return streamed(head, &mut decoded, of, to).unwrap_or(Ok(()));
    }
    if to.may_have_code(head) {
        return to.member(kinds::uncompressed(of.name), &mut head.chain(decoded));
    }
    // An empty archive consists of zeros.
    if kinds::is_compressed_archive(of.name) && head.iter().any(|&byte| byte != 0) {
        return Err("it is named like a package, but contains no archive".into());
    }
    Ok(())
}
