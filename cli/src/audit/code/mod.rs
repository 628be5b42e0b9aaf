//! Analysis of the machine code in a file, and of its debug information.

pub mod debug;
pub mod patterns;
