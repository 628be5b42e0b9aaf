//! Mapped images: the kernel's list of them, and their headers and notes.

pub mod maps;
pub mod notes;
pub mod source;
