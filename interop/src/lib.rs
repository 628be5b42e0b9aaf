//! Support for data that Fortran, OpenMP and MLIR code passes to functions made by [`statictramp`].
//!
//! | module | |
//! |---|---|
//! | [`descriptor`] | views and conversions of Fortran array descriptors in the layouts of gfortran and flang |
//! | [`instance`] | the host variables captured by an internal procedure |
//! | [`capture`] | the dummy arguments whose addresses a Fortran procedure may keep |
//! | [`offload`] | tables of OpenMP device functions, indexed by host address |
//! | [`memref`] | MLIR memrefs, and closures that take and return them |
//!
//! The crate does not use std. Only [`offload::FunctionMap`] and, on Linux, `memref::UnrankedResult` allocate memory.
//!
//! # Features
//! | feature | |
//! |---|---|
//! | `alloc` (default) | [`offload::Heap`]: the tables of a map are allocated on the program's heap |
#![no_std]

#[cfg(any(feature = "alloc", test))]
extern crate alloc;
#[cfg(any(loom, test))]
extern crate std;

pub mod descriptor;
mod extent;
#[cfg(target_pointer_width = "64")]
pub mod instance;
pub mod memref;
pub mod offload;
#[cfg(any(target_has_atomic = "64", loom))]
mod sync;

#[cfg(all(test, loom))]
mod models;

#[doc(inline)]
pub use statictramp_capture_rules as capture;

/// Runs the Rust examples in the documentation pages as tests.
#[cfg(all(doctest, memref_closures, pages))]
mod shown {
    #[doc = include_str!("../../docs/descriptors.md")]
    struct Descriptors;
    #[doc = include_str!("../../docs/mlir.md")]
    struct Mlir;
}
