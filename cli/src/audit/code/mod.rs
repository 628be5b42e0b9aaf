//! Analysis of a file's machine code and debug information.

pub mod assembly;
pub mod debug;
pub mod patterns;
