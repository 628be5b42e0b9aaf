//! AArch64 (AAPCS64, sections 6.8.2 and 6.9). Variadic arguments are passed like named ones. Apple's convention
//! (Writing ARM64 code for Apple platforms) differs in three ways. A named scalar on the stack, or a named aggregate of
//! up to four floating-point numbers or vectors of one type, takes only as many bytes as its size. All variadic
//! arguments are on the stack, in whole words. An argument aligned to 16 bytes may begin in any integer register.

use crate::arch::processor;
use crate::convention::layout::{Layout, Scalar};
use crate::convention::walk::{Convention, Visitor, Walk, copy, next_register};
use core::mem::offset_of;

const IS_APPLE: bool = cfg!(target_os = "macos");

/// The block that the entry builds on its stack for each call.
#[repr(C, align(16))]
pub struct Block {
    integers: [usize; 8],
    vectors: [[u64; 2]; 8],
    /// x8.
    result_pointer: usize,
    result_integers: [usize; 2],
    result_vectors: [[u64; 2]; 4],
    pub(crate) walk: Walk,
}

/// Expands to the body of an entry, which saves the argument registers in a block, executes the given instructions (a
/// call and, except in `forward`, loads of the results), and returns.
macro_rules! entry {
    ($this:path; [$($call:expr),+] [$($results:expr),*] $($operands:tt)*) => {
        core::arch::naked_asm!(
            processor!(begin),
            processor!(frame),
            processor!(arguments [processor] store ["0"]),
            processor!(floats [processor] store_float ["{vectors}"]),
            "str x8, [sp, #{result_pointer}]",
            "stp xzr, xzr, [sp, #{result}]",
            "add x9, sp, #{result_vectors}",
            "stp xzr, xzr, [x9]",
            "stp xzr, xzr, [x9, #16]",
            "stp xzr, xzr, [x9, #32]",
            "stp xzr, xzr, [x9, #48]",
            "add x9, sp, #{walk}",
            "add x10, x29, #16",
            "stp x10, xzr, [x9]",
            "stp xzr, xzr, [x9, #16]",
            "stp xzr, xzr, [x9, #32]",
            $($call,)+
            $($results,)*
            processor!(leave),
            processor!(end),
            size = const size_of::<Block>(),
            vectors = const offset_of!(Block, vectors),
            result_pointer = const offset_of!(Block, result_pointer),
            result = const offset_of!(Block, result_integers),
            result_vectors = const offset_of!(Block, result_vectors),
            walk = const offset_of!(Block, walk),
            $($operands)*
        )
    };
}

crate::arch::entries! {
    enter [processor!(enter_pair handler)]
    enter_closure ["mov x0, x15", "mov x1, sp", "bl {handler}"]
    results [
        "ldp x0, x1, [sp, #{result}]",
        "add x9, sp, #{result_vectors}",
        "ldp q0, q1, [x9]",
        "ldp q2, q3, [x9, #32]"
    ] {}
    forward [
        "str x15, [x9, #8]", // x9 is the walk's address
        "mov x0, x15",
        "bl {room}",
        "mov x9, sp",
        "sub sp, sp, x0",
        "mov x0, x9",
        "mov x1, sp",
        "bl {arrange}",
        "sub x9, x29, #{size}", // the block
        processor!(arguments [processor] load_from "x9" ["0"]),
        processor!(floats [processor] load_float_from "x9" ["{vectors}"]),
        "ldr x8, [x9, #{result_pointer}]",
        "add x9, x9, #{walk}",
        "ldr x9, [x9, #8]",
        processor!(enter_pair forward)
    ] []
}

/// C's `va_list`.
#[cfg(not(target_os = "macos"))]
#[derive(Clone)]
#[repr(C)]
pub struct VaList {
    stack: *const u8,
    gr_top: *const u8,
    vr_top: *const u8,
    gr_offs: i32,
    vr_offs: i32,
}
/// C's `va_list`.
#[cfg(target_os = "macos")]
pub type VaList = *const u8;

impl Block {
    /// Returns C's `va_list` for the arguments that have not been taken.
    ///
    /// # Safety
    /// The called function must be variadic.
    #[cfg(not(target_os = "macos"))]
    pub(crate) unsafe fn va_list(&self) -> VaList {
        VaList {
            stack: self.walk.stack,
            gr_top: self.integers.as_ptr_range().end.cast(),
            vr_top: self.vectors.as_ptr_range().end.cast(),
            gr_offs: 8 * (self.walk.integers as i32 - 8),
            vr_offs: 16 * (self.walk.floats as i32 - 8),
        }
    }

    /// As above.
    ///
    /// # Safety
    /// As above.
    #[cfg(target_os = "macos")]
    pub(crate) unsafe fn va_list(&self) -> VaList {
        // Named arguments on the stack may end within a word.
        self.walk.stack.wrapping_add(self.walk.stack.addr().wrapping_neg() & 7)
    }
}

impl Convention for Block {
    #[cfg(all(feature = "__for-capi", not(compact)))]
    const FORWARD: Option<extern "C" fn()> = Some(forward);

    #[cfg(feature = "__for-capi")]
    const FLOATS: usize = 8;

    const DISTINGUISHES_NAMED: bool = cfg!(target_os = "macos");

    fn in_memory(&self, result: &Layout<'_>) -> bool {
        result.size > 16 && result.homogeneous().is_none()
    }

    fn locate_result(&mut self) -> *const u8 {
        (&raw const self.result_pointer).cast()
    }

    fn give_address(&mut self, address: usize) {
        let _ = address; // no register returns the address
    }

    #[inline(always)]
    fn take_register(&mut self, scalar: Scalar) -> Option<*const u8> {
        if scalar.size() > 8 || IS_APPLE && !self.walk.is_named() {
            return None;
        }
        if scalar.is_floating() {
            next_register(&self.vectors, &mut self.walk.floats)
        } else {
            next_register(&self.integers, &mut self.walk.integers)
        }
    }

    fn locate(&mut self, layout: &Layout<'_>, to: &mut impl Visitor) {
        let walk = &mut self.walk;
        let in_registers = !IS_APPLE || walk.is_named();
        // SAFETY: the walk counts earlier arguments, so this argument is in the registers or words computed here.
        unsafe {
            if let Some((scalar, count)) = layout.homogeneous() {
                let first = walk.floats;
                if in_registers && let Some(vectors) = self.vectors.get(first..first + count) {
                    walk.floats = first + count;
                    for (i, vector) in vectors.iter().enumerate() {
                        to.bytes(i * scalar.size(), vector.as_ptr().cast(), scalar.size());
                    }
                } else if in_registers {
                    walk.floats = self.vectors.len();
                    to.bytes(0, walk.next_on_stack(layout.size, layout.align), layout.size);
                } else {
                    to.bytes(0, walk.next_words_on_stack(layout.size, layout.align), layout.size);
                }
                return;
            }
            let by_reference = layout.size > 16;
            let (size, align) = if by_reference { (8, 8) } else { (layout.size, layout.align) };
            if align == 16 && !IS_APPLE {
                walk.integers = walk.integers.next_multiple_of(2);
            }
            let (first, words) = (walk.integers, size.div_ceil(8));
            let from = if in_registers && let Some(integers) = self.integers.get(first..first + words) {
                walk.integers += words;
                integers.as_ptr().cast()
            } else {
                if in_registers {
                    walk.integers = self.integers.len();
                }
                if in_registers && layout.is_scalar() {
                    walk.next_on_stack(size, align)
                } else {
                    walk.next_words_on_stack(size, align)
                }
            };
            if by_reference {
                to.address(from, layout.size);
            } else {
                to.bytes(0, from, size);
            }
        }
    }

    #[inline(always)]
    fn result_register(&mut self, scalar: Scalar) -> Option<*mut usize> {
        match scalar.is_floating() {
            _ if scalar.size() > 8 => None,
            true => Some((&raw mut self.result_vectors).cast()),
            false => Some((&raw mut self.result_integers).cast()),
        }
    }

    unsafe fn give(&mut self, layout: &Layout<'_>, from: *const u8) {
        // SAFETY: the caller of `Convention::give` guarantees that `from` is readable. The result has at most four
        // floating-point numbers or vectors, or 16 bytes.
        unsafe {
            if let Some((scalar, count)) = layout.homogeneous() {
                for (i, vector) in self.result_vectors.iter_mut().take(count).enumerate() {
                    copy(from.add(i * scalar.size()), vector.as_mut_ptr().cast(), scalar.size());
                }
                return;
            }
            copy(from, (&raw mut self.result_integers).cast(), layout.size.min(16));
        }
    }
}
