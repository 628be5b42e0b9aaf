//! What the code of a file does, and what debugging information says of it.

pub mod debug;
pub mod patterns;
