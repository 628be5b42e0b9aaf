//! 64-bit MIPS, n64 (MIPSpro N32 ABI Handbook, chapter 2). Every argument takes doublewords by position, a struct of any
//! size too; the first eight are in registers, and the others on the stack. A doubleword is in the floating-point
//! register of its position instead if it belongs to a floating-point argument, or is a `double` that is itself a member
//! of a struct argument; not in variadic arguments. A floating-point member of a struct's member must be described as an
//! integer, because it is passed and returned like one.

use crate::arch::convention::Handler;
use crate::arch::convention::shape::{Scalar, Shape};
use crate::arch::convention::walk::{Convention, Walk, copy};
use core::mem::offset_of;

const WORD: usize = size_of::<usize>();

/// The block that the entry saves for a call.
#[repr(C, align(16))]
pub struct Block {
    /// $4 to $11.
    integers: [usize; 8],
    /// $f12 to $f19.
    floats: [usize; 8],
    /// $2, $3.
    result_integers: [usize; 2],
    /// $f0 to $f2.
    result_floats: [usize; 3],
    /// `integers` counts positions.
    pub(crate) walk: Walk,
}

/// Body of an entry; the first part of the arguments has the instructions that call the handler with the block as
/// second argument. $25 is the entry's own address, that of label 77.
macro_rules! enter {
    ([$($call:expr),+] $($handler:tt)*) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "77: daddiu $29, $29, -16",
            ".cfi_def_cfa_offset 16",
            "sd $31, 8($29)",
            "sd $30, 0($29)",
            ".cfi_offset 31, -8",
            ".cfi_offset 30, -16",
            "daddiu $30, $29, 16",
            ".cfi_def_cfa 30, 0",
            "daddiu $29, $29, -{size}",
            "sd $4, 0($29)",
            "sd $5, 8($29)",
            "sd $6, 16($29)",
            "sd $7, 24($29)",
            "sd $8, 32($29)",
            "sd $9, 40($29)",
            "sd $10, 48($29)",
            "sd $11, 56($29)",
            "sdc1 $f12, {floats}($29)",
            "sdc1 $f13, {floats}+8($29)",
            "sdc1 $f14, {floats}+16($29)",
            "sdc1 $f15, {floats}+24($29)",
            "sdc1 $f16, {floats}+32($29)",
            "sdc1 $f17, {floats}+40($29)",
            "sdc1 $f18, {floats}+48($29)",
            "sdc1 $f19, {floats}+56($29)",
            "sd $0, {results}($29)",
            "sd $0, {results}+8($29)",
            "sd $0, {results}+16($29)",
            "sd $0, {results}+24($29)",
            "sd $0, {results}+32($29)",
            "sd $30, {walk}($29)",
            "sd $0, {walk}+8($29)",
            "sd $0, {walk}+16($29)",
            "sd $0, {walk}+24($29)",
            "sd $0, {walk}+32($29)",
            "sd $0, {walk}+40($29)",
            "move $5, $29",
            $($call),+,
            "jalr $25",
            "ld $2, {results}($29)",
            "ld $3, {results}+8($29)",
            "ldc1 $f0, {results}+16($29)",
            "ldc1 $f1, {results}+24($29)",
            "ldc1 $f2, {results}+32($29)",
            "daddiu $29, $30, -16",
            ".cfi_def_cfa 29, 16",
            "ld $31, 8($29)",
            "ld $30, 0($29)",
            ".cfi_restore 31",
            ".cfi_restore 30",
            "daddiu $29, $29, 16",
            ".cfi_def_cfa_offset 0",
            "jr $31",
            ".cfi_endproc",
            size = const size_of::<Block>(),
            floats = const offset_of!(Block, floats),
            results = const offset_of!(Block, result_integers),
            walk = const offset_of!(Block, walk),
            $($handler)*
        )
    };
}

const _: () = assert!(offset_of!(Block, result_floats) == offset_of!(Block, result_integers) + 2 * WORD);

/// Entry for a stub whose chain points to {context, handler}.
#[cfg(feature = "__slot-extra")]
#[unsafe(naked)]
pub(crate) extern "C" fn enter() {
    enter!(["ld $4, 0($15)", "ld $25, 8($15)"])
}

/// Entry for a stub whose chain points to a holder.
#[unsafe(naked)]
pub(crate) extern "C" fn enter_closure<H: Handler>() {
    enter!(["move $4, $15", crate::arch::target!("{handler}")] handler = sym H::handle)
}

/// Whether the doubleword at `offset` of an argument is in a floating-point register.
#[inline(always)]
fn is_float(shape: &Shape<'_>, offset: usize) -> bool {
    shape.leaves().any(|(at, scalar)| {
        scalar.is_floating() && (shape.is_scalar || at == offset && scalar.size() == WORD)
    })
}

impl Convention for Block {
    const TELLS_NAMED: bool = true;
    /// Regardless of the type.
    const WIDENS_BY_HIGHEST_BIT: bool = true;

    fn in_memory(&self, result: &Shape<'_>) -> bool {
        result.size > 2 * WORD
    }

    fn take_result_pointer(&mut self) {
        self.walk.result = core::ptr::with_exposed_provenance_mut(self.integers[0]);
        self.walk.integers = 1;
        self.result_integers[0] = self.integers[0];
    }

    #[inline(always)]
    fn take_register(&mut self, scalar: Scalar) -> Option<*const u8> {
        if scalar.size() > WORD {
            return None;
        }
        let is_float = scalar.is_floating() && self.walk.is_named();
        let registers = if is_float { &self.floats } else { &self.integers };
        let register = registers.get(self.walk.integers)?;
        self.walk.integers += 1;
        Some(core::ptr::from_ref(register).cast())
    }

    unsafe fn take(&mut self, shape: &Shape<'_>, to: *mut u8) {
        let is_named = self.walk.is_named();
        if shape.align == 2 * WORD {
            self.walk.integers = self.walk.integers.next_multiple_of(2);
        }
        let mut offset = 0;
        while offset < shape.size && self.walk.integers < self.integers.len() {
            let registers = if is_named && is_float(shape, offset) { &self.floats } else { &self.integers };
            let register = core::ptr::from_ref(&registers[self.walk.integers]).cast();
            // SAFETY: guaranteed by the caller of `Convention::take`.
            unsafe { copy(register, to.add(offset), WORD.min(shape.size - offset)) };
            self.walk.integers += 1;
            offset += WORD;
        }
        if offset < shape.size {
            let rest = shape.size - offset;
            // SAFETY: guaranteed by the caller of `Convention::take`: the rest is on the stack.
            unsafe { copy(self.walk.next_on_stack(rest, shape.align), to.add(offset), rest) };
        }
    }

    #[inline(always)]
    fn result_register(&mut self, scalar: Scalar) -> Option<*mut usize> {
        (!scalar.is_floating() && scalar.size() <= WORD).then_some((&raw mut self.result_integers).cast())
    }

    unsafe fn give(&mut self, shape: &Shape<'_>, from: *const u8) {
        let only_floats = shape.leaves().all(|(_, scalar)| scalar.is_floating());
        let count = shape.leaves().count();
        // SAFETY: guaranteed by the caller of `Convention::give`; at most two words.
        unsafe {
            if !only_floats || !(1..=2).contains(&count) {
                return copy(from, (&raw mut self.result_integers).cast(), shape.size.min(2 * WORD));
            }
            // A `long double` is in $f0 and $f2, but in $f0 and $f1 if it is a struct's member; two numbers are in $f0
            // and $f2.
            let second = if shape.is_scalar || count == 2 { 2 } else { 1 };
            let half = if count == 2 { shape.leaves().last().map_or(0, |(at, _)| at) } else { WORD };
            copy(from, (&raw mut self.result_floats[0]).cast(), half.min(shape.size).min(WORD));
            if shape.size > half {
                copy(
                    from.add(half),
                    (&raw mut self.result_floats[second]).cast(),
                    (shape.size - half).min(WORD),
                );
            }
        }
    }
}
