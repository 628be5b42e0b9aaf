//! What is in assembly here. The functions are written once, below; each processor has a folder: `mod.rs` has the instructions in
//! which they differ, and the registers that take integer arguments, in their order; `bind_first.rs`
//! those that move the registers up by one (`src/bind_first.rs`):
//!
//! | `text!` | |
//! |---|---|
//! | `begin`, `end` | what stands around a naked function's instructions: unwind information, a landing pad |
//! | `bind REGISTER` | loads an argument's register (on x86 of 32 bits, its word on the stack) from the static chain's pair {context, callee}; jumps to the callee |
//! | `stack_pointer PLACE` | puts the caller's stack pointer into the register of the `first` or `fourth` argument |
//! | `return_address PLACE` | puts the return address into the register of the `second` argument |
//! | `go_on` | jumps to the function `{to}`; on x86 of 32 bits, calls it with the arguments in a frame that `stack_pointer PLACE` has made |
//! | `stack_pointer` | copies the stack pointer |
//!
//! For a word of the running thread's own (`tls.rs`) by its offset, x86-64 but on Windows has `load_thread_word` and
//! `store_thread_word`; the others have `address_of_thread_word!`. Boards have no such words, and macOS has others (`keys.rs`).

/// The functions that a bound trampoline enters, in the order of the calling convention.
macro_rules! adapters {
    ($($name:ident $register:tt)*) => {
        $(
            #[unsafe(naked)]
            extern "C" fn $name() {
                core::arch::naked_asm!(text!(begin), text!(bind $register), text!(end))
            }
        )*
        pub(crate) const ADAPTERS: &[extern "C" fn()] = &[$($name),*];
    };
}

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "arm")]
mod arm;
#[cfg(target_arch = "loongarch64")]
mod loongarch64;
#[cfg(target_arch = "powerpc")]
mod powerpc;
#[cfg(target_arch = "powerpc64")]
mod powerpc64;
#[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
mod riscv;
#[cfg(target_arch = "s390x")]
mod s390x;
#[cfg(target_arch = "x86")]
mod x86;
#[cfg(all(target_arch = "x86_64", not(windows)))]
mod x86_64;
#[cfg(all(target_arch = "x86_64", windows))]
#[path = "x86_64/windows/mod.rs"]
mod x86_64_windows;

#[cfg(target_arch = "aarch64")]
pub(crate) use aarch64::*;
#[cfg(target_arch = "arm")]
pub(crate) use arm::*;
#[cfg(target_arch = "loongarch64")]
pub(crate) use loongarch64::*;
#[cfg(target_arch = "powerpc")]
pub(crate) use powerpc::*;
#[cfg(target_arch = "powerpc64")]
pub(crate) use powerpc64::*;
#[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
pub(crate) use riscv::*;
#[cfg(target_arch = "s390x")]
pub(crate) use s390x::*;
#[cfg(target_arch = "x86")]
pub(crate) use x86::*;
#[cfg(all(target_arch = "x86_64", not(windows)))]
pub(crate) use x86_64::*;
#[cfg(all(target_arch = "x86_64", windows))]
pub(crate) use x86_64_windows::*;

/// The body of a naked function that has its caller's stack pointer, or where its caller is, put into an argument's
/// register, and goes on to another function with all other arguments as they came. The instructions may name the
/// function that they are, `{me}`.
#[cfg(any(unix, windows))]
macro_rules! go_on {
    ($me:path: $what:ident $place:ident, $to:path) => {
        core::arch::naked_asm!(
            "/* {me} */",
            $crate::arch::text!(begin),
            $crate::arch::text!($what $place),
            $crate::arch::text!(go_on),
            $crate::arch::text!(end),
            me = sym $me,
            to = sym $to,
        )
    };
}
#[cfg(any(unix, windows))]
pub(crate) use go_on;

#[cfg(any(windows, all(target_os = "linux", not(target_arch = "x86_64"))))]
#[inline(always)]
fn thread_word(offset: usize) -> *mut usize {
    let word: *mut usize;
    // SAFETY: computes an address; the offset of the words from the thread pointer, and that
    // pointer, never change.
    unsafe { address_of_thread_word!(crate::tls::symbol!(), word) };
    word.wrapping_byte_add(offset)
}

#[cfg(any(windows, all(target_os = "linux", not(target_arch = "x86_64"))))]
#[inline(always)]
pub(crate) fn load_thread_word(offset: usize) -> usize {
    // SAFETY: one of the words of `tls.rs`, which each thread has.
    unsafe { thread_word(offset).read_volatile() }
}

#[cfg(any(windows, all(target_os = "linux", not(target_arch = "x86_64"))))]
#[inline(always)]
pub(crate) fn store_thread_word(offset: usize, value: usize) {
    // SAFETY: as above, and only this library uses it.
    unsafe { thread_word(offset).write_volatile(value) }
}

/// The stack pointer of the function that this is inlined into: always the same distance from that of its caller.
#[cfg(any(unix, windows))]
#[inline(always)]
pub(crate) fn stack_pointer() -> usize {
    let here;
    // SAFETY: copies a register.
    unsafe {
        core::arch::asm!(text!(stack_pointer), out(reg) here, options(nomem, nostack, preserves_flags))
    };
    here
}
