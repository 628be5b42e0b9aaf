//! Members of a tar archive.

use super::{LONGEST_NAME, Members, read_fully};
use std::io::Read;
use tar::{Archive, EntryType, Header, PaxExtensions};

/// Length in bytes of a block. A header takes one block, and a member is padded to whole blocks.
pub const BLOCK: usize = 512;
/// Maximum length in bytes of a member's extended headers. The crate itself would read them without a limit.
const LONGEST_EXTENSION: u64 = 1 << 16;

/// Returns whether `block` is a header, that is, has a correct checksum.
pub fn is_one(block: &[u8]) -> bool {
    let Some(block) = block.first_chunk::<BLOCK>() else { return false };
    // For a checksum with invalid digits, the `tar` crate would format an error message, which is slow.
    if block[0] == 0 || !block[148..156].iter().all(|it| matches!(it, b'0'..=b'7' | b' ' | 0)) {
        return false;
    }
    let header = Header::from_byte_slice(block);
    let sum: u32 = block.iter().map(|&byte| u32::from(byte)).sum();
    let own: u32 = block[148..156].iter().map(|&byte| u32::from(byte)).sum();
    header.cksum().is_ok_and(|stored| stored == sum - own + 8 * u32::from(b' '))
}

/// Examines the regular files in an archive. Links are skipped, because their targets are elsewhere in the archive or
/// outside it.
pub fn members(reader: &mut dyn Read, to: &mut dyn Members) -> Result<(), String> {
    let broken = |error: std::io::Error| format!("an incomplete or invalid archive: {error}");
    let mut archive = Archive::new(reader);
    let mut long_name: Option<Vec<u8>> = None;
    let mut is_sparse = false;
    for entry in archive.entries().map_err(broken)?.raw(true) {
        let mut entry = entry.map_err(broken)?;
        let kind = entry.header().entry_type();
        if kind.is_gnu_longname() || kind.is_pax_local_extensions() {
            let mut bytes = vec![0; entry.size().min(LONGEST_EXTENSION) as usize];
            let held = read_fully(&mut entry, &mut bytes).map_err(broken)?;
            bytes.truncate(held);
            long_name = match kind {
                EntryType::GNULongName => {
                    Some(bytes.split(|&byte| byte == 0).next().unwrap_or_default().to_vec())
                }
                _ => {
                    let (path, sparse) = pax(&bytes)?;
                    is_sparse |= sparse;
                    path.or(long_name)
                }
            };
            continue;
        }
        if kind == EntryType::GNULongLink || kind.is_pax_global_extensions() {
            continue;
        }
        let name = long_name.take().unwrap_or_else(|| entry.path_bytes().into_owned());
        match kind.as_byte() {
            _ if std::mem::take(&mut is_sparse) || kind == EntryType::GNUSparse => {
                to.skip(Some(&name), "a sparse member");
            }
            // Skips links, devices, directories, and GNU name lists and volume labels.
            b'1'..=b'6' | b'D' | b'V' => {}
            // POSIX requires that unknown kinds be treated as regular files.
            _ => to.member(&name, &mut entry)?,
        }
    }
    Ok(())
}

/// Returns the name in extended headers, and whether the member is a GNU sparse file. A size in extended headers is an
/// error: only members larger than 8 GiB need one, and these are not examined.
fn pax(bytes: &[u8]) -> Result<(Option<Vec<u8>>, bool), String> {
    let (mut path, mut is_sparse) = (None, false);
    for extension in PaxExtensions::new(bytes).flatten() {
        match extension.key_bytes() {
            b"path" => {
                path = extension
                    .value_bytes()
                    .get(..LONGEST_NAME)
                    .or(Some(extension.value_bytes()))
                    .map(<[u8]>::to_vec)
            }
            key if key.starts_with(b"GNU.sparse.") => is_sparse = true,
            b"size" => {
                return Err("a member's size is in an extended header, which only members larger than \
                     8 GiB need"
                    .into());
            }
            _ => {}
        }
    }
    Ok((path, is_sparse))
}
