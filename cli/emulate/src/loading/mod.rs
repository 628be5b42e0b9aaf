//! Copies of programs and libraries, in memory files. The copies do not request an executable
//! stack.
//!
//! - `copy.rs`: makes a copy, and finds it again;
//! - `audit.rs`: passes copies to the dynamic linker (rtld-audit(7));
//! - `search.rs`: finds libraries relative to `$ORIGIN`. For a copy, the dynamic linker would not use the original's
//!   directory.

mod audit;
mod copy;
mod search;

pub use audit::program as program_in_memory;
pub use copy::{Kind, Path, cleared};

/// Prefix of the path that `/proc` shows for a file in memory. The original's path follows it.
const IN_MEMORY: &[u8] = b"/memfd:";
