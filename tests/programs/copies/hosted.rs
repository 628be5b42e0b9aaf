//! Two copies of the library in one program, in every pair: two versions of the crate, the archive, the shared library,
//! and the archive in a plugin. The arguments are the paths of the last two. The variable DUMP requests that the program
//! keep some trampolines, print their addresses, and wait.

mod orders;

use orders::{Function, InC, Library};
use std::ffi::{CString, c_char, c_int, c_uint, c_void};

copy_of_crate!(This, "crate", this);
copy_of_crate!(Next, "next version", next);

unsafe extern "C" {
    fn statictramp_bind(callee: *const (), context: *const c_void, position: c_uint) -> Option<Function>;
    fn statictramp_free(function: Function) -> c_int;
    fn statictramp_lookup(function: Function, callee: *mut *const (), context: *mut *mut c_void) -> c_int;
    fn statictramp_live() -> usize;
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// Returns the functions of a library that is loaded at run time. Their names begin with `prefix`.
fn loaded(name: &'static str, prefix: &str, path: &str) -> InC {
    let path = CString::new(path).unwrap();
    // SAFETY: the path is terminated. 2: RTLD_NOW.
    let library = unsafe { dlopen(path.as_ptr(), 2) };
    assert!(!library.is_null(), "{path:?} cannot be loaded");
    // SAFETY: each function has the type of the field.
    unsafe {
        let find = |name: &str| {
            let name = CString::new(format!("{prefix}{name}")).unwrap();
            let found = dlsym(library, name.as_ptr());
            assert!(!found.is_null(), "{path:?} lacks {name:?}");
            found
        };
        InC {
            name,
            bind: std::mem::transmute(find("bind")),
            free: std::mem::transmute(find("free")),
            lookup: std::mem::transmute(find("lookup")),
            live: std::mem::transmute(find("live")),
        }
    }
}

fn main() {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let linked = InC {
        name: env!("LINKED"),
        bind: statictramp_bind,
        free: statictramp_free,
        lookup: statictramp_lookup,
        live: statictramp_live,
    };
    let loaded: Vec<InC> = paths
        .iter()
        .map(|path| match path.contains("plugin") {
            true => loaded("plugin", "plugin_", path),
            false => loaded("shared library", "statictramp_", path),
        })
        .collect();
    let (this, next) = (This(orders::closures()), Next(orders::closures()));
    let mut copies: Vec<&dyn Library> = vec![&this, &next, &linked];
    copies.extend(loaded.iter().map(|copy| copy as &dyn Library));
    if std::env::var_os("DUMP").is_some() {
        // A different number in each copy.
        for (number, copy) in copies.iter().enumerate() {
            for at in 0..=number.min(3) {
                println!("{:p}", copy.make(at) as *const ());
            }
        }
        println!("ready");
        std::thread::sleep(std::time::Duration::from_secs(60));
    }
    for (at, one) in copies.iter().enumerate() {
        for other in &copies[at + 1..] {
            orders::foreign_frees([*one, *other]);
            let sequences = orders::every_order([*one, *other], 6);
            println!("{} and {}: {sequences} orders", one.name(), other.name());
        }
    }
}
