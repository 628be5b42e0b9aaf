//! Divides a relocatable ELF object into objects that can be linked separately, the members of the installed archive, so that
//! a program links only the functions that it uses.
//!
//! Usage: statictramp-parts OBJECT DIRECTORY [MAP PREFIX]. MAP is the version script that lists the exported functions. PREFIX
//! is the prefix of the library's own symbols. The program prints the names of the objects that it has written to DIRECTORY,
//! in the order in which they belong in the archive. Without MAP, it writes one object. External functions are hidden in all of
//! these objects, so several shared objects in a process can contain the library. A Mach-O object stays whole, and all of its
//! external definitions are hidden.
//!
//! 1. `parts.rs` reads the parts, and finds the sections that each part reaches through relocations. Sections that the
//!    same parts reach form one object, so a linker that takes members from an archive on demand takes exactly the
//!    sections that the program's parts reach.
//! 2. `frames.rs` divides the unwind information: each object gets the unwind information for its own functions.
//! 3. `divide.rs` makes the objects. A local symbol to which another object refers gets a second, global and hidden name:
//!    PREFIX, a number that depends on the whole object, and the symbol's own name. Because of the number, a linker never
//!    combines objects of two archives: both would define the table.
//!
//! `elf.rs` reads and writes the files. `macho.rs` changes only the symbol table.

mod divide;
mod elf;
mod frames;
mod macho;
mod parts;

use object::FileKind;
use object::pod::{Pod, slice_from_bytes_mut};
use std::process::ExitCode;

/// A message for the user.
struct Error(String);

impl<E: ToString> From<E> for Error {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

type Result<T> = std::result::Result<T, Error>;

const USAGE: &str = "usage: statictramp-parts OBJECT DIRECTORY [MAP PREFIX]";

fn run(arguments: &[String]) -> Result<()> {
    let [object, directory, more @ ..] = arguments else { return Err(USAGE.into()) };
    let cannot = |what: &str, path: &str, error| format!("cannot {what} {path}: {error}");
    let mut data = std::fs::read(object).map_err(|error| cannot("read", object, error))?;
    let number = hash(&data);
    let mut members = Vec::new();
    if FileKind::parse(&*data)? == FileKind::MachO64 {
        macho::hide(&mut data)?;
    } else {
        elf::hide_functions(&mut data)?;
    }
    match more {
        [] => members.push(("statictramp.o".into(), data)),
        [map, prefix] => {
            let map = std::fs::read_to_string(map).map_err(|error| cannot("read", map, error))?;
            let (table, own) = (format!("{prefix}stubs"), format!("{prefix}part_{number:016x}_"));
            for (name, member) in divide::divide(&elf::read(&data)?, &parts::named(&map), &table, &own)? {
                members.push((name, elf::write(&member)?));
            }
        }
        _ => return Err(USAGE.into()),
    }
    for (name, member) in members {
        let path = format!("{directory}/{name}");
        std::fs::write(&path, member).map_err(|error| cannot("write", &path, error))?;
        println!("{name}");
    }
    Ok(())
}

/// Returns the symbol table at this offset.
fn symbols_at<T: Pod>(data: &mut [u8], start: usize, count: usize) -> Result<&mut [T]> {
    let bytes = data.get_mut(start..).unwrap_or_default();
    let (symbols, _) =
        slice_from_bytes_mut(bytes, count).map_err(|()| "the symbol table is outside the file")?;
    Ok(symbols)
}

/// Returns the FNV-1a hash. The standard library's hash may differ between versions of Rust.
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
