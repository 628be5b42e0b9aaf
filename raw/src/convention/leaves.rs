//! Argument passing on RISC-V (ELF psABI, chapters "Integer Calling Convention" and "Hardware Floating-point Calling
//! Convention") and LoongArch (ELF psABI, section "Procedure Calling Convention"), which pass the scalars of a struct
//! separately if the struct consists of one or two scalars, at least one of them floating-point.

use super::layout::{Class, Layout, Scalar};
use super::walk::{Convention, Visitor, Walk, copy, next_register, widened};

const WORD: usize = size_of::<usize>();

/// Size in bytes of the largest number that is passed in a floating-point register, or 0 if there is none.
const FLOAT: usize = if cfg!(doubles) {
    8
} else if cfg!(singles) {
    4
} else {
    0
};

/// The block that the entry builds on its stack for each call.
#[repr(C, align(16))]
pub struct Block {
    pub(crate) integers: [usize; 8],
    pub(crate) floats: [u64; 8],
    pub(crate) result_integers: [usize; 2],
    pub(crate) result_floats: [u64; 2],
    pub(crate) walk: Walk,
}

/// Returns the one or two leaves of a value that is passed by the floating-point convention, or `None` for any other
/// value.
#[inline(always)]
fn flattened(layout: &Layout<'_>) -> Option<[Option<(usize, Scalar)>; 2]> {
    let mut leaves = layout.leaves();
    let pair = [leaves.next(), leaves.next()];
    let is_float = |leaf: &Option<(usize, Scalar)>| leaf.is_some_and(|(_, scalar)| scalar.is_floating());
    let fits = |leaf: &Option<(usize, Scalar)>| match leaf {
        Some((_, scalar)) if scalar.is_floating() => scalar.size() <= FLOAT,
        Some((_, scalar)) => scalar.class != Class::Pointer && scalar.size() <= WORD,
        None => true,
    };
    (leaves.next().is_none() && pair.iter().any(is_float) && pair.iter().all(fits)).then_some(pair)
}

/// C's `va_list`.
pub type VaList = *const u8;

impl Block {
    /// Returns C's `va_list` for the arguments that have not been taken.
    ///
    /// # Safety
    /// The called function must be variadic.
    pub(crate) unsafe fn va_list(&mut self) -> VaList {
        // SAFETY: the entry has reserved the words below the stack arguments.
        unsafe { self.walk.image(&self.integers) }
    }
}

impl Convention for Block {
    #[cfg(all(feature = "__for-capi", not(compact)))]
    const FORWARD: Option<extern "C" fn()> = Some(crate::arch::forward);

    #[cfg(feature = "__for-capi")]
    const FLOATS: usize = if FLOAT == 8 { 8 } else { 0 };

    #[cfg(feature = "__for-capi")]
    const BOXES: core::ops::Range<usize> = {
        let start = core::mem::offset_of!(Block, floats);
        if FLOAT == 8 { start..start + 64 } else { 0..0 }
    };

    const DISTINGUISHES_NAMED: bool = true;
    /// On 64-bit processors, all 32-bit values, including unsigned values, are sign-extended.
    const WIDENS_BY_HIGHEST_BIT: bool = true;

    // On 32-bit processors with the D extension, a result in two floating-point registers may have up to 16 bytes.
    fn in_memory(&self, result: &Layout<'_>) -> bool {
        result.size > 2 * WORD && flattened(result).is_none()
    }

    fn locate_result(&mut self) -> *const u8 {
        self.walk.integers = 1;
        self.integers.as_ptr().cast()
    }

    fn give_address(&mut self, address: usize) {
        self.result_integers[0] = address;
    }

    #[inline(always)]
    fn take_register(&mut self, scalar: Scalar) -> Option<*const u8> {
        if scalar.is_floating() || scalar.size() > WORD {
            return None;
        }
        next_register(&self.integers, &mut self.walk.integers)
    }

    fn locate(&mut self, layout: &Layout<'_>, to: &mut impl Visitor) {
        let is_named = self.walk.is_named();
        let walk = &mut self.walk;
        // SAFETY: the walk counts earlier arguments, so this argument is in the registers or words computed here.
        unsafe {
            if is_named && let Some(pair) = flattened(layout) {
                let floats = pair.iter().flatten().filter(|(_, scalar)| scalar.is_floating()).count();
                let integers = pair.iter().flatten().count() - floats;
                if walk.floats + floats <= 8 && walk.integers + integers <= 8 {
                    for (offset, scalar) in pair.into_iter().flatten() {
                        let from: *const u8 = if scalar.is_floating() {
                            walk.floats += 1;
                            (&raw const self.floats[walk.floats - 1]).cast()
                        } else {
                            walk.integers += 1;
                            (&raw const self.integers[walk.integers - 1]).cast()
                        };
                        to.bytes(offset, from, scalar.size());
                    }
                    return;
                }
            }
            let by_reference = layout.size > 2 * WORD;
            let (size, align) = if by_reference { (WORD, WORD) } else { (layout.size, layout.align) };
            if !is_named && align == 2 * WORD {
                walk.integers = walk.integers.next_multiple_of(2);
            }
            let (first, words) = (walk.integers.min(8), size.div_ceil(WORD));
            let (from, in_first): (*const u8, usize) = match self.integers.get(first) {
                None => (walk.next_on_stack(size, align), size),
                Some(integer) => {
                    walk.integers = (first + words).min(8);
                    // If a two-word argument begins in the last register, its second word is on the stack.
                    (core::ptr::from_ref(integer).cast(), if first + words > 8 { WORD } else { size })
                }
            };
            if by_reference {
                return to.address(from, layout.size);
            }
            to.bytes(0, from, in_first);
            if in_first < size {
                to.bytes(WORD, walk.next_on_stack(WORD, WORD), size - WORD);
            }
        }
    }

    #[inline(always)]
    fn result_register(&mut self, scalar: Scalar) -> Option<*mut usize> {
        (!scalar.is_floating() && scalar.size() <= WORD).then_some((&raw mut self.result_integers).cast())
    }

    unsafe fn give(&mut self, layout: &Layout<'_>, from: *const u8) {
        // SAFETY: the caller of `Convention::give` guarantees that `from` is readable. The result has at most two
        // leaves, or two words.
        unsafe {
            if let Some(pair) = flattened(layout) {
                let (mut integers, mut floats) = (0, 0);
                for (offset, scalar) in pair.into_iter().flatten() {
                    let from = from.add(offset);
                    if !scalar.is_floating() {
                        self.result_integers[integers] = widened(from, scalar);
                        integers += 1;
                        continue;
                    }
                    self.result_floats[floats] = match scalar.size() {
                        // On RISC-V, a 32-bit float in a 64-bit register is NaN-boxed: its upper bits are all ones. On
                        // LoongArch, these bits are undefined.
                        4 => u64::from(from.cast::<u32>().read_unaligned()) | 0xffff_ffff << 32,
                        _ => from.cast::<u64>().read_unaligned(),
                    };
                    floats += 1;
                }
                return;
            }
            copy(from, (&raw mut self.result_integers).cast(), layout.size.min(2 * WORD));
        }
    }
}
