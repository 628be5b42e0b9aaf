//! Pointer authentication codes in the entries of signed slots (AArch64).

/// Returns the address in an entry, without its authentication code.
///
/// The kernel uses the same bits for the codes of all processes, so the instruction that removes the code of a pointer of
/// this process is right for every process of this machine. Without pointer authentication, it does nothing.
#[cfg(target_arch = "aarch64")]
pub fn address(entry: u64) -> u64 {
    let address;
    // SAFETY: `xpaclri` (HINT 7) changes only x30, which is an operand. Processors without pointer authentication execute it
    // as a NOP.
    unsafe {
        core::arch::asm!("hint #7", inlateout("x30") entry => address, options(pure, nomem, nostack, preserves_flags));
    }
    address
}

/// Returns the address in an entry. Only the slots of AArch64 are signed.
#[cfg(not(target_arch = "aarch64"))]
pub fn address(entry: u64) -> u64 {
    entry
}
