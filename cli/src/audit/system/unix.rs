//! Files on Unix: opened without blocking, and copied with their owners and permissions.

use std::ffi::CString;
use std::fs::{File, Metadata, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::Path;

/// Opens a file for reading. Also opens directories, FIFOs and devices, which the caller must detect with [`len`]. A
/// single read before this check is harmless.
pub fn open(path: &Path) -> io::Result<Option<File>> {
    // Without O_NONBLOCK, opening a FIFO that has replaced the file would block, and opening a device could.
    let flags = libc::O_NONBLOCK | libc::O_CLOEXEC | libc::O_NOCTTY;
    File::options().read(true).custom_flags(flags).open(path).map(Some)
}

/// Returns the length of a file in bytes, or `None` for a directory, a FIFO or a device.
pub fn len(file: &File) -> io::Result<Option<u64>> {
    let metadata = file.metadata()?;
    Ok(metadata.is_file().then_some(metadata.len()))
}

/// Reads bytes at an offset, independently of the file's position.
pub fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, into, at)
}

/// The directories between the search's root and the directory being searched. On Unix nothing is recorded: links are
/// not followed, so the path never returns to a directory.
pub struct Ancestors;

impl Ancestors {
    pub fn start() -> Self {
        Ancestors
    }

    /// Returns true if a directory at this depth is not yet on the path.
    pub fn enter(&mut self, _: &Path, _: usize) -> bool {
        true
    }
}

/// Returns a number that identifies a file's file system.
pub fn file_system(metadata: &Metadata) -> Option<u64> {
    Some(metadata.dev())
}

/// Returns whether a path is in a file system of kernel-generated files, such as `/proc`.
pub fn is_pseudo(path: &Path) -> bool {
    // The magic numbers of proc, sysfs, devpts, cgroup, cgroup2, debugfs, tracefs, securityfs, bpf, pstore, configfs,
    // binfmt_misc, mqueue, selinuxfs, smackfs, apparmorfs, efivarfs, nsfs, rpc_pipefs, fusectl, nfsd, resctrl, xenfs.
    const PSEUDO: [u64; 23] = [
        0x9fa0,
        0x6265_6572,
        0x1cd1,
        0x27_e0eb,
        0x6367_7270,
        0x6462_6720,
        0x7472_6163,
        0x7363_6673,
        0xcafe_4a11,
        0x6165_676c,
        0x6265_6570,
        0x4249_4e4d,
        0x1980_0202,
        0xf97c_ff8c,
        0x4341_5d53,
        0x5a3c_69f0,
        0xde5e_81e4,
        0x6e73_6673,
        0x6759_6969,
        0x6573_5543,
        0x6e66_7364,
        0x0765_5821,
        0xabba_1974,
    ];
    let Ok(name) = CString::new(path.as_os_str().as_bytes()) else { return false };
    let mut about = std::mem::MaybeUninit::zeroed();
    // SAFETY: `name` is zero-terminated, and the pointer is valid for writing the whole structure.
    let is_known = unsafe { libc::statfs(name.as_ptr(), about.as_mut_ptr()) } == 0;
    // SAFETY: the structure was zeroed, and its fields are integers.
    let about: libc::statfs = unsafe { about.assume_init() };
    // The field's type depends on the architecture, but the magic numbers are 32 bits wide.
    is_known && PSEUDO.contains(&(about.f_type as u64 & 0xffff_ffff))
}

/// If replacing a file would lose its other hard links, permissions or attributes, returns the reason not to replace
/// it.
pub fn must_stay(file: &Path, metadata: &Metadata) -> Option<&'static str> {
    if metadata.nlink() > 1 {
        return Some(
            "it has several hard links, of which --in-place would replace only one; use --clear without --in-place",
        );
    }
    (metadata.mode() & 0o7000 != 0 || has_attributes(file)).then_some(
        "it has permissions or attributes (setuid, capabilities or an ACL) that --in-place would lose; use --clear without --in-place, and \
         restore them when you install the copy",
    )
}

/// Returns whether a file has attributes that a new file would lack, such as an ACL, capabilities or user attributes.
/// (SELinux labels are ignored, because the new file gets its label from the directory.)
fn has_attributes(file: &Path) -> bool {
    let Ok(name) = CString::new(file.as_os_str().as_bytes()) else { return true };
    let mut names = vec![0u8; 1 << 16]; // XATTR_LIST_MAX, the kernel's limit
    // SAFETY: `name` is zero-terminated, and the passed length is that of `names`.
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

/// Sets a file's permissions to those in `like`, except for the set-user-ID, set-group-ID and sticky bits.
pub fn give_rights(file: &File, like: &Metadata) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(like.permissions().mode() & 0o777))
}
