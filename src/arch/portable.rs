//! Processors and systems without stubs.

#[cfg(feature = "std")]
extern crate std;

/// There is no table of stubs.
pub(crate) const STUB_STRIDE: usize = 0;

/// Defines the dead procedure. Without stubs, nothing jumps to it: each slot's function compares the slot's entry with
/// the dead procedure's address. If they are equal, the function calls the dead procedure (`src/closure/numbered.rs`).
macro_rules! dead_procedure {
    ($diagnose:ident) => {
        pub(crate) extern "C" fn dead_procedure(record: usize) -> ! {
            $diagnose(record)
        }
    };
}
pub(crate) use dead_procedure;

/// Stops execution.
#[cfg_attr(unix, allow(dead_code))]
pub(crate) fn trap() -> ! {
    #[cfg(feature = "std")]
    std::process::abort();
    #[cfg(all(not(feature = "std"), target_family = "wasm"))]
    core::arch::wasm32::unreachable();
    // A panic in a function that must not unwind aborts the program.
    #[cfg(not(any(feature = "std", target_family = "wasm")))]
    {
        extern "C" fn end() -> ! {
            panic!("statictramp: see above")
        }
        end()
    }
}

/// Always returns `None`, since there are no stubs.
#[cfg(any(target_os = "linux", windows))]
pub(crate) fn decode_stub(_code: &[u8], _address: usize) -> Option<usize> {
    None
}
