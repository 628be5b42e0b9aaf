//! What is in assembly here. The functions are written once, below; each processor has a folder: `mod.rs` has the instructions in
//! which they differ, and the registers that take integer arguments, in their order; its module `bind_first`
//! those that move the registers up by one (`src/bind_first.rs`):
//!
//! | `text!` | |
//! |---|---|
//! | `begin`, `end` | what stands around a naked function's instructions: unwind information, a landing pad |
//! | `bind REGISTER` | loads an argument's register (on x86 of 32 bits, its word on the stack) from the static chain's pair {context, callee}; jumps to the callee |
//! | `move TO FROM` | copies an argument's register |
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

/// For statictramp_bind_first, an adapter for each list of registers: the last gets the context, and each other what was in the next.
macro_rules! inserts {
    ($($table:ident { $($name:ident $($register:literal)+;)* })*) => {
        $(
            $(
                #[unsafe(naked)]
                extern "C" fn $name() {
                    insert!([] $($register)+)
                }
            )*
            pub(crate) const $table: &[extern "C" fn()] = &[$($name),*];
        )*
    };
}

/// One of these: what moves the registers, and `bind`. x86 of 32 bits, Windows and boards of Arm have their own.
#[cfg(not(any(
    target_arch = "x86",
    all(target_arch = "x86_64", windows),
    all(target_arch = "arm", target_os = "none")
)))]
macro_rules! adapter {
    ($context:literal; $({$to:literal $from:literal})*) => {
        core::arch::naked_asm!(
            $crate::arch::text!(begin),
            $($crate::arch::text!(move $to $from),)*
            $crate::arch::text!(bind $context),
            $crate::arch::text!(end),
        )
    };
}

/// Turns the list into pairs {to from}, for `adapter!`.
macro_rules! insert {
    ([$($pair:tt)*] $context:literal) => {
        adapter!($context; $($pair)*)
    };
    ([$($pair:tt)*] $to:literal $from:literal $($rest:literal)*) => {
        insert!([$($pair)* {$to $from}] $from $($rest)*)
    };
}

// The folder of the processor.
#[cfg_attr(target_arch = "aarch64", path = "aarch64/mod.rs")]
#[cfg_attr(target_arch = "arm", path = "arm/mod.rs")]
#[cfg_attr(target_arch = "loongarch64", path = "loongarch64/mod.rs")]
#[cfg_attr(target_arch = "powerpc", path = "powerpc/mod.rs")]
#[cfg_attr(target_arch = "powerpc64", path = "powerpc64/mod.rs")]
#[cfg_attr(any(target_arch = "riscv32", target_arch = "riscv64"), path = "riscv/mod.rs")]
#[cfg_attr(target_arch = "s390x", path = "s390x/mod.rs")]
#[cfg_attr(target_arch = "x86", path = "x86/mod.rs")]
#[cfg_attr(all(target_arch = "x86_64", not(windows)), path = "x86_64/mod.rs")]
#[cfg_attr(all(target_arch = "x86_64", windows), path = "x86_64/windows/mod.rs")]
mod isa;

pub(crate) use isa::*;

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
