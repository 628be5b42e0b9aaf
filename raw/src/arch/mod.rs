//! The entries of raw closures, and where each processor passes arguments, in one file for each calling convention.
//!
//! Each file defines:
//!
//! | | |
//! |---|---|
//! | `VaList` | C's `va_list`, which `Block::va_list` makes |
//! | `Block` | the registers of a call, and the progress of its handler; it implements `Convention` (`convention/walk.rs`) |
//! | `entry!` | the body of the entries that `entries!` defines |
//! | `Convention::FORWARD` | the entry that moves arguments by a plan (`convention/arrange.rs`), or `None`; without it, signatures that need a plan are rejected |
//!
//! The registers and most instructions are those of the core's macro `__processor!` (`src/arch/registers.rs`). If the
//! macro defines no frame for a processor, the processor's file defines one.

// The file for the target's calling convention.
#[cfg_attr(target_arch = "aarch64", path = "aarch64.rs")]
#[cfg_attr(target_arch = "arm", path = "arm.rs")]
#[cfg_attr(target_arch = "loongarch64", path = "loongarch64.rs")]
#[cfg_attr(target_arch = "mips64", path = "mips64.rs")]
#[cfg_attr(target_arch = "powerpc", path = "powerpc.rs")]
#[cfg_attr(target_arch = "powerpc64", path = "powerpc64.rs")]
#[cfg_attr(any(target_arch = "riscv32", target_arch = "riscv64"), path = "riscv.rs")]
#[cfg_attr(target_arch = "s390x", path = "s390x.rs")]
#[cfg_attr(target_arch = "sparc64", path = "sparc64.rs")]
#[cfg_attr(target_arch = "x86", path = "x86.rs")]
#[cfg_attr(all(target_arch = "x86_64", not(windows)), path = "x86_64.rs")]
#[cfg_attr(all(target_arch = "x86_64", windows), path = "windows.rs")]
mod isa;

pub(crate) use isa::*;
pub use isa::{Block, VaList};

/// A Rust handler, called through `enter_closure`.
pub(crate) trait Handler {
    /// Handles a call, given the stub's chain and the call's block. A panic aborts here, as in any `extern "C"`
    /// function.
    extern "C" fn handle(chain: *const (), block: *mut Block);
}

/// Expands to a register or instruction of the processor. Some processors replace this macro.
#[allow(unused_macros, reason = "as above")]
macro_rules! processor {
    ($($words:tt)*) => {
        statictramp::__processor! { $($words)* }
    };
}
#[allow(unused_imports, reason = "as above")]
pub(crate) use processor;

/// Defines the entries of raw closures with the processor's macro `entry!`, whose arguments are the defined function
/// (which only Windows needs), the instructions that call a function, those that follow the call, and the operands of
/// both. `enter` and `enter_closure` are the instructions that call the handler with the block as its second argument,
/// `results` are the instructions that load the results, with their operands, and `forward` are the instructions that
/// call the callee and follow this call.
macro_rules! entries {
    (
        enter $enter:tt
        enter_closure $enter_closure:tt
        results $results:tt {$($operands:tt)*}
        forward $forward:tt $after:tt
    ) => {
        /// Handles a call through a stub whose chain points to {context, handler}.
        #[cfg(feature = "__for-capi")]
        #[unsafe(naked)]
        pub(crate) extern "C" fn enter() {
            entry!(enter; $enter $results $($operands)*)
        }

        /// Handles a call through a stub whose chain points to a holder.
        #[unsafe(naked)]
        pub(crate) extern "C" fn enter_closure<H: $crate::arch::Handler>() {
            entry!(enter_closure::<H>; $enter_closure $results $($operands)* handler = sym H::handle)
        }

        /// Handles a call through a stub whose chain points to {context, callee, plan}: calls the callee with the
        /// arguments that the plan arranges, and leaves the results where the callee returned them.
        #[cfg(all(feature = "__for-capi", not(compact)))]
        #[unsafe(naked)]
        pub(crate) extern "C" fn forward() {
            entry!(
                forward; $forward $after
                room = sym $crate::convention::arrange::room,
                arrange = sym $crate::convention::arrange::arrange,
            )
        }
    };
}
pub(crate) use entries;
