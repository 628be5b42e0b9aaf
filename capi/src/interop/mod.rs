//! C interfaces for code from other compilers: functions on OpenMP devices, Fortran's captured variables and
//! descriptors, and MLIR's memrefs.

mod captures;
mod deep;
mod descriptors;
mod devices;
mod image;
mod instances;
mod invalid_table;
mod made;
mod memrefs;
#[cfg(memref_closures)]
mod memrefs_called;
mod memrefs_returned;
mod offload;
mod variables;
