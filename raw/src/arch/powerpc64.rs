//! 64-bit PowerPC, little-endian (Power ELFv2 ABI, sections 2.2.4 and 2.2.5). Every argument has its own doublewords in
//! a memory image, of which the first eight are in r3 to r10. As long as registers are left, floating-point arguments
//! are in f1 to f13 instead, as are the elements of a struct of floating-point numbers of one type, if the struct takes
//! at most eight of these registers. 16-byte vectors are passed in the same way in v2 to v13, and begin at even
//! doublewords. Variadic arguments are passed only in the image. A `long double` has IBM's format, a pair of doubles.

use crate::arch::processor;
use crate::convention::layout::{Class, Form, Layout, Scalar};
use crate::convention::walk::{Convention, Visitor, Walk, copy, next_register};
use core::mem::offset_of;

/// The block that the entry builds on its stack for each call.
#[repr(C, align(16))]
pub struct Block {
    integers: [usize; 8],
    /// f1 to f13, always as 64-bit numbers.
    floats: [u64; 13],
    result_floats: [u64; 8],
    /// The number of vector registers that have been used.
    used_vectors: usize,
    /// v2 to v13.
    vectors: [[u64; 2]; 12],
    /// v2 to v9.
    result_vectors: [[u64; 2]; 8],
    result_integers: [usize; 2],
    /// The progress of the iteration. `integers` counts doublewords of the image. `stack` is the address of the ninth
    /// doubleword.
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
            processor!(floats [processor] store_float ["{floats}"]),
            ".irp n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13",
            "li 0, 32 + {vectors} + 16 * (\\n - 2)",
            "stvx \\n, 1, 0",
            ".endr",
            "vxor 0, 0, 0",
            ".irp n, 0, 1, 2, 3, 4, 5, 6, 7",
            "li 0, 32 + {result_vectors} + 16 * \\n",
            "stvx 0, 1, 0",
            ".endr",
            "li 0, 0",
            processor!(store ["{used_vectors}"] "0"),
            processor!(store ["{result}"] "0" "0"),
            processor!(store ["{result_floats}"] "0" "0" "0" "0" "0" "0" "0" "0"),
            "addi 4, 1, {size}+32+96",
            processor!(store ["{walk}"] "4" "0" "0" "0" "0" "0"),
            "addi 4, 1, 32", // the block
            $($call,)+
            "mtctr 12",
            "bctrl",
            $($results,)*
            processor!(leave),
            processor!(end),
            size = const size_of::<Block>(),
            floats = const offset_of!(Block, floats),
            result = const offset_of!(Block, result_integers),
            result_floats = const offset_of!(Block, result_floats),
            used_vectors = const offset_of!(Block, used_vectors),
            vectors = const offset_of!(Block, vectors),
            result_vectors = const offset_of!(Block, result_vectors),
            walk = const offset_of!(Block, walk),
            $($operands)*
        )
    };
}

// r12 contains the entry's own address (label 77 in `frame`) until the address of the called function is loaded into
// r12.
crate::arch::entries! {
    enter ["ld 3, 0(11)", "ld 12, 8(11)"]
    enter_closure ["mr 3, 11", "addis 12, 12, ({handler} - 77b)@ha", "addi 12, 12, ({handler} - 77b)@l"]
    results [
        processor!(load ["{result}"] "3" "4"),
        processor!(float_results [processor] load_float ["{result_floats}"]),
        ".irp n, 2, 3, 4, 5, 6, 7, 8, 9",
        "li 0, 32 + {result_vectors} + 16 * (\\n - 2)",
        "lvx \\n, 1, 0",
        ".endr"
    ] {}
    forward [
        processor!(store ["{walk} + 8"] "11"),
        processor!(store ["{walk} + 24"] "31"),
        ".cfi_offset 31, {walk} + 24 - {size}",
        "mr 31, 1",
        ".cfi_def_cfa_register 31",
        processor!(store ["{walk} + 32"] "12"),
        "mr 3, 11",
        "addis 12, 12, ({room} - 77b)@ha",
        "addi 12, 12, ({room} - 77b)@l",
        "mtctr 12",
        "bctrl",
        // The new frame contains a header, the image of the registers, and the other arguments.
        "addi 3, 3, 96",
        "neg 3, 3",
        "ld 0, 0(1)",
        "stdux 0, 1, 3",
        "addi 3, 31, 32", // the block
        "addi 4, 1, 96",
        processor!(load_from "31" ["{walk} + 32"] "12"),
        "addis 12, 12, ({arrange} - 77b)@ha",
        "addi 12, 12, ({arrange} - 77b)@l",
        "mtctr 12",
        "bctrl",
        processor!(arguments [processor] load_from "31" ["0"]),
        processor!(floats [processor] load_float_from "31" ["{floats}"]),
        ".irp n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13",
        "li 0, 32 + {vectors} + 16 * (\\n - 2)",
        "lvx \\n, 31, 0",
        ".endr",
        processor!(load_from "31" ["{walk} + 8"] "12"),
        "ld 12, 8(12)"
    ] [
        "mr 1, 31",
        ".cfi_def_cfa_register 1",
        processor!(load_from "1" ["{walk} + 24"] "31"),
        ".cfi_restore 31"
    ]
}

/// Returns the number of bytes in each register and the number of registers for a value that is passed in
/// floating-point registers, or `None` for any other value.
fn in_floats(layout: &Layout<'_>) -> Option<(usize, usize)> {
    let (scalar, _) = layout.homogeneous_up_to(8).filter(|(scalar, _)| scalar.class == Class::Floating)?;
    let unit = scalar.size().min(8);
    let count = layout.size / unit;
    (count <= 8).then_some((unit, count))
}

/// Returns the number of registers for a value that is passed in vector registers, or `None` for any other value.
fn in_vectors(layout: &Layout<'_>) -> Option<usize> {
    let (_, count) = layout.homogeneous_up_to(8).filter(|(scalar, _)| scalar.class == Class::Vector)?;
    Some(count)
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

/// Stores a 4-byte or 8-byte number in `register`, in the form in which a floating-point register holds it.
/// # Safety
/// `unit` must be 4 or 8, and `from` readable for `unit` bytes.
unsafe fn to_float(from: *const u8, register: &mut u64, unit: usize) {
    // SAFETY: the caller upholds the safety contract.
    unsafe {
        if unit == 4 {
            core::arch::asm!(
                "lfs {number}, 0({from})", "stfd {number}, 0({to})",
                number = out(freg) _, from = in(reg_nonzero) from, to = in(reg_nonzero) register,
                options(nostack, preserves_flags),
            );
        } else {
            copy(from, core::ptr::from_mut(register).cast(), unit);
        }
    }
}

/// C's `va_list`.
pub type VaList = *const u8;

impl Block {
    /// Returns C's `va_list` for the arguments that have not been taken.
    ///
    /// # Safety
    /// The called function must be variadic.
    pub(crate) unsafe fn va_list(&mut self) -> VaList {
        let image = self.walk.stack.cast_mut().wrapping_sub(size_of_val(&self.integers));
        // SAFETY: the caller of a variadic function reserves this room below the ninth doubleword.
        unsafe {
            image.cast::<usize>().copy_from_nonoverlapping(self.integers.as_ptr(), self.integers.len())
        };
        image.wrapping_add(8 * self.walk.integers)
    }

    /// Reports the locations of an argument's bytes that are in the image.
    ///
    /// # Safety
    /// The `size` bytes at `start` in the image must belong to one argument, and begin at `offset` in that argument.
    unsafe fn locate_image(&self, start: usize, offset: usize, size: usize, to: &mut impl Visitor) {
        let registers = size_of_val(&self.integers);
        let in_registers = registers.saturating_sub(start).min(size);
        // SAFETY: the caller upholds the safety contract.
        unsafe {
            if in_registers > 0 {
                to.bytes(offset, self.integers.as_ptr().cast::<u8>().add(start), in_registers);
            }
            if in_registers < size {
                let on_stack = self.walk.stack.wrapping_add(start + in_registers - registers);
                to.bytes(offset + in_registers, on_stack, size - in_registers);
            }
        }
    }

    /// Reports the locations of the next argument, which consists of `count` vectors and begins at an even doubleword.
    fn locate_vectors(&mut self, layout: &Layout<'_>, count: usize, to: &mut impl Visitor) {
        let start = 8 * self.walk.integers;
        self.walk.integers += layout.size / 8;
        let mut done = 0;
        // SAFETY: the argument is in the registers and stack words computed here, as in `locate_part`.
        unsafe {
            if self.walk.is_named() {
                for register in self.vectors.iter().skip(self.used_vectors).take(count) {
                    to.bytes(done, core::ptr::from_ref(register).cast(), size_of_val(register));
                    done += size_of_val(register);
                }
                self.used_vectors += count;
            }
            self.locate_image(start + done, done, layout.size - done, to);
        }
    }

    /// Reports the locations of the next argument, or of a part of it that is passed like an argument.
    fn locate_part(
        &mut self,
        layout: &Layout<'_>,
        floats: Option<(usize, usize)>,
        first: usize,
        to: &mut impl Visitor,
    ) {
        let mut start = 8 * self.walk.integers;
        self.walk.integers += layout.size.div_ceil(8);
        let mut done = 0;
        // SAFETY: the argument is in the registers and stack words computed here, because the walk counts the registers
        // that earlier arguments took. Bytes without a floating-point register are in the image.
        unsafe {
            if let (Some((unit, count)), true) = (floats, self.walk.is_named()) {
                for register in self.floats.iter().skip(self.walk.floats).take(count) {
                    match unit {
                        4 => to.single(first + done, register),
                        _ => to.bytes(first + done, core::ptr::from_ref(register).cast(), unit),
                    }
                    done += unit;
                }
                self.walk.floats += count;
            }
            start += done;
            self.locate_image(start, first + done, layout.size - done, to);
        }
    }
}

impl Convention for Block {
    #[cfg(all(feature = "__for-capi", not(compact)))]
    const FORWARD: Option<extern "C" fn()> = Some(forward);

    #[cfg(feature = "__for-capi")]
    fn stack_size(&self, _walked: usize) -> usize {
        8 * self.walk.integers.saturating_sub(self.integers.len())
    }

    const DISTINGUISHES_NAMED: bool = true;

    fn in_memory(&self, result: &Layout<'_>) -> bool {
        result.size > 16 && in_floats(result).is_none() && in_vectors(result).is_none()
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
            if scalar.size() < 8 || !self.walk.is_named() {
                return None;
            }
            let float = self.floats.get(self.walk.floats)?;
            self.walk.floats += 1;
            self.walk.integers += 1;
            Some(core::ptr::from_ref(float).cast())
        } else {
            next_register(&self.integers, &mut self.walk.integers)
        }
    }

    fn locate(&mut self, layout: &Layout<'_>, to: &mut impl Visitor) {
        let floats = in_floats(layout);
        if layout.form == Form::Complex {
            // A complex number is passed like two arguments.
            let part = layout.half();
            let floats = floats.map(|(unit, count)| (unit, count / 2));
            self.locate_part(&part, floats, 0, to);
            return self.locate_part(&part, floats, part.size, to);
        }
        let vectors = in_vectors(layout);
        if layout.align > 8 && floats.is_none() && (!layout.is_scalar() || vectors.is_some()) {
            self.walk.integers = self.walk.integers.next_multiple_of(2);
        }
        match vectors {
            Some(count) => self.locate_vectors(layout, count, to),
            None => self.locate_part(layout, floats, 0, to),
        }
    }

    #[inline(always)]
    fn result_register(&mut self, scalar: Scalar) -> Option<*mut usize> {
        match scalar.is_floating() {
            _ if scalar.size() > 8 => None,
            true if scalar.size() == 8 => Some((&raw mut self.result_floats).cast()),
            true => None,
            false => Some((&raw mut self.result_integers).cast()),
        }
    }

    unsafe fn give(&mut self, layout: &Layout<'_>, from: *const u8) {
        // SAFETY: the caller of `Convention::give` guarantees that `from` is readable. The result takes at most eight
        // registers, or 16 bytes.
        unsafe {
            if let Some((unit, count)) = in_floats(layout) {
                for (i, register) in self.result_floats.iter_mut().take(count).enumerate() {
                    to_float(from.add(i * unit), register, unit);
                }
                return;
            }
            if let Some(count) = in_vectors(layout) {
                return copy(from, (&raw mut self.result_vectors).cast(), count * 16);
            }
            copy(from, (&raw mut self.result_integers).cast(), layout.size.min(16));
        }
    }
}
