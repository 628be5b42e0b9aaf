//! The core's interface for libstatictramp, which needs parts of the core that are not in the public interface.

#[cfg(feature = "__slot-extra")]
#[cfg(stubs)]
pub mod extra;
#[cfg(not(compact))]
pub mod host;
mod panic;
#[cfg(feature = "__slot-extra")]
#[cfg(all(stubs, not(compact)))]
pub mod recent;
#[cfg(all(feature = "scratch", linux_stubs))]
pub mod scratch;

/// Async-signal-safe messages.
pub mod message {
    pub use crate::message::{Message, abort, fatal};
}
#[cfg(all(any(target_os = "linux", windows), stubs))]
pub use crate::diagnosis::other_copy;
pub use crate::trampoline::limit::why_full;
pub use crate::trampoline::{free_fast, free_fast_in_row, free_in_row_or_slow, free_slow};

#[cfg(all(feature = "hardened", feature = "scratch"))]
compile_error!(
    "the features `hardened` and `scratch` of statictramp exclude each other: scratch writes code into \
     writable and executable memory, which hardened exists to prevent; omit one of them"
);
