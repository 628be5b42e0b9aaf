//! Divides a relocatable ELF object into objects that can be linked separately, the members of the installed archive, so that
//! a program links only the functions that it uses.
//!
//! Usage: statictramp-parts OBJECT MAP PREFIX DIRECTORY. MAP is the version script that lists the exported functions. PREFIX
//! is the prefix of the library's own symbols. The program prints the names of the objects that it has written to DIRECTORY,
//! in the order in which they belong in the archive.
//!
//! 1. `parts.rs` reads the parts, and finds the sections that each part reaches through relocations. Sections that the
//!    same parts reach form one object, so a linker that takes members from an archive on demand takes exactly the
//!    sections that the program's parts reach.
//! 2. `frames.rs` divides the unwind information: each object gets the unwind information for its own functions.
//! 3. `divide.rs` makes the objects. A local symbol to which another object refers gets a second, global and hidden name:
//!    PREFIX, a number that depends on the whole object, and the symbol's own name. Because of the number, a linker never
//!    combines objects of two archives: both would define the table.
//!
//! `elf.rs` reads and writes the files.

mod divide;
mod elf;
mod frames;
mod parts;

use std::process::ExitCode;

/// A message for the user.
struct Error(String);

impl<E: ToString> From<E> for Error {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

type Result<T> = std::result::Result<T, Error>;

fn run(arguments: &[String]) -> Result<()> {
    let [object, map, prefix, directory] = arguments else {
        return Err("usage: statictramp-parts OBJECT MAP PREFIX DIRECTORY".into());
    };
    let cannot = |what: &str, path: &str, error| format!("cannot {what} {path}: {error}");
    let data = std::fs::read(object).map_err(|error| cannot("read", object, error))?;
    let map = std::fs::read_to_string(map).map_err(|error| cannot("read", map, error))?;
    let whole = elf::read(&data)?;
    let own = format!("{prefix}part_{:016x}_", hash(&data));
    for (name, member) in divide::divide(&whole, &parts::named(&map), &format!("{prefix}stubs"), &own)? {
        let path = format!("{directory}/{name}");
        std::fs::write(&path, elf::write(&member)?).map_err(|error| cannot("write", &path, error))?;
        println!("{name}");
    }
    Ok(())
}

/// FNV-1a. The standard library's hash may differ between versions of Rust.
fn hash(data: &[u8]) -> u64 {
    data.iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Error(message)) => {
            eprintln!("statictramp-parts: {message}");
            ExitCode::FAILURE
        }
    }
}
