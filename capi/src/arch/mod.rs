//! The library's assembly functions. Each is written once, using the registers and instructions that the core's
//! `__processor!` defines for the target (`src/arch/registers.rs`).
//!
//! On x86-64 Linux and FreeBSD, single instructions access the running thread's thread-local words (`tls.rs`, `x86_64.rs`). Boards
//! have no such words, and macOS and Android use pthread keys instead (`keys.rs`).

pub(crate) use statictramp::__processor as processor;

/// Defines the adapters of statictramp_bind, one for each argument register, in the order of the calling convention.
/// The stubs of trampolines made by statictramp_bind jump to these adapters. The macro's argument ends with the list of
/// argument registers.
macro_rules! bind_adapters {
    ({ $($made:ident $register:tt)* } $names:tt) => {
        $(
            #[unsafe(naked)]
            extern "C" fn $made() {
                core::arch::naked_asm!(processor!(begin), processor!(bind $register), processor!(end))
            }
        )*
        pub(crate) const ADAPTERS: &[extern "C" fn()] = &[$($made),*];
    };
    ({ $($made:tt)* } [$name:ident $($names:ident)*] $register:tt $($registers:tt)*) => {
        bind_adapters! { { $($made)* $name $register } [$($names)*] $($registers)* }
    };
}

processor! {
    writable_arguments [bind_adapters] {} [
        statictramp_bind_0 statictramp_bind_1 statictramp_bind_2 statictramp_bind_3
        statictramp_bind_4 statictramp_bind_5 statictramp_bind_6 statictramp_bind_7
        statictramp_bind_8 statictramp_bind_9 statictramp_bind_10 statictramp_bind_11
        statictramp_bind_12 statictramp_bind_13 statictramp_bind_14 statictramp_bind_15
    ]
}

/// Defines the adapters of statictramp_bind_first (`capi/src/bind_first.rs`). The adapter for n registers moves the
/// contents of each of the first n registers to the next register in the list, starting with the nth, and then loads
/// the context into the first.
macro_rules! insert_adapters {
    ($table:ident { $($made:ident [$($register:tt)+])* } $names:tt $before:tt) => {
        $(
            #[unsafe(naked)]
            extern "C" fn $made() {
                insert!([] $($register)+)
            }
        )*
        pub(crate) const $table: &[extern "C" fn()] = &[$($made),*];
    };
    ($table:ident { $($made:tt)* } [$name:ident $($names:ident)*] [$($before:tt)*] $register:tt $($registers:tt)*) => {
        insert_adapters! {
            $table { $($made)* $name [$register $($before)*] } [$($names)*] [$register $($before)*] $($registers)*
        }
    };
}

/// Expands to an adapter's instructions. In the given list of registers, the last receives the context, and each of the
/// others receives the value of the next.
macro_rules! insert {
    ([$($pairs:tt)*] $context:tt) => {
        adapter!($context $($pairs)*)
    };
    ([$($pairs:tt)*] $to:tt $from:tt $($rest:tt)*) => {
        insert!([$($pairs)* {$to $from}] $from $($rest)*)
    };
}

#[cfg(not(inserts))]
macro_rules! adapter {
    ($context:tt $({$to:tt $from:tt})*) => {
        core::arch::naked_asm!(
            processor!(begin),
            $(processor!(move $to $from),)*
            processor!(bind $context),
            processor!(end),
        )
    };
}
#[cfg(inserts)]
macro_rules! adapter {
    ($($words:tt)*) => {
        core::arch::naked_asm!(processor!(insert $($words)*))
    };
}

processor! {
    writable_arguments [insert_adapters] FIRST {} [
        first_0 first_1 first_2 first_3 first_4 first_5 first_6 first_7
        first_8 first_9 first_10 first_11 first_12 first_13 first_14 first_15
    ] []
}

/// Like `insert_adapters`, but inserts the context after the first register in the list, because that register contains
/// the result's address.
macro_rules! insert_adapters_after {
    ($first:tt $($registers:tt)*) => {
        insert_adapters! {
            BEHIND_FIRST {} [
                after_result_0 after_result_1 after_result_2 after_result_3 after_result_4
                after_result_5 after_result_6 after_result_7 after_result_8 after_result_9
                after_result_10 after_result_11 after_result_12 after_result_13 after_result_14
            ] [] $($registers)*
        }
    };
}
processor! { writable_arguments [insert_adapters_after] }

/// The adapters of statictramp_bind_first for calls whose result is returned in memory.
pub(crate) const AFTER_RESULT: &[extern "C" fn()] =
    if processor!(result_takes_first) { BEHIND_FIRST } else { FIRST };

/// Expands to a naked function's body, which loads the caller's stack pointer or the return address into an argument
/// register, leaves all other arguments unchanged, and jumps to another function. The instructions may refer to the
/// naked function as `{me}`.
#[doc(hidden)]
#[macro_export]
macro_rules! __go_on {
    ($me:path: $what:ident $address:ident, $to:path) => {
        core::arch::naked_asm!(
            "/* {me} */",
            statictramp::__processor!(begin),
            statictramp::__processor!(writable_arguments [$crate::__caller_has] $address $what),
            statictramp::__processor!(jump "{to}"),
            statictramp::__processor!(end),
            me = sym $me,
            to = sym $to,
        )
    };
}
#[cfg(any(unix, windows))]
pub use __go_on as go_on;

/// Expands to the `caller` entry of `__processor!` for the register at a given position in the list.
#[doc(hidden)]
#[macro_export]
macro_rules! __caller_has {
    (first $what:ident $first:tt $($rest:tt)*) => {
        statictramp::__processor!(caller $what $first)
    };
    (second $what:ident $first:tt $second:tt $($rest:tt)*) => {
        statictramp::__processor!(caller $what $second)
    };
    (fourth $what:ident $first:tt $second:tt $third:tt $fourth:tt $($rest:tt)*) => {
        statictramp::__processor!(caller $what $fourth)
    };
}

#[cfg(all(any(target_os = "linux", target_os = "freebsd"), target_arch = "x86_64"))]
mod x86_64;
#[cfg(all(any(target_os = "linux", target_os = "freebsd"), target_arch = "x86_64"))]
pub(crate) use x86_64::{load_thread_word, store_thread_word};

#[cfg(any(windows, all(target_os = "linux", not(target_arch = "x86_64"))))]
#[inline(always)]
fn thread_word(offset: usize) -> *mut usize {
    let word: *mut usize;
    // SAFETY: this only computes an address. While a thread runs, neither its thread pointer nor the offset of the
    // words changes.
    unsafe { processor!(thread_word crate::tls::symbol!(), word) };
    word.wrapping_byte_add(offset)
}

#[cfg(any(windows, all(target_os = "linux", not(target_arch = "x86_64"))))]
#[inline(always)]
pub(crate) fn load_thread_word(offset: usize) -> usize {
    // SAFETY: this reads a thread-local word of `tls.rs`, and every thread has these words.
    unsafe { thread_word(offset).read_volatile() }
}

#[cfg(any(windows, all(target_os = "linux", not(target_arch = "x86_64"))))]
#[inline(always)]
pub(crate) fn store_thread_word(offset: usize, value: usize) {
    // SAFETY: this writes a thread-local word of `tls.rs`, and only this library uses these words.
    unsafe { thread_word(offset).write_volatile(value) }
}

/// Returns the stack pointer of the function into which this is inlined. It is at a constant distance from the stack
/// pointer of that function's caller.
#[cfg(any(unix, windows))]
#[inline(always)]
pub(crate) fn stack_pointer() -> usize {
    let here;
    // SAFETY: this only copies a register.
    unsafe {
        core::arch::asm!(
            processor!(stack_pointer), out(reg) here, options(nomem, nostack, preserves_flags)
        )
    };
    here
}
