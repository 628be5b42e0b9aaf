//! Analysis of the machine code in a file, and of its debug information.

pub mod assembly;
pub mod debug;
pub mod patterns;
