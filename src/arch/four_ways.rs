//! Ways of passing a closure's address to a parameter, for processors with eight integer argument registers, the first
//! of which may hold the pointer to the result. All of them are a jump without a frame.
//! - *After the arguments*, if those take at most 3 registers: the four registers from the fourth on are set to the
//!   closure's address, and the last of the four parameters that follow the arguments is in one of them.
//! - *Before the arguments*, if those take at most 6 registers: they move up by two registers (so that pairs stay
//!   pairs), and the closure's address is the first. Stack arguments stay there: while registers are left, only
//!   floating-point arguments are on the stack.
//! - *After the result*, which is the same if the first register holds the pointer to the result, and stays; not on
//!   AArch64, where that pointer has its own register.
//! - *In thread-local words*, for more arguments (`in_thread.rs`); on boards that is a compile-time error.

pub(crate) enum Way {
    After,
    Before,
    #[cfg(not(target_arch = "aarch64"))]
    AfterResult,
    InThread,
}

macro_rules! adapter {
    ($way:expr, $enter:ident $signature:tt) => {
        match $way {
            arch::Way::After => {
                $enter!(after, $signature, (), (_: usize, _: usize, _: usize, holder: *const H), holder)
            }
            arch::Way::Before => $enter!(before, $signature, (holder: *const H, _: usize,), (), holder),
            #[cfg(not(target_arch = "aarch64"))]
            arch::Way::AfterResult => $enter!(after_result, $signature, (holder: *const H, _: usize,), (), holder),
            arch::Way::InThread => $enter!(in_thread, $signature, (), (), arch::take::<H>()),
        }
    };
}
pub(crate) use adapter;
