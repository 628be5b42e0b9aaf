//! One file, or the members of one archive: the facts that an audit judges.
//!
//! - `file.rs`: the kind of a file, and an archive's members; `facts.rs`: the facts;
//! - `elf.rs`, `foreign.rs` (PE and Mach-O): how they are found; `names.rs`: the symbols of an ELF file;
//! - `unix.rs`, `windows.rs`: how files are opened, and what they have besides bytes.

mod elf;
pub mod facts;
pub mod file;
mod foreign;
mod names;
#[cfg_attr(not(windows), path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
pub mod system;
