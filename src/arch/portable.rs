//! The replacement for a processor's directory in builds without stubs.

#[cfg(feature = "std")]
extern crate std;

/// The distance in bytes from one stub to the next: 0, because there are no stubs.
pub(crate) const STUB_STRIDE: usize = 0;

/// Defines the dead procedure. Without stubs, no code jumps to the dead procedure. Instead, each slot's function calls
/// the dead procedure if the slot's entry is that procedure's address (`src/closure/numbered.rs`).
macro_rules! dead_procedure {
    ($diagnose:ident) => {
        pub(crate) extern "C" fn dead_procedure(record: usize) -> ! {
            $diagnose(record)
        }
    };
}
pub(crate) use dead_procedure;

/// Aborts the program, or stops execution with a trap.
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
