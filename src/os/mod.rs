//! What the operating system is asked for, on Linux in a way that a signal handler may.

#[cfg(target_os = "linux")]
pub(crate) mod elf;
#[cfg(target_os = "linux")]
pub(crate) mod maps;
#[cfg(all(target_os = "linux", not(loom)))]
pub(crate) mod stack;
#[cfg(target_os = "linux")]
pub(crate) mod readable;
#[cfg(target_os = "linux")]
mod unnoticed;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
pub use unnoticed::Unnoticed;
#[cfg(windows)]
pub(crate) use windows::*;
