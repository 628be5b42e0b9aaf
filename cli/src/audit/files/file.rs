//! Kind of a file, and the members of an archive.

use super::elf;
use super::facts::{Asks, Audited, Facts};
use super::foreign;
use super::machine::{self, Outside};
use super::system;
use super::wants::Wants;
use crate::audit::input::{Bytes, Input, OnDisk, may_be_read};
use crate::audit::packages::{self, Budget, DEEPEST, Way};
use crate::audit::report::verdict::{self, Verdict};
use crate::shown::shown;
use object::read::archive::ArchiveFile;
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The place of a file: its path on disk, the path in a package, the member of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub file: Arc<PathBuf>,
    /// The path in a package and in nested packages. Empty for the file itself.
    pub inner: Vec<u8>,
    pub member: Option<Vec<u8>>,
}

impl Place {
    pub fn of(path: &Path) -> Self {
        Place { file: Arc::new(path.to_owned()), inner: Vec::new(), member: None }
    }

    /// A file in this package.
    pub fn within(&self, name: &[u8]) -> Self {
        let mut inner = self.inner.clone();
        if !inner.is_empty() {
            inner.push(b':');
        }
        inner.extend(name);
        Place { inner, file: self.file.clone(), member: None }
    }

    /// The name without the member of an archive.
    pub fn outer(&self) -> Vec<u8> {
        let mut name = self.file.as_os_str().as_encoded_bytes().to_vec();
        if !self.inner.is_empty() {
            name.push(b':');
            name.extend(&self.inner);
        }
        name
    }

    /// The whole name: `file:path(member)`.
    pub fn name(&self) -> Vec<u8> {
        let mut name = self.outer();
        if let Some(member) = &self.member {
            name.push(b'(');
            name.extend(member);
            name.push(b')');
        }
        name
    }

    /// Whether this is a file on disk, and not a part of one.
    pub fn is_file(&self) -> bool {
        self.inner.is_empty() && self.member.is_none()
    }
}

/// Maximum number of programs in a file for several processors.
const MOST_IN_ONE: usize = 64;
/// Maximum number of broken or skipped parts that are named.
const MOST_NAMED: usize = 64;
/// Number of bytes that are read first, in one operation. Most headers are among these bytes.
const HEAD: usize = 4096;

/// Description of a file without code.
const NO_CODE: &str = "not an ELF, PE or Mach-O file, an archive of such files, a package, or LLVM bitcode";
const OTHER: &str = "for a processor that --machine does not name";

/// Results for a file on disk.
#[derive(Default)]
pub struct Found {
    /// Files with something to report, or all files if details are wanted.
    pub files: Vec<Audited>,
    /// Number of files, including those in packages. An archive of object files counts as one.
    pub looked_at: usize,
    /// Number of files without machine code, and of firmware.
    pub no_machine_code: usize,
    pub firmware: usize,
    /// Places that could not be read, with the reasons, and the number of such places that are not listed.
    pub broken: Vec<(Place, String)>,
    pub more_broken: usize,
    /// Places that were not examined, with the reasons, and the number of such places that are not listed.
    pub skipped: Vec<(Place, &'static str)>,
    pub more_skipped: usize,
    /// A description of the file if it has no code.
    pub no_code: Option<&'static str>,
}

impl Found {
    pub fn broken(&mut self, place: &Place, why: String) {
        if self.broken.len() < MOST_NAMED {
            self.broken.push((place.clone(), why));
        } else {
            self.more_broken += 1;
        }
    }

    pub fn skip(&mut self, place: &Place, why: &'static str) {
        if self.skipped.len() < MOST_NAMED {
            self.skipped.push((place.clone(), why));
        } else {
            self.more_skipped += 1;
        }
    }

    /// Adds a file, or counts it if it has nothing to report.
    fn add(&mut self, place: Place, facts: Facts, wants: &Wants) {
        match facts.outside {
            Some(Outside::NoMachineCode) => self.no_machine_code += 1,
            Some(Outside::Firmware) => self.firmware += 1,
            None => {}
        }
        let verdict = Verdict::of(&facts);
        let is_told =
            verdict::is_finding(verdict, &facts) || verdict == Verdict::Unknown && facts.outside.is_none();
        if is_told || wants.details || wants.named && place.is_file() {
            self.files.push(Audited { place, facts });
        }
    }
}

/// Audits a file on disk. `named`: the user named it.
pub fn audit(path: &Path, wants: &Wants) -> Found {
    let place = Place::of(path);
    let mut found = Found::default();
    let (file, len) = match system::open(path) {
        Err(error) => {
            found.broken(&place, error.to_string());
            return found;
        }
        Ok(None) => {
            found.broken(&place, "neither a file nor a directory".into());
            return found;
        }
        Ok(Some(opened)) => opened,
    };
    let mut head = [0; HEAD];
    // Files in sysfs, and files that are being written, may have fewer bytes than their stated length.
    let mut held = 0;
    while held < HEAD.min(usize::try_from(len).unwrap_or(usize::MAX)) {
        match system::read_at(&file, head.get_mut(held..).unwrap_or_default(), held as u64) {
            Ok(0) => break,
            Ok(more) => held += more,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => {
                found.broken(&place, error.to_string());
                return found;
            }
        }
    }
    let head = head.get(..held).unwrap_or_default();
    if !is_of_interest(head) {
        found.looked_at += 1;
        found.no_code = Some(NO_CODE);
        return found;
    }
    contents(&place, head, &OnDisk { file: &file, head }, len, wants)
}

/// Audits a file's contents; `head` contains the first bytes.
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

/// Whether a file that begins with these bytes may contain code.
pub fn is_of_interest(head: &[u8]) -> bool {
    match head {
        [b'!', b'<', b'a', b'r' | b't', ..] | [0x7f, b'E', b'L', b'F', ..] => true,
        [b'B', b'C', 0xc0, 0xde, ..] | [0xde, 0xc0, 0x17, 0x0b, ..] | [0xca, 0xfe, 0xba, 0xbe | 0xbf, ..] => {
            true
        }
        _ => foreign::may_be_one(head) || packages::kind(head).is_some() || packages::is_tar(head),
    }
}

/// Adds a file or archive member, identified by its first bytes, or the files that it contains, to `found`. If it has no
/// code, the result says so.
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
            return archive(way, member, input, found).map(|()| None);
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
        // Apple's wrapper.
        [b'B', b'C', 0xc0, 0xde, ..] | [0xde, 0xc0, 0x17, 0x0b, ..] => Ok(Facts::bitcode()),
        [0xca, 0xfe, 0xba, 0xbe | 0xbf, ..] if !too_deep => {
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
            Some(kind) => return packages::members(kind, way, input, found).map(|()| None),
            None if packages::is_tar(head) && !wants.quick => {
                return packages::tar_members(way, input, found).map(|()| None);
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

/// Whether a directory on a file's path is named after a target without an operating system.
fn is_bare(place: &Place) -> bool {
    machine::is_bare_path(&String::from_utf8_lossy(&place.outer()))
}

fn archive(
    way: &Way<'_>,
    within: Option<Vec<u8>>,
    input: Input<'_>,
    found: &mut Found,
) -> Result<(), String> {
    let cache = input.cached();
    let data = crate::audit::input::Cached(&cache);
    let incomplete = |error| format!("an incomplete archive: {error}");
    let archive = ArchiveFile::parse(data).map_err(incomplete)?;
    let (already, firmware) = (found.files.len(), found.firmware);
    let (mut is_deb, mut has_data) = (false, false);
    for (number, member) in archive.members().enumerate() {
        let member = member.map_err(incomplete)?;
        let (start, len) = member.file_range();
        let name = member.name().to_vec();
        let in_place = |why: String| format!("{}: {why}", shown(&name));
        let part = input
            .part(start, len)
            .ok_or("an incomplete archive: a member extends beyond the end of the file")?;
        is_deb |= number == 0 && name == b"debian-binary";
        if is_deb {
            if way.wants.quick {
                found.skip(way.place, "a package, which --quick does not unpack");
                return Ok(());
            }
            if name.starts_with(b"data.tar") {
                has_data = true;
                packages::deb_member(way, part, found)?;
            }
            continue;
        }
        let (head, held) = part.head::<16>().map_err(in_place)?;
        let inner_name = match &within {
            Some(outer) => [outer, &b"("[..], &name, b")"].concat(),
            None => name.clone(),
        };
        let inner = Way { depth: way.depth + 1, ..*way };
        match one(&inner, Some(inner_name), head.get(..held).unwrap_or_default(), part, found)
            .map_err(in_place)
        {
            Err(why) if !part.is_spent() => found.broken(way.place, why),
            outcome => drop(outcome?),
        }
    }
    if is_deb && !has_data {
        return Err("a Debian package without data".into());
    }
    // A toolchain for boards never writes the note. In its libraries, only the path shows that assembly is for boards.
    if found.firmware > firmware {
        let is_same = |file: &Audited| file.facts.asks == Asks::SaysNothing && file.facts.writes.is_empty();
        let mut number = 0;
        for file in found.files.iter_mut().skip(already).filter(|file| is_same(file)) {
            number += usize::from(file.facts.outside.is_none());
            file.facts.outside.get_or_insert(Outside::Firmware);
        }
        found.firmware += number;
        if !way.wants.details {
            let mut index = 0;
            found.files.retain(|file| {
                index += 1;
                index <= already || file.facts.outside.is_none()
            });
        }
    }
    Ok(())
}
