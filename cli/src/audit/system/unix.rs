//! Files on Unix: opened without blocking, and copied with their owners and permissions.

use std::ffi::CString;
use std::fs::{File, Metadata, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::Path;

/// Opens a file for reading. Directories, FIFOs and devices are also opened, and the caller must recognise them by
/// [`len`]. A single read before that is harmless.
pub fn open(path: &Path) -> io::Result<Option<File>> {
    // Without O_NONBLOCK, opening a FIFO that has replaced the file would block, and so could opening a device.
    let flags = libc::O_NONBLOCK | libc::O_CLOEXEC | libc::O_NOCTTY;
    File::options().read(true).custom_flags(flags).open(path).map(Some)
}

/// Returns the length of a file in bytes, or `None` for a directory, a FIFO or a device.
pub fn len(file: &File) -> io::Result<Option<u64>> {
    let metadata = file.metadata()?;
    Ok(metadata.is_file().then_some(metadata.len()))
}

/// Reads bytes at an offset, independent of the file's position.
pub fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, into, at)
}

/// The directories on the current path of a search. On Unix nothing is recorded. Links are not followed, so the path
/// never returns to a directory.
pub struct Way;

impl Way {
    pub fn start() -> Self {
        Way
    }

    /// Whether a directory at this depth is not yet on the path.
    pub fn leads_on(&mut self, _: &Path, _: usize) -> bool {
        true
    }
}

/// Returns the reason why a file must not be replaced, if the replacement would lack the file's other hard links,
/// permissions or attributes.
pub fn must_stay(file: &Path, metadata: &Metadata) -> Option<&'static str> {
    if metadata.nlink() > 1 {
        return Some(
            "it has several hard links, of which --in-place would replace only one; use --clear without --in-place",
        );
    }
    (metadata.mode() & 0o7000 != 0 || has_attributes(file)).then_some(
        "it has permissions or attributes (setuid, capabilities, an access list) that --in-place would lose; use --clear without --in-place, and \
         restore them when you install the copy",
    )
}

/// Whether a file has attributes that a new file would lack, such as an access list, capabilities or user attributes.
/// (SELinux labels do not count, because the new file gets its label from the directory.)
fn has_attributes(file: &Path) -> bool {
    let Ok(name) = CString::new(file.as_os_str().as_bytes()) else { return true };
    let mut names = vec![0u8; 1 << 16]; // the kernel's limit, XATTR_LIST_MAX
    // SAFETY: `name` is zero-terminated, and the length that is passed is that of `names`.
    let len = unsafe { libc::llistxattr(name.as_ptr(), names.as_mut_ptr().cast(), names.len()) };
    // A file system that cannot list attributes does not support them.
    let names = names.get(..usize::try_from(len).unwrap_or(0)).unwrap_or_default();
    names.split(|&byte| byte == 0).any(|name| !name.is_empty() && name != b"security.selinux")
}

/// Creates a new file that other users cannot read yet.
pub fn create(path: &Path) -> io::Result<File> {
    File::options().write(true).create_new(true).mode(0o600).open(path)
}

/// Sets a file's owner and group to those in `like`. The system may deny this.
pub fn give_owner(file: &File, like: &Metadata) -> io::Result<()> {
    fchown(file, Some(like.uid()), Some(like.gid()))
}

/// Sets a file's permissions to those in `like`, except set-user-ID, set-group-ID and the sticky bit.
pub fn give_rights(file: &File, like: &Metadata) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(like.permissions().mode() & 0o777))
}
