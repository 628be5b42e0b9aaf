//! The systems next door: rules and data of other languages and their compilers.

pub mod capture;
pub mod descriptor;
pub mod memref;
