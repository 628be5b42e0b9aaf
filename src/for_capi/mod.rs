//! The interface that the core provides to libstatictramp, in addition to the public interface.

#[cfg(feature = "__slot-extra")]
#[cfg(stubs)]
pub mod extra;
#[cfg(not(compact))]
pub mod host;
#[cfg(all(feature = "scratch", linux_stubs))]
pub mod scratch;

/// Async-signal-safe messages.
pub mod message {
    pub use crate::message::{Message, abort, fatal};
}
#[cfg(all(any(target_os = "linux", windows), stubs))]
pub use crate::diagnosis::other_copy;
pub use crate::trampoline::limit::why_full;
pub use crate::trampoline::{free_fast, free_fast_in_row, free_in_row_or_slow, free_slow};

#[cfg(all(feature = "hardened", feature = "scratch"))]
compile_error!(
    "the features `hardened` and `scratch` of statictramp are mutually exclusive: scratch writes code into \
     writable and executable memory, which hardened exists to prevent; omit one of them"
);

#[cfg(feature = "std")]
extern crate std;

/// Provides the panic handler for libstatictramp, which is built without `std` if possible. In a build with `std` or
/// with unwinding panics, this macro only links `std`, which contains a handler.
#[cfg(any(feature = "std", panic = "unwind"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __panic_handler {
    () => {
        extern crate std;
    };
}
/// Defines the panic handler that is used without `std`: prints one line and aborts the process.
#[cfg(not(any(feature = "std", panic = "unwind")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __panic_handler {
    () => {
        #[panic_handler]
        fn panic(_: &core::panic::PanicInfo) -> ! {
            $crate::for_capi::message::fatal("BUG: the library panicked")
        }

        // Some parts of Rust's compiler_builtins that are linked into the library refer to the personality routine.
        // No code unwinds in such a library, so the routine returns "continue with the next frame"
        // (_URC_CONTINUE_UNWIND). It is weak, so that std's routine can override it.
        #[cfg(all(target_arch = "x86_64", windows, target_env = "gnu"))]
        core::arch::global_asm!(
            ".pushsection .text$rust_eh_personality,\"xr\"",
            ".globl rust_eh_personality", // not weak: in COFF, a weak symbol cannot satisfy another object's reference
            "rust_eh_personality:",
            "mov eax, 1", // ExceptionContinueSearch, the corresponding value for SEH
            "ret",
            ".popsection",
        );
        #[cfg(any(target_arch = "x86", all(target_arch = "x86_64", not(any(windows, target_os = "macos")))))]
        core::arch::global_asm!(
            ".pushsection .text.rust_eh_personality,\"ax\",@progbits",
            ".weak rust_eh_personality",
            ".hidden rust_eh_personality",
            ".type rust_eh_personality, @function",
            "rust_eh_personality:",
            "mov eax, 8",
            "ret",
            ".size rust_eh_personality, . - rust_eh_personality",
            ".popsection",
        );
    };
}
