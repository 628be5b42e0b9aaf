//! C interfaces for code from other compilers: functions on OpenMP devices, Fortran's captured variables and
//! descriptors, and MLIR's memrefs.

mod captures;
mod descriptors;
mod devices;
mod image;
mod instances;
mod invalid_table;
mod made;
mod memrefs;
#[cfg(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    target_arch = "riscv64",
    target_arch = "loongarch64",
    target_arch = "powerpc64",
    target_arch = "s390x"
))]
mod memrefs_called;
mod memrefs_returned;
mod offload;
mod variables;
