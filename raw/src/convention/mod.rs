//! Calling conventions for closures whose signatures are known only at run time: descriptions of types, and iteration
//! over the arguments of a call.

#[cfg(all(feature = "__for-capi", not(compact)))]
pub(crate) mod arrange;
#[cfg(feature = "__for-capi")]
pub(crate) mod insert;
pub(crate) mod kind;
pub(crate) mod layout;
#[cfg(any(target_arch = "riscv32", target_arch = "riscv64", target_arch = "loongarch64"))]
pub(crate) mod leaves;
#[cfg(feature = "__for-capi")]
pub(crate) mod location;
#[cfg(feature = "__for-capi")]
pub(crate) mod simple;
pub(crate) mod walk;
