//! Libraries that a program or library searches for relative to its own directory, `$ORIGIN`, although a copy of the
//! file is loaded. The dynamic linker would search the directory of the copy, which does not contain these libraries.

use super::copy::Path;
use crate::module::LinkMap;
use crate::sys::File;
use core::ffi::{CStr, c_char};

const DT_STRTAB: isize = 5;
const DT_RPATH: isize = 15;
const DT_RUNPATH: isize = 29;

/// A loaded copy: the path of its original file, and the linker's record of the copy.
pub struct Original {
    pub path: Path,
    pub map: *const LinkMap,
}

/// Returns the library's path if the search path of the copy lists a directory relative to `$ORIGIN` that contains the
/// library. Also accepts a name that is itself relative to `$ORIGIN`, as `dlopen` does.
pub fn by_origin(original: &Original, name: &[u8]) -> Option<Path> {
    let own = original.path.bytes();
    let directory = &own[..own.iter().rposition(|&byte| byte == b'/')?];
    if let Some(rest) = after_origin(name) {
        return Path::of(&[directory, rest]);
    }
    let mut table = None;
    let (mut rpath, mut runpath) = (None, None);
    // SAFETY: this is the linker's record of a loaded file, and the file's dynamic section ends with a zero tag.
    unsafe {
        let mut entry = (*original.map).dynamic;
        while !entry.is_null() && (*entry).tag != 0 {
            match (*entry).tag {
                DT_STRTAB => table = Some((*entry).value),
                DT_RPATH => rpath = Some((*entry).value),
                DT_RUNPATH => runpath = Some((*entry).value),
                _ => {}
            }
            entry = entry.add(1);
        }
    }
    let start = runpath.or(rpath)?;
    // The linker adds the base to the table's address when it relocates the file, which may not have happened yet.
    // SAFETY: as above.
    let base = unsafe { (*original.map).base };
    let table = table.map(|table| if table < base { table + base } else { table })?;
    // SAFETY: the offset belongs to a string in a loaded file's table.
    let path = unsafe { CStr::from_ptr(core::ptr::with_exposed_provenance::<c_char>(table + start)) };
    path.to_bytes().split(|&byte| byte == b':').find_map(|element| {
        let candidate = Path::of(&[directory, after_origin(element)?, b"/", name])?;
        File::open(candidate.c_str()).map(|_| candidate)
    })
}

fn after_origin(path: &[u8]) -> Option<&[u8]> {
    path.strip_prefix(b"$ORIGIN").or_else(|| path.strip_prefix(b"${ORIGIN}"))
}
