//! Iteration over the arguments of a call, common to all processors.

use super::layout::{Layout, Scalar};
#[cfg(feature = "__for-capi")]
use super::location::Location;
use crate::arch::Block;

/// The progress of the iteration. An entry sets all words except the first to 0.
#[repr(C)]
pub struct Walk {
    /// The address of the next argument on the stack.
    pub(crate) stack: *const u8,
    /// The address for the result, if it is returned in memory.
    pub(crate) result: *mut u8,
    /// Number of integer registers that have been used.
    pub(crate) integers: usize,
    /// Number of floating-point registers that have been used or, on Arm, the set of 32-bit ones, with one bit for
    /// each.
    pub(crate) floats: usize,
    /// Number of named arguments that have not been taken yet, if [`VARIADIC`] is set. The number never changes if
    /// variadic arguments are passed like named ones.
    pub(crate) named: usize,
    /// Flags of the call.
    pub(crate) flags: usize,
}

/// The flag that is set if the called function is variadic.
pub(crate) const VARIADIC: usize = 1;
/// The flag that is set once an argument of the call has been taken.
pub(crate) const BEGUN: usize = 2;

impl Walk {
    /// Returns whether the next argument is named.
    #[allow(dead_code)] // unused on targets that pass variadic arguments like named ones
    pub(crate) fn is_named(&self) -> bool {
        self.flags & VARIADIC == 0 || self.named > 0
    }

    /// Records that an argument has been taken.
    #[inline(always)]
    pub(crate) fn taken(&mut self) {
        self.flags |= BEGUN;
        if Block::DISTINGUISHES_NAMED {
            self.named = self.named.saturating_sub(1);
        }
    }

    /// Returns whether all named arguments of a variadic function have been taken.
    pub(crate) fn is_variadic(&self) -> bool {
        self.flags & VARIADIC != 0 && (!Block::DISTINGUISHES_NAMED || self.named == 0)
    }

    /// Copies the registers that have not been used to the words directly below the stack arguments, and returns the
    /// address of the next argument.
    ///
    /// # Safety
    /// These words must be reserved for the registers.
    #[cfg(any(
        target_arch = "arm",
        target_arch = "loongarch64",
        target_arch = "mips64",
        target_arch = "riscv32",
        target_arch = "riscv64",
        target_arch = "sparc64"
    ))]
    pub(crate) unsafe fn image<T>(&self, registers: &[T]) -> *const u8 {
        let left = registers.get(self.integers..).unwrap_or_default();
        let image = self.stack.cast_mut().cast::<T>().wrapping_sub(left.len());
        // SAFETY: the caller upholds the safety contract. As long as a register is left, no argument was on the stack.
        unsafe { image.copy_from_nonoverlapping(left.as_ptr(), left.len()) };
        image.cast()
    }

    /// Returns the location of the next stack argument, which has this size and alignment, and advances to the
    /// following argument. Except on Apple's AArch64, the alignment is at least one word. 64-bit PowerPC does not use
    /// this function, because an argument's position on the stack also depends on the registers that have been used.
    #[cfg(not(any(windows, target_arch = "powerpc64")))]
    pub(crate) fn next_on_stack(&mut self, size: usize, align: usize) -> *const u8 {
        const UNIT: usize =
            if cfg!(all(target_arch = "aarch64", target_os = "macos")) { 1 } else { size_of::<usize>() };
        let align = align.max(UNIT);
        let skip = self.stack.addr().wrapping_neg() & (align - 1);
        let address = self.stack.wrapping_add(skip);
        self.stack = address.wrapping_add(size.next_multiple_of(UNIT));
        address
    }

    /// Like [`next_on_stack`](Walk::next_on_stack), but always takes whole words.
    #[cfg(target_arch = "aarch64")]
    pub(crate) fn next_words_on_stack(&mut self, size: usize, align: usize) -> *const u8 {
        const WORD: usize = size_of::<usize>();
        self.next_on_stack(size.next_multiple_of(WORD), align.max(WORD))
    }
}

/// Takes the next free register, and returns its address, or `None` if no register is free. The first `used` registers
/// are in use.
#[inline(always)]
#[cfg(not(any(windows, target_arch = "x86")))]
pub(crate) fn next_register<T>(registers: &[T], used: &mut usize) -> Option<*const u8> {
    let register = registers.get(*used)?;
    *used += 1;
    Some(core::ptr::from_ref(register).cast())
}

/// A visitor of the locations in which an argument's bytes are passed.
///
/// # Safety
/// The methods may be called only for an argument that the caller has passed, and only with the locations that contain
/// this argument.
pub(crate) trait Visitor {
    /// Reports that `size` bytes of the argument, `offset` bytes from its beginning, are at `from`.
    unsafe fn bytes(&mut self, offset: usize, from: *const u8, size: usize);

    /// Reports that the word at `from` contains the address of the argument, which has `size` bytes.
    #[allow(dead_code)] // unused on targets that pass no argument by its address
    unsafe fn address(&mut self, from: *const u8, size: usize);

    /// Reports that a `float` of the argument, `offset` bytes from its beginning, is in this register as a 64-bit
    /// number.
    #[cfg(any(target_arch = "powerpc", target_arch = "powerpc64"))]
    unsafe fn single(&mut self, offset: usize, register: *const u64);
}

/// A visitor that copies an argument to an address.
struct CopyTo(*mut u8);

impl Visitor for CopyTo {
    #[inline(always)]
    unsafe fn bytes(&mut self, offset: usize, from: *const u8, size: usize) {
        // SAFETY: the caller of `Convention::take` guarantees that the current call passes an argument of this type,
        // and that the memory at `self.0` is writable.
        unsafe { copy(from, self.0.add(offset), size) }
    }

    #[inline(always)]
    unsafe fn address(&mut self, from: *const u8, size: usize) {
        // SAFETY: as above.
        unsafe { copy(core::ptr::with_exposed_provenance(from.cast::<usize>().read()), self.0, size) }
    }

    #[cfg(any(target_arch = "powerpc", target_arch = "powerpc64"))]
    unsafe fn single(&mut self, offset: usize, register: *const u64) {
        // SAFETY: as above.
        unsafe { crate::arch::from_float(register, self.0.add(offset)) }
    }
}

/// Copies a value.
///
/// # Safety
/// Same as for [`core::ptr::copy_nonoverlapping`].
#[inline(always)]
pub(crate) unsafe fn copy(from: *const u8, to: *mut u8, size: usize) {
    // SAFETY: the caller upholds the safety contract. Common sizes are copied without a call.
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

/// Returns a scalar result of at most one word, widened to a word.
/// # Safety
/// `from` must be readable.
#[inline(always)]
pub(crate) unsafe fn widened(from: *const u8, scalar: Scalar) -> usize {
    // SAFETY: the caller upholds the safety contract.
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

/// The operations that each processor's [`Block`] implements.
pub(crate) trait Convention {
    /// The adapter for trampolines with a plan (`insert.rs`), or `None` on processors without one, where a context can
    /// be inserted only if the arguments just move up by one register.
    #[cfg(feature = "__for-capi")]
    const FORWARD: Option<extern "C" fn()> = None;

    /// The number of integer registers for arguments, which are at the beginning of the block unless the processor
    /// defines `number`. On i386, the first words of the stack take their place.
    #[cfg(feature = "__for-capi")]
    const INTEGERS: usize = 8;

    /// The number of registers for floating-point arguments, if such an argument neither takes an integer register nor
    /// affects the registers of later integers. Otherwise 0.
    #[cfg(feature = "__for-capi")]
    const FLOATS: usize = 0;

    /// The byte range of 64-bit floating-point registers in the block, if a 32-bit float in them is NaN-boxed (upper
    /// half all ones). Otherwise empty.
    #[cfg(feature = "__for-capi")]
    const BOXES: core::ops::Range<usize> = 0..0;

    /// Returns the number of the argument register at this location, or `None` if the adapters of `__processor!` do not
    /// move this location's contents.
    #[cfg(feature = "__for-capi")]
    fn number(address: Location) -> Option<usize> {
        match address {
            Location::Register(offset) if offset < Self::INTEGERS * size_of::<usize>() => {
                Some(offset / size_of::<usize>())
            }
            _ => None,
        }
    }

    /// Returns the size in bytes of the stack arguments placed so far. The walk over the stack has advanced by `walked`
    /// bytes.
    #[cfg(feature = "__for-capi")]
    fn stack_size(&self, walked: usize) -> usize {
        walked
    }

    /// Records that the callee returns its result in memory. On 32-bit x86, the entry then pops the pointer to the
    /// result when it returns.
    #[cfg(feature = "__for-capi")]
    #[cfg(not(compact))]
    fn pops_result(&mut self) {}

    /// Whether a zero-sized struct takes a position among the arguments.
    const PASSES_EMPTY: bool = false;

    /// Whether variadic arguments are passed differently from named ones.
    const DISTINGUISHES_NAMED: bool = false;

    /// Whether 32-bit values, including unsigned values, are sign-extended.
    const WIDENS_BY_HIGHEST_BIT: bool = false;

    /// Returns whether a result of this type is returned in memory.
    fn in_memory(&self, result: &Layout<'_>) -> bool;

    /// Returns the location in which the caller passed the address of a result in memory. Must be called before any
    /// argument is placed.
    fn locate_result(&mut self) -> *const u8;

    /// Sets the register in which a function returns the address of its result in memory, if the convention has such a
    /// register.
    fn give_address(&mut self, address: usize);

    /// Takes the next argument and returns its location, if the argument is a scalar in one register and that register can
    /// be determined quickly. Otherwise returns `None` and takes nothing.
    fn take_register(&mut self, scalar: Scalar) -> Option<*const u8>;

    /// Reports the locations of the next argument to `to`, and advances to the following argument. Does not read any
    /// argument that the caller has passed.
    fn locate(&mut self, layout: &Layout<'_>, to: &mut impl Visitor);

    /// Copies the next argument to `to`, and advances to the following argument.
    /// # Safety
    /// The caller must have passed an argument of this type, and `to` must be writable.
    #[inline(always)]
    unsafe fn take(&mut self, layout: &Layout<'_>, to: *mut u8) {
        self.locate(layout, &mut CopyTo(to));
    }

    /// Returns the register for a result of this type, if storing the widened word there sets the whole result, or
    /// `None` if [`give`](Convention::give) must set it.
    fn result_register(&mut self, scalar: Scalar) -> Option<*mut usize>;

    /// Sets a result that is returned in registers.
    /// # Safety
    /// `from` must be readable.
    unsafe fn give(&mut self, layout: &Layout<'_>, from: *const u8);
}
