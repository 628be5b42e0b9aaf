//! Parser for the lines of `/proc/PID/maps` (`proc_pid_maps(5)`). Keeps a file's mapping if the mapping is executable,
//! or if it is readable and includes the file's first byte.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};

/// A mapping of all or part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    pub start: u64,
    pub end: u64,
    /// The offset in the file where the mapping starts.
    pub offset: u64,
    pub readable: bool,
    pub executable: bool,
    /// The index of the file in [`Maps::files`].
    pub file: usize,
}

/// A file, as identified by the kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MappedFile {
    /// The major and minor device numbers.
    pub device: (u32, u32),
    pub inode: u64,
    /// The path as the kernel writes it. A line break is written as `\012`, and " (deleted)" follows the name of a
    /// deleted file.
    pub path: Vec<u8>,
}

/// The mappings of a process.
#[derive(Debug, Default)]
pub struct Maps {
    pub mappings: Vec<Mapping>,
    pub files: Vec<MappedFile>,
}

/// Maximum number of mappings. This limit and the following ones prevent a process from exhausting this tool's memory.
const MOST_MAPPINGS: usize = 1 << 20;
const MOST_FILES: usize = 1 << 14;
/// Maximum total number of bytes in all paths.
const MOST_BYTES: usize = 1 << 25;
/// Maximum length of a line. A path has at most 4,095 bytes, each of which the kernel may write as four.
const LONGEST_LINE: u64 = 1 << 15;

impl Maps {
    /// Parses the lines. On failure, returns a message that explains why the mappings cannot be read.
    pub fn read(lines: impl Read) -> Result<Self, String> {
        Self::read_within(lines, MOST_BYTES)
    }

    /// Like `read`, but limits the total number of bytes in all paths to `most`.
    fn read_within(lines: impl Read, most: usize) -> Result<Self, String> {
        let mut lines = BufReader::with_capacity(1 << 16, lines);
        let mut maps = Maps::default();
        let mut known = HashMap::new();
        let mut left = most;
        let mut line = vec![];
        loop {
            line.clear();
            let read = lines.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
            if read.map_err(|e| e.to_string())? == 0 {
                return Ok(maps);
            }
            let Some((mapping, file)) = parse(line.trim_ascii_end()) else { continue };
            let number = match known.get(&file) {
                Some(&number) => number,
                None => {
                    let still = left.checked_sub(file.path.len());
                    left = still.ok_or_else(|| format!("more than {most} bytes of paths"))?;
                    known.insert(file.clone(), maps.files.len());
                    maps.files.push(file);
                    maps.files.len() - 1
                }
            };
            maps.mappings.push(Mapping { file: number, ..mapping });
            if maps.mappings.len() > MOST_MAPPINGS || maps.files.len() > MOST_FILES {
                return Err(format!("more than {MOST_MAPPINGS} mappings or {MOST_FILES} files"));
            }
        }
    }

    /// Returns the executable mapping of a file that contains an address, if there is one.
    pub fn code_at(&self, address: u64) -> Option<&Mapping> {
        // The mappings are in ascending order, as the kernel lists them.
        let behind = self.mappings.partition_point(|m| m.start <= address);
        self.mappings.get(behind.checked_sub(1)?).filter(|m| m.executable && address < m.end)
    }
}

/// Parses `start-end permissions offset major:minor inode path`, if the mapping is needed and has a path.
fn parse(line: &[u8]) -> Option<(Mapping, MappedFile)> {
    let mut rest = line;
    let mut field = |end: u8| {
        let at = rest.iter().position(|&byte| byte == end)?;
        let (found, behind) = (rest.get(..at)?, rest.get(at + 1..)?);
        rest = behind;
        Some(found)
    };
    let (start, end) = (hexadecimal(field(b'-')?)?, hexadecimal(field(b' ')?)?);
    let rights = field(b' ')?;
    let offset = hexadecimal(field(b' ')?)?;
    let device = (hexadecimal(field(b':')?)?, hexadecimal(field(b' ')?)?);
    let device = (u32::try_from(device.0).ok()?, u32::try_from(device.1).ok()?);
    let inode = std::str::from_utf8(field(b' ')?).ok()?.parse().ok()?;
    let path = rest.trim_ascii_start();
    let (readable, executable) = (rights.first() == Some(&b'r'), rights.get(2) == Some(&b'x'));
    let needed = executable || readable && offset == 0;
    let whole = start < end && offset.checked_add(end - start).is_some() && path.starts_with(b"/");
    (needed && whole).then(|| {
        let mapping = Mapping { start, end, offset, readable, executable, file: 0 };
        (mapping, MappedFile { device, inode, path: path.to_vec() })
    })
}

pub fn hexadecimal(digits: &[u8]) -> Option<u64> {
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Replaces each `\012` in a kernel-written path with a line break. The kernel does not escape backslashes, so the
/// original path may also have contained these four characters.
pub fn with_line_breaks(path: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((&first, behind)) = rest.split_first() {
        let (byte, behind) = rest.strip_prefix(br"\012").map_or((first, behind), |behind| (b'\n', behind));
        plain.push(byte);
        rest = behind;
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_lines_are_parsed() {
        let text = b"00400000-00401000 r--p 00000000 fd:01 77                       /a b (deleted)\n\
            00401000-00402000 r-xp 00001000 fd:01 77                       /a b (deleted)\n\
            00402000-00403000 rw-p 00002000 fd:01 77                       /a b (deleted)\n\
            7f0000000000-7f0000001000 r-xp 00000000 00:00 0                [vdso]\n\
            7f0000002000-7f0000003000 --xp 00001000 103:00 5               /\xff\\012\n\
            7f0000004000-7f0000005000 r-xp 00000000 00:00 0 \n";
        let maps = Maps::read(&text[..]).unwrap();
        let [head, code, other] = &maps.mappings[..] else { panic!("{maps:?}") };
        assert_eq!((head.file, head.executable, code.file, code.offset), (0, false, 0, 0x1000));
        assert_eq!((other.file, other.readable, other.executable), (1, false, true));
        assert_eq!(
            (maps.files[0].device, maps.files[0].inode, &maps.files[0].path[..]),
            ((0xfd, 1), 77, &b"/a b (deleted)"[..])
        );
        assert_eq!((maps.files[1].device, &maps.files[1].path[..]), ((0x103, 0), &b"/\xff\\012"[..]));
        let at = |address| maps.code_at(address).map(|m| m.start);
        assert_eq!(
            (at(0x400fff), at(0x401000), at(0x401fff), at(0x402000), at(0)),
            (None, Some(0x401000), Some(0x401000), None, None)
        );
    }

    #[test]
    fn mappings_whose_paths_exceed_the_limit_are_rejected() {
        let lines = |count: u64, file: fn(u64) -> u64| -> String {
            (1..=count).map(|n| format!("{n}000-{n}800 r-xp 0 0:1 {} /ten/bytes\n", file(n))).collect()
        };
        let files = |lines: String| Maps::read_within(lines.as_bytes(), 1_000).map(|maps| maps.files.len());
        assert_eq!(files(lines(100, |n| n)), Ok(100));
        assert_eq!(files(lines(200, |_| 1)), Ok(1));
        assert!(files(lines(101, |n| n)).unwrap_err().contains("bytes of paths"));
    }

    #[test]
    fn invalid_lines_are_skipped() {
        for text in [
            &b""[..],
            b"\n\n",
            b"-",
            b"1-2",
            b"2-1 r-xp 0 0:0 0 /a\n",
            b"1-2 r-xp ffffffffffffffff 0:0 0 /a\n",
            b"1-2 r-xp 0 0:0 x /a\n",
            b"1-ffffffffffffffffff r-xp 0 0:0 1 /a\n",
            &[b'/'; 100_000],
        ] {
            assert!(Maps::read(text).unwrap().mappings.is_empty(), "{:?}", text.utf8_chunks());
        }
    }
}
