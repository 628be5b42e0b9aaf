//! Thumb: the static chain travels in r12.

/// Bytes from one stub to the next.
pub(crate) const STUB_STRIDE: usize = if cfg!(thumb1) { 20 } else { 16 };

/// Set in an address that is called: the code is Thumb.
pub(crate) const CODE_BIT: usize = 1;

/// The address of a hidden symbol of the assembly, of which there is one image. Symbols carry
/// the version, as `build.rs` says.
macro_rules! address_of {
    ($symbol:literal) => {{
        unsafe extern "C" {
            #[link_name = $crate::__symbol!($symbol)]
            static SYMBOL: u8;
        }
        &raw const SYMBOL
    }};
}
pub(crate) use address_of;

/// What a call through a freed trampoline runs. The stub has put the slot's last record
/// into the static-chain register; it becomes the first argument of the diagnosis.
///
/// The return address of the caller stays where a debugger finds it, so that it shows who
/// called.
#[unsafe(naked)]
pub(crate) extern "C" fn dead_procedure() {
    core::arch::naked_asm!(
        "push {{r7, lr}}",
        "mov r7, sp",
        "mov r0, r12",
        "bl {diagnose}",
        "udf #0",
        diagnose = sym crate::dead::diagnose,
    )
}

/// Ends whatever runs here.
pub(crate) fn trap() -> ! {
    // SAFETY: an undefined instruction.
    unsafe { core::arch::asm!("udf #0", options(noreturn, nomem, nostack)) }
}
