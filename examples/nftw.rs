//! Walks a directory with C's `nftw`, whose callback takes no context, and collects the visited files in a `Vec`.

use core::ffi::{CStr, c_char, c_int};
use std::ffi::CString;

// On some systems, the `nftw` in the libc crate takes a pointer to another type of struct.
unsafe extern "C" {
    fn nftw(
        path: *const c_char,
        visit: unsafe extern "C" fn(*const c_char, *const libc::stat, c_int, *mut [c_int; 2]) -> c_int,
        open_files: c_int,
        flags: c_int,
    ) -> c_int;
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = CString::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))?;
    let mut files = Vec::new();
    let visit = statictramp::by_mut(
        |path: *const c_char, stat: *const libc::stat, _kind: c_int, levels: *mut [c_int; 2]| -> c_int {
            // SAFETY: nftw passes a path, the file's stat, the position of the file's name in the path, and the file's
            // depth.
            let (path, size, [_base, depth]) = unsafe { (CStr::from_ptr(path), (*stat).st_size, *levels) };
            files.push((path.to_string_lossy().into_owned(), size, depth));
            0
        },
    );
    let callback = statictramp::bind(&visit)?;
    // SAFETY: the callback outlives the call, and nftw calls it on this thread, one call at a time.
    let failed = unsafe { nftw(root.as_ptr(), callback.as_fn(), 16, 0) } != 0;
    drop(callback);
    assert!(!failed, "{}", std::io::Error::last_os_error());

    files.sort();
    for (path, size, depth) in files.iter().filter(|(path, ..)| path.ends_with(".rs")) {
        println!("{size:>7}  {depth}  {}", path.rsplit('/').next().unwrap_or_default());
    }
    assert!(files.iter().any(|(path, ..)| path.ends_with("/slot.rs")));
    Ok(())
}
