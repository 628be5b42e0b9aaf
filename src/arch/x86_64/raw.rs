//! System V x86-64 (psABI, sections 3.2.3 and 3.5.7).

use crate::arch::convention::Handler;
use crate::arch::convention::shape::{Class as Of, Scalar, Shape};
use crate::arch::convention::walk::{Convention, Walk, copy};
use core::mem::offset_of;

/// The block that the entry saves for a call.
#[repr(C, align(16))]
pub struct Block {
    integers: [usize; 6],
    vectors: [[u64; 2]; 8],
    result_integers: [usize; 2],
    result_vectors: [[u64; 2]; 2],
    /// The result on the x87 stack, if the flag is set.
    result_x87: [u64; 2],
    has_x87: usize,
    pub(crate) walk: Walk,
}

/// Body of an entry; the first part of the arguments has the instructions that call the handler with the block as
/// second argument.
macro_rules! enter {
    ([$($call:expr),+] $($handler:tt)*) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "endbr64",
            "push rbp",
            ".cfi_def_cfa_offset 16",
            ".cfi_offset rbp, -16",
            "mov rbp, rsp",
            ".cfi_def_cfa_register rbp",
            "sub rsp, {size}",
            "mov [rsp], rdi",
            "mov [rsp + 8], rsi",
            "mov [rsp + 16], rdx",
            "mov [rsp + 24], rcx",
            "mov [rsp + 32], r8",
            "mov [rsp + 40], r9",
            "movaps [rsp + {vectors}], xmm0",
            "movaps [rsp + {vectors} + 16], xmm1",
            "movaps [rsp + {vectors} + 32], xmm2",
            "movaps [rsp + {vectors} + 48], xmm3",
            "movaps [rsp + {vectors} + 64], xmm4",
            "movaps [rsp + {vectors} + 80], xmm5",
            "movaps [rsp + {vectors} + 96], xmm6",
            "movaps [rsp + {vectors} + 112], xmm7",
            "xorps xmm0, xmm0",
            "movaps [rsp + {result}], xmm0",
            "movaps [rsp + {result_vectors}], xmm0",
            "movaps [rsp + {result_vectors} + 16], xmm0",
            "lea rax, [rbp + 16]",
            "xor ecx, ecx",
            "mov [rsp + {x87}], rcx",
            "mov [rsp + {walk}], rax",
            "mov [rsp + {walk} + 8], rcx",
            "mov [rsp + {walk} + 16], rcx",
            "mov [rsp + {walk} + 24], rcx",
            "mov [rsp + {walk} + 32], rcx",
            "mov [rsp + {walk} + 40], rcx",
            $($call),+,
            "mov rax, [rsp + {result}]",
            "mov rdx, [rsp + {result} + 8]",
            "movaps xmm0, [rsp + {result_vectors}]",
            "movaps xmm1, [rsp + {result_vectors} + 16]",
            "cmp qword ptr [rsp + {x87}], 0",
            "je 2f",
            "fld tbyte ptr [rsp + {result_x87}]",
            "2: leave",
            ".cfi_def_cfa rsp, 8",
            "ret",
            ".cfi_endproc",
            size = const size_of::<Block>(),
            vectors = const offset_of!(Block, vectors),
            result = const offset_of!(Block, result_integers),
            result_vectors = const offset_of!(Block, result_vectors),
            result_x87 = const offset_of!(Block, result_x87),
            x87 = const offset_of!(Block, has_x87),
            walk = const offset_of!(Block, walk),
            $($handler)*
        )
    };
}

/// Entry for a stub whose chain points to {context, handler}.
#[cfg(feature = "__slot-extra")]
#[unsafe(naked)]
pub(crate) extern "C" fn enter() {
    enter!(["mov rdi, [r10]", "mov rsi, rsp", "call [r10 + 8]"])
}

/// Entry for a stub whose chain points to a holder.
#[unsafe(naked)]
pub(crate) extern "C" fn enter_closure<H: Handler>() {
    enter!(["mov rdi, r10", "mov rsi, rsp", "call {handler}"] handler = sym H::handle)
}

/// Class of an eightbyte of a value.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    Nothing,
    Integer,
    Sse,
}

/// The classes of a value's eightbytes; `None`: in memory.
#[inline(always)]
fn classes(shape: &Shape<'_>) -> Option<[Class; 2]> {
    let mut classes = [Class::Nothing; 2];
    if shape.size > 16 {
        return None;
    }
    for (offset, scalar) in shape.leaves() {
        let class = classes.get_mut(offset / 8)?;
        match (scalar.class, scalar.size()) {
            (Of::Floating, 16) => return None,
            (_, 16) => return Some([Class::Integer; 2]),
            (Of::Floating, _) if *class == Class::Nothing => *class = Class::Sse,
            (Of::Floating, _) => {}
            _ => *class = Class::Integer,
        }
    }
    Some(classes)
}

fn is_long_double(shape: &Shape<'_>) -> bool {
    shape.size == 16 && shape.leaves().any(|(_, scalar)| scalar.is_floating() && scalar.size() == 16)
}

impl Convention for Block {
    fn in_memory(&self, result: &Shape<'_>) -> bool {
        classes(result).is_none() && !is_long_double(result)
    }

    fn take_result_pointer(&mut self) {
        self.walk.result = core::ptr::with_exposed_provenance_mut(self.integers[0]);
        self.walk.integers = 1;
        self.result_integers[0] = self.integers[0];
    }

    #[inline(always)]
    fn take_register(&mut self, scalar: Scalar) -> Option<*const u8> {
        if scalar.size() > 8 {
            return None;
        }
        if scalar.is_floating() {
            let vector = self.vectors.get(self.walk.floats)?;
            self.walk.floats += 1;
            Some(vector.as_ptr().cast())
        } else {
            let integer = self.integers.get(self.walk.integers)?;
            self.walk.integers += 1;
            Some(core::ptr::from_ref(integer).cast())
        }
    }

    unsafe fn take(&mut self, shape: &Shape<'_>, to: *mut u8) {
        let count =
            |wanted| move |classes: &[Class; 2]| classes.iter().filter(|&&class| class == wanted).count();
        let fits = |classes: &[Class; 2]| {
            self.walk.integers + count(Class::Integer)(classes) <= self.integers.len()
                && self.walk.floats + count(Class::Sse)(classes) <= self.vectors.len()
        };
        // SAFETY: guaranteed by the caller of `Convention::take`; `fits` has counted the registers.
        unsafe {
            let Some(classes) = classes(shape).filter(fits) else {
                return copy(self.walk.next_on_stack(shape.size, shape.align), to, shape.size);
            };
            for (i, class) in classes.into_iter().enumerate() {
                let size = shape.size.saturating_sub(8 * i).min(8);
                let from: *const u8 = match class {
                    Class::Nothing => continue,
                    Class::Integer => {
                        self.walk.integers += 1;
                        self.integers.as_ptr().add(self.walk.integers - 1).cast()
                    }
                    Class::Sse => {
                        self.walk.floats += 1;
                        self.vectors.as_ptr().add(self.walk.floats - 1).cast()
                    }
                };
                copy(from, to.add(8 * i), size);
            }
        }
    }

    #[inline(always)]
    fn result_register(&mut self, scalar: Scalar) -> Option<*mut usize> {
        match (scalar.class, scalar.size()) {
            (_, 16) => None,
            (Of::Floating, _) => Some((&raw mut self.result_vectors).cast()),
            _ => Some((&raw mut self.result_integers).cast()),
        }
    }

    unsafe fn give(&mut self, shape: &Shape<'_>, from: *const u8) {
        let (mut integers, mut vectors) = (0, 0);
        // SAFETY: the caller of `give` guarantees that `from` is valid. At most two words have each class, and each class has
        // two result registers.
        unsafe {
            let Some(classes) = classes(shape) else {
                copy(from, (&raw mut self.result_x87).cast(), 10);
                self.has_x87 = 1;
                return;
            };
            for (i, class) in classes.into_iter().enumerate() {
                let size = shape.size.saturating_sub(8 * i).min(8);
                let to: *mut u8 = match class {
                    Class::Nothing => continue,
                    Class::Integer => {
                        integers += 1;
                        self.result_integers.as_mut_ptr().add(integers - 1).cast()
                    }
                    Class::Sse => {
                        vectors += 1;
                        self.result_vectors.as_mut_ptr().add(vectors - 1).cast()
                    }
                };
                copy(from.add(8 * i), to, size);
            }
        }
    }
}
