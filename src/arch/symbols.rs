//! The names of the symbols in the assembly.

/// Expands to the full name of a symbol, with the prefix that `build.rs` writes into the assembly.
#[doc(hidden)]
#[macro_export]
macro_rules! __symbol {
    ($name:literal) => {
        concat!(
            $crate::__underscore!(),
            "statictramp_",
            $crate::__library!(),
            env!("CARGO_PKG_VERSION_MAJOR"),
            "_",
            env!("CARGO_PKG_VERSION_MINOR"),
            "_",
            $name
        )
    };
}
/// Expands to the part of the prefix that distinguishes the C library from the crate.
#[cfg(feature = "__slot-extra")]
#[doc(hidden)]
#[macro_export]
macro_rules! __library {
    () => {
        "c_"
    };
}
#[cfg(not(feature = "__slot-extra"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __library {
    () => {
        ""
    };
}
/// Expands to the assembly prefix of C names, which is empty except on macOS.
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
#[allow(unused_imports)] // unused if this crate defines no symbols
pub(crate) use __symbol;

// The `__needs_stubs!` macro, which `build.rs` generates. The macro expands to nothing or, on a target without stubs,
// to a compile-time error that names the target.
#[cfg(not(loom))]
include!(concat!(env!("OUT_DIR"), "/needs_stubs.rs"));
