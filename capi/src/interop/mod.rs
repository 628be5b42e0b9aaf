//! Interfaces to the code of other compilers, in C: device functions of OpenMP, captured variables and descriptors of
//! Fortran, memrefs of MLIR.

mod captures;
mod descriptors;
mod devices;
mod instances;
mod made;
mod memrefs;
mod offload;
