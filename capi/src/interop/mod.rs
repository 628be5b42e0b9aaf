//! The systems next door, for C: device functions of OpenMP, captured variables and descriptors of Fortran, memrefs of MLIR.

mod descriptors;
mod devices;
mod instances;
mod memrefs;
mod offload;
