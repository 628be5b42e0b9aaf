//! The ways of a closure's address to a parameter where eight registers take integer arguments, of which the first may be that of
//! the result. All of them are a jump without a frame.
//!
//! - *After the arguments*, if those are at most 3 registers: the four registers from the fourth on are set to the
//!   closure's address, and of the four parameters that follow the arguments the last lies in one of them.
//! - *Before the arguments*, if those are at most 6: they move up by two registers (so that pairs stay pairs), and the
//!   closure's address is the first. What lies on the stack stays there: while registers are left, only floating-point
//!   arguments are.
//! - *After the result*, which is the same where the first register is that of the result, and stays; not on AArch64, where that has
//!   a register of its own.
//! - *In words of the thread*, if they are more (`in_thread.rs`); on boards that is refused when the program is compiled.

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
