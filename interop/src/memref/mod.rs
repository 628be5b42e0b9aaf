//! MLIR memrefs, as passed by code lowered with `--finalize-memref-to-llvm` and `--convert-func-to-llvm` (MLIR
//! documentation, "LLVM IR Target", section "Calling Conventions"; tested with LLVM 19 and 22).
//!
//! A memref is a descriptor ([`Ranked`]): two pointers, an offset, sizes and strides. As an argument, it is passed as
//! separate scalars in this order; as a result, it is returned as a struct. An unranked memref ([`Unranked`]) is passed
//! as its rank and a pointer to such a descriptor. The C form (`llvm.emit_c_interface`) passes a pointer to a
//! [`Ranked`], which any closure can take.
//!
//! `bind` turns a closure that takes and returns whole descriptors into a function pointer that MLIR code can call
//! through `func.call_indirect`. `bind` is available on 64-bit Linux for x86-64, AArch64, RISC-V with the D
//! extension, LoongArch, little-endian PowerPC and s390x, and on x86-64 Windows. On other targets, a call to `bind`
//! causes a compile-time error that explains the reason.

mod any_rank;
#[cfg(memref_closures)]
mod closure;
mod error;
#[cfg(target_pointer_width = "64")]
mod lowering;
mod numbers;
mod ranked;
mod unranked;
#[cfg(any(target_os = "linux", windows))]
mod unranked_result;
#[cfg(not(memref_closures))]
mod unsupported;

pub use any_rank::AnyRank;
#[cfg(memref_closures)]
pub use closure::{
    Argument, AtRunTime, Callee, Function, Handler, Results, Signature, SignatureError, Signed, bind,
};
pub use error::MemrefError;
#[cfg(target_pointer_width = "64")]
pub use lowering::check_lowering;
pub use numbers::{Bf16, Complex, F16, Vector};
pub use ranked::Ranked;
pub use unranked::{MOST_DIMENSIONS, Unranked};
#[cfg(any(target_os = "linux", windows))]
pub use unranked_result::UnrankedResult;
#[cfg(not(memref_closures))]
pub use unsupported::bind;
