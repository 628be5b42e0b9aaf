//! What `unix.rs` has, on Windows.

use std::fs::{File, Metadata};
use std::io;
use std::mem::MaybeUninit;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsRawHandle;
use std::path::Path;
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_BACKUP_SEMANTICS, FILE_TYPE_DISK, GetFileInformationByHandle, GetFileType,
};

/// Opens a file to be read, and says how long it is; nothing if it is none, but a directory, a pipe or a device (`NUL`, `CON`,
/// which have these names in every directory).
pub fn open(path: &Path) -> io::Result<Option<(File, u64)>> {
    let file = File::open(path)?;
    // SAFETY: the handle is open as long as the file is.
    if unsafe { GetFileType(file.as_raw_handle()) } != FILE_TYPE_DISK {
        return Ok(None);
    }
    let metadata = file.metadata()?;
    Ok(metadata.is_file().then_some((file, metadata.len())))
}

/// The directories that lead to where a search is: volume and number of each, nothing if it cannot be told.
pub struct Way(Vec<Option<(u32, u32, u32)>>);

impl Way {
    pub fn start() -> Self {
        Way(Vec::new())
    }

    /// Whether a directory, so many levels below the first, leads on, not back: under Wine links of unix are directories.
    pub fn leads_on(&mut self, directory: &Path, depth: usize) -> bool {
        self.0.truncate(depth);
        let number = number(directory);
        let on = number.is_none() || !self.0.contains(&number);
        self.0.push(number);
        on
    }
}

fn number(directory: &Path) -> Option<(u32, u32, u32)> {
    // Without that flag directories are not opened; without rights one need not be readable.
    let opened =
        File::options().access_mode(0).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(directory).ok()?;
    let mut told = MaybeUninit::zeroed();
    // SAFETY: the handle is open as long as `opened` is; the structure is as long as its type says.
    let known = unsafe { GetFileInformationByHandle(opened.as_raw_handle(), told.as_mut_ptr()) };
    // SAFETY: all was written.
    let told = (known != 0).then(|| unsafe { told.assume_init() })?;
    Some((told.dwVolumeSerialNumber, told.nFileIndexHigh, told.nFileIndexLow))
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
