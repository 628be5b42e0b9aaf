//! The limit of a table that does not grow. (Models pass their own limit.)

pub(super) fn set(_slots: usize) {}

pub(crate) fn limit() -> usize {
    0
}

pub(super) fn why_full() -> &'static str {
    // The remedy for a Rust program. (The archives of libstatictramp are built with `grow` on targets that support it.)
    if cfg!(all(feature = "std", any(target_os = "linux", target_os = "macos", windows), not(portable))) {
        "enable statictramp's `grow` feature, or build with a larger STATICTRAMP_SLOTS, which [env] in \
         .cargo/config.toml sets"
    } else if cfg!(all(target_arch = "arm", not(target_has_atomic = "ptr"))) {
        "build with a larger STATICTRAMP_SLOTS, and make trampolines only in privileged code outside the non-maskable \
         interrupt"
    } else if cfg!(feature = "alloc") {
        "build with a larger STATICTRAMP_SLOTS, which [env] in .cargo/config.toml sets"
    } else {
        "build with a larger STATICTRAMP_SLOTS"
    }
}
