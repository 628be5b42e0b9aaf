//! The names of the assembly's symbols.

/// The name of a symbol of this version, as `build.rs` writes it into the assembly.
#[doc(hidden)]
#[macro_export]
macro_rules! __symbol {
    ($name:literal) => {
        concat!(
            $crate::__underscore!(),
            "statictramp_",
            env!("CARGO_PKG_VERSION_MAJOR"),
            "_",
            env!("CARGO_PKG_VERSION_MINOR"),
            "_",
            $name
        )
    };
}
/// What stands before every name of C in the assembly of macOS.
#[cfg(target_os = "macos")]
#[doc(hidden)]
#[macro_export]
macro_rules! __underscore {
    () => {
        "_"
    };
}
#[cfg(not(target_os = "macos"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __underscore {
    () => {
        ""
    };
}
#[cfg(not(loom))]
#[allow(unused_imports)] // where nothing in this crate has a symbol of its own
pub(crate) use __symbol;

// `__needs_stubs!`, which `build.rs` writes: nothing, or on a target without stubs an error that names it.
#[cfg(not(loom))]
include!(concat!(env!("OUT_DIR"), "/needs_stubs.rs"));
