//! The one door for the C library of this workspace: what it needs of the core that is no part
//! of the public interface.

#[cfg(feature = "__slot-extra")]
#[cfg(stubs)]
pub mod extra;
#[cfg(not(compact))]
pub mod host;
mod panic;
#[cfg(feature = "__slot-extra")]
#[cfg(stubs)]
pub mod raw;
#[cfg(all(feature = "scratch", linux_stubs))]
pub mod scratch;

/// Messages that a signal handler may print.
pub mod message {
    pub use crate::message::{Message, abort, fatal};
}
#[cfg(all(any(target_os = "linux", windows), stubs))]
pub use crate::diagnosis::other_copy;
pub use crate::trampoline::limit::why_full;

#[cfg(all(feature = "hardened", feature = "scratch"))]
compile_error!(
    "the features `hardened` and `scratch` of statictramp exclude each other: scratch writes code into memory \
     that must be writable and executable, which hardened is there to refuse; leave one of them out"
);
