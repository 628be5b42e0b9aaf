//! 64-bit MIPS, n64 (MIPSpro N32 ABI Handbook, chapter 2). Every argument, including a struct of any size, takes
//! consecutive doublewords: the first eight are in integer registers, and the rest are on the stack. A doubleword of a
//! named floating-point argument, or a `double` that is a direct member of a named struct argument, is in the
//! floating-point register of its position instead. A struct's member that is itself a struct, an array or a complex
//! number is passed and returned like integers. If both parts of a `float _Complex` or `double _Complex` argument have
//! registers, each part is passed like a separate argument, as in code from gcc. Otherwise, and in a variadic argument,
//! the parts are passed like the members of a struct.

use crate::convention::layout::{Form, Layout, Scalar};
#[cfg(feature = "__for-capi")]
use crate::convention::location::Location;
use crate::convention::walk::{Convention, Visitor, Walk, copy, next_register};
use core::mem::offset_of;

const WORD: usize = size_of::<usize>();

/// The block that the entry builds on its stack for each call.
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
    /// The progress of the iteration. `integers` counts positions.
    pub(crate) walk: Walk,
}

/// Expands to a register or instruction of the processor. The core also defines those that its own adapters use.
#[rustfmt::skip]
macro_rules! processor {
    (floats [$($then:tt)+] $($more:tt)*) => {
        $($then)+! { $($more)* "$f12" "$f13" "$f14" "$f15" "$f16" "$f17" "$f18" "$f19" }
    };
    // At entry, $25 contains the address of label 77. Afterwards, $30 contains the previous stack pointer, and the 64
    // bytes below that address are for `Block::va_list`.
    (frame) => {
        "77: daddiu $29, $29, -80\n\
         .cfi_def_cfa_offset 80\n\
         sd $31, 8($29)\n\
         sd $30, 0($29)\n\
         .cfi_offset 31, -72\n\
         .cfi_offset 30, -80\n\
         daddiu $30, $29, 80\n\
         .cfi_def_cfa 30, 0\n\
         daddiu $29, $29, -{size}"
    };
    (leave) => {
        "daddiu $29, $30, -80\n\
         .cfi_def_cfa 29, 80\n\
         ld $31, 8($29)\n\
         ld $30, 0($29)\n\
         .cfi_restore 31\n\
         .cfi_restore 30\n\
         daddiu $29, $29, 80\n\
         .cfi_def_cfa_offset 0\n\
         jr $31"
    };
    (store $($more:tt)*) => { processor!(each "sd " "$29" $($more)*) };
    (store_float $($more:tt)*) => { processor!(each "sdc1 " "$29" $($more)*) };
    (load $($more:tt)*) => { processor!(load_from "$29" $($more)*) };
    (load_float $($more:tt)*) => { processor!(load_float_from "$29" $($more)*) };
    (load_from $($more:tt)*) => { processor!(each "ld " $($more)*) };
    (load_float_from $($more:tt)*) => { processor!(each "ldc1 " $($more)*) };
    // Expands to one instruction for each register. Each instruction accesses the next 8 bytes.
    (each $mnemonic:literal $base:literal $at:tt) => { "" };
    (each $mnemonic:literal $base:literal [$($at:literal)*] $register:literal $($rest:literal)*) => {
        concat!(
            $mnemonic, $register, ", ", $($at,)* "(", $base, ")\n",
            processor!(each $mnemonic $base [$($at)* " + 8"] $($rest)*)
        )
    };
    ($($words:tt)*) => { statictramp::__processor! { $($words)* } };
}

/// Expands to the body of an entry, which saves the argument registers in a block, executes the given instructions (a
/// call and, except in `forward`, loads of the results), and returns. $25 contains the entry's own address (label 77).
macro_rules! entry {
    ($this:path; [$($call:expr),+] [$($results:expr),*] $($operands:tt)*) => {
        core::arch::naked_asm!(
            processor!(begin),
            processor!(frame),
            processor!(arguments [processor] store ["0"]),
            processor!(floats [processor] store_float ["{floats}"]),
            processor!(store ["{results}"] "$0" "$0" "$0" "$0" "$0"),
            processor!(store ["{walk}"] "$30" "$0" "$0" "$0" "$0" "$0"),
            $($call,)+
            $($results,)*
            processor!(leave),
            processor!(end),
            size = const size_of::<Block>(),
            floats = const offset_of!(Block, floats),
            results = const offset_of!(Block, result_integers),
            walk = const offset_of!(Block, walk),
            $($operands)*
        )
    };
}

const _: () = assert!(offset_of!(Block, result_floats) == offset_of!(Block, result_integers) + 2 * WORD);

// At entry, $25 contains the entry's own address (label 77). At each `jalr`, $25 must contain the address of the called
// function. In `forward`, $16 keeps the entry's own address, from which the address of the global offset table is
// computed before every call except the last.
crate::arch::entries! {
    enter ["move $5, $29", "ld $4, 0($15)", "ld $25, 8($15)", "jalr $25"]
    enter_closure ["move $5, $29", "move $4, $15", processor!(target "{handler}"), "jalr $25"]
    results [
        processor!(load ["{results}"] "$2" "$3"),
        processor!(load_float ["{results} + 16"] "$f0" "$f1" "$f2")
    ] {}
    forward [
        "sd $15, {walk}+8($29)",
        "sd $16, {results}($29)",
        ".cfi_offset 16, {results}-80-{size}",
        "move $16, $25",
        "move $4, $15",
        processor!(target "{room}"),
        "jalr $25",
        "move $4, $29",
        "dsubu $29, $29, $2",
        "move $5, $29",
        "move $25, $16",
        processor!(target "{arrange}"),
        "jalr $25",
        "daddiu $12, $30, -80-{size}", // the block
        "ld $16, {results}($12)",
        ".cfi_restore 16",
        processor!(arguments [processor] load_from "$12" ["0"]),
        processor!(floats [processor] load_float_from "$12" ["{floats}"]),
        "ld $25, {walk}+8($12)",
        "ld $25, 8($25)",
        "jalr $25"
    ] []
}

/// Returns whether the doubleword at `offset` in an argument is in a floating-point register.
#[inline(always)]
fn is_float(layout: &Layout<'_>, offset: usize) -> bool {
    match layout.form {
        Form::Scalar | Form::Complex => layout.leaves().any(|(_, scalar)| scalar.is_floating()),
        Form::Struct => layout.members().any(|(at, scalar)| {
            at == offset && scalar.is_some_and(|scalar| scalar.is_floating() && scalar.size() == WORD)
        }),
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
        // SAFETY: the entry has reserved the words below the stack arguments.
        unsafe { self.walk.image(&self.integers) }
    }

    /// Reports the locations of the next argument's bytes from `begin` to `end`. The first of these bytes begins a
    /// doubleword.
    fn locate_part(
        &mut self,
        layout: &Layout<'_>,
        [begin, end]: [usize; 2],
        to: &mut impl Visitor,
        named: bool,
    ) {
        let mut offset = begin;
        while offset < end && self.walk.integers < self.integers.len() {
            let registers = if named && is_float(layout, offset) { &self.floats } else { &self.integers };
            let register = core::ptr::from_ref(&registers[self.walk.integers]).cast();
            // SAFETY: the walk counts the positions of earlier arguments, so this part of the argument is in this
            // register.
            unsafe { to.bytes(offset, register, WORD.min(end - offset)) };
            self.walk.integers += 1;
            offset += WORD;
        }
        if offset < end {
            let rest = end - offset;
            // SAFETY: the rest of the argument is on the stack.
            unsafe { to.bytes(offset, self.walk.next_on_stack(rest, layout.align), rest) };
        }
    }
}

impl Convention for Block {
    #[cfg(feature = "__for-capi")]
    const FORWARD: Option<extern "C" fn()> = Some(forward);

    /// Returns the same number for the integer and the floating-point register of a position, because the adapters move
    /// both.
    #[cfg(feature = "__for-capi")]
    fn number(location: Location) -> Option<usize> {
        match location {
            Location::Register(offset) => Some(offset / WORD % 8),
            Location::Stack(_) => None,
        }
    }

    const DISTINGUISHES_NAMED: bool = true;
    /// 32-bit values, including unsigned values, are sign-extended.
    const WIDENS_BY_HIGHEST_BIT: bool = true;

    fn in_memory(&self, result: &Layout<'_>) -> bool {
        result.size > 2 * WORD
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
        if scalar.size() > WORD {
            return None;
        }
        let is_float = scalar.is_floating() && self.walk.is_named();
        let registers = if is_float { &self.floats } else { &self.integers };
        next_register(registers, &mut self.walk.integers)
    }

    fn locate(&mut self, layout: &Layout<'_>, to: &mut impl Visitor) {
        let mut named = self.walk.is_named();
        if layout.align == 2 * WORD {
            self.walk.integers = self.walk.integers.next_multiple_of(2);
        }
        let half = layout.size / 2;
        if named && layout.form == Form::Complex && half <= WORD {
            if self.walk.integers + 2 <= self.integers.len() {
                self.locate_part(layout, [0, half], to, true);
                return self.locate_part(layout, [half, layout.size], to, true);
            }
            named = false;
        }
        self.locate_part(layout, [0, layout.size], to, named);
    }

    #[inline(always)]
    fn result_register(&mut self, scalar: Scalar) -> Option<*mut usize> {
        (!scalar.is_floating() && scalar.size() <= WORD).then_some((&raw mut self.result_integers).cast())
    }

    unsafe fn give(&mut self, layout: &Layout<'_>, from: *const u8) {
        let only_floats = match layout.form {
            Form::Struct => layout.members().all(|(_, scalar)| scalar.is_some_and(Scalar::is_floating)),
            _ => layout.leaves().all(|(_, scalar)| scalar.is_floating()),
        };
        let count = layout.leaves().count();
        // SAFETY: the caller of `Convention::give` guarantees that `from` is readable. The result has at most two
        // words.
        unsafe {
            if !only_floats || !(1..=2).contains(&count) {
                return copy(from, (&raw mut self.result_integers).cast(), layout.size.min(2 * WORD));
            }
            // A `long double` is in $f0 and $f2, or in $f0 and $f1 if it is a member of a struct. A pair of numbers is
            // in $f0 and $f2.
            let second = if layout.is_scalar() || count == 2 { 2 } else { 1 };
            let half = if count == 2 { layout.leaves().last().map_or(0, |(at, _)| at) } else { WORD };
            copy(from, (&raw mut self.result_floats[0]).cast(), half.min(layout.size).min(WORD));
            if layout.size > half {
                copy(
                    from.add(half),
                    (&raw mut self.result_floats[second]).cast(),
                    (layout.size - half).min(WORD),
                );
            }
        }
    }
}
