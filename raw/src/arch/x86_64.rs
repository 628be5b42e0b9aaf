//! System V x86-64 (psABI, sections 3.2.3 and 3.5.7).

use crate::arch::processor;
use crate::convention::layout::{Class as Of, Form, Layout, Scalar};
use crate::convention::walk::{Convention, Visitor, Walk, copy, next_register};
use core::mem::offset_of;

/// The block that the entry builds on its stack for each call.
#[repr(C, align(16))]
pub struct Block {
    integers: [usize; 6],
    vectors: [[u64; 2]; 8],
    result_integers: [usize; 2],
    result_vectors: [[u64; 2]; 2],
    /// The results on the x87 stack, each in 16 bytes.
    result_x87: [[u64; 2]; 2],
    /// The number of results on the x87 stack.
    x87: usize,
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
            processor!(floats [processor] each_to "movaps " 16 "rsp" ["{vectors}"]), // the block is aligned
            "xorps xmm0, xmm0",
            "movaps [rsp + {result}], xmm0",
            "movaps [rsp + {result_vectors}], xmm0",
            "movaps [rsp + {result_vectors} + 16], xmm0",
            "lea rax, [rbp + 16]",
            "xor ecx, ecx",
            "mov [rsp + {x87}], rcx",
            processor!(store ["{walk}"] "rax" "rcx" "rcx" "rcx" "rcx" "rcx"),
            $($call,)+
            $($results,)*
            processor!(leave),
            processor!(end),
            size = const size_of::<Block>(),
            vectors = const offset_of!(Block, vectors),
            result = const offset_of!(Block, result_integers),
            result_vectors = const offset_of!(Block, result_vectors),
            x87 = const offset_of!(Block, x87),
            walk = const offset_of!(Block, walk),
            $($operands)*
        )
    };
}

crate::arch::entries! {
    enter ["mov rdi, [r10]", "mov rsi, rsp", "call [r10 + 8]"]
    enter_closure ["mov rdi, r10", "mov rsi, rsp", "call {handler}"]
    results [
        processor!(load ["{result}"] "rax" "rdx"),
        processor!(each_from "movaps " 16 "rsp" ["{result_vectors}"] "xmm0" "xmm1"),
        "cmp qword ptr [rsp + {x87}], 1",
        "jb 3f",
        "je 2f",
        "fld tbyte ptr [rsp + {result_x87} + 16]",
        "2: fld tbyte ptr [rsp + {result_x87}]",
        "3:"
    ] { result_x87 = const offset_of!(Block, result_x87), }
    forward [
        "mov [rsp + {walk} + 8], r10",
        "mov rdi, r10",
        "call {room}",
        "mov rdi, rsp",
        "sub rsp, rax",
        "mov rsi, rsp",
        "call {arrange}",
        "lea rax, [rbp - {size}]", // the block
        processor!(arguments [processor] load_from "rax" ["0"]),
        processor!(floats [processor] each_from "movaps " 16 "rax" ["{vectors}"]),
        "mov rax, [rax + {walk} + 8]",
        "call [rax + 8]"
    ] []
}

/// C's `va_list`.
#[derive(Clone)]
#[repr(C)]
pub struct VaList {
    gp_offset: u32,
    fp_offset: u32,
    overflow_arg_area: *const u8,
    reg_save_area: *const u8,
}

// A block begins with a register save area.
const _: () = assert!(offset_of!(Block, integers) == 0 && offset_of!(Block, vectors) == 48);

impl Block {
    /// Returns C's `va_list` for the arguments that have not been taken.
    ///
    /// # Safety
    /// The called function must be variadic.
    pub(crate) unsafe fn va_list(&self) -> VaList {
        VaList {
            gp_offset: 8 * self.walk.integers as u32,
            fp_offset: 48 + 16 * self.walk.floats as u32,
            overflow_arg_area: self.walk.stack,
            reg_save_area: core::ptr::from_ref(self).cast(),
        }
    }
}

/// The class of an eightbyte.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    Nothing,
    Integer,
    Sse,
    /// The upper half of the register of the previous eightbyte.
    SseUp,
}

/// Whether a `long double` is a quadruple-precision number, which is passed like a 16-byte vector, rather than in the x87
/// format.
const IS_QUADRUPLE: bool = cfg!(target_os = "android");

/// Returns the classes of a value's eightbytes, or `None` if the value is passed in memory.
#[inline(always)]
fn classes(layout: &Layout<'_>) -> Option<[Class; 2]> {
    let mut classes = [Class::Nothing; 2];
    if layout.size > 16 {
        return None;
    }
    for (offset, scalar) in layout.leaves() {
        let class = classes.get_mut(offset / 8)?;
        match (scalar.class, scalar.size()) {
            (Of::Floating, 16) if !IS_QUADRUPLE => return None,
            (Of::Floating | Of::Vector, 16) => return Some([Class::Sse, Class::SseUp]),
            (_, 16) => return Some([Class::Integer; 2]),
            (Of::Floating | Of::Vector, _) if *class == Class::Nothing => *class = Class::Sse,
            (Of::Floating | Of::Vector, _) => {}
            _ => *class = Class::Integer,
        }
    }
    Some(classes)
}

/// Returns the number of x87 registers that a result takes: one for a `long double`, two for a `long double _Complex`,
/// and none for any other type.
fn in_x87(layout: &Layout<'_>) -> usize {
    let is_long_double = |(_, scalar): (usize, Scalar)| scalar.class == Of::Floating && scalar.size() == 16;
    match layout.size {
        _ if IS_QUADRUPLE => 0,
        16 if layout.leaves().any(is_long_double) => 1,
        32 if layout.form == Form::Complex => 2,
        _ => 0,
    }
}

impl Convention for Block {
    #[cfg(all(feature = "__for-capi", not(compact)))]
    const FORWARD: Option<extern "C" fn()> = Some(forward);
    #[cfg(feature = "__for-capi")]
    const INTEGERS: usize = 6;
    #[cfg(feature = "__for-capi")]
    const FLOATS: usize = 8;

    fn in_memory(&self, result: &Layout<'_>) -> bool {
        classes(result).is_none() && in_x87(result) == 0
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
        if scalar.size() > 8 {
            return None;
        }
        if scalar.is_floating() {
            next_register(&self.vectors, &mut self.walk.floats)
        } else {
            next_register(&self.integers, &mut self.walk.integers)
        }
    }

    fn locate(&mut self, layout: &Layout<'_>, to: &mut impl Visitor) {
        let count =
            |wanted| move |classes: &[Class; 2]| classes.iter().filter(|&&class| class == wanted).count();
        let fits = |classes: &[Class; 2]| {
            self.walk.integers + count(Class::Integer)(classes) <= self.integers.len()
                && self.walk.floats + count(Class::Sse)(classes) <= self.vectors.len()
        };
        // SAFETY: `fits` has checked that enough registers are left, so this argument is in the registers or words
        // computed here.
        unsafe {
            let Some(classes) = classes(layout).filter(fits) else {
                return to.bytes(0, self.walk.next_on_stack(layout.size, layout.align), layout.size);
            };
            for (i, class) in classes.into_iter().enumerate() {
                let size = layout.size.saturating_sub(8 * i).min(8);
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
                    Class::SseUp => self.vectors.as_ptr().cast::<u8>().add(16 * self.walk.floats - 8),
                };
                to.bytes(8 * i, from, size);
            }
        }
    }

    #[inline(always)]
    fn result_register(&mut self, scalar: Scalar) -> Option<*mut usize> {
        match (scalar.class, scalar.size()) {
            (_, 16) => None,
            (Of::Floating | Of::Vector, _) => Some((&raw mut self.result_vectors).cast()),
            _ => Some((&raw mut self.result_integers).cast()),
        }
    }

    unsafe fn give(&mut self, layout: &Layout<'_>, from: *const u8) {
        let (mut integers, mut vectors) = (0, 0);
        // SAFETY: the caller of `give` guarantees that `from` is valid. `Integer` and `Sse` each occur at most twice,
        // and each has two result registers.
        unsafe {
            let Some(classes) = classes(layout) else {
                self.x87 = in_x87(layout);
                return copy(from, (&raw mut self.result_x87).cast(), 16 * self.x87);
            };
            for (i, class) in classes.into_iter().enumerate() {
                let size = layout.size.saturating_sub(8 * i).min(8);
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
                    Class::SseUp => self.result_vectors.as_mut_ptr().cast::<u8>().add(16 * vectors - 8),
                };
                copy(from.add(8 * i), to, size);
            }
        }
    }
}
