//! The pages of the guide.
#![cfg(all(feature = "alloc", not(loom)))]

// The pages link to each other by file name. If a link is defined twice, the first definition counts.
#[doc = "[the contract of a call]: crate::guide::safety#the-contract-of-a-call\n\n"]
#[doc = include_str!("../docs/choosing.md")]
pub mod choosing {}
#[doc = "[fit registers]: crate::guide::choosing#signatures\n[signatures]: crate::guide::choosing#signatures\n\n"]
#[doc = include_str!("../docs/safety.md")]
pub mod safety {}

/// The Rust examples of the README and the other pages run as documentation tests.
#[cfg(doctest)]
mod shown {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../docs/rust.md")]
    struct Rust;
    #[cfg(not(portable))] // where `raw` exists
    #[doc = include_str!("../docs/compilers.md")]
    struct Compilers;
}
