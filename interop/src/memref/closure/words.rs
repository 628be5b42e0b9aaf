//! Assignment of the words of arguments and results to registers and stack positions.

#[cfg(memref_vectors)]
use super::super::Vector;
#[cfg(memref_halves)]
use super::super::{Bf16, F16};
use super::super::{Complex, Ranked, Unranked, UnrankedResult};
use super::arch;

/// A floating-point register.
type Register = [u64; arch::FLOAT_WORDS];

/// The numbers of integer and floating-point words in a type, or in a sequence of types.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct WordCounts {
    /// The number of words that belong in integer registers.
    pub(super) integers: usize,
    /// The number of words that belong in floating-point registers.
    pub(super) floats: usize,
    /// The kinds of the floating-point words, two bits each: an index into `arch::RETURNED_FLOATS`.
    kinds: u64,
}

/// The kind of a word that contains an `f32` or `f64`.
const WIDE: u64 = 0;
/// The kind of a word that contains an `f16` or `bf16`.
const HALF: u64 = 1;
#[cfg(memref_vectors)]
const VECTOR: u64 = 2;

impl WordCounts {
    pub(super) const NONE: WordCounts = WordCounts::integers(0);
    #[cfg(memref_vectors)]
    pub(super) const VECTOR: WordCounts = WordCounts { integers: 0, floats: 1, kinds: VECTOR };

    pub(super) const fn integers(integers: usize) -> Self {
        WordCounts { integers, floats: 0, kinds: 0 }
    }

    /// Returns the word counts of a `bytes`-byte floating-point number.
    pub(super) const fn float(bytes: usize) -> Self {
        WordCounts { integers: 0, floats: 1, kinds: if bytes == 2 { HALF } else { WIDE } }
    }

    /// Returns the combined word counts of this type and the next.
    pub(super) const fn then(self, next: WordCounts) -> Self {
        let kinds = match next.kinds.checked_shl(2 * self.floats as u32) {
            Some(kinds) => self.kinds | kinds,
            None => self.kinds, // a result with more floating-point words is not returned in registers
        };
        WordCounts { integers: self.integers + next.integers, floats: self.floats + next.floats, kinds }
    }

    /// Returns whether results with these word counts are returned in registers rather than in memory.
    pub(super) const fn fits_registers(self) -> bool {
        let (mut kinds, mut left, mut used, mut on_x87) = (self.kinds, self.floats, 0, 0);
        while left > 0 {
            if used < arch::RETURNED_FLOATS[(kinds & 3) as usize] {
                used += 1;
            } else if kinds & 3 == WIDE && on_x87 < arch::RETURNED_ON_X87 {
                on_x87 += 1;
            } else {
                return false;
            }
            (kinds, left) = (kinds >> 2, left - 1);
        }
        self.integers <= arch::RETURNED_INTEGERS && self.integers + self.floats <= arch::RETURNED_TOGETHER
    }
}

/// The words of a call's arguments: the contents of the argument registers, and the address of the stack arguments. The
/// words of each kind are consumed in order.
#[doc(hidden)]
pub struct Words<'c> {
    integers: core::slice::Iter<'c, usize>,
    floats: core::slice::Iter<'c, Register>,
    stack: *const usize,
}

impl<'c> Words<'c> {
    /// # Safety
    /// The stack words of the requested arguments, which start at `stack`, must be readable.
    pub(super) unsafe fn new(integers: &'c [usize], floats: &'c [Register], stack: *const usize) -> Self {
        Words { integers: integers.iter(), floats: floats.iter(), stack }
    }

    fn on_stack(&mut self) -> usize {
        // SAFETY: the caller of `new` upholds its safety contract.
        unsafe {
            let word = self.stack.read();
            self.stack = self.stack.add(1);
            word
        }
    }

    pub(super) fn integer(&mut self) -> usize {
        match self.integers.next() {
            Some(&word) => {
                if arch::POSITIONAL {
                    self.floats.next();
                }
                word
            }
            None => self.on_stack(),
        }
    }

    /// Returns the next `bytes`-byte floating-point number in the low bits of the result.
    pub(super) fn float(&mut self, bytes: usize) -> u64 {
        match self.floats.next() {
            Some(&[register, ..]) => {
                if arch::FLOATS_PASS_OVER_INTEGERS && self.integers.next().is_none() {
                    // The new address might be past the end of the arguments, so a word must not be read there unless
                    // another argument follows.
                    self.stack = self.stack.wrapping_add(1);
                }
                arch::of_register(register, bytes)
            }
            None if arch::FLOATS_GO_ON_IN_INTEGERS => self.integer() as u64,
            None => self.on_stack() as u64,
        }
    }

    /// Returns the next 16-byte vector. Vectors are aligned on the stack.
    #[cfg(memref_vectors)]
    pub(super) fn vector(&mut self) -> Register {
        if arch::POSITIONAL {
            let vector = core::ptr::with_exposed_provenance::<Register>(self.integer());
            // SAFETY: the caller of `new` guarantees that the position contains the address of a vector.
            return unsafe { vector.read_unaligned() };
        }
        match self.floats.next() {
            Some(&register) => register,
            None => {
                let past = self.stack.addr() % 16 / size_of::<usize>();
                // SAFETY: the caller of `new` guarantees that the vector is on the stack, at this address or above.
                self.stack = unsafe { self.stack.add(past) };
                [self.on_stack() as u64, self.on_stack() as u64]
            }
        }
    }
}

/// The words of a call's results, in order. `integers`, `floats` and `x87` have room for all words that a function can
/// return in registers.
#[doc(hidden)]
#[repr(C)]
#[derive(Default)]
pub struct Returned {
    pub(super) integers: [usize; arch::RETURNED_INTEGERS],
    pub(super) floats: [Register; arch::RETURNED_FLOATS[2]],
    /// Results on the x87 stack, as values of type `f64`. The first element is the top of the stack.
    pub(super) x87: [u64; arch::RETURNED_ON_X87],
    pub(super) x87_used: usize,
    integers_used: usize,
    floats_used: usize,
}

impl Returned {
    pub(super) fn integer(&mut self, word: usize) {
        if let Some(word_at) = self.integers.get_mut(self.integers_used) {
            *word_at = word;
            self.integers_used += 1;
        }
    }

    /// Adds a floating-point number, given as its bits and its size in bytes.
    pub(super) fn float(&mut self, bits: u64, bytes: usize) {
        let [wide, ..] = arch::RETURNED_FLOATS;
        if bytes > 2 && self.floats_used >= wide {
            if let Some(word_at) = self.x87.get_mut(self.x87_used) {
                *word_at = if bytes == 4 { f64::from(f32::from_bits(bits as u32)).to_bits() } else { bits };
                self.x87_used += 1;
            }
            return;
        }
        let mut register = Register::default();
        let [low, ..] = &mut register;
        *low = arch::in_register(bits, bytes);
        self.register(register);
    }

    /// Adds a vector, or a floating-point number in the low bytes of a register.
    pub(super) fn register(&mut self, register: Register) {
        if let Some(word_at) = self.floats.get_mut(self.floats_used) {
            *word_at = register;
            self.floats_used += 1;
        }
    }
}

/// A parameter type of a closure that MLIR code calls: a number, `bool`, a complex number, a pointer, a ranked or
/// unranked memref, or, on x86-64 and AArch64, a 16-byte vector. `F16` and `Bf16` are not supported on PowerPC, s390x
/// and LoongArch: LLVM 19 and 22 pass `F16` differently, and LLVM (on LoongArch, only LLVM 19) cannot compile `Bf16`.
///
/// # Safety
/// This trait must not be implemented outside this crate. `take` must consume exactly the lowered type's words.
pub unsafe trait Argument: Sized {
    /// # Safety
    /// The next words must belong to an argument of this type.
    #[doc(hidden)]
    unsafe fn take(words: &mut Words<'_>) -> Self;
}

/// A result type of a closure that MLIR code calls: nothing, a number, `bool`, a complex number, a pointer, a memref, a
/// 16-byte vector (on x86-64 and AArch64), or a tuple of two to eight of these.
///
/// # Safety
/// This trait must not be implemented outside this crate. The words must be those that MLIR lowers the type to.
pub unsafe trait Results: Sized {
    /// The number of words of each kind in the result.
    #[doc(hidden)]
    const WORDS: WordCounts;

    /// Adds the result's words to the words returned in registers.
    #[doc(hidden)]
    fn put(self, returned: &mut Returned);

    /// The size and the alignment in bytes of the result within a struct.
    #[doc(hidden)]
    const LAYOUT: (usize, usize) = (size_of::<Self>(), align_of::<Self>());

    /// Stores the result in memory.
    ///
    /// # Safety
    /// `word_at` must be aligned for the result's type, and valid for writes of its size.
    #[doc(hidden)]
    unsafe fn store(self, word_at: *mut u8) {
        // SAFETY: the caller upholds the safety contract. All types except tuples have the memory representation of the
        // lowered type.
        unsafe { word_at.cast::<Self>().write(self) }
    }
}

macro_rules! numbers {
    ($($number:ty)*) => {
        $(
            // SAFETY: a number occupies the low bits of one register of its kind, or of one word on the stack.
            unsafe impl Argument for $number {
                unsafe fn take(words: &mut Words<'_>) -> Self {
                    words.integer() as $number
                }
            }
            // SAFETY: as above.
            unsafe impl Results for $number {
                const WORDS: WordCounts = WordCounts::integers(1);
                fn put(self, returned: &mut Returned) {
                    returned.integer(self as usize);
                }
            }
        )*
    };
}
numbers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

macro_rules! floats {
    ($($number:ty, $bits:ty;)*) => {
        $(
            // SAFETY: as above.
            unsafe impl Argument for $number {
                unsafe fn take(words: &mut Words<'_>) -> Self {
                    <$number>::from_bits(words.float(size_of::<Self>()) as $bits)
                }
            }
            // SAFETY: as above.
            unsafe impl Results for $number {
                const WORDS: WordCounts = WordCounts::float(size_of::<Self>());
                fn put(self, returned: &mut Returned) {
                    returned.float(self.to_bits().into(), size_of::<$number>());
                }
            }
        )*
    };
}
floats! { f32, u32; f64, u64; }
#[cfg(memref_halves)]
floats! { F16, u16; Bf16, u16; }

#[cfg(memref_vectors)]
macro_rules! vectors {
    ($($element:ty, $count:literal;)*) => {
        $(
            const _: () = assert!(size_of::<Vector<$element, $count>>() == size_of::<Register>());
            // SAFETY: a vector occupies one register, or the same number of bytes on the stack.
            unsafe impl Argument for Vector<$element, $count> {
                unsafe fn take(words: &mut Words<'_>) -> Self {
                    // SAFETY: every bit pattern is valid for these numbers.
                    unsafe { core::mem::transmute(words.vector()) }
                }
            }
            // SAFETY: as above.
            unsafe impl Results for Vector<$element, $count> {
                const WORDS: WordCounts = WordCounts::VECTOR;
                fn put(self, returned: &mut Returned) {
                    // SAFETY: as above.
                    returned.register(unsafe { core::mem::transmute::<Self, Register>(self) });
                }
            }
        )*
    };
}
#[cfg(memref_vectors)]
vectors! {
    f32, 4; f64, 2; F16, 8; Bf16, 8;
    i8, 16; i16, 8; i32, 4; i64, 2; isize, 2;
    u8, 16; u16, 8; u32, 4; u64, 2; usize, 2;
}

// SAFETY: a complex number is a struct of its two parts, and its parts are passed as scalars.
unsafe impl<T: Argument> Argument for Complex<T> {
    unsafe fn take(words: &mut Words<'_>) -> Self {
        // SAFETY: the caller upholds the safety contract, and the real part comes first.
        unsafe { Complex { re: T::take(words), im: T::take(words) } }
    }
}
// SAFETY: as above.
unsafe impl<T: Results> Results for Complex<T> {
    const WORDS: WordCounts = T::WORDS.then(T::WORDS);
    fn put(self, returned: &mut Returned) {
        self.re.put(returned);
        self.im.put(returned);
    }
}

// SAFETY: `i1` is passed as 0 or 1 in the low bit, and the other bits are undefined.
unsafe impl Argument for bool {
    unsafe fn take(words: &mut Words<'_>) -> Self {
        words.integer() & 1 != 0
    }
}
// SAFETY: as above.
unsafe impl Results for bool {
    const WORDS: WordCounts = WordCounts::integers(1);
    fn put(self, returned: &mut Returned) {
        returned.integer(self.into());
    }
}

// SAFETY: a pointer is one word.
unsafe impl<T> Argument for *mut T {
    unsafe fn take(words: &mut Words<'_>) -> Self {
        core::ptr::with_exposed_provenance_mut(words.integer())
    }
}
// SAFETY: as above.
unsafe impl<T> Results for *mut T {
    const WORDS: WordCounts = WordCounts::integers(1);
    fn put(self, returned: &mut Returned) {
        returned.integer(self.expose_provenance());
    }
}

// SAFETY: a `Ranked` is passed as its scalars, one word each, in the order in which `from_scalars` takes them.
unsafe impl<T, const N: usize> Argument for Ranked<T, N> {
    unsafe fn take(words: &mut Words<'_>) -> Self {
        // SAFETY: the iterator is infinite, so it yields enough words.
        unsafe { Ranked::from_scalars(core::iter::repeat_with(|| words.integer())).unwrap_unchecked() }
    }
}
// SAFETY: a `Ranked` is returned as its scalars, one word each, in the order in which `scalars` returns them.
unsafe impl<T, const N: usize> Results for Ranked<T, N> {
    const WORDS: WordCounts = WordCounts::integers(3 + 2 * N);
    fn put(self, returned: &mut Returned) {
        self.scalars().for_each(|word| word.put(returned));
    }
}

// SAFETY: an unranked memref is passed as its rank and a pointer to the descriptor on the caller's stack.
unsafe impl<T> Argument for Unranked<T> {
    unsafe fn take(words: &mut Words<'_>) -> Self {
        let rank = words.integer() as isize;
        // SAFETY: the caller upholds the safety contract. Code lowered by MLIR passes a descriptor of this rank.
        unsafe { Unranked::read(rank, core::ptr::with_exposed_provenance(words.integer())) }
    }
}

// SAFETY: an unranked memref is returned as its rank and the address of its descriptor.
unsafe impl<T> Results for UnrankedResult<T> {
    const WORDS: WordCounts = WordCounts::integers(2);
    fn put(self, returned: &mut Returned) {
        let (rank, descriptor) = self.into_raw();
        rank.put(returned);
        descriptor.put(returned);
    }
}

// SAFETY: the unit type has no words.
unsafe impl Results for () {
    const WORDS: WordCounts = WordCounts::NONE;
    fn put(self, _: &mut Returned) {}
}

macro_rules! results {
    ($($result:ident)*) => {
        // SAFETY: multiple results are returned in registers, word by word, if all words fit, and otherwise as a
        // struct.
        unsafe impl<$($result: Results),*> Results for ($($result,)*) {
            const WORDS: WordCounts = WordCounts::NONE$(.then($result::WORDS))*;
            const LAYOUT: (usize, usize) = {
                let (end, align) = (0, 1);
                $(
                    let (end, align) = (
                        usize::next_multiple_of(end, $result::LAYOUT.1) + $result::LAYOUT.0,
                        if $result::LAYOUT.1 > align { $result::LAYOUT.1 } else { align },
                    );
                )*
                (usize::next_multiple_of(end, align), align)
            };
            #[allow(non_snake_case)]
            fn put(self, returned: &mut Returned) {
                let ($($result,)*) = self;
                $($result.put(returned);)*
            }
            #[allow(non_snake_case)]
            unsafe fn store(self, word_at: *mut u8) {
                let ($($result,)*) = self;
                let end = 0;
                $(
                    let at = usize::next_multiple_of(end, $result::LAYOUT.1);
                    // SAFETY: the caller upholds the safety contract. The results have the same offsets as the members
                    // of the struct.
                    unsafe { $result.store(word_at.add(at)) };
                    let end = at + $result::LAYOUT.0;
                )*
                let _ = end;
            }
        }
    };
}
results!(A B);
results!(A B C);
results!(A B C D);
results!(A B C D E);
results!(A B C D E F);
results!(A B C D E F G);
results!(A B C D E F G H);
