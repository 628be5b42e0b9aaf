//! Kinds of packages, determined by a file's first bytes or by its name.

use super::{cpio, decoders};

/// Kind of container file, determined by its first bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Zip,
    Rpm,
    Cpio,
    Compressed,
    /// A known kind of package that the tool cannot unpack.
    Other(&'static str),
}

/// Returns the kind of a file that begins with `head`. A tar archive has no magic number at its beginning.
pub fn kind(head: &[u8]) -> Option<Kind> {
    let other = |what| Some(Kind::Other(what));
    match head {
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(Kind::Zip),
        [b'P', b'K', 7, 8, ..] => other("one part of a split zip archive, which is not unpacked"),
        [0xed, 0xab, 0xee, 0xdb, ..] => Some(Kind::Rpm),
        [b'h', b's', b'q', b's', ..] | [b's', b'q', b's', b'h', ..] => {
            other("a squashfs image, which is not unpacked")
        }
        [b'A', b'D', b'B', b'.' | b'd' | b'c', ..] => other("an apk-tools 3 package, which is not unpacked"),
        [0x7f, b'E', b'L', b'F', _, _, _, _, b'A', b'I', 1 | 2, ..] => {
            other("an AppImage: only the program before its file-system image was searched")
        }
        [b'7', b'z', 0xbc, 0xaf, ..] => other("a 7z archive, which is not unpacked"),
        [b'R', b'a', b'r', b'!', 0x1a, ..] => other("a rar archive, which is not unpacked"),
        [b'M', b'S', b'C', b'F', ..] => other("a cabinet (CAB) archive, which is not unpacked"),
        [b'x', b'a', b'r', b'!', ..] => other("a xar archive, which is not unpacked"),
        [b'Q', b'F', b'I', 0xfb, ..] => other("a disk image, which is not unpacked"),
        [0x45, 0x3d, 0xcd, 0x28, ..] | [0x28, 0xcd, 0x3d, 0x45, ..] => {
            other("a cramfs image, which is not unpacked")
        }
        [0x1f, 0x9d, ..] => other("a file compressed with compress(1), which is not unpacked"),
        [0x89, b'L', b'Z', b'O', 0, ..] => other("an lzop-compressed file, which is not unpacked"),
        [b'L', b'R', b'Z', b'I', ..] => other("an lrzip-compressed file, which is not unpacked"),
        _ if decoders::is_compressed(head) => Some(Kind::Compressed),
        _ if cpio::is_one(head) => Some(Kind::Cpio),
        _ if cpio::is_binary(head) => other("a cpio archive in the old binary format, which is not unpacked"),
        _ => None,
    }
}

/// Returns the last component of a name.
fn last(name: &[u8]) -> &[u8] {
    name.rsplit(|byte| b"/:".contains(byte)).next().unwrap_or(name)
}

/// Returns whether a compressed file's name indicates an archive. Only the last component is examined.
pub fn is_compressed_archive(name: &[u8]) -> bool {
    const ENDS: [&[u8]; 8] = [b".deb", b".udeb", b".apk", b".tgz", b".txz", b".tbz2", b".crate", b".rpm"];
    const COMPRESSIONS: [&[u8]; 9] =
        [b".gz", b".xz", b".zst", b".bz2", b".lzma", b".lz", b".lz4", b".Z", b".lzo"];
    let name = last(name);
    let inner = COMPRESSIONS.iter().find_map(|end| name.strip_suffix(*end));
    ENDS.iter().any(|end| name.ends_with(end)) || inner.is_some_and(|inner| inner.ends_with(b".tar"))
}

/// Extensions of zip archives.
const ZIPS: [&[u8]; 15] = [
    b".whl", b".zip", b".jar", b".war", b".ear", b".egg", b".pex", b".pyz", b".pyzw", b".nupkg", b".vsix",
    b".xpi", b".crx", b".aar", b".ipa",
];

/// Returns whether a file's name indicates that the file contains other files.
pub fn is_package_name(name: &[u8]) -> bool {
    const ENDS: [&[u8]; 16] = [
        b".tar",
        b".ddeb",
        b".conda",
        b".gem",
        b".snap",
        b".appimage",
        b".flatpak",
        b".squashfs",
        b".erofs",
        b".cpio",
        b".iso",
        b".dmg",
        b".7z",
        b".rar",
        b".tlz",
        b".tzst",
    ];
    is_compressed_archive(&last(name).to_ascii_lowercase()) || has_end(name, &ENDS) || has_end(name, &ZIPS)
}

/// Returns whether a file's name suggests a zip archive, perhaps after a script or another header. The end of such a
/// file must be read.
pub fn may_end_with_zip(name: &[u8]) -> bool {
    has_end(name, &ZIPS) || has_end(name, &[b".apk", b".bat", b".cmd", b".run"])
}

/// Returns whether a file's name is that of a library or an object archive.
pub fn is_library_name(name: &[u8]) -> bool {
    has_end(name, &[b".a", b".so"])
}

/// Returns whether a name ends with one of these extensions, ignoring case, and is longer than the extension.
fn has_end(name: &[u8], ends: &[&[u8]]) -> bool {
    let name = last(name).to_ascii_lowercase();
    ends.iter().any(|end| name.ends_with(end) && name.len() > end.len())
}

/// Returns a compressed file's name without the last extension.
pub fn uncompressed(name: &[u8]) -> &[u8] {
    let name = last(name);
    let end = name.iter().rposition(|&byte| byte == b'.').filter(|&at| at > 0).unwrap_or(name.len());
    name.get(..end).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::{is_compressed_archive, is_library_name, is_package_name, may_end_with_zip, uncompressed};

    #[test]
    fn only_the_last_path_component_identifies_an_archive() {
        for name in ["x.tar.gz", "a/x.tar.zst", "x.tgz", "a.zip:b.tar.lz", "x_1_amd64.deb"] {
            assert!(is_compressed_archive(name.as_bytes()), "{name}");
        }
        for name in
            ["x.tar.gz:man1/x.1.gz", "foo.tar.d/x.1.gz", "x.tar.zst:a.gz", "x.tar.d.gz", "x.svg.gz", "tar.gz"]
        {
            assert!(!is_compressed_archive(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn names_of_packages_and_libraries_are_recognized_in_each_case() {
        assert!(is_package_name(b"a/x.PYZ") && is_package_name(b"x.iso") && may_end_with_zip(b"a.zip:x.BAT"));
        assert!(is_library_name(b"lib/libx.a") && is_library_name(b"x.so"));
        assert!(!is_package_name(b"x.bat") && !may_end_with_zip(b"x.iso") && !is_library_name(b"a/.so"));
    }

    #[test]
    fn a_decompressed_file_is_named_without_the_extension() {
        assert_eq!(uncompressed(b"usr/lib/y.so.gz"), b"y.so");
        assert_eq!(uncompressed(b"a.zip:y"), b"y");
        assert_eq!(uncompressed(b".gz"), b".gz");
    }
}
