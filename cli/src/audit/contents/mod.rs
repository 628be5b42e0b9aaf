//! Contents of files: their kinds, and the files in archives and packages.
//!
//! - `found.rs`: the results; `archive.rs`: archives of object files; `package.rs`: members of packages; `spool.rs`: a
//!   member's bytes, in memory or in a temporary file.

mod archive;
mod found;
mod package;
mod spool;

use super::files::facts::{Asks, Facts};
use super::files::machine::{self, Outside};
use super::files::place::Place;
use super::files::wants::Wants;
use super::files::{elf, foreign};
use super::input::{Bytes, Input, OnDisk, may_be_read};
use super::packages::{self, Budget};
use super::system;
use std::cell::{Cell, RefCell};
use std::path::Path;

pub use found::Found;

/// Maximum nesting depth of packages and archives.
pub const DEEPEST: usize = 8;
/// Maximum number of programs in a Mach-O file for several processors. Further programs are ignored.
const MOST_IN_ONE: usize = 64;
/// Number of bytes that are read from the beginning of a file if it may contain code. These bytes contain most headers.
const HEAD: usize = 4096;

/// Description of a file without code.
const NO_CODE: &str = "not an ELF, PE or Mach-O file, an archive of such files, a package, or LLVM bitcode";
const OTHER: &str = "for a processor that --machine does not select";

thread_local! {
    /// A buffer for the first bytes of a file.
    static BUFFER: RefCell<[u8; HEAD]> = const { RefCell::new([0; HEAD]) };
}

/// The route to a file: its location, its nesting depth, the limits on unpacking, and the user's options.
pub struct Way<'w> {
    pub place: &'w Place,
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
            found.broken(&Place::of(path), why);
            found
        }
    })
}

fn read(path: &Path, buffer: &mut [u8; HEAD], wants: &Wants) -> Result<Found, String> {
    const OTHER_KIND: &str = "neither a file nor a directory";
    let told = |error: std::io::Error| error.to_string();
    let file = system::open(path).map_err(told)?.ok_or(OTHER_KIND)?;
    // The first block shows whether the file may contain code. Most files contain no code and need no further system
    // call.
    let mut held = 0;
    for most in [packages::BLOCK, HEAD] {
        if most == HEAD && !is_of_interest(buffer.get(..held).unwrap_or_default()) {
            return Ok(Found { looked_at: 1, no_code: Some(NO_CODE), ..Found::default() });
        }
        // Files in sysfs, and files that are being truncated, may contain fewer bytes than their reported size.
        while let Some(rest) = buffer.get_mut(held..most).filter(|rest| !rest.is_empty()) {
            match system::read_at(&file, rest, held as u64) {
                Ok(0) => break,
                Ok(more) => held += more,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(told(error)),
            }
        }
    }
    let len = system::len(&file).map_err(told)?.ok_or(OTHER_KIND)?;
    let head = buffer.get(..held).unwrap_or_default();
    Ok(contents(&Place::of(path), head, &OnDisk::new(&file, head), len, wants))
}

/// Audits a file's contents. `head` contains the first bytes.
pub fn contents(place: &Place, head: &[u8], bytes: &dyn Bytes, len: u64, wants: &Wants) -> Found {
    let left = Cell::new(may_be_read(len));
    let mut found = Found::default();
    let budget = Budget::of(len);
    let way = Way { place, depth: 0, budget: &budget, wants };
    match one(&way, None, head, Input::whole(bytes, len, &left), &mut found) {
        Ok(what) => found.no_code = what.filter(|_| found.files.is_empty() && found.broken.is_empty()),
        Err(why) => found.broken(place, why),
    }
    found
}

/// Whether a file that begins with `head` may contain code.
pub fn is_of_interest(head: &[u8]) -> bool {
    match head {
        [b'!', b'<', b'a', b'r' | b't', ..] | [0x7f, b'E', b'L', b'F', ..] => true,
        [b'B', b'C', 0xc0, 0xde, ..] | [0xde, 0xc0, 0x17, 0x0b, ..] => true,
        _ => {
            foreign::is_fat(head)
                || foreign::may_be_one(head)
                || packages::kind(head).is_some()
                || packages::is_tar(head)
        }
    }
}

/// Adds a file or archive member, or the files that it contains, to `found`. The first bytes identify the kind of file.
/// Returns a description if the file has no code, or is for a processor that `--machine` does not select.
pub fn one(
    way: &Way<'_>,
    member: Option<Vec<u8>>,
    head: &[u8],
    input: Input<'_>,
    found: &mut Found,
) -> Result<Option<&'static str>, String> {
    let wants = way.wants;
    if member.is_none() {
        found.looked_at += 1;
    }
    let too_deep = way.depth >= DEEPEST;
    let facts = match head {
        [b'!', b'<', b'a', b'r', b'c', b'h', b'>', b'\n', ..] if !too_deep => {
            return archive::members(way, member, input, found).map(|()| None);
        }
        [b'!', b'<', b'a', b'r', b'c', b'h', b'>', b'\n', ..] => {
            return Err("archives are nested too deeply".into());
        }
        [b'!', b'<', b't', b'h', b'i', b'n', b'>', b'\n', ..] => {
            return Err("a thin archive: its members are separate files".into());
        }
        [0x7f, b'E', b'L', b'F', ..] => {
            if let Some(packages::Kind::Other(what)) = packages::kind(head) {
                found.skip(way.place, what);
            }
            let is_named = wants.named && way.depth == 0 && member.is_none();
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
                let inner = Way { depth: way.depth + 1, ..*way };
                one(&inner, Some(name), head.get(..held).unwrap_or_default(), part, found)?;
            }
            return Ok(None);
        }
        _ => match packages::kind(head) {
            Some(_) if wants.quick => {
                found.skip(way.place, "a package, which --quick does not unpack");
                return Ok(None);
            }
            Some(kind) => return package::members(kind, way, input, found).map(|()| None),
            None if packages::is_tar(head) && !wants.quick => {
                return package::tar_members(way, input, found).map(|()| None);
            }
            None if foreign::may_be_one(head) => match foreign::facts(input, wants)? {
                Some(facts) => facts,
                None => return Ok(Some(NO_CODE)),
            },
            None => return Ok(Some(NO_CODE)),
        },
    };
    match facts {
        Ok(facts) if !wants.takes(facts.machine) => Ok(Some(OTHER)),
        Ok(mut facts) => {
            let place = Place { member, ..way.place.clone() };
            let is_silent = facts.asks == Asks::SaysNothing && facts.writes.is_empty();
            if is_silent && is_bare(&place) || machine::is_boot_path(&place.outer()) {
                facts.outside.get_or_insert(Outside::Firmware);
            }
            found.add(place, facts, wants);
            Ok(None)
        }
        Err(what) => Ok(Some(what)),
    }
}

/// Whether a directory on a file's path is named after a bare-metal target.
fn is_bare(place: &Place) -> bool {
    machine::is_bare_path(&String::from_utf8_lossy(&place.outer()))
}
