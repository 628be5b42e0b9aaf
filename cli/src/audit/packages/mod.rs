//! Packages, and other files that contain files: .deb, .rpm, .whl, .apk, .tar.*, .zip.
//!
//! - `decoders.rs`: decompression; `room.rs`: its memory; `tar.rs`, `zip.rs`, `rpm.rs`: the containers.
//!
//! A package is recognised by its contents. No file is created under a name from a package, and links in packages are
//! not followed. The number of unpacked bytes is limited in proportion to the length of the outermost file. The number
//! of members and the nesting depth are also limited.

mod decoders;
mod room;
mod rpm;
mod tar;
mod zip;

use super::input::Input;
use std::cell::Cell;
use std::io::{self, Read};

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
    /// Returns the budget of a file of `len` bytes.
    pub fn of(len: u64) -> Self {
        let bytes = UNPACKED.saturating_add(len.saturating_mul(GROWTH));
        Budget { bytes: Cell::new(bytes), members: Cell::new(MOST_MEMBERS) }
    }

    /// Whether the budget is used up.
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

const TOO_MUCH: &str = "its unpacked contents are too large or too many in proportion to its length";

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

/// Kind of a file that contains other files, determined by its first bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Zip,
    Rpm,
    Compressed,
    /// A known kind of package that cannot be unpacked.
    Other(&'static str),
}

/// Returns the kind of a file that begins with `head`. A tar archive has no magic number at its beginning.
pub fn kind(head: &[u8]) -> Option<Kind> {
    match head {
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(Kind::Zip),
        [0xed, 0xab, 0xee, 0xdb, ..] => Some(Kind::Rpm),
        [b'h', b's', b'q', b's', ..] | [b's', b'q', b's', b'h', ..] => {
            Some(Kind::Other("a squashfs image, which is not unpacked"))
        }
        [b'A', b'D', b'B', b'.' | b'd' | b'c', ..] => {
            Some(Kind::Other("an apk-tools 3 package, which is not unpacked"))
        }
        [0x7f, b'E', b'L', b'F', _, _, _, _, b'A', b'I', 2, ..] => {
            Some(Kind::Other("an AppImage: only the program before its file-system image was searched"))
        }
        [b'7', b'z', 0xbc, 0xaf, ..] => Some(Kind::Other("a 7z archive, which is not unpacked")),
        [b'M', b'S', b'C', b'F', ..] => Some(Kind::Other("a cabinet, which is not unpacked")),
        _ if decoders::is_compressed(head) => Some(Kind::Compressed),
        _ => None,
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

    /// Records that a member, or the package itself if `name` is `None`, is not examined.
    fn skip(&mut self, name: Option<&[u8]>, why: &'static str);

    /// Reports that a part of the package cannot be read.
    fn broken(&mut self, why: String);

    /// Whether a file that begins with `head` may contain code.
    fn may_have_code(&self, head: &[u8]) -> bool;
}

/// Reads until the buffer is full or the reader ends. Returns the number of bytes read.
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

/// Whether the name of a compressed file shows that it is a package.
fn is_named_as_package(name: &[u8]) -> bool {
    let ends = [&b".deb"[..], b".udeb", b".apk", b".tgz", b".txz", b".tbz2", b".crate", b".rpm"];
    ends.iter().any(|end| name.ends_with(end)) || memchr::memmem::find(name, b".tar.").is_some()
}

/// Passes the members of a package to `to`.
pub fn members(kind: Kind, of: &Package<'_>, input: Input<'_>, to: &mut dyn Members) -> Result<(), String> {
    match kind {
        Kind::Zip => zip::members(of, input, to),
        Kind::Rpm => rpm::members(of, input, to),
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

/// Passes the members of an archive in a Debian package to `to`.
pub fn deb_member(of: &Package<'_>, input: Input<'_>, to: &mut dyn Members) -> Result<(), String> {
    let (head, held) = input.head::<16>()?;
    if decoders::is_compressed(head.get(..held).unwrap_or_default()) {
        return compressed(of, Stream { input, at: 0 }, to);
    }
    tar_members(of, input, to)
}

/// Passes the members of a compressed archive to `to`. A file whose name has a package's extension must be intact, and
/// must begin with an archive, possible code or zeros. Any other file that is damaged is only recorded as not examined.
fn compressed(of: &Package<'_>, stream: impl Read, to: &mut dyn Members) -> Result<(), String> {
    let mut head = [0; BLOCK];
    let begun = decoders::decoded(stream).and_then(|decoded| {
        let mut decoded = Charged { inner: decoded, budget: of.budget };
        read_fully(&mut decoded, &mut head).map(|held| (held, decoded))
    });
    let (held, decoded) = match begun {
        Ok(begun) => begun,
        Err(error) if is_named_as_package(of.name) => return Err(error.to_string()),
        Err(_) => {
            to.skip(None, "a compressed file that is damaged or uses an unsupported compression method");
            return Ok(());
        }
    };
    let head = head.get(..held).unwrap_or_default();
    let mut whole = head.chain(decoded);
    if tar::is_one(head) {
        return tar::members(&mut whole, to);
    }
    if rpm::is_cpio(head) {
        return rpm::cpio_members(&mut whole, to);
    }
    if to.may_have_code(head) {
        to.skip(None, "a compressed file that is not an archive");
        return Ok(());
    }
    // An archive without members consists of zeros.
    if is_named_as_package(of.name) && head.iter().any(|&byte| byte != 0) {
        return Err("its name is that of a package, but it contains no archive".into());
    }
    Ok(())
}
