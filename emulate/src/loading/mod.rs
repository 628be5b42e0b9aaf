//! Copies of programs and libraries, in memory files. The copies do not request an executable
//! stack.
//!
//! - `copy.rs`: makes a copy, and finds it again;
//! - `audit.rs`: passes copies to the dynamic linker (rtld-audit(7));
//! - `search.rs`: `$ORIGIN`, which would not be the directory of the original for a copy.

mod audit;
mod copy;
mod search;

pub use audit::program as program_in_memory;
pub use copy::{Kind, Path, cleared};

/// Prefix of the path that `/proc` shows for a file in memory. The original's path follows it.
const IN_MEMORY: &[u8] = b"/memfd:";
