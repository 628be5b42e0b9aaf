//! Copies of programs and libraries that do not request an executable stack, in files in memory.
//!
//! - `copy.rs`: makes a copy, and finds it again;
//! - `audit.rs`: gives the dynamic linker copies (rtld-audit(7));
//! - `search.rs`: `$ORIGIN`, which for a copy is not the directory of the original.

mod audit;
mod copy;
mod search;

pub use audit::program as program_in_memory;
pub use copy::{Kind, Path, cleared};

/// Prefix of the path that `/proc` shows for a file in memory; the original's path follows.
const IN_MEMORY: &[u8] = b"/memfd:";
