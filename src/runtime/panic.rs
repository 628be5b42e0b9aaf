//! The panic handler of the C library.

#[cfg(feature = "std")]
extern crate std;

/// For the C library, which is built without `std` if possible, and in that case needs a panic handler. With `std` in
/// the program, or with a profile that unwinds, std provides the handler.
#[cfg(any(feature = "std", panic = "unwind"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __panic_handler {
    () => {
        extern crate std;
    };
}
/// The panic handler without `std`: prints one line and aborts the process.
#[cfg(not(any(feature = "std", panic = "unwind")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __panic_handler {
    () => {
        #[panic_handler]
        fn panic(_: &core::panic::PanicInfo) -> ! {
            $crate::runtime::message::fatal("BUG: the library panicked")
        }

        // Members of Rust's own compiler_builtins refer to the personality routine, and some are linked into the
        // library. Nothing unwinds here, so the routine returns "continue with the next frame" (_URC_CONTINUE_UNWIND).
        // It is weak, so that std's own may replace it.
        #[cfg(all(target_arch = "x86_64", windows))]
        core::arch::global_asm!(
            ".pushsection .text$rust_eh_personality,\"xr\"",
            ".globl rust_eh_personality", // not weak: for other objects, COFF's weak symbols are not definitions
            "rust_eh_personality:",
            "mov eax, 1", // ExceptionContinueSearch, the SEH counterpart
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
