//! The ways of passing a closure's address to a function, for processors with eight integer argument registers, the
//! first of which may hold the pointer to the result. The register counts below include this pointer. In all four
//! cases, the adapter ends with a jump and needs no frame.
//! ```text
//!   register              1    2    3    4    5    6    7    8
//!   what came             a    b
//!   after the arguments   a    b         c    c    c    c         enter(a, b, _, _, _, c): c is in register 6
//!   before the arguments  c         a    b                        enter(c, _, a, b)
//!   after the result      a    c         b                        enter(c, _, b) -> struct, if a points to the result
//! ```
//! - *After the arguments*, if the arguments take at most 3 registers. The function has four extra parameters after the
//!   arguments. The last parameter is in the fourth, fifth, sixth or seventh register, so the adapter sets all four
//!   registers to the closure's address.
//! - *Before the arguments*, if the arguments take at most 6 registers. The arguments move up by two registers (so that
//!   register pairs stay pairs), and the closure's address is in the first register. Stack arguments do not move,
//!   because while integer registers are free, only floating-point arguments can be on the stack.
//! - *After the result*, if the arguments take at most 6 registers and the first one holds the pointer to the result.
//!   That register keeps its value, and the arguments move as in the previous case. AArch64 does not need this
//!   adapter, because a pointer to the result has its own register.
//! - *In thread-local words*, for all other signatures (`in_thread.rs`). On systems other than Linux, closures with
//!   such a signature do not compile.

pub(crate) enum Passing {
    After,
    Before,
    #[cfg(not(target_arch = "aarch64"))]
    AfterResult,
    #[cfg(target_os = "linux")]
    ThreadWords,
}
