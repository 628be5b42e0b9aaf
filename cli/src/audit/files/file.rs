//! Kind of a file, and the members of an archive.

use super::elf;
use super::facts::{Audited, Facts};
use super::foreign;
use super::system;
use crate::audit::input::{Part, may_be_read};
use crate::shown::shown;
use object::read::archive::ArchiveFile;
use object::read::{ReadCache, ReadRef};
use std::cell::Cell;
use std::io::Read;
use std::path::Path;

/// The result for a path.
pub enum Outcome {
    /// One file, or the members of an archive; with the reason why other members could not be read.
    Files(Vec<Audited>, Option<String>),
    /// Not a file that can contain trampolines: a description of the file.
    NotCode(&'static str),
    /// The reason why it cannot be read.
    Unreadable(String),
}

/// Maximum nesting depth of archives.
pub const DEEPEST: usize = 8;
/// Maximum number of programs in a file for several processors.
const MOST_IN_ONE: usize = 64;

/// Maximum number of broken members that are named.
const MOST_BROKEN: usize = 8;

/// Description of a file without code.
const NO_CODE: &str = "not an ELF, PE or Mach-O file, an archive of such files, or LLVM bitcode";

pub fn audit(path: &Path) -> Outcome {
    // Objects other than files are not even opened.
    match std::fs::metadata(path) {
        Err(error) => return Outcome::Unreadable(error.to_string()),
        Ok(metadata) if !metadata.is_file() => return Outcome::NotCode("neither a file nor a directory"),
        Ok(_) => {}
    }
    let (mut file, len) = match system::open(path) {
        Err(error) => return Outcome::Unreadable(error.to_string()),
        Ok(None) => return Outcome::NotCode(NO_CODE),
        Ok(Some(opened)) => opened,
    };
    let mut magic = [0; 8];
    // Files in sysfs, and files that are being written, may have fewer bytes than their stated length.
    let mut held = 0;
    while held < magic.len().min(usize::try_from(len).unwrap_or(usize::MAX)) {
        match file.read(&mut magic[held..]) {
            Ok(0) => break,
            Ok(more) => held += more,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Outcome::Unreadable(error.to_string()),
        }
    }
    let cache = ReadCache::new(file);
    contents(path, &magic, &cache, len)
}

/// The result for a file's contents; `magic` contains the first bytes.
pub fn contents<'data, R: ReadRef<'data>>(path: &Path, magic: &[u8], data: R, len: u64) -> Outcome {
    let left = Cell::new(may_be_read(len));
    let mut found = Found::default();
    let whole = one(path, None, magic, Part::whole(data, len, &left), 0, &mut found);
    let what = whole.unwrap_or_else(|why| {
        found.broken(why);
        NO_CODE
    });
    match (found.files.is_empty(), found.why()) {
        (true, Some(why)) => Outcome::Unreadable(why),
        (true, None) => Outcome::NotCode(what),
        (false, why) => Outcome::Files(found.files, why),
    }
}

/// The files found so far. A broken member does not affect the others.
#[derive(Default)]
struct Found {
    files: Vec<Audited>,
    why: Vec<String>,
    more: usize,
}

impl Found {
    fn broken(&mut self, why: String) {
        if self.why.len() < MOST_BROKEN { self.why.push(why) } else { self.more += 1 }
    }

    fn why(&self) -> Option<String> {
        let more = if self.more > 0 { format!("; and {} more", self.more) } else { String::new() };
        (!self.why.is_empty()).then(|| self.why.join("; ") + &more)
    }
}

/// Adds a file or archive member, identified by its first bytes, or the files that it contains, to `found`. If no file
/// is added, the result says why.
fn one<'data, R: ReadRef<'data>>(
    path: &Path,
    member: Option<String>,
    magic: &[u8],
    data: Part<'_, R>,
    depth: usize,
    found: &mut Found,
) -> Result<&'static str, String> {
    let facts = match magic {
        b"!<arch>\n" if depth < DEEPEST => return archive(path, member, data, depth, found),
        b"!<arch>\n" => return Err("archives are nested too deeply".into()),
        b"!<thin>\n" => return Err("a thin archive: its members are separate files".into()),
        [0x7f, b'E', b'L', b'F', ..] => elf::facts(data)?,
        // Apple's wrapper.
        [b'B', b'C', 0xc0, 0xde, ..] | [0xde, 0xc0, 0x17, 0x0b, ..] => Ok(Facts::bitcode()),
        [0xca, 0xfe, 0xba, 0xbe | 0xbf, ..] if depth < DEEPEST => {
            for (number, part) in foreign::fat(data)?.into_iter().take(MOST_IN_ONE).enumerate() {
                let magic = part.read_bytes_at(0, 8).map_err(|()| part.why_unreadable())?;
                let name = match &member {
                    Some(outer) => format!("{outer}({number})"),
                    None => number.to_string(),
                };
                one(path, Some(name), magic, part, depth + 1, found)?;
            }
            return Ok(NO_CODE);
        }
        _ if foreign::is_one(magic, data) => foreign::facts(data)?,
        _ => return Ok(NO_CODE),
    };
    match facts {
        Ok(facts) => found.files.push(Audited { path: path.to_owned(), member, facts }),
        Err(what) => return Ok(what),
    }
    Ok(NO_CODE)
}

fn archive<'data, R: ReadRef<'data>>(
    path: &Path,
    within: Option<String>,
    data: Part<'_, R>,
    depth: usize,
    found: &mut Found,
) -> Result<&'static str, String> {
    let archive = ArchiveFile::parse(data).map_err(|error| format!("an incomplete archive: {error}"))?;
    for member in archive.members() {
        let member = member.map_err(|error| format!("an incomplete archive: {error}"))?;
        let (start, len) = member.file_range();
        let member = String::from_utf8_lossy(member.name()).into_owned();
        let in_place = |why: String| format!("{}: {why}", shown(member.as_bytes()));
        let part = data.part(start, len).ok_or("an incomplete archive: a member ends after the file")?;
        let magic = part.read_bytes_at(0, len.min(8)).map_err(|()| in_place(part.why_unreadable()))?;
        let name = match &within {
            Some(outer) => format!("{outer}({member})"),
            None => member.clone(),
        };
        match one(path, Some(name), magic, part, depth + 1, found).map_err(in_place) {
            Err(why) if !part.is_spent() => found.broken(why),
            outcome => drop(outcome?),
        }
    }
    Ok(NO_CODE)
}
