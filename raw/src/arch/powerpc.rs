//! 32-bit PowerPC (System V ABI, PowerPC Processor Supplement, "Parameter Passing"), big-endian: a value smaller than a
//! word occupies the last bytes of the word. Variadic arguments are passed like named ones. A `long double` has IBM's
//! format, a pair of doubles.

use crate::convention::layout::{Layout, Scalar};
use crate::convention::walk::{Convention, Visitor, Walk, copy, next_register};
use core::mem::offset_of;

const WORD: usize = size_of::<usize>();

/// The block that the entry builds on its stack for each call.
#[repr(C, align(8))]
pub struct Block {
    /// r3 to r10.
    integers: [usize; 8],
    /// f1 to f8, always as 64-bit numbers.
    floats: [u64; 8],
    /// r3 and r4.
    result_integers: [usize; 2],
    /// f1 and f2.
    result_floats: [u64; 2],
    pub(crate) walk: Walk,
}

/// Expands to a register or instruction of the processor. The core also defines those that its own adapters use.
#[rustfmt::skip]
macro_rules! processor {
    (floats [$($then:tt)+] $($more:tt)*) => { $($then)+! { $($more)* "1" "2" "3" "4" "5" "6" "7" "8" } };
    // The return address is stored in the word that the caller's frame reserves for it. The lowest 8 bytes of this
    // frame are for the function that the entry calls; the block is above them.
    (frame) => {
        "mflr 0\n\
         stw 0, 4(1)\n\
         stwu 1, -({size} + 8)(1)\n\
         .cfi_def_cfa_offset {size} + 8\n\
         .cfi_offset lr, 4"
    };
    (leave) => {
        "addi 1, 1, {size} + 8\n\
         .cfi_def_cfa_offset 0\n\
         lwz 0, 4(1)\n\
         mtlr 0\n\
         .cfi_restore lr\n\
         blr"
    };
    (store $($more:tt)*) => { processor!(each "stw " 4 "1" $($more)*) };
    (store_float $($more:tt)*) => { processor!(each "stfd " 8 "1" $($more)*) };
    (load_from $($more:tt)*) => { processor!(each "lwz " 4 $($more)*) };
    (load_float_from $($more:tt)*) => { processor!(each "lfd " 8 $($more)*) };
    // Expands to one instruction for each register, at addresses `$step` bytes apart.
    (each $mnemonic:literal $step:literal $base:literal $at:tt) => { "" };
    (each $mnemonic:literal $step:literal $base:literal [$($at:literal)*] $register:literal $($rest:literal)*) => {
        concat!(
            $mnemonic, $register, ", 8 + ", $($at,)* "(", $base, ")\n",
            processor!(each $mnemonic $step $base [$($at)* " + " $step] $($rest)*)
        )
    };
    ($($words:tt)*) => { statictramp::__processor! { $($words)* } };
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
            "li 0, 0",
            processor!(store ["{result}"] "0" "0"),
            processor!(store ["{result_floats}"] "0" "0" "0" "0"),
            "addi 4, 1, {size} + 8 + 8",
            processor!(store ["{walk}"] "4" "0" "0" "0" "0" "0"),
            "addi 4, 1, 8", // the block
            $($call,)+
            $($results,)*
            processor!(leave),
            processor!(end),
            // Including the two words for the callee, the frame's size is a multiple of 16.
            size = const (size_of::<Block>() + 8).next_multiple_of(16) - 8,
            floats = const offset_of!(Block, floats),
            result = const offset_of!(Block, result_integers),
            result_floats = const offset_of!(Block, result_floats),
            walk = const offset_of!(Block, walk),
            $($operands)*
        )
    };
}

crate::arch::entries! {
    enter ["lwz 3, 0(11)", "lwz 12, 4(11)", "mtctr 12", "bctrl"]
    enter_closure ["mr 3, 11", "bl {handler}"]
    results [
        processor!(load_from "1" ["{result}"] "3" "4"),
        processor!(load_float_from "1" ["{result_floats}"] "1" "2")
    ] {}
    forward [
        processor!(store ["{walk} + 4"] "11"),
        processor!(store ["{walk} + 12"] "31"),
        ".cfi_offset 31, {walk} + 12 - {size}",
        "mr 31, 1",
        ".cfi_def_cfa_register 31",
        "mr 3, 11",
        "bl {room}",
        "addi 3, 3, 16", // the two words for the callee, and padding
        "neg 3, 3",
        "lwz 0, 0(1)",
        "stwux 0, 1, 3",
        "addi 3, 31, 8", // the block
        "addi 4, 1, 8",
        "bl {arrange}",
        processor!(arguments [processor] load_from "31" ["0"]),
        processor!(floats [processor] load_float_from "31" ["{floats}"]),
        processor!(load_from "31" ["{walk} + 4"] "12"),
        "lwz 12, 4(12)",
        "mtctr 12",
        "bctrl"
    ] [
        "mr 1, 31",
        ".cfi_def_cfa_register 1",
        processor!(load_from "1" ["{walk} + 12"] "31"),
        ".cfi_restore 31"
    ]
}

fn is_floating(layout: &Layout<'_>) -> bool {
    layout.is_scalar() && layout.leaves().any(|(_, scalar)| scalar.is_floating())
}

/// Stores the number in a saved floating-point register as a 4-byte number.
/// # Safety
/// `register` must be readable, and `to` must be valid for writes of 4 bytes.
pub(crate) unsafe fn from_float(register: *const u64, to: *mut u8) {
    // SAFETY: the caller upholds the safety contract. The conversion changes no bit and does not round, since the
    // register contains a `float`.
    unsafe {
        core::arch::asm!(
            "lfd {number}, 0({from})", "stfs {number}, 0({to})",
            number = out(freg) _, from = in(reg_nonzero) register, to = in(reg_nonzero) to,
            options(nostack, preserves_flags),
        );
    }
}

/// Stores a 4-byte number in `register`, in the form in which a floating-point register holds it.
/// # Safety
/// `from` must be readable for 4 bytes, and `register` must be writable.
unsafe fn to_float(from: *const u8, register: *mut u64) {
    // SAFETY: the caller upholds the safety contract.
    unsafe {
        core::arch::asm!(
            "lfs {number}, 0({from})", "stfd {number}, 0({to})",
            number = out(freg) _, from = in(reg_nonzero) from, to = in(reg_nonzero) register,
            options(nostack, preserves_flags),
        );
    }
}

/// C's `va_list`.
#[derive(Clone)]
#[repr(C)]
pub struct VaList {
    gpr: u8,
    fpr: u8,
    reserved: u16,
    overflow_arg_area: *const u8,
    reg_save_area: *const u8,
}

// A block begins with a register save area.
const _: () = assert!(offset_of!(Block, integers) == 0 && offset_of!(Block, floats) == 32);

impl Block {
    /// Returns C's `va_list` for the arguments that have not been taken.
    ///
    /// # Safety
    /// The called function must be variadic.
    pub(crate) unsafe fn va_list(&self) -> VaList {
        VaList {
            gpr: self.walk.integers.min(8) as u8,
            fpr: self.walk.floats as u8,
            reserved: 0,
            overflow_arg_area: self.walk.stack,
            reg_save_area: core::ptr::from_ref(self).cast(),
        }
    }

    /// Takes `words` adjacent registers for an argument, and returns their address. An argument is never split: if not
    /// enough registers are left, returns `None`, and all following arguments of this kind are also on the stack.
    #[inline(always)]
    fn next_integers(&mut self, words: usize) -> Option<*const u8> {
        let first = self.walk.integers.next_multiple_of(words);
        let registers = self.integers.get(first..first + words);
        self.walk.integers = first + words;
        Some(registers?.as_ptr().cast())
    }

    #[inline(always)]
    fn next_floats(&mut self, count: usize) -> Option<*const u64> {
        let first = self.walk.floats;
        let registers = self.floats.get(first..first + count);
        self.walk.floats = if registers.is_some() { first + count } else { self.floats.len() };
        Some(registers?.as_ptr())
    }
}

impl Convention for Block {
    #[cfg(all(feature = "__for-capi", not(compact)))]
    const FORWARD: Option<extern "C" fn()> = Some(forward);

    #[cfg(feature = "__for-capi")]
    const FLOATS: usize = 8;

    const PASSES_EMPTY: bool = true;

    fn in_memory(&self, result: &Layout<'_>) -> bool {
        !result.is_scalar()
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
        if scalar.is_floating() {
            if scalar.size() != 8 {
                return None;
            }
            return next_register(&self.floats, &mut self.walk.floats);
        }
        if scalar.size() > WORD {
            return None;
        }
        let word = next_register(&self.integers, &mut self.walk.integers)?;
        Some(word.wrapping_add(WORD - scalar.size()))
    }

    fn locate(&mut self, layout: &Layout<'_>, to: &mut impl Visitor) {
        // SAFETY: the walk counts earlier arguments, so this argument is in the registers or words computed here.
        unsafe {
            if is_floating(layout) {
                return match self.next_floats(layout.size.div_ceil(8)) {
                    Some(register) if layout.size == 4 => to.single(0, register),
                    Some(registers) => to.bytes(0, registers.cast(), layout.size),
                    None => {
                        to.bytes(0, self.walk.next_on_stack(layout.size, layout.align.min(8)), layout.size)
                    }
                };
            }
            let size = if layout.is_scalar() { layout.size } else { WORD }; // the size of the argument, or of a struct's address
            let address = match self.next_integers(size.div_ceil(WORD)) {
                Some(registers) => registers,
                None => self.walk.next_on_stack(size, size),
            };
            if layout.is_scalar() {
                to.bytes(0, address.wrapping_add(size.next_multiple_of(WORD) - size), size);
            } else {
                to.address(address, layout.size);
            }
        }
    }

    #[inline(always)]
    fn result_register(&mut self, scalar: Scalar) -> Option<*mut usize> {
        (!scalar.is_floating() && scalar.size() <= WORD).then_some((&raw mut self.result_integers).cast())
    }

    unsafe fn give(&mut self, layout: &Layout<'_>, from: *const u8) {
        // SAFETY: the caller of `Convention::give` guarantees that `from` is readable. The result is a floating-point
        // number of at most 16 bytes, or an integer of at most 8 bytes.
        unsafe {
            if !is_floating(layout) {
                copy(from, (&raw mut self.result_integers).cast(), layout.size.min(8));
            } else if layout.size == 4 {
                to_float(from, (&raw mut self.result_floats).cast());
            } else {
                copy(from, (&raw mut self.result_floats).cast(), layout.size.min(16));
            }
        }
    }
}
