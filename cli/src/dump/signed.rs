//! Pointer authentication codes in the entries of signed slots (AArch64).

/// Returns the address in an entry, without its authentication code.
///
/// The authentication code occupies the same bits in every process on a machine, so the instruction that removes it
/// from this process's pointers also works for other processes' pointers. On processors without pointer authentication,
/// the instruction does nothing.
#[cfg(target_arch = "aarch64")]
pub fn address(entry: u64) -> u64 {
    let address;
    // SAFETY: `xpaclri` (HINT 7) changes only x30, and x30 is an operand. Processors without pointer authentication
    // execute it as a NOP.
    unsafe {
        core::arch::asm!("hint #7", inlateout("x30") entry => address, options(pure, nomem, nostack, preserves_flags));
    }
    address
}

/// Returns the address in an entry. Only AArch64 slots are signed.
#[cfg(not(target_arch = "aarch64"))]
pub fn address(entry: u64) -> u64 {
    entry
}
