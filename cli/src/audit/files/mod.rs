//! Facts about one file, for an audit.
//!
//! - `location.rs`: the location of a file, which may be inside packages; `facts.rs`, `hardening.rs`: the facts;
//!   `machine.rs`: processors; `wants.rs`: the files to examine;
//! - `elf/`, `foreign.rs` (PE and Mach-O): collecting the facts; `names.rs`: symbols of an ELF file; `origin.rs`: projects
//!   whose assembly source files lacked the note.

pub mod elf;
pub mod facts;
pub mod foreign;
pub mod hardening;
pub mod location;
pub mod machine;
mod names;
pub mod origin;
pub mod wants;
