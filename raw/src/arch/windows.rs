//! x86-64 on Windows (Microsoft's x64 calling convention): an argument's number determines its position, and each
//! position is one word. The contents of the first four positions are in registers.

use crate::arch::processor;
use crate::convention::layout::{Class, Layout, Scalar};
#[cfg(feature = "__for-capi")]
use crate::convention::location::Location;
use crate::convention::walk::{Convention, Visitor, Walk, copy};
use core::mem::offset_of;

/// The block that the entry builds on its stack for each call. The entry stores the integer registers in the home space
/// that the caller allocated in front of the other arguments, so the walk's `stack` points to the next position.
/// `integers` counts the positions used so far.
#[repr(C, align(16))]
pub struct Block {
    vectors: [u64; 4],
    result_vector: [u64; 2],
    result_integer: usize,
    _padding: usize,
    pub(crate) walk: Walk,
}

/// Expands to the body of an entry. The entry saves the integer argument registers in the home space and the vector
/// argument registers in a block, executes the given instructions, and returns. These instructions call a function and,
/// except in `forward`, then load the results.
macro_rules! entry {
    ($this:path; [$($call:expr),+] [$($results:expr),*] $($operands:tt)*) => {
        core::arch::naked_asm!(
            ".seh_proc {this}",
            "push rbp",
            ".seh_pushreg rbp",
            "mov rbp, rsp",
            ".seh_setframe rbp, 0",
            ".seh_endprologue",
            processor!(arguments [processor] each_to "mov " 8 "rbp" ["16"]),
            "sub rsp, {size} + 32",
            processor!(floats [processor] each_to "movsd " 8 "rsp" ["32 + {vectors}"]),
            "xorps xmm0, xmm0",
            "movaps [rsp + 32 + {result_vector}], xmm0",
            "lea rax, [rbp + 16]",
            "xor ecx, ecx",
            "mov [rsp + 32 + {result_integer}], rcx",
            processor!(store ["32 + {walk}"] "rax" "rcx" "rcx" "rcx" "rcx" "rcx"),
            $($call,)+
            $($results,)*
            "lea rsp, [rbp]",
            "pop rbp",
            "ret",
            ".seh_endproc",
            this = sym $this,
            size = const size_of::<Block>(),
            vectors = const offset_of!(Block, vectors),
            result_integer = const offset_of!(Block, result_integer),
            result_vector = const offset_of!(Block, result_vector),
            walk = const offset_of!(Block, walk),
            $($operands)*
        )
    };
}

crate::arch::entries! {
    enter ["mov rcx, [r10]", "lea rdx, [rsp + 32]", "call [r10 + 8]"]
    enter_closure ["mov rcx, r10", "lea rdx, [rsp + 32]", "call {handler}"]
    results [
        "mov rax, [rsp + 32 + {result_integer}]",
        "movaps xmm0, [rsp + 32 + {result_vector}]"
    ] {}
    forward [
        "mov [rsp + 32 + {walk} + 8], r10",
        "mov rcx, r10",
        "call {room}",
        "lea rcx, [rsp + 32]", // the block
        "sub rsp, rax",
        "lea rdx, [rsp + 32]",
        "call {arrange}",
        "add rsp, 32",
        "lea rax, [rbp - {size}]",
        processor!(arguments [processor] load ["0"]),
        processor!(floats [processor] each_from "movsd " 8 "rax" ["{vectors}"]),
        "mov rax, [rax + {walk} + 8]",
        "call [rax + 8]"
    ] []
}

/// Returns whether a value of this size is passed directly in its word, rather than by reference.
fn is_in_place(size: usize) -> bool {
    matches!(size, 1 | 2 | 4 | 8)
}

fn is_floating(layout: &Layout<'_>) -> bool {
    layout.is_scalar() && layout.leaves().any(|(_, scalar)| scalar.is_floating())
}

fn is_long_double(layout: &Layout<'_>) -> bool {
    layout.leaves().any(|(_, scalar)| scalar.class == Class::Floating && scalar.size() == 16)
}

/// C's `va_list`.
pub type VaList = *const u8;

impl Block {
    /// Returns C's `va_list` for the arguments that have not been taken.
    ///
    /// # Safety
    /// The called function must be variadic.
    pub(crate) unsafe fn va_list(&self) -> VaList {
        self.walk.stack
    }

    /// Takes the next position, and returns the location of its argument, which is passed as a floating-point number if
    /// `is_floating` is true.
    #[inline(always)]
    fn next_address(&mut self, is_floating: bool) -> *const u8 {
        let address = self.walk.stack;
        let number = self.walk.integers;
        self.walk.integers += 1;
        self.walk.stack = address.wrapping_add(8);
        match self.vectors.get(number) {
            Some(vector) if is_floating => core::ptr::from_ref(vector).cast(),
            _ => address,
        }
    }
}

impl Convention for Block {
    #[cfg(all(feature = "__for-capi", not(compact)))]
    const FORWARD: Option<extern "C" fn()> = Some(forward);

    #[cfg(feature = "__for-capi")]
    const INTEGERS: usize = 4;

    /// Returns at least 32, because the home space for the four register arguments is always allocated.
    #[cfg(feature = "__for-capi")]
    fn stack_size(&self, walked: usize) -> usize {
        walked.max(32)
    }

    #[cfg(feature = "__for-capi")]
    fn number(location: Location) -> Option<usize> {
        match location {
            Location::Register(offset) | Location::Stack(offset) if offset < 32 => Some(offset / 8),
            _ => None,
        }
    }

    /// Returns true for a 16-byte `long double`, and false for a 128-bit integer or vector, which is returned in xmm0.
    fn in_memory(&self, result: &Layout<'_>) -> bool {
        let is_in_register = result.size == 0
            || is_in_place(result.size)
            || (result.is_scalar() && result.size == 16 && !is_long_double(result));
        !is_in_register
    }

    fn locate_result(&mut self) -> *const u8 {
        self.next_address(false)
    }

    fn give_address(&mut self, address: usize) {
        self.result_integer = address;
    }

    #[inline(always)]
    fn take_register(&mut self, scalar: Scalar) -> Option<*const u8> {
        (scalar.size() <= 8).then(|| self.next_address(scalar.is_floating()))
    }

    fn locate(&mut self, layout: &Layout<'_>, to: &mut impl Visitor) {
        let is_in_place = is_in_place(layout.size);
        let address = self.next_address(is_floating(layout) && is_in_place);
        // SAFETY: the walk counts positions, so this location contains the argument or its address.
        unsafe {
            if is_in_place {
                to.bytes(0, address, layout.size);
            } else {
                to.address(address, layout.size);
            }
        }
    }

    #[inline(always)]
    fn result_register(&mut self, scalar: Scalar) -> Option<*mut usize> {
        match scalar.size() {
            16 => None,
            _ if scalar.is_floating() => Some((&raw mut self.result_vector).cast()),
            _ => Some(&raw mut self.result_integer),
        }
    }

    unsafe fn give(&mut self, layout: &Layout<'_>, from: *const u8) {
        let to: *mut u8 = if self.in_memory(layout) {
            self.walk.result
        } else if is_floating(layout) || layout.size == 16 {
            (&raw mut self.result_vector).cast()
        } else {
            (&raw mut self.result_integer).cast()
        };
        // SAFETY: the caller of `Convention::give` guarantees that `from` is readable. A result that is not in memory
        // fits into a register.
        unsafe { copy(from, to, layout.size) };
    }
}
