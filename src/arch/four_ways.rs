//! Ways of passing a closure's address to a function, for processors with eight integer argument registers, the first
//! of which may hold the pointer to the result. Below, the number of registers that the arguments take includes that
//! register. In all four ways, the adapter ends with a jump and needs no frame.
//! - *After the arguments*, if the arguments take at most 3 registers. The function has four extra parameters after the
//!   arguments, and the last one is in the fourth, fifth, sixth or seventh register. The adapter sets all four of these
//!   registers to the closure's address.
//! - *Before the arguments*, if the arguments take at most 6 registers. The arguments move up by two registers (so that
//!   register pairs stay pairs), and the closure's address is in the first register. Stack arguments do not move,
//!   because only floating-point arguments can be on the stack while integer registers are left.
//! - *After the result*, if the arguments take at most 6 registers and the first one holds the pointer to the result.
//!   That register keeps its value, and the arguments move as in the previous case. This way does not exist on AArch64,
//!   where the pointer has its own register.
//! - *In thread-local words*, for all other signatures (`in_thread.rs`). On boards and on macOS, such a signature is a
//!   compile-time error.

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

#[rustfmt::skip]
macro_rules! after {
    ($enter:path; $arguments:expr) => { $crate::arch::moving!($enter, arch::after) };
    ($chain:tt $a:tt $b:tt $c:tt $d:tt $e:tt $f:tt $g:tt $h:tt) => {
        $crate::arch::moves!({$d $chain} {$e $chain} {$f $chain} {$g $chain})
    };
}
pub(crate) use after;

#[rustfmt::skip]
macro_rules! before {
    ($enter:path; $arguments:expr) => { $crate::arch::moving!($enter, arch::before) };
    ($chain:tt $a:tt $b:tt $c:tt $d:tt $e:tt $f:tt $g:tt $h:tt) => {
        $crate::arch::moves!({$h $f} {$g $e} {$f $d} {$e $c} {$d $b} {$c $a} {$a $chain})
    };
}
pub(crate) use before;

#[cfg(not(target_arch = "aarch64"))]
#[rustfmt::skip]
macro_rules! after_result {
    ($enter:path; $arguments:expr) => { $crate::arch::moving!($enter, arch::after_result) };
    ($chain:tt $a:tt $b:tt $c:tt $d:tt $e:tt $f:tt $g:tt $h:tt) => {
        $crate::arch::moves!({$h $f} {$g $e} {$f $d} {$e $c} {$d $b} {$b $chain})
    };
}
#[cfg(not(target_arch = "aarch64"))]
pub(crate) use after_result;
