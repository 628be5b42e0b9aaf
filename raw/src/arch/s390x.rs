//! s390x (ELF ABI s390x Supplement, section "Parameter Passing"), big-endian: a value smaller than a register is in the
//! register's low-order bits, except that a floating-point number is in the high-order bits of a floating-point
//! register.

use crate::arch::processor;
use crate::convention::layout::{Form, Layout, Scalar};
use crate::convention::walk::{Convention, Visitor, Walk, copy, next_register};
use core::mem::offset_of;

const WORD: usize = size_of::<usize>();

/// The block that the entry builds on its stack for each call. It is aligned to only 8 bytes, like r15.
#[repr(C)]
pub struct Block {
    /// r2 to r6.
    integers: [usize; 5],
    result_integer: usize,
    result_float: u64,
    pub(crate) walk: Walk,
    _padding: usize,
    /// f0, f2, f4, f6.
    floats: [u64; 4],
}

/// Expands to the body of an entry, which saves the argument registers in a block, executes the given instructions (a
/// call and, except in `forward`, loads of the results), and returns.
macro_rules! entry {
    ($this:path; [$($call:expr),+] [$($results:expr),*] $($operands:tt)*) => {
        core::arch::naked_asm!(
            processor!(begin),
            processor!(frame),
            processor!(arguments [processor] store ["0"]),
            processor!(floats [processor] store_float ["{floats}"]),
            "xc 160+{results}(16, %r15), 160+{results}(%r15)",
            "stg %r1, 160+{walk}(%r15)",
            "xc 168+{walk}({rest}, %r15), 168+{walk}(%r15)",
            "la %r3, 160(%r15)",
            $($call,)+
            $($results,)*
            processor!(leave),
            processor!(end),
            size = const size_of::<Block>(),
            floats = const offset_of!(Block, floats),
            results = const offset_of!(Block, result_integer),
            walk = const offset_of!(Block, walk),
            rest = const size_of::<Walk>() - WORD,
            $($operands)*
        )
    };
}

const _: () = assert!(offset_of!(Block, result_float) == offset_of!(Block, result_integer) + WORD);

// The callee's save area begins at r15, and the block is above it.
crate::arch::entries! {
    enter ["lgr %r1, %r0", "lg %r2, 0(%r1)", "lg %r1, 8(%r1)", "basr %r14, %r1"]
    enter_closure ["lgr %r2, %r0", "brasl %r14, {handler}"]
    results [
        "lg %r2, 160+{results}(%r15)",
        "ld %f0, 168+{results}(%r15)"
    ] {}
    forward [
        "stmg %r6, %r11, 208+{size}(%r15)", // r6 contains an argument, and r11 becomes the frame pointer
        ".cfi_offset %r6, -112",
        ".cfi_offset %r11, -72",
        "lgr %r11, %r15",
        ".cfi_def_cfa_register %r11",
        "stg %r0, 168+{walk}(%r15)",
        "lgr %r2, %r0",
        "brasl %r14, {room}",
        "sgr %r15, %r2",
        "la %r2, 160(%r11)", // the block
        "la %r3, 160(%r15)",
        "brasl %r14, {arrange}",
        processor!(arguments [processor] load_from "%r11" ["0"]),
        processor!(floats [processor] load_float_from "%r11" ["{floats}"]),
        "lg %r1, 168+{walk}(%r11)",
        "lg %r1, 8(%r1)",
        "basr %r14, %r1"
    ] [
        "lgr %r15, %r11",
        ".cfi_def_cfa_register %r15",
        "lmg %r6, %r11, 208+{size}(%r15)",
        ".cfi_restore %r6",
        ".cfi_restore %r11"
    ]
}

/// Returns whether a value is passed like its only leaf: a floating-point number of the same size, which is at most one
/// word.
#[inline(always)]
fn is_float(layout: &Layout<'_>) -> bool {
    let mut leaves = layout.leaves();
    let first = leaves.next();
    first.is_some_and(|(_, scalar)| {
        scalar.is_floating() && scalar.size() == layout.size && layout.size <= WORD
    }) && leaves.next().is_none()
}

/// C's `va_list`.
#[derive(Clone)]
#[repr(C)]
pub struct VaList {
    gpr: usize,
    fpr: usize,
    overflow_arg_area: *const u8,
    reg_save_area: *const u8,
}

// The registers are at the positions that they would have in a register save area that begins 16 bytes before the
// block.
const _: () = assert!(offset_of!(Block, integers) == 0 && offset_of!(Block, floats) == 128 - 16);

impl Block {
    /// Returns C's `va_list` for the arguments that have not been taken.
    ///
    /// # Safety
    /// The called function must be variadic.
    pub(crate) unsafe fn va_list(&self) -> VaList {
        VaList {
            gpr: self.walk.integers,
            fpr: self.walk.floats,
            overflow_arg_area: self.walk.stack,
            reg_save_area: core::ptr::from_ref(self).cast::<u8>().wrapping_sub(16),
        }
    }

    /// Returns the location of the next argument that is not floating-point, or of its address if the argument is passed
    /// by reference.
    #[inline(always)]
    fn next_word(&mut self) -> *const u8 {
        next_register(&self.integers, &mut self.walk.integers)
            .unwrap_or_else(|| self.walk.next_on_stack(WORD, WORD))
    }
}

impl Convention for Block {
    #[cfg(all(feature = "__for-capi", not(compact)))]
    const FORWARD: Option<extern "C" fn()> = Some(forward);

    #[cfg(feature = "__for-capi")]
    const INTEGERS: usize = 5;
    #[cfg(feature = "__for-capi")]
    const FLOATS: usize = 4;

    const PASSES_EMPTY: bool = true;

    fn in_memory(&self, result: &Layout<'_>) -> bool {
        !result.is_scalar() || result.size > WORD
    }

    fn locate_result(&mut self) -> *const u8 {
        self.walk.integers = 1;
        self.integers.as_ptr().cast()
    }

    fn give_address(&mut self, address: usize) {
        self.result_integer = address;
    }

    #[inline(always)]
    fn take_register(&mut self, scalar: Scalar) -> Option<*const u8> {
        if scalar.size() > WORD {
            return None;
        }
        if scalar.is_floating() {
            return next_register(&self.floats, &mut self.walk.floats);
        }
        let word = next_register(&self.integers, &mut self.walk.integers)?;
        Some(word.wrapping_add(WORD - scalar.size()))
    }

    fn locate(&mut self, layout: &Layout<'_>, to: &mut impl Visitor) {
        // SAFETY: the walk counts earlier arguments, so this argument is in the registers or words computed here.
        unsafe {
            if is_float(layout) {
                let from = next_register(&self.floats, &mut self.walk.floats)
                    .unwrap_or_else(|| self.walk.next_on_stack(WORD, WORD).wrapping_add(WORD - layout.size));
                return to.bytes(0, from, layout.size);
            }
            let word = self.next_word();
            match layout.size {
                1 | 2 | 4 | 8 if layout.form != Form::Complex => {
                    to.bytes(0, word.wrapping_add(WORD - layout.size), layout.size);
                }
                _ => to.address(word, layout.size),
            }
        }
    }

    #[inline(always)]
    fn result_register(&mut self, scalar: Scalar) -> Option<*mut usize> {
        (!scalar.is_floating() && scalar.size() <= WORD).then_some(&raw mut self.result_integer)
    }

    unsafe fn give(&mut self, layout: &Layout<'_>, from: *const u8) {
        // SAFETY: the caller of `Convention::give` guarantees that `from` is readable. The result is a floating-point
        // number of at most one word.
        unsafe { copy(from, (&raw mut self.result_float).cast(), layout.size.min(WORD)) };
    }
}
