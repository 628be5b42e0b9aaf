//! Iteration over the arguments of a call, common to all processors.

use super::shape::{Scalar, Shape};
use crate::arch::raw::Block;

/// Progress of the iteration. An entry sets all words except the first to 0.
#[repr(C)]
pub struct Walk {
    /// The next argument on the stack.
    pub(crate) stack: *const u8,
    /// The address for the result, if it is returned in memory.
    pub(crate) result: *mut u8,
    /// Number of integer registers used so far.
    pub(crate) integers: usize,
    /// The same for floating-point registers; on Arm one bit for each 32-bit register.
    pub(crate) floats: usize,
    /// Number of named arguments that precede variadic ones, if [`VARIADIC`] is set.
    pub(crate) named: usize,
    /// Flags of the call.
    pub(crate) flags: usize,
}

/// The caller's function is variadic.
pub(crate) const VARIADIC: usize = 1;
/// An argument has been taken.
pub(crate) const BEGUN: usize = 2;

impl Walk {
    /// Whether the next argument is named.
    #[allow(dead_code)] // unused on targets that pass variadic arguments like named ones
    pub(crate) fn is_named(&self) -> bool {
        self.flags & VARIADIC == 0 || self.named > 0
    }

    /// Records that an argument was taken.
    #[inline(always)]
    pub(crate) fn taken(&mut self) {
        self.flags |= BEGUN;
        if Block::TELLS_NAMED {
            self.named = self.named.saturating_sub(1);
        }
    }

    /// Takes the next argument of this size from the stack, with its alignment, which is at least a word's except on
    /// Apple's AArch64. On 64-bit PowerPC the registers determine an argument's position on the stack as well.
    /// # Safety
    /// The caller must have passed such an argument.
    #[cfg(not(any(windows, target_arch = "powerpc64")))]
    pub(crate) unsafe fn next_on_stack(&mut self, size: usize, align: usize) -> *const u8 {
        const UNIT: usize =
            if cfg!(all(target_arch = "aarch64", target_os = "macos")) { 1 } else { size_of::<usize>() };
        let align = align.max(UNIT);
        let skip = self.stack.addr().wrapping_neg() & (align - 1);
        // SAFETY: guaranteed by the caller: the whole argument is in the caller's frame.
        unsafe {
            let place = self.stack.add(skip);
            self.stack = place.add(size.next_multiple_of(UNIT));
            place
        }
    }

    /// Like [`next_on_stack`](Walk::next_on_stack), but always in whole words.
    /// # Safety
    /// The caller must have passed such an argument.
    #[cfg(target_arch = "aarch64")]
    pub(crate) unsafe fn next_words_on_stack(&mut self, size: usize, align: usize) -> *const u8 {
        const WORD: usize = size_of::<usize>();
        // SAFETY: guaranteed by the caller.
        unsafe { self.next_on_stack(size.next_multiple_of(WORD), align.max(WORD)) }
    }
}

/// Copies a value.
///
/// # Safety
/// Same as for [`core::ptr::copy_nonoverlapping`].
#[inline(always)]
pub(crate) unsafe fn copy(from: *const u8, to: *mut u8, size: usize) {
    // SAFETY: guaranteed by the caller. Common sizes are copied without a call.
    unsafe {
        match size {
            8 => to.cast::<u64>().write_unaligned(from.cast::<u64>().read_unaligned()),
            1 => to.write(from.read()),
            2 => to.cast::<u16>().write_unaligned(from.cast::<u16>().read_unaligned()),
            4 => to.cast::<u32>().write_unaligned(from.cast::<u32>().read_unaligned()),
            _ => core::ptr::copy_nonoverlapping(from, to, size),
        }
    }
}

/// A result of an integer type smaller than a word, widened to a word.
/// # Safety
/// `from` must be readable.
#[inline(always)]
pub(crate) unsafe fn widened(from: *const u8, scalar: Scalar) -> usize {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match (scalar.size(), scalar.signed) {
            (1, false) => from.read() as usize,
            (1, true) => from.cast::<i8>().read() as usize,
            (2, false) => from.cast::<u16>().read_unaligned() as usize,
            (2, true) => from.cast::<i16>().read_unaligned() as usize,
            (4, false) if !Block::WIDENS_BY_HIGHEST_BIT => from.cast::<u32>().read_unaligned() as usize,
            (4, _) => from.cast::<i32>().read_unaligned() as usize,
            _ => from.cast::<usize>().read_unaligned(),
        }
    }
}

/// Operations of each processor's [`Block`].
pub(crate) trait Convention {
    /// Whether a zero-sized struct takes a position among the arguments.
    const PASSES_EMPTY: bool = false;

    /// Whether variadic arguments are passed differently from named ones.
    const TELLS_NAMED: bool = false;

    /// Whether 32-bit values are sign-extended, whatever their type.
    const WIDENS_BY_HIGHEST_BIT: bool = false;

    /// Whether a result of this type is returned in memory.
    fn in_memory(&self, result: &Shape<'_>) -> bool;

    /// Whether a scalar result of this type is returned in memory. Then [`expect`](super::isa::Block::expect) must be
    /// called as for a struct that contains only this scalar.
    fn is_scalar_in_memory(&self, _scalar: &Shape<'_>) -> bool {
        false
    }

    /// Takes the pointer to the memory for such a result, before any argument.
    fn take_result_pointer(&mut self);

    /// The address of the next argument, if it is a scalar in one register that can be determined quickly; advances to
    /// the following argument.
    fn take_register(&mut self, scalar: Scalar) -> Option<*const u8>;

    /// Copies the next argument, and advances to the following one.
    /// # Safety
    /// The caller must have passed an argument of this type, and `to` must be writable.
    unsafe fn take(&mut self, shape: &Shape<'_>, to: *mut u8);

    /// The register for a result of this type, if a single register of that width holds it.
    fn result_register(&mut self, scalar: Scalar) -> Option<*mut usize>;

    /// Sets a result that is returned in registers.
    /// # Safety
    /// `from` must be readable.
    unsafe fn give(&mut self, shape: &Shape<'_>, from: *const u8);
}
