//! What `unix.rs` has, on Windows.

use std::fs::{File, Metadata};
use std::io;
use std::os::windows::io::AsRawHandle;
use std::path::Path;
use windows_sys::Win32::Storage::FileSystem::{FILE_TYPE_DISK, GetFileType};

/// Opens a file to be read, and says how long it is; nothing if it is none, but a directory, a pipe or a device (`NUL`, `CON`,
/// which have these names in every directory).
pub fn open(path: &Path) -> io::Result<Option<(File, u64)>> {
    let file = File::open(path)?;
    // SAFETY: the handle is open as long as the file is.
    if unsafe { GetFileType(file.as_raw_handle()) } != FILE_TYPE_DISK {
        return Ok(None);
    }
    let metadata = file.metadata()?;
    Ok(metadata.is_file().then(|| (file, metadata.len())))
}

/// Why a file has to stay.
pub fn must_stay(_: &Path, _: &Metadata) -> Option<&'static str> {
    Some(
        "--in-place is not there on Windows: a successor would not have its access list, its streams and its other names; clear \
         a copy, and put that in its place",
    )
}

/// A new file.
pub fn create(path: &Path) -> io::Result<File> {
    File::options().write(true).create_new(true).open(path)
}

/// It has the owner that the directory gives.
pub fn give_owner(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// It has the access list that the directory gives.
pub fn give_rights(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}
