//! The limit of a table that does not grow. (A model passes its own limit.)

pub(super) fn set(_slots: usize) {}

pub(crate) fn limit() -> usize {
    0
}

pub(super) fn why_full() -> &'static str {
    // The remedy for a Rust program; the C library's archives are built with `grow` where that is supported.
    if cfg!(all(feature = "std", any(target_os = "linux", target_os = "macos", windows), not(portable))) {
        "enable the feature `grow` of statictramp, or build with a larger STATICTRAMP_SLOTS, which [env] in \
         .cargo/config.toml sets"
    } else if cfg!(feature = "alloc") {
        "build with a larger STATICTRAMP_SLOTS, which [env] in .cargo/config.toml sets"
    } else {
        "build with a larger STATICTRAMP_SLOTS"
    }
}
