//! Arm (AAPCS32, sections 6.4, 6.5 and 7.1).

use crate::convention::layout::{Layout, Scalar};
use crate::convention::walk::{Convention, VARIADIC, Visitor, Walk, copy, next_register};
use core::mem::offset_of;

/// Whether floating-point arguments are passed in floating-point registers.
const HARD_FLOAT: bool = cfg!(target_abi = "eabihf");

/// The block that the entry builds on its stack for each call.
#[repr(C, align(8))]
pub struct Block {
    integers: [usize; 4],
    /// s0 to s15.
    floats: [u32; 16],
    /// r0 to r3. The last two are used only for a vector that a variadic function returns.
    result_integers: [usize; 4],
    /// s0 to s15.
    result_floats: [u32; 16],
    pub(crate) walk: Walk,
}

/// Expands to an instruction, given its encoding, which is the same in A32 and Thumb-2, because tools that read the
/// symbols in the library's bitcode do not know that the processor has floating-point registers, and reject the
/// mnemonic.
#[cfg(target_os = "linux")]
#[cfg(target_abi = "eabihf")]
macro_rules! number {
    ($number:literal) => {
        concat!(".inst ", $number)
    };
}
#[cfg(not(target_os = "linux"))]
#[cfg(target_abi = "eabihf")]
macro_rules! number {
    ($number:literal) => {
        concat!(".inst.w ", $number)
    };
}

#[cfg(target_abi = "eabihf")]
macro_rules! float {
    (store) => {
        concat!("add r0, sp, #{floats}\n", number!("0xec800b10")) // vstm r0, {d0-d7}
    };
    (reload) => {
        concat!("add r0, r12, #{floats}\n", number!("0xec900b10")) // vldm r0, {d0-d7}
    };
    (load) => {
        concat!(
            "add r2, sp, #{result_floats}\n",
            number!("0xec920b10"),
            "\nldr r2, [sp, #{result} + 8]\nldr r3, [sp, #{result} + 12]"
        ) // vldm r2, {d0-d7}
    };
}
#[cfg(not(target_abi = "eabihf"))]
macro_rules! float {
    (store) => {
        "// {floats}"
    };
    (reload) => {
        ""
    };
    (load) => {
        "// {result_floats}"
    };
}

/// Expands to an unwind directive, except on boards, which lack the library that unwinding would require.
#[cfg(not(target_os = "none"))]
macro_rules! unwind {
    ($directive:literal) => {
        $directive
    };
}
#[cfg(target_os = "none")]
macro_rules! unwind {
    ($directive:literal) => {
        ""
    };
}

/// Expands to a register or instruction of the processor. The core also defines those that its own adapters use.
#[rustfmt::skip]
macro_rules! processor {
    // Without the unwind directives, an exception could not propagate from the called function to the caller.
    (frame) => {
        concat!(
            unwind!(".fnstart\n"),
            "sub sp, #16\n", // for `Block::va_list`
            unwind!(".pad #16\n"),
            "push {{r7, lr}}\n",
            unwind!(".save {{r7, lr}}\n"),
            "mov r7, sp\n",
            unwind!(".setfp r7, sp\n"),
            "sub sp, #{size}\n",
            unwind!(".pad #{size}")
        )
    };
    (leave) => {
        concat!("mov sp, r7\nldr r7, [sp, #4]\nmov lr, r7\nldr r7, [sp]\nadd sp, #24\nbx lr\n", unwind!(".fnend"))
    };
    // Expands to one instruction for each register. Each instruction accesses the next 4 bytes.
    (store $at:tt) => { "" };
    (store [$($at:literal)*] $register:literal $($rest:literal)*) => {
        concat!(
            "str ", $register, ", [sp, #", $($at,)* "]\n",
            processor!(store [$($at)* " + 4"] $($rest)*)
        )
    };
    ($($words:tt)*) => { statictramp::__processor! { $($words)* } };
}

/// Expands to the body of an entry, which saves the argument registers in a block, executes the given instructions (a
/// call and, except in `forward`, loads of the results), and returns.
macro_rules! entry {
    ($this:path; [$($call:expr),+] [$($results:expr),*] $($operands:tt)*) => {
        core::arch::naked_asm!(
            processor!(frame),
            processor!(arguments [processor] store ["0"]),
            float!(store),
            "mov r0, r7",
            "adds r0, #24",
            processor!(store ["{walk}"] "r0"),
            "movs r0, #0",
            processor!(store ["{walk} + 4"] "r0" "r0" "r0" "r0" "r0"),
            processor!(store ["{result}"] "r0" "r0" "r0" "r0"),
            $($call,)+
            $($results,)*
            processor!(leave),
            size = const size_of::<Block>(),
            floats = const offset_of!(Block, floats),
            result = const offset_of!(Block, result_integers),
            walk = const offset_of!(Block, walk),
            $($operands)*
        )
    };
}

// Except in `forward` and `float!`, the instructions exist in A32 and in every Thumb variant.
crate::arch::entries! {
    enter ["mov r2, r12", "ldr r0, [r2]", "ldr r2, [r2, #4]", "mov r1, sp", "blx r2"]
    enter_closure ["mov r0, r12", "mov r1, sp", "bl {handler}"]
    results [
        "ldr r0, [sp, #{result}]",
        "ldr r1, [sp, #{result} + 4]",
        float!(load)
    ] { result_floats = const offset_of!(Block, result_floats), }
    forward [
        "str r12, [sp, #{walk} + 4]",
        "mov r0, r12",
        "bl {room}",
        "mov r2, sp",
        "sub sp, sp, r0",
        "mov r0, r2",
        "mov r1, sp",
        "bl {arrange}",
        "sub r12, r7, #{size}", // the block
        float!(reload),
        "ldr lr, [r12, #{walk} + 4]",
        "ldr lr, [lr, #4]",
        "ldm r12, {{r0, r1, r2, r3}}",
        "blx lr"
    ] []
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

    /// Returns the type and the number of parts of a value that is passed in floating-point registers, or `None` for
    /// any other value. A variadic call passes no value in these registers, because named arguments are passed like
    /// variadic arguments.
    fn floating(&self, layout: &Layout<'_>) -> Option<(Scalar, usize)> {
        layout.homogeneous().filter(|_| HARD_FLOAT && self.walk.flags & VARIADIC == 0)
    }
}

impl Convention for Block {
    #[cfg(all(feature = "__for-capi", not(compact)))]
    const FORWARD: Option<extern "C" fn()> = Some(forward);

    #[cfg(feature = "__for-capi")]
    const INTEGERS: usize = 4;
    #[cfg(feature = "__for-capi")]
    const FLOATS: usize = if HARD_FLOAT { 8 } else { 0 };

    fn in_memory(&self, result: &Layout<'_>) -> bool {
        result.size > 4 && !result.is_scalar() && self.floating(result).is_none()
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
        if scalar.is_floating() || scalar.size() > 4 {
            return None;
        }
        next_register(&self.integers, &mut self.walk.integers)
    }

    fn locate(&mut self, layout: &Layout<'_>, to: &mut impl Visitor) {
        let floating = self.floating(layout);
        let walk = &mut self.walk;
        // SAFETY: the walk counts earlier arguments, so this argument is in the registers or words computed here.
        unsafe {
            if let Some((scalar, count)) = floating {
                // The argument takes the lowest adjacent free registers. Registers skipped for alignment remain free
                // for later arguments.
                let step = scalar.size() / 4;
                let mask = (1usize << (count * step)) - 1;
                let free = |first: &usize| walk.floats & mask << first == 0;
                let first = (0..=self.floats.len().saturating_sub(count * step)).step_by(step).find(free);
                if let Some(first) = first {
                    walk.floats |= mask << first;
                    to.bytes(0, self.floats.as_ptr().add(first).cast(), layout.size);
                } else {
                    walk.floats = 0xffff;
                    to.bytes(0, walk.next_on_stack(layout.size, layout.align), layout.size);
                }
                return;
            }
            if layout.align == 8 {
                walk.integers = walk.integers.next_multiple_of(2);
            }
            let first = walk.integers;
            let left = self.integers.len() - first;
            let words = layout.size.div_ceil(4);
            // The caller's first argument on the stack is directly above the block's frame, at a multiple of 8.
            let begin: *const u8 = core::ptr::from_ref(walk).cast::<u8>().wrapping_add(FROM_WALK_TO_STACK);
            if words <= left {
                walk.integers += words;
                to.bytes(0, self.integers.as_ptr().add(first).cast(), layout.size);
            } else if left > 0 && (!layout.is_scalar() || layout.size > 8) && walk.stack == begin {
                // The rest of the argument is on the stack.
                walk.integers = self.integers.len();
                to.bytes(0, self.integers.as_ptr().add(first).cast(), 4 * left);
                let rest = layout.size - 4 * left;
                to.bytes(4 * left, walk.next_on_stack(rest, 4), rest);
            } else {
                walk.integers = self.integers.len();
                to.bytes(0, walk.next_on_stack(layout.size, layout.align), layout.size);
            }
        }
    }

    #[inline(always)]
    fn result_register(&mut self, scalar: Scalar) -> Option<*mut usize> {
        (!scalar.is_floating() && scalar.size() <= 4).then_some((&raw mut self.result_integers).cast())
    }

    unsafe fn give(&mut self, layout: &Layout<'_>, from: *const u8) {
        // SAFETY: the caller of `Convention::give` guarantees that `from` is readable. The result takes at most 64
        // bytes of floating-point registers, or four words.
        unsafe {
            if self.floating(layout).is_some() {
                return copy(from, (&raw mut self.result_floats).cast(), layout.size.min(64));
            }
            copy(from, (&raw mut self.result_integers).cast(), layout.size.min(16));
        }
    }
}

/// Distance from `Block::walk` to the stack arguments, which are above the block, the two registers that the entry saved,
/// and four words for `Block::va_list`.
const FROM_WALK_TO_STACK: usize = size_of::<Block>() - offset_of!(Block, walk) + 8 + 16;
