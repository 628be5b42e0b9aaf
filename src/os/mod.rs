//! What the operating system is asked for, in a way that a signal handler may: Linux.

pub(crate) mod elf;
pub(crate) mod maps;
mod unnoticed;

pub use unnoticed::Unnoticed;
