//! Rewrites wheels: replaces members with copies that do not request an executable stack, and updates RECORD. All other
//! members are copied without being unpacked. Names, order, permissions and times stay the same.

use super::record::{Entry, updated};
use crate::audit::packages::clean;
use rawzip::path::EntryPath;
use rawzip::time::{DosDateTime, UtcDateTime};
use rawzip::{
    CompressionMethod, DataDescriptorOutput, FileReader, ZipArchive, ZipArchiveEntryWayfinder,
    ZipArchiveWriter,
};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Maximum length in bytes of a changed member. Changed members are kept in memory.
const LONGEST: u64 = 2 << 30;
const LONGEST_RECORD: u64 = 256 << 20;
const MOST_MEMBERS: usize = 1 << 20;
/// Length in bytes of a buffer for any central directory record.
const BUFFER: usize = rawzip::MAX_CENTRAL_DIRECTORY_RECORD_SIZE;

/// A member of a wheel.
struct Member {
    name: Vec<u8>,
    is_utf8: bool,
    is_dir: bool,
    method: CompressionMethod,
    time: Option<UtcDateTime>,
    attributes: u32,
    sum: u32,
    len: u64,
    comment: Vec<u8>,
    wayfinder: ZipArchiveEntryWayfinder,
}

/// A wheel and its new RECORD.
pub struct Wheel {
    path: PathBuf,
    archive: ZipArchive<FileReader>,
    members: Vec<Member>,
    /// The names of the members whose flags to clear.
    changed: BTreeMap<Vec<u8>, Entry>,
    /// The names of the signature files for RECORD.
    signatures: Vec<Vec<u8>>,
    record_name: Vec<u8>,
    record: Vec<u8>,
    comment: Vec<u8>,
}

fn invalid(error: &dyn std::fmt::Display) -> String {
    format!("its zip archive cannot be rewritten: {error}")
}

/// Returns whether a member is the metadata file `name`.
fn is_metadata(member: &[u8], name: &[u8]) -> bool {
    let directory = member.strip_suffix(name).and_then(|it| it.strip_suffix(b".dist-info/"));
    directory.is_some_and(|it| !it.contains(&b'/'))
}

impl Wheel {
    /// Reads a wheel, and computes its new RECORD. `wanted` contains the names of the members whose flags to clear.
    ///
    /// # Errors
    /// Returns an error message if the wheel is invalid, or if a member cannot be changed.
    pub fn open(path: &Path, wanted: &BTreeSet<&[u8]>) -> Result<Self, String> {
        let mut buffer = vec![0; BUFFER];
        let file = File::open(path).map_err(|error| error.to_string())?;
        let archive = ZipArchive::from_file(file, &mut buffer).map_err(|error| invalid(&error))?;
        let mut comment = Vec::new();
        archive.comment().read_to_end(&mut comment).map_err(|error| invalid(&error))?;
        let (members, names) = members(&archive, &mut buffer)?;
        let mut records = members.iter().filter(|it| is_metadata(&it.name, b"RECORD"));
        let (Some(record), None) = (records.next(), records.next()) else {
            return Err("it does not have exactly one RECORD".into());
        };
        let record_name = record.name.clone();
        let is_signature =
            |name: &[u8]| [&b"RECORD.jws"[..], b"RECORD.p7s"].iter().any(|it| is_metadata(name, it));
        let signatures: Vec<Vec<u8>> = names.into_iter().filter(|name| is_signature(name)).collect();
        let mut wheel = Wheel {
            path: path.to_owned(),
            members,
            archive,
            changed: BTreeMap::new(),
            signatures,
            record: Vec::new(),
            record_name,
            comment,
        };
        for member in wheel.members.iter().filter(|it| wanted.contains(clean(&it.name))) {
            let old_sum = Sha256::digest(wheel.unpacked(member, LONGEST)?).into();
            let bytes = wheel.cleared(member)?;
            let entry = Entry { old_sum, sum: Sha256::digest(&bytes).into(), len: bytes.len() as u64 };
            wheel.changed.insert(member.name.clone(), entry);
        }
        if wheel.changed.len() != wanted.len() {
            return Err(
                "a member that requests an executable stack is in a package nested in the wheel".into()
            );
        }
        let record = wheel.members.iter().find(|it| it.name == wheel.record_name);
        let record = wheel.unpacked(record.ok_or("it has no RECORD")?, LONGEST_RECORD)?;
        wheel.record = updated(&record, &wheel.changed, &wheel.signatures)?;
        Ok(wheel)
    }

    /// Returns whether the wheel is signed. (The copy is never signed.)
    pub fn is_signed(&self) -> bool {
        !self.signatures.is_empty()
    }

    /// Writes the new wheel.
    ///
    /// # Errors
    /// Returns an error message if the wheel cannot be read, or the copy cannot be written.
    pub fn write(&self, out: &mut File) -> Result<(), String> {
        let mut zip = ZipArchiveWriter::new(BufWriter::with_capacity(1 << 16, out));
        zip.set_comment(self.comment.as_slice());
        for member in self.members.iter().filter(|it| !self.signatures.contains(&it.name)) {
            self.copy(member, &mut zip)?;
        }
        let mut out = zip.finish().map_err(|error| error.to_string())?;
        out.flush().map_err(|error| error.to_string())
    }

    fn copy<W: Write>(&self, member: &Member, zip: &mut ZipArchiveWriter<W>) -> Result<(), String> {
        let as_text = |error: rawzip::Error| error.to_string();
        let name = match std::str::from_utf8(&member.name) {
            Ok(name) if member.is_utf8 && !name.is_ascii() => EntryPath::conformant(name),
            _ => EntryPath::verbatim(member.name.as_slice()),
        };
        let rights = member.attributes >> 16;
        if member.is_dir {
            let mut directory = zip.new_dir(name).comment(member.comment.as_slice());
            if let Some(time) = member.time {
                directory = directory.last_modified(time);
            }
            if rights != 0 {
                directory = directory.unix_permissions(rights);
            }
            return directory.create().map(drop).map_err(as_text);
        }
        let mut file =
            zip.new_file(name).compression_method(member.method).comment(member.comment.as_slice());
        if let Some(time) = member.time {
            file = file.last_modified(time);
        }
        if rights != 0 {
            file = file.unix_permissions(rights);
        }
        let (mut entry, config) = file.start().map_err(as_text)?;
        let bytes = if member.name == self.record_name {
            self.record.clone()
        } else if self.changed.contains_key(&member.name) {
            self.cleared(member)?
        } else {
            let content = self.archive.get_entry(member.wayfinder).map_err(|error| invalid(&error))?;
            std::io::copy(&mut content.reader(), &mut entry).map_err(|error| error.to_string())?;
            return entry
                .finish(DataDescriptorOutput::new(member.sum, member.len))
                .map(drop)
                .map_err(as_text);
        };
        let output = if member.method == CompressionMethod::STORE {
            let mut plain = config.wrap(&mut entry);
            plain.write_all(&bytes).map_err(|error| error.to_string())?;
            plain.finish().map_err(as_text)?.1
        } else {
            let level = flate2::Compression::default();
            let mut packed = config.wrap(flate2::write::DeflateEncoder::new(&mut entry, level));
            packed.write_all(&bytes).map_err(|error| error.to_string())?;
            let (encoder, output) = packed.finish().map_err(as_text)?;
            encoder.finish().map_err(|error| error.to_string())?;
            output
        };
        entry.finish(output).map(drop).map_err(as_text)
    }

    /// Returns a member's contents, changed so that it does not request an executable stack.
    fn cleared(&self, member: &Member) -> Result<Vec<u8>, String> {
        let mut bytes = self.unpacked(member, LONGEST)?;
        super::clear(&self.path, &mut bytes)?;
        Ok(bytes)
    }

    /// Returns a member's contents, or an error message if their checksum is wrong.
    fn unpacked(&self, member: &Member, longest: u64) -> Result<Vec<u8>, String> {
        let content = self.archive.get_entry(member.wayfinder).map_err(|error| invalid(&error))?;
        let reader: Box<dyn Read> = match member.method {
            CompressionMethod::STORE => Box::new(content.reader()),
            CompressionMethod::DEFLATE => Box::new(flate2::read::DeflateDecoder::new(content.reader())),
            _ => return Err("a member that must be changed has an unsupported compression method".into()),
        };
        let mut bytes = Vec::new();
        let len = reader.take(longest + 1).read_to_end(&mut bytes).map_err(|error| invalid(&error))?;
        let mut sum = flate2::Crc::new();
        sum.update(&bytes);
        if len as u64 != member.len || sum.sum() != member.sum {
            return Err("a member that must be changed is damaged or too long".into());
        }
        Ok(bytes)
    }
}

/// Returns a wheel's members in order, and the set of their names.
fn members(
    archive: &ZipArchive<FileReader>,
    buffer: &mut [u8],
) -> Result<(Vec<Member>, BTreeSet<Vec<u8>>), String> {
    let (mut members, mut names) = (Vec::new(), BTreeSet::new());
    let mut entries = archive.entries(buffer);
    while let Some(entry) = entries.next_entry().map_err(|error| invalid(&error))? {
        let name = entry.file_path().as_ref().to_vec();
        if entry.flags().is_encrypted() {
            return Err("it has an encrypted member".into());
        }
        if !names.insert(name.clone()) || members.len() >= MOST_MEMBERS {
            return Err("it has too many members, or two with the same name".into());
        }
        members.push(Member {
            is_utf8: entry.flags().is_utf8(),
            is_dir: entry.is_dir(),
            method: entry.compression_method(),
            time: time(entry.last_modified_dos()),
            attributes: entry.external_attributes(),
            sum: entry.crc32(),
            len: entry.uncompressed_size_hint(),
            comment: entry.comment().as_bytes().to_vec(),
            wayfinder: entry.wayfinder(),
            name,
        });
    }
    Ok((members, names))
}

/// Returns a member's modification time. Zip archives store local times without a time zone, so the time is copied
/// unchanged.
fn time(it: DosDateTime) -> Option<UtcDateTime> {
    UtcDateTime::from_components(it.year(), it.month(), it.day(), it.hour(), it.minute(), it.second(), 0)
}
