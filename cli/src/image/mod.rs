//! Mapped images: what the kernel lists of them, and what their headers and notes say.

pub mod maps;
pub mod notes;
pub mod source;
