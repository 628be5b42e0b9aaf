//! Pages to read.
#![cfg(all(feature = "alloc", not(loom)))]

// Where the pages link to each other they name files; of two definitions of a link the first counts.
#[doc = "[the contract of a call]: crate::guide::safety#the-contract-of-a-call\n\n"]
#[doc = include_str!("../docs/choosing.md")]
pub mod choosing {}
#[doc = "[fit registers]: crate::guide::choosing#which-signature\n[which]: crate::guide::choosing#which-signature\n\n"]
#[doc = include_str!("../docs/safety.md")]
pub mod safety {}

/// What the README and the other pages show of Rust runs as documentation tests.
#[cfg(doctest)]
mod shown {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../docs/rust.md")]
    struct Rust;
    #[cfg(not(portable))] // where there is `raw`
    #[doc = include_str!("../docs/compilers.md")]
    struct Compilers;
}
