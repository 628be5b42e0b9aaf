//! What walks over arguments on every processor.

use super::shape::{Scalar, Shape};
use crate::arch::raw::Block;

/// How far a walk has come. An entry's code sets all words but the first to 0.
#[repr(C)]
pub struct Walk {
    /// The next argument on the stack.
    pub(crate) stack: *const u8,
    /// Where the result goes, if it is returned in memory.
    pub(crate) result: *mut u8,
    /// Integer registers that have been looked at.
    pub(crate) integers: usize,
    /// The same of floating-point registers; on Arm one bit for each of 32 bits.
    pub(crate) floats: usize,
    /// Named arguments that come before variadic ones, if [`VARIADIC`] is set.
    pub(crate) named: usize,
    /// What is known of the call.
    pub(crate) flags: usize,
}

/// The caller's function is variadic.
pub(crate) const VARIADIC: usize = 1;
/// An argument has been taken.
pub(crate) const BEGUN: usize = 2;

impl Walk {
    /// Whether the next argument is named.
    #[allow(dead_code)] // where variadic arguments travel as others
    pub(crate) fn is_named(&self) -> bool {
        self.flags & VARIADIC == 0 || self.named > 0
    }

    /// Notes that an argument was taken.
    #[inline(always)]
    pub(crate) fn taken(&mut self) {
        self.flags |= BEGUN;
        if Block::TELLS_NAMED {
            self.named = self.named.saturating_sub(1);
        }
    }

    /// Takes so many bytes from the stack, at their alignment; at that of a word at least, but for Apple's AArch64. PowerPC's arguments have places there
    /// that their registers tell, too.
    ///
    /// # Safety
    /// There is such an argument.
    #[cfg(not(any(windows, target_arch = "powerpc64")))]
    pub(crate) unsafe fn next_on_stack(&mut self, size: usize, align: usize) -> *const u8 {
        const UNIT: usize =
            if cfg!(all(target_arch = "aarch64", target_os = "macos")) { 1 } else { size_of::<usize>() };
        let align = align.max(UNIT);
        let skip = self.stack.addr().wrapping_neg() & (align - 1);
        // SAFETY: the caller's promise: all of it is in the caller's frame.
        unsafe {
            let place = self.stack.add(skip);
            self.stack = place.add(size.next_multiple_of(UNIT));
            place
        }
    }

    /// As [`next_on_stack`](Walk::next_on_stack), in whole words everywhere.
    ///
    /// # Safety
    /// There is such an argument.
    #[cfg(target_arch = "aarch64")]
    pub(crate) unsafe fn next_words_on_stack(&mut self, size: usize, align: usize) -> *const u8 {
        const WORD: usize = size_of::<usize>();
        // SAFETY: the caller's promise.
        unsafe { self.next_on_stack(size.next_multiple_of(WORD), align.max(WORD)) }
    }
}

/// Copies a value.
///
/// # Safety
/// As for [`core::ptr::copy_nonoverlapping`].
#[inline(always)]
pub(crate) unsafe fn copy(from: *const u8, to: *mut u8, size: usize) {
    // SAFETY: the caller's promise. The usual sizes without a call.
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

/// A result of an integer type that is smaller than a word, as a whole one.
///
/// # Safety
/// `from` can be read.
#[inline(always)]
pub(crate) unsafe fn widened(from: *const u8, scalar: Scalar) -> usize {
    // SAFETY: the caller's promise.
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

/// What each processor's [`Block`] does.
pub(crate) trait Convention {
    /// Whether a struct without a byte has a place among the arguments.
    const PASSES_EMPTY: bool = false;

    /// Whether variadic arguments travel otherwise than named ones.
    const TELLS_NAMED: bool = false;

    /// Whether 32-bit values are sign-extended, whatever their type.
    const WIDENS_BY_HIGHEST_BIT: bool = false;

    /// Whether a result of this type is returned in memory.
    fn in_memory(&self, result: &Shape<'_>) -> bool;

    /// Whether a scalar result of this type is returned in memory. Then [`expect`](super::isa::Block::expect) has to be
    /// told of it as of a struct that has nothing else.
    fn is_scalar_in_memory(&self, _scalar: &Shape<'_>) -> bool {
        false
    }

    /// Takes the pointer to where such a result goes, before any argument.
    fn take_result_pointer(&mut self);

    /// Where the next argument is, if it is a scalar that is in one register, and that is told at once; goes on to the one
    /// after.
    fn take_register(&mut self, scalar: Scalar) -> Option<*const u8>;

    /// Copies the next argument, and goes on to the one after.
    ///
    /// # Safety
    /// The caller has passed an argument of this type there; `to` can be written.
    unsafe fn take(&mut self, shape: &Shape<'_>, to: *mut u8);

    /// The register of a result of this type, if that is the whole result and not wider.
    fn result_register(&mut self, scalar: Scalar) -> Option<*mut usize>;

    /// Sets the result, one in registers.
    ///
    /// # Safety
    /// `from` can be read.
    unsafe fn give(&mut self, shape: &Shape<'_>, from: *const u8);
}
