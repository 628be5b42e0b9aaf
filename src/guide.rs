//! The pages of the guide.
#![cfg(all(feature = "alloc", not(loom)))]

// The pages link to each other by file name. The link definitions in the attributes below override the definitions on
// the pages, because the first definition of a link takes precedence.
#[doc = "[the contract of a call]: crate::guide::safety#the-contract-of-a-call\n\n"]
#[doc = include_str!("../docs/choosing.md")]
pub mod choosing {}
#[doc = "[fit in registers]: crate::guide::choosing#signatures\n[signatures]: crate::guide::choosing#signatures\n\n"]
#[doc = include_str!("../docs/safety.md")]
pub mod safety {}
#[doc = "[glossary]: https://github.com/statictramp/statictramp/blob/main/docs/glossary.md\n\n"]
#[doc = include_str!("../ARCHITECTURE.md")]
pub mod implementation {}

/// Runs the Rust examples in the README and on the other pages as documentation tests.
#[cfg(doctest)]
mod shown {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../docs/first-rust.md")]
    struct FirstHour;
    #[doc = include_str!("../docs/rust.md")]
    struct Rust;
}
