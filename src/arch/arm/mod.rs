//! Arm: A32 code on Linux, Thumb code on boards. The static chain is in r12.

#[cfg(not(target_os = "none"))]
mod a32;
pub(crate) mod adapters;
#[cfg(all(feature = "scratch", target_os = "linux"))]
pub(crate) mod scratch;
#[cfg(target_os = "none")]
mod thumb;

#[cfg(target_os = "linux")]
pub(crate) use crate::arch::kernel::*;
#[cfg(not(target_os = "none"))]
pub(crate) use a32::*;
#[cfg(target_os = "none")]
pub(crate) use thumb::*;
