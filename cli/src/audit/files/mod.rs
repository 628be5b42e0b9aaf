//! Facts about one file, or about the members of one archive, for an audit.
//!
//! - `file.rs`: kind of a file, members of an archive; `facts.rs`: the facts;
//! - `elf.rs`, `foreign.rs` (PE and Mach-O): collecting the facts; `names.rs`: symbols of an ELF file;
//! - `unix.rs`, `windows.rs`: opening files, and their attributes.

mod elf;
pub mod facts;
pub mod file;
mod foreign;
pub mod machine;
mod names;
#[cfg_attr(not(windows), path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
pub mod system;
pub mod wants;
