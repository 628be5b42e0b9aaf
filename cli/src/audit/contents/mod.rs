//! Contents of files: their kinds, and the files in archives and packages.
//!
//! - `found.rs`: the results; `archive.rs`: archives of object files; `package.rs`: members of packages; `spool.rs`: a
//!   member's bytes, in memory or in a temporary file; `stream.rs`: standard input.

mod archive;
mod found;
mod package;
mod spool;
mod stream;

use super::files::facts::{Asks, Facts};
use super::files::location::Location;
use super::files::machine::{self, Outside};
use super::files::wants::Wants;
use super::files::{elf, foreign};
use super::input::{Bytes, Input, OnDisk, may_be_read};
use super::packages::{self, Budget, Follows};
use super::system;
use std::cell::{Cell, RefCell};
use std::path::Path;

pub use found::Found;
pub use stream::standard_input;

/// Maximum nesting depth of packages and archives.
pub const DEEPEST: usize = 8;
/// Maximum number of programs in a universal (multi-architecture) Mach-O file. Additional programs are ignored.
const MOST_IN_ONE: usize = 64;
/// Number of bytes to read from the beginning of a file that may contain code. This is enough for most headers.
const HEAD: usize = 4096;

/// Description of a file without code.
const NO_CODE: &str = "not an ELF, PE or Mach-O file, an archive of such files, a package, or LLVM bitcode";
const NOT_QUICK: &str = "a package, which --quick does not unpack";
const OTHER: &str = "for a processor not selected by --machine";

thread_local! {
    /// A buffer for the first bytes of a file.
    static BUFFER: RefCell<[u8; HEAD]> = const { RefCell::new([0; HEAD]) };
}

/// The context for examining a file: its location, its nesting depth, the limits on unpacking, and the user's options.
pub struct Route<'w> {
    pub location: &'w Location,
    pub depth: usize,
    pub budget: &'w Budget,
    pub wants: &'w Wants,
}

/// Audits a file on disk.
pub fn audit(path: &Path, wants: &Wants) -> Found {
    BUFFER.with_borrow_mut(|buffer| match read(path, buffer, wants) {
        Ok(found) => found,
        Err(why) => {
            let mut found = Found::default();
            found.broken(&Location::of(path), why);
            found
        }
    })
}

fn read(path: &Path, buffer: &mut [u8; HEAD], wants: &Wants) -> Result<Found, String> {
    const OTHER_KIND: &str = "neither a file nor a directory";
    let as_text = |error: std::io::Error| error.to_string();
    let file = system::open(path).map_err(as_text)?.ok_or(OTHER_KIND)?;
    let name = path.as_os_str().as_encoded_bytes();
    let without_code = |mut found: Found, held| {
        match misnamed(name, held) {
            Some(why) if held == 0 || !wants.named => found.skip(&Location::of(path), why),
            _ => found.no_code = Some(NO_CODE),
        }
        found
    };
    // The first block and the name indicate whether the file may contain code. Most files contain none and need no
    // further system call.
    let (mut held, mut is_sought) = (0, true);
    for most in [packages::BLOCK, HEAD] {
        if most == HEAD {
            is_sought = is_of_interest(buffer.get(..held).unwrap_or_default());
            if !is_sought && (held == 0 || !wants.named && !packages::may_end_with_zip(name)) {
                return Ok(without_code(Found { looked_at: 1, ..Found::default() }, held));
            }
        }
        // sysfs files, and files that are being truncated, may be shorter than their reported size.
        while let Some(rest) = buffer.get_mut(held..most).filter(|rest| !rest.is_empty()) {
            match system::read_at(&file, rest, held as u64) {
                Ok(0) => break,
                Ok(more) => held += more,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(as_text(error)),
            }
        }
    }
    let len = system::len(&file).map_err(as_text)?.ok_or(OTHER_KIND)?;
    let head = buffer.get(..held).unwrap_or_default();
    let found = contents(&Location::of(path), head, &OnDisk::new(&file, head), len, wants);
    if is_sought || found.no_code.is_none() {
        return Ok(found);
    }
    Ok(without_code(Found { no_code: None, ..found }, held))
}

/// Audits a file's contents. `head` contains the first bytes.
pub fn contents(location: &Location, head: &[u8], bytes: &dyn Bytes, len: u64, wants: &Wants) -> Found {
    let left = Cell::new(may_be_read(len));
    let mut found = Found::default();
    let budget = Budget::of(len);
    let route = Route { location, depth: 0, budget: &budget, wants };
    match one(&route, None, head, Input::whole(bytes, len, &left), &mut found) {
        Ok(what) => found.no_code = what.filter(|_| found.files.is_empty() && found.broken.is_empty()),
        Err(why) => found.broken(location, why),
    }
    found
}

/// If a file without code has a package's name, or an empty one has a library's name, returns why it is counted as not
/// examined. `held` is the number of bytes read from the beginning of the file.
fn misnamed(name: &[u8], held: usize) -> Option<&'static str> {
    match held {
        0 if packages::is_library_name(name) => Some("an empty file that is named like a library"),
        0 => packages::is_package_name(name).then_some("an empty file that is named like a package"),
        _ => packages::is_package_name(name)
            .then_some("named like a package or an image, but not in a known format"),
    }
}

/// Returns whether a file that begins with `head` may contain code.
pub fn is_of_interest(head: &[u8]) -> bool {
    match head {
        [b'!', b'<', b'a', b'r', ..] | [b'!', b'<', b't', b'h', ..] | [0x7f, b'E', b'L', b'F', ..] => true,
        [b'#', b'!', ..] => true, // an archive may follow the script
        [b'B', b'C', 0xc0, 0xde, ..] | [0xde, 0xc0, 0x17, 0x0b, ..] => true,
        _ => {
            foreign::is_fat(head)
                || foreign::may_be_one(head)
                || packages::kind(head).is_some()
                || packages::is_tar(head)
        }
    }
}

/// Adds a file or archive member, or the files that it contains, to `found`. The file's kind is determined from its first
/// bytes. Returns a description if the file has no code or is for a processor not selected by `--machine`.
pub fn one(
    route: &Route<'_>,
    member: Option<Vec<u8>>,
    head: &[u8],
    input: Input<'_>,
    found: &mut Found,
) -> Result<Option<&'static str>, String> {
    let wants = route.wants;
    if member.is_none() {
        found.looked_at += 1;
    }
    let too_deep = route.depth >= DEEPEST;
    let facts = match head {
        [b'!', b'<', b'a', b'r', b'c', b'h', b'>', b'\n', ..] if !too_deep => {
            return archive::members(route, member, input, found).map(|()| None);
        }
        [b'!', b'<', b'a', b'r', b'c', b'h', b'>', b'\n', ..] => {
            return Err("archives are nested too deeply".into());
        }
        [b'!', b'<', b't', b'h', b'i', b'n', b'>', b'\n', ..] => {
            found.skip(route.location, "a thin archive: its members are separate files");
            return Ok(None);
        }
        [0x7f, b'E', b'L', b'F', ..] => {
            if let Some(packages::Kind::Other(what)) = packages::kind(head) {
                found.skip(route.location, what);
            }
            appended(route, &member, head, input, found)?;
            let is_named = wants.named && route.depth == 0 && member.is_none();
            elf::facts(input, wants, wants.details || is_named)?
        }
        // Bitcode, plain or in Apple's wrapper.
        [b'B', b'C', 0xc0, 0xde, ..] | [0xde, 0xc0, 0x17, 0x0b, ..] => Ok(Facts::bitcode()),
        _ if foreign::is_fat(head) && !too_deep => {
            for (number, part) in foreign::fat(input).into_iter().take(MOST_IN_ONE).enumerate() {
                let (head, held) = part.head::<16>()?;
                let name = match &member {
                    Some(outer) => [outer, format!("({number})").as_bytes()].concat(),
                    None => number.to_string().into_bytes(),
                };
                let inner = Route { depth: route.depth + 1, ..*route };
                one(&inner, Some(name), head.get(..held).unwrap_or_default(), part, found)?;
            }
            return Ok(None);
        }
        [b'#', b'!', ..] => {
            let is_package = appended(route, &member, head, input, found)?;
            return Ok((!is_package).then_some(NO_CODE));
        }
        _ => match packages::kind(head) {
            kind if wants.quick && (kind.is_some() || packages::is_tar(head)) => {
                found.skip(route.location, NOT_QUICK);
                return Ok(None);
            }
            Some(kind) => return package::members(kind, route, input, found).map(|()| None),
            None if packages::is_tar(head) => {
                return package::tar_members(route, input, found).map(|()| None);
            }
            None if foreign::may_be_one(head) => {
                let is_package = head.starts_with(b"MZ") && appended(route, &member, head, input, found)?;
                match foreign::facts(input, wants)? {
                    Some(facts) => facts,
                    None => return Ok((!is_package).then_some(NO_CODE)),
                }
            }
            None => {
                let is_package = appended(route, &member, head, input, found)?;
                return Ok((!is_package).then_some(NO_CODE));
            }
        },
    };
    match facts {
        Ok(facts) if !wants.takes(facts.machine) => Ok(Some(OTHER)),
        Ok(mut facts) => {
            let location = Location { member, ..route.location.clone() };
            let is_silent = facts.asks == Asks::SaysNothing && facts.writes.is_empty();
            let is_firmware = is_silent && is_bare(&location) || machine::is_boot_path(&location.outer());
            if is_firmware && !facts.has_system {
                facts.outside.get_or_insert(Outside::Firmware);
            }
            found.add(location, facts, wants);
            Ok(None)
        }
        Err(what) => Ok(Some(what)),
    }
}

/// Examines any package after a program, a script or another header, and returns whether there is one.
fn appended(
    route: &Route<'_>,
    member: &Option<Vec<u8>>,
    head: &[u8],
    input: Input<'_>,
    found: &mut Found,
) -> Result<bool, String> {
    if route.wants.quick || member.is_some() || route.depth >= DEEPEST {
        return Ok(false);
    }
    match packages::follows(input, head.starts_with(b"#!")) {
        None => return Ok(false),
        Some(Follows::Other(why)) => found.skip(route.location, why),
        Some(Follows::Zip) => package::members(packages::Kind::Zip, route, input, found)?,
        Some(Follows::Archive(at)) => {
            let archive = input.part(at, input.len() - at).ok_or_else(|| input.why_unreadable())?;
            package::appended(route, archive, found)?;
        }
    }
    Ok(true)
}

/// Returns whether a directory on a file's path is named after a bare-metal target.
fn is_bare(location: &Location) -> bool {
    machine::is_bare_path(&String::from_utf8_lossy(&location.outer()))
}
