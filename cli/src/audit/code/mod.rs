//! The machine code of a file, and its debugging information.

pub mod debug;
pub mod patterns;
