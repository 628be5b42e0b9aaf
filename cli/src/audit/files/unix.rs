//! Files as unix has them: opened without waiting, and copied with what they have besides bytes.

use std::ffi::CString;
use std::fs::{File, Metadata, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::Path;

/// Opens a file to be read, and says how long it is; nothing if it is none, but a directory, a FIFO or a device.
pub fn open(path: &Path) -> io::Result<Option<(File, u64)>> {
    // Without O_NONBLOCK a FIFO in the file's place would be waited for, and a device may do something when it is opened.
    let file = File::options()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC | libc::O_NOCTTY)
        .open(path)?;
    let metadata = file.metadata()?;
    Ok(metadata.is_file().then_some((file, metadata.len())))
}

/// The directories that lead to where a search is. Links are not followed, so none leads back.
pub struct Way;

impl Way {
    pub fn start() -> Self {
        Way
    }

    /// Whether a directory, so many levels below the first, leads on, not back.
    pub fn leads_on(&mut self, _: &Path, _: usize) -> bool {
        true
    }
}

/// Why a file has to stay, if a successor would not have all that it has.
pub fn must_stay(file: &Path, metadata: &Metadata) -> Option<&'static str> {
    if metadata.nlink() > 1 {
        return Some("it has several names (hard links), of which one would be replaced; clear a copy");
    }
    (metadata.mode() & 0o7000 != 0 || has_attributes(file)).then_some(
        "it has rights or attributes (setuid, capabilities, an access list) that its successor would not have; clear a copy, \
         and put that in its place",
    )
}

/// Whether a file has attributes that a new one has not: an access list, capabilities, a user's own. The label of SELinux is
/// what the directory gives.
fn has_attributes(file: &Path) -> bool {
    let Ok(name) = CString::new(file.as_os_str().as_bytes()) else { return true };
    let mut names = vec![0u8; 1 << 16]; // the kernel's limit, XATTR_LIST_MAX
    // SAFETY: the name ends with a 0; as many bytes may be written as there are.
    let len = unsafe { libc::llistxattr(name.as_ptr(), names.as_mut_ptr().cast(), names.len()) };
    // Where they cannot be listed there are none: the file system has no such thing.
    let names = names.get(..usize::try_from(len).unwrap_or(0)).unwrap_or_default();
    names.split(|&byte| byte == 0).any(|name| !name.is_empty() && name != b"security.selinux")
}

/// A new file, which nobody else can read yet.
pub fn create(path: &Path) -> io::Result<File> {
    File::options().write(true).create_new(true).mode(0o600).open(path)
}

/// Gives a file the owner of another, which may be refused.
pub fn give_owner(file: &File, like: &Metadata) -> io::Result<()> {
    fchown(file, Some(like.uid()), Some(like.gid()))
}

/// Gives a file the rights of another, but not that to become its owner.
pub fn give_rights(file: &File, like: &Metadata) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(like.permissions().mode() & 0o777))
}
