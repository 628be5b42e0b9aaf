//! 64-bit SPARC (SPARC Compliance Definition 2.4, section 3, "Function Calling Sequence"), big-endian. Every argument
//! has doublewords of its own in an image of memory, of which the first six are in %o0 to %o5. Floating-point numbers,
//! and those in structs, are instead in the floating-point registers of the first 16 doublewords; variadic arguments are
//! only in the image. A scalar smaller than a doubleword is at its end, a struct at its beginning.
//! Compilers pass an array of floating-point numbers in a struct like integers.

use super::BEYOND_SIX;
use crate::arch::convention::Handler;
use crate::arch::convention::shape::{Scalar, Shape};
use crate::arch::convention::walk::{Convention, Walk, copy};
use core::mem::offset_of;

/// The block that the entry saves for a call.
#[repr(C)]
pub struct Block {
    integers: [u64; 6],
    floats: [u64; 16],
    /// The same for a result.
    result_integers: [u64; 4],
    result_floats: [u64; 4],
    /// `integers` counts doublewords of the image.
    pub(crate) walk: Walk,
}

/// Body of an entry; the first part of the arguments has the instructions that call the handler with the block as
/// second argument.
macro_rules! enter {
    ([$($call:expr),+] $($handler:tt)*) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "save %sp, -{frame}, %sp",
            ".cfi_window_save",
            ".cfi_def_cfa_register %fp",
            ".cfi_register %o7, %i7",
            "add %sp, {block}, %o1",
            "stx %i0, [%o1]", // the block begins with them
            "stx %i1, [%o1 + 8]",
            "stx %i2, [%o1 + 16]",
            "stx %i3, [%o1 + 24]",
            "stx %i4, [%o1 + 32]",
            "stx %i5, [%o1 + 40]",
            "std %f0, [%o1 + {floats}]",
            "std %f2, [%o1 + {floats} + 8]",
            "std %f4, [%o1 + {floats} + 16]",
            "std %f6, [%o1 + {floats} + 24]",
            "std %f8, [%o1 + {floats} + 32]",
            "std %f10, [%o1 + {floats} + 40]",
            "std %f12, [%o1 + {floats} + 48]",
            "std %f14, [%o1 + {floats} + 56]",
            "std %f16, [%o1 + {floats} + 64]",
            "std %f18, [%o1 + {floats} + 72]",
            "std %f20, [%o1 + {floats} + 80]",
            "std %f22, [%o1 + {floats} + 88]",
            "std %f24, [%o1 + {floats} + 96]",
            "std %f26, [%o1 + {floats} + 104]",
            "std %f28, [%o1 + {floats} + 112]",
            "std %f30, [%o1 + {floats} + 120]",
            "stx %g0, [%o1 + {result}]",
            "stx %g0, [%o1 + {result} + 8]",
            "stx %g0, [%o1 + {result} + 16]",
            "stx %g0, [%o1 + {result} + 24]",
            "stx %g0, [%o1 + {result_floats}]",
            "stx %g0, [%o1 + {result_floats} + 8]",
            "stx %g0, [%o1 + {result_floats} + 16]",
            "stx %g0, [%o1 + {result_floats} + 24]",
            "add %fp, {stack}, %l0",
            "stx %l0, [%o1 + {walk}]",
            "stx %g0, [%o1 + {walk} + 8]",
            "stx %g0, [%o1 + {walk} + 16]",
            "stx %g0, [%o1 + {walk} + 24]",
            "stx %g0, [%o1 + {walk} + 32]",
            "stx %g0, [%o1 + {walk} + 40]",
            $($call),+,
            "add %sp, {block}, %l0",
            "ldx [%l0 + {result}], %i0",
            "ldx [%l0 + {result} + 8], %i1",
            "ldx [%l0 + {result} + 16], %i2",
            "ldx [%l0 + {result} + 24], %i3",
            "ldd [%l0 + {result_floats}], %f0",
            "ldd [%l0 + {result_floats} + 8], %f2",
            "ldd [%l0 + {result_floats} + 16], %f4",
            "ldd [%l0 + {result_floats} + 24], %f6",
            "ret",
            "restore",
            ".cfi_endproc",
            frame = const 176 + size_of::<Block>().next_multiple_of(16),
            block = const BEYOND_SIX,
            stack = const BEYOND_SIX,
            floats = const offset_of!(Block, floats),
            result = const offset_of!(Block, result_integers),
            result_floats = const offset_of!(Block, result_floats),
            walk = const offset_of!(Block, walk),
            $($handler)*
        )
    };
}

/// Entry for a stub whose chain points to {context, handler}.
#[cfg(feature = "__slot-extra")]
#[unsafe(naked)]
pub(crate) extern "C" fn enter() {
    enter!(["ldx [%g5 + 8], %g1", "call %g1", "ldx [%g5], %o0"])
}

/// Entry for a stub whose chain points to a holder.
#[unsafe(naked)]
pub(crate) extern "C" fn enter_closure<H: Handler>() {
    enter!(["call {handler}", "mov %g5, %o0"] handler = sym H::handle)
}

/// A doubleword of the image, and its floating-point register if it has one.
type Doubleword = (*const u8, Option<*const u8>);

impl Block {
    /// The next doubleword.
    /// # Safety
    /// The caller must have passed an argument there, or left it out to align the next one.
    #[inline(always)]
    unsafe fn next_doubleword(&mut self) -> Doubleword {
        let number = self.walk.integers;
        self.walk.integers += 1;
        let float = self.floats.get(number).filter(|_| self.walk.is_named()).map(|float| &raw const *float);
        let image = match self.integers.get(number) {
            Some(integer) => core::ptr::from_ref(integer).cast(),
            // SAFETY: guaranteed by the caller.
            None => unsafe { self.walk.next_on_stack(8, 8) },
        };
        (image, float.map(|float| float.cast()))
    }
}

impl Convention for Block {
    const PASSES_EMPTY: bool = true;
    const TELLS_NAMED: bool = true;

    fn in_memory(&self, result: &Shape<'_>) -> bool {
        result.size > 32
    }

    fn take_result_pointer(&mut self) {
        self.walk.result = core::ptr::with_exposed_provenance_mut(self.integers[0] as usize);
        self.walk.integers = 1;
        self.result_integers[0] = self.integers[0];
    }

    #[inline(always)]
    fn take_register(&mut self, scalar: Scalar) -> Option<*const u8> {
        if scalar.size() > 8 {
            return None;
        }
        let number = self.walk.integers;
        let integer = self.integers.get(number)?;
        self.walk.integers += 1;
        let doubleword =
            if scalar.is_floating() && self.walk.is_named() { &self.floats[number] } else { integer };
        Some(core::ptr::from_ref(doubleword).cast::<u8>().wrapping_add(8 - scalar.size()))
    }

    unsafe fn take(&mut self, shape: &Shape<'_>, to: *mut u8) {
        let by_reference = shape.size > 16;
        // SAFETY: guaranteed by the caller of `Convention::take`: the doublewords are counted, and those beyond the
        // argument are not read.
        unsafe {
            if shape.align > 8 && !by_reference && self.walk.integers % 2 == 1 {
                self.next_doubleword();
            }
            let first = self.next_doubleword();
            if by_reference {
                let address = first.0.cast::<usize>().read();
                return copy(core::ptr::with_exposed_provenance(address), to, shape.size);
            }
            let doublewords = [first, if shape.size > 8 { self.next_doubleword() } else { first }];
            let skipped = if shape.is_scalar { shape.size.wrapping_neg() % 8 } else { 0 };
            for (offset, scalar) in shape.leaves() {
                let size = scalar.size().min(8);
                for at in (offset..offset + scalar.size()).step_by(size) {
                    let (image, float) = doublewords[at / 8];
                    let from = float.filter(|_| scalar.is_floating()).unwrap_or(image);
                    copy(from.add(skipped + at % 8), to.add(at), size);
                }
            }
        }
    }

    #[inline(always)]
    fn result_register(&mut self, scalar: Scalar) -> Option<*mut usize> {
        (!scalar.is_floating() && scalar.size() <= 8).then_some((&raw mut self.result_integers).cast())
    }

    unsafe fn give(&mut self, shape: &Shape<'_>, from: *const u8) {
        for (offset, scalar) in shape.leaves() {
            let registers: *mut u8 = match scalar.is_floating() {
                true => (&raw mut self.result_floats).cast(),
                false => (&raw mut self.result_integers).cast(),
            };
            // SAFETY: guaranteed by the caller of `Convention::give`; at most 32 bytes.
            unsafe { copy(from.add(offset), registers.add(offset), scalar.size()) };
        }
    }
}
