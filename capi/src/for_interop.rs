//! The hidden interface for `interop/capi/`, the other part of the C library: function pointers, errno, properties of
//! bound trampolines, reclaiming, and libc's functions and symbols.

pub use crate::arch::go_on;
#[cfg(target_os = "linux")]
pub use crate::bind::{chain_or_context, position};
#[cfg(target_os = "linux")]
pub use crate::c_library::{dl_iterate_phdr, program_headers};
pub use crate::errno::{EINVAL, ENOMEM, fail};
pub use crate::function::{StatictrampFn, address, function};
pub use crate::reclaim::make_room;
#[cfg(target_os = "linux")]
pub use crate::symbols::{Symbol, find as find_symbol};
