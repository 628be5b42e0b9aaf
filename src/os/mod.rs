//! The interface to the operating system. On Linux it is async-signal-safe.

#[cfg(target_os = "linux")]
pub(crate) mod elf;
#[cfg(target_os = "linux")]
pub(crate) mod maps;
#[cfg(all(target_os = "linux", not(portable)))]
pub(crate) mod readable;
#[cfg(linux_stubs)]
pub(crate) mod stack;
#[cfg(target_os = "linux")]
#[cfg_attr(portable, allow(dead_code, reason = "libstatictramp and growth need stubs"))]
pub mod system;
#[cfg(windows)]
mod windows;

#[cfg(windows)]
pub(crate) use windows::*;
