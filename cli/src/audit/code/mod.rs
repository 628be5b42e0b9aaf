//! Machine code of a file, and its debug information.

pub mod debug;
pub mod patterns;
