//! 32-bit x86 (System V psABI for i386, sections 2.2.3 and 2.2.5): all arguments are on the stack, and each begins at
//! the next word.

use crate::arch::processor;
use crate::convention::layout::{Form, Layout, Scalar};
#[cfg(feature = "__for-capi")]
use crate::convention::location::Location;
use crate::convention::walk::{Convention, Visitor, Walk, copy};
use core::mem::offset_of;

/// The block that the entry builds on its stack for each call.
#[repr(C)]
pub struct Block {
    /// eax and edx.
    result: [usize; 2],
    /// The result on the x87 stack, if `x87_size` is not 0.
    result_x87: [u32; 3],
    x87_size: usize,
    /// Whether there is a hidden pointer to the result, which the callee pops.
    has_pointer: usize,
    pub(crate) walk: Walk,
}

/// Expands to the body of an entry, which initializes a block, executes the given instructions (a call and, except in
/// `forward`, loads of the results), and returns.
macro_rules! entry {
    ($this:path; [$($call:expr),+] [$($results:expr),*] $($operands:tt)*) => {
        core::arch::naked_asm!(
            processor!(begin),
            processor!(frame),
            "sub esp, {frame}",
            "xor eax, eax",
            "mov [ebp - {size} + {result}], eax",
            "mov [ebp - {size} + {result} + 4], eax",
            "mov [ebp - {size} + {x87_size}], eax",
            "mov [ebp - {size} + {has_pointer}], eax",
            "mov [ebp - {size} + {walk} + 4], eax",
            "mov [ebp - {size} + {walk} + 8], eax",
            "mov [ebp - {size} + {walk} + 12], eax",
            "mov [ebp - {size} + {walk} + 16], eax",
            "mov [ebp - {size} + {walk} + 20], eax",
            "lea eax, [ebp + 8]",
            "mov [ebp - {size} + {walk}], eax",
            "lea eax, [ebp - {size}]",
            "mov [esp + 4], eax",
            $($call,)+
            $($results,)*
            "cmp dword ptr [ebp - {size} + {has_pointer}], 0",
            "mov esp, ebp",
            "pop ebp",
            ".cfi_def_cfa esp, 4",
            ".cfi_restore ebp",
            "jne 5f",
            "ret",
            "5: ret 4",
            processor!(end),
            // Room for the block and two arguments. Including ebp and the return address, the frame's size is a
            // multiple of 16.
            frame = const (size_of::<Block>() + 16).next_multiple_of(16) - 8,
            size = const size_of::<Block>(),
            result = const offset_of!(Block, result),
            x87_size = const offset_of!(Block, x87_size),
            has_pointer = const offset_of!(Block, has_pointer),
            walk = const offset_of!(Block, walk),
            $($operands)*
        )
    };
}

// The handler's arguments begin at esp. `entry!` stores the second one.
crate::arch::entries! {
    enter ["mov eax, [ecx]", "mov [esp], eax", "call [ecx + 4]"]
    enter_closure ["mov [esp], ecx", "call {handler}"]
    results [
        "mov ecx, [ebp - {size} + {x87_size}]",
        "test ecx, ecx",
        "jz 4f",
        "cmp ecx, 8",
        "ja 3f",
        "je 2f",
        "fld dword ptr [ebp - {size} + {x87}]",
        "jmp 4f",
        "2: fld qword ptr [ebp - {size} + {x87}]",
        "jmp 4f",
        "3: fld tbyte ptr [ebp - {size} + {x87}]",
        "4: mov eax, [ebp - {size} + {result}]",
        "mov edx, [ebp - {size} + {result} + 4]"
    ] { x87 = const offset_of!(Block, result_x87), }
    forward [
        "mov [ebp - {size} + {walk} + 4], ecx",
        "mov [esp], ecx",
        "call {room}",
        "lea ecx, [ebp - {size}]", // the block
        "sub esp, eax",
        "mov eax, esp",
        "sub esp, 16", // for the next call
        "mov [esp], ecx",
        "mov [esp + 4], eax",
        "call {arrange}",
        "add esp, 16",
        "mov eax, [ebp - {size} + {walk} + 4]",
        "call [eax + 4]"
    ] []
}

fn is_floating(layout: &Layout<'_>) -> bool {
    layout.is_scalar() && layout.leaves().any(|(_, scalar)| scalar.is_floating())
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

    /// Returns the location of the next argument, which has this size in bytes.
    #[inline(always)]
    fn next_words(&mut self, size: usize) -> *const u8 {
        self.walk.next_on_stack(size, size_of::<usize>())
    }
}

impl Convention for Block {
    #[cfg(all(feature = "__for-capi", not(compact)))]
    const FORWARD: Option<extern "C" fn()> = Some(forward);

    #[cfg(feature = "__for-capi")]
    fn number(location: Location) -> Option<usize> {
        match location {
            Location::Stack(offset) if offset < 16 * size_of::<usize>() => Some(offset / size_of::<usize>()),
            _ => None,
        }
    }

    #[cfg(all(feature = "__for-capi", not(compact)))]
    fn pops_result(&mut self) {
        self.has_pointer = 1;
    }

    fn in_memory(&self, result: &Layout<'_>) -> bool {
        // A `float _Complex` is returned like a 64-bit integer.
        !result.is_scalar() && !(result.form == Form::Complex && result.size == 8)
    }

    fn locate_result(&mut self) -> *const u8 {
        self.next_words(size_of::<usize>())
    }

    fn give_address(&mut self, address: usize) {
        self.result[0] = address;
        self.has_pointer = 1;
    }

    #[inline(always)]
    fn take_register(&mut self, scalar: Scalar) -> Option<*const u8> {
        Some(self.next_words(scalar.size()))
    }

    fn locate(&mut self, layout: &Layout<'_>, to: &mut impl Visitor) {
        // SAFETY: the walk counts the words of earlier arguments, so this argument is at this location.
        unsafe { to.bytes(0, self.next_words(layout.size), layout.size) };
    }

    #[inline(always)]
    fn result_register(&mut self, scalar: Scalar) -> Option<*mut usize> {
        (!scalar.is_floating() && scalar.size() <= 4).then_some((&raw mut self.result).cast())
    }

    unsafe fn give(&mut self, layout: &Layout<'_>, from: *const u8) {
        // SAFETY: the caller of `Convention::give` guarantees that `from` is readable. The result is a floating-point
        // number of at most 12 bytes, or an integer of at most 8 bytes.
        unsafe {
            if is_floating(layout) {
                copy(from, (&raw mut self.result_x87).cast(), layout.size.min(12));
                self.x87_size = layout.size;
            } else {
                copy(from, (&raw mut self.result).cast(), layout.size.min(8));
            }
        }
    }
}
