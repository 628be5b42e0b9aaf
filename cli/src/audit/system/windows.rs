//! Windows counterpart of `unix.rs`.

use std::fs::{File, Metadata};
use std::io;
use std::mem::MaybeUninit;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsRawHandle;
use std::path::Path;
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_BACKUP_SEMANTICS, FILE_TYPE_DISK, GetFileInformationByHandle, GetFileType,
};

/// Opens a file for reading. Returns `None` for a directory, a pipe or a device. (`NUL` and `CON` name devices in every
/// directory.)
pub fn open(path: &Path) -> io::Result<Option<File>> {
    let file = File::open(path)?;
    // SAFETY: the handle stays open as long as `file` exists.
    if unsafe { GetFileType(file.as_raw_handle()) } != FILE_TYPE_DISK {
        return Ok(None);
    }
    Ok(len(&file)?.map(|_| file))
}

/// Returns the length of a file in bytes, or `None` for a directory.
pub fn len(file: &File) -> io::Result<Option<u64>> {
    let metadata = file.metadata()?;
    Ok(metadata.is_file().then_some(metadata.len()))
}

/// Reads bytes at an offset, independently of the file's position.
pub fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, into, at)
}

/// The directories between the search's root and the directory being searched, identified by volume number and file
/// number, or `None` if unknown.
pub struct Ancestors(Vec<Option<(u32, u32, u32)>>);

impl Ancestors {
    pub fn start() -> Self {
        Ancestors(Vec::new())
    }

    /// Returns true if a directory at this depth is not yet on the path. Under Wine, a Unix link appears as a
    /// directory, so a directory may already be on the path.
    pub fn enter(&mut self, directory: &Path, depth: usize) -> bool {
        self.0.truncate(depth);
        let number = number(directory);
        let on = number.is_none() || !self.0.contains(&number);
        self.0.push(number);
        on
    }
}

fn number(directory: &Path) -> Option<(u32, u32, u32)> {
    // Directories cannot be opened without this flag, but need not be readable, since no access rights are requested.
    let opened =
        File::options().access_mode(0).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(directory).ok()?;
    let mut info = MaybeUninit::zeroed();
    // SAFETY: the handle stays open as long as `opened` exists, and the pointer is valid for writing the whole
    // structure.
    let known = unsafe { GetFileInformationByHandle(opened.as_raw_handle(), info.as_mut_ptr()) };
    // SAFETY: the call has filled the whole structure.
    let info = (known != 0).then(|| unsafe { info.assume_init() })?;
    Some((info.dwVolumeSerialNumber, info.nFileIndexHigh, info.nFileIndexLow))
}

/// Returns `None`: the standard library does not provide the volume number.
pub fn file_system(_: &Metadata) -> Option<u64> {
    None
}

/// Returns false: Windows has no file systems of generated files.
pub fn is_pseudo(_: &Path) -> bool {
    false
}

/// Returns the reason why a file must not be replaced.
pub fn must_stay(_: &Path, _: &Metadata) -> Option<&'static str> {
    Some(
        "--in-place is not available on Windows: the new file would lack the ACL, the alternate data \
         streams and the other hard links; use --clear without --in-place, and replace the file yourself",
    )
}

/// Creates a new file.
pub fn create(path: &Path) -> io::Result<File> {
    File::options().write(true).create_new(true).open(path)
}

/// Does nothing: the new file gets its owner from the directory.
pub fn give_owner(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// Does nothing: the new file inherits its ACL from the directory.
pub fn give_rights(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}
