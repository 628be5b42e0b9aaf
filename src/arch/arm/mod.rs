//! Arm: A32 code on Linux, Thumb code on boards. The static chain is in r12.

#[cfg(not(target_os = "none"))]
mod a32;
#[cfg(not(loom))]
pub(crate) mod adapters;
#[cfg(all(target_os = "linux", not(loom)))]
mod in_thread;
#[cfg(not(loom))]
pub(crate) mod raw;
#[cfg(all(feature = "scratch", target_os = "linux", not(loom)))]
pub(crate) mod scratch;
#[cfg(target_os = "none")]
mod thumb;

#[cfg(not(target_os = "none"))]
pub(crate) use a32::*;
#[cfg(target_os = "none")]
pub(crate) use thumb::*;
