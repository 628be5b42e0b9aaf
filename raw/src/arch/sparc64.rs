//! 64-bit SPARC (SPARC Compliance Definition 2.4, section 3, "Function Calling Sequence"), big-endian. Every argument
//! has its own doublewords in a memory image, of which the first six are in %o0 to %o5. Floating-point numbers in the
//! first 16 doublewords, including those in structs, are in floating-point registers instead. Variadic arguments are
//! passed only in the image. A scalar smaller than a doubleword is at the end of its doubleword; a struct is at the
//! beginning. Compilers pass an array of floating-point numbers in a struct like integers, so it must be described as
//! integers.

use crate::convention::layout::{Layout, Scalar};
#[cfg(feature = "__for-capi")]
use crate::convention::location::Location;
use crate::convention::walk::{Convention, Visitor, Walk, copy, next_register};
use core::mem::offset_of;

/// The distance in bytes from the stack pointer to the seventh argument, which is at the end of the smallest frame.
const BEYOND_SIX: usize = 2047 + 128 + 48;

/// The block that the entry builds on its stack for each call.
#[repr(C)]
pub struct Block {
    integers: [u64; 6],
    floats: [u64; 16],
    /// %o0 to %o3 of a result.
    result_integers: [u64; 4],
    result_floats: [u64; 4],
    /// The progress of the iteration. `integers` counts doublewords of the image.
    pub(crate) walk: Walk,
}

/// Expands to a register or instruction of the processor. The core also defines those that its own adapters use.
#[rustfmt::skip]
macro_rules! processor {
    (floats [$($then:tt)+] $($more:tt)*) => {
        $($then)+! {
            $($more)* "%f0" "%f2" "%f4" "%f6" "%f8" "%f10" "%f12" "%f14" "%f16" "%f18" "%f20" "%f22" "%f24" "%f26" "%f28" "%f30"
        }
    };
    // Begins a register window, in which the arguments are in %i0 to %i5, and puts the block's address into %o1. The lowest
    // 176 bytes of the frame are for the window and the callee's first six arguments.
    (frame) => {
        "save %sp, -(176 + {size}), %sp\n\
         .cfi_window_save\n\
         .cfi_def_cfa_register %fp\n\
         .cfi_register %o7, %i7\n\
         add %sp, 2047 + 176, %o1"
    };
    (leave) => { "ret\nrestore" };
    (store $($more:tt)*) => { processor!(each_to "stx " $($more)*) };
    (store_float $($more:tt)*) => { processor!(each_to "std " $($more)*) };
    (load_from $($more:tt)*) => { processor!(each_from "ldx " $($more)*) };
    (load_float_from $($more:tt)*) => { processor!(each_from "ldd " $($more)*) };
    // Expands to one instruction for each register, each accessing the next 8 bytes. The destination is the second
    // operand.
    (each_to $mnemonic:literal $at:tt) => { "" };
    (each_to $mnemonic:literal [$($at:literal)*] $register:literal $($rest:literal)*) => {
        concat!(
            $mnemonic, $register, ", [%o1 + ", $($at,)* "]\n",
            processor!(each_to $mnemonic [$($at)* " + 8"] $($rest)*)
        )
    };
    (each_from $mnemonic:literal $base:literal $at:tt) => { "" };
    (each_from $mnemonic:literal $base:literal [$($at:literal)*] $register:literal $($rest:literal)*) => {
        concat!(
            $mnemonic, "[", $base, " + ", $($at,)* "], ", $register, "\n",
            processor!(each_from $mnemonic $base [$($at)* " + 8"] $($rest)*)
        )
    };
    ($($words:tt)*) => { statictramp::__processor! { $($words)* } };
}

/// Expands to the body of an entry. The entry saves the argument registers in a block, puts the block's address into
/// %o1, executes the given instructions, and returns. These instructions call a function and, except in `forward`, then
/// load the results.
macro_rules! entry {
    ($this:path; [$($call:expr),+] [$($results:expr),*] $($operands:tt)*) => {
        core::arch::naked_asm!(
            processor!(begin),
            processor!(frame),
            processor!(store ["0"] "%i0" "%i1" "%i2" "%i3" "%i4" "%i5"),
            processor!(floats [processor] store_float ["{floats}"]),
            processor!(store ["{result}"] "%g0" "%g0" "%g0" "%g0"),
            processor!(store ["{result_floats}"] "%g0" "%g0" "%g0" "%g0"),
            "add %fp, {stack}, %l0",
            processor!(store ["{walk}"] "%l0" "%g0" "%g0" "%g0" "%g0" "%g0"),
            $($call,)+
            $($results,)*
            processor!(leave),
            processor!(end),
            size = const size_of::<Block>().next_multiple_of(16),
            stack = const BEYOND_SIX,
            floats = const offset_of!(Block, floats),
            result = const offset_of!(Block, result_integers),
            result_floats = const offset_of!(Block, result_floats),
            walk = const offset_of!(Block, walk),
            $($operands)*
        )
    };
}

crate::arch::entries! {
    enter ["ldx [%g5 + 8], %g1", "call %g1", "ldx [%g5], %o0"]
    enter_closure ["call {handler}", "mov %g5, %o0"]
    results [
        "add %sp, {stack}, %l0",
        processor!(load_from "%l0" ["{result}"] "%i0" "%i1" "%i2" "%i3"),
        processor!(load_float_from "%l0" ["{result_floats}"] "%f0" "%f2" "%f4" "%f6")
    ] {}
    forward [
        "stx %g5, [%o1 + {walk} + 8]",
        "mov %o1, %l1",
        "call {room}",
        "mov %g5, %o0",
        "sub %sp, %o0, %sp",
        "mov %l1, %o0",
        "call {arrange}",
        "add %sp, {stack}, %o1",
        processor!(arguments [processor] load_from "%l1" ["0"]),
        processor!(floats [processor] load_float_from "%l1" ["{floats}"]),
        "ldx [%l1 + {walk} + 8], %g1",
        "ldx [%g1 + 8], %g1",
        "call %g1",
        "nop"
    ] ["mov %o0, %i0", "mov %o1, %i1", "mov %o2, %i2", "mov %o3, %i3"]
}

/// A doubleword of the image, and its floating-point register if it has one.
type Doubleword = (*const u8, Option<*const u8>);

/// C's `va_list`.
pub type VaList = *const u8;

impl Block {
    /// Returns C's `va_list` for the arguments that have not been taken.
    ///
    /// # Safety
    /// The called function must be variadic.
    pub(crate) unsafe fn va_list(&mut self) -> VaList {
        // SAFETY: the caller's frame has room for the first six doublewords, below the stack arguments.
        unsafe { self.walk.image(&self.integers) }
    }

    /// Takes the next doubleword of the image, and returns its locations.
    #[inline(always)]
    fn next_doubleword(&mut self) -> Doubleword {
        let number = self.walk.integers;
        self.walk.integers += 1;
        let float = self.floats.get(number).filter(|_| self.walk.is_named()).map(|float| &raw const *float);
        let image = match self.integers.get(number) {
            Some(integer) => core::ptr::from_ref(integer).cast(),
            None => self.walk.next_on_stack(8, 8),
        };
        (image, float.map(|float| float.cast()))
    }
}

impl Convention for Block {
    #[cfg(feature = "__for-capi")]
    const FORWARD: Option<extern "C" fn()> = Some(forward);

    #[cfg(feature = "__for-capi")]
    const INTEGERS: usize = 6;

    /// Returns the same number for the integer and the floating-point register of a position, because the adapters move
    /// both.
    #[cfg(feature = "__for-capi")]
    fn number(location: Location) -> Option<usize> {
        match location {
            Location::Register(offset) if offset < 8 * 2 * Self::INTEGERS => {
                Some(offset / 8 % Self::INTEGERS)
            }
            _ => None,
        }
    }

    const PASSES_EMPTY: bool = true;
    const DISTINGUISHES_NAMED: bool = true;

    fn in_memory(&self, result: &Layout<'_>) -> bool {
        result.size > 32
    }

    fn locate_result(&mut self) -> *const u8 {
        self.walk.integers = 1;
        self.integers.as_ptr().cast()
    }

    fn give_address(&mut self, address: usize) {
        self.result_integers[0] = address as u64;
    }

    #[inline(always)]
    fn take_register(&mut self, scalar: Scalar) -> Option<*const u8> {
        if scalar.size() > 8 {
            return None;
        }
        let is_float = scalar.is_floating() && self.walk.is_named();
        let registers = if is_float { &self.floats[..6] } else { &self.integers };
        let doubleword = next_register(registers, &mut self.walk.integers)?;
        Some(doubleword.wrapping_add(8 - scalar.size()))
    }

    fn locate(&mut self, layout: &Layout<'_>, to: &mut impl Visitor) {
        let by_reference = layout.size > 16;
        if layout.align > 8 && !by_reference && self.walk.integers % 2 == 1 {
            self.next_doubleword();
        }
        let first = self.next_doubleword();
        if by_reference {
            // SAFETY: the doubleword contains the argument's address.
            return unsafe { to.address(first.0, layout.size) };
        }
        let second = if layout.size > 8 { self.next_doubleword() } else { first };
        let skipped = if layout.is_scalar() { layout.size.wrapping_neg() % 8 } else { 0 };
        for (begin, (image, float)) in [(0, first), (8, second)] {
            if begin >= layout.size {
                break;
            }
            let end = layout.size.min(begin + 8);
            let parts = layout.leaves().filter_map(|(offset, scalar)| {
                let range = offset.max(begin)..end.min(offset + scalar.size());
                (!range.is_empty()).then_some((range, scalar.is_floating()))
            });
            let float = float.filter(|_| parts.clone().any(|(_, is_floating)| is_floating));
            // SAFETY: the walk counts the doublewords of earlier arguments, and no range extends beyond this argument.
            unsafe {
                let Some(float) = float else {
                    to.bytes(begin, image.wrapping_add(skipped), end - begin);
                    continue;
                };
                for (range, is_floating) in parts {
                    let from = if is_floating { float } else { image };
                    to.bytes(range.start, from.wrapping_add(skipped + range.start - begin), range.len());
                }
            }
        }
    }

    #[inline(always)]
    fn result_register(&mut self, scalar: Scalar) -> Option<*mut usize> {
        (!scalar.is_floating() && scalar.size() <= 8).then_some((&raw mut self.result_integers).cast())
    }

    unsafe fn give(&mut self, layout: &Layout<'_>, from: *const u8) {
        for (offset, scalar) in layout.leaves() {
            let registers: *mut u8 = match scalar.is_floating() {
                true => (&raw mut self.result_floats).cast(),
                false => (&raw mut self.result_integers).cast(),
            };
            // SAFETY: the caller of `Convention::give` guarantees that `from` is readable. The result has at most 32
            // bytes.
            unsafe { copy(from.add(offset), registers.add(offset), scalar.size()) };
        }
    }
}
