//! Arguments and results as words: which register or place on the stack each takes.

use super::super::{Ranked, Unranked, UnrankedResult};
use super::arch;

/// What a call has brought: the registers of arguments, and where those on the stack begin. Each kind is taken in order.
#[doc(hidden)]
pub struct Words<'c> {
    integers: core::slice::Iter<'c, usize>,
    floats: core::slice::Iter<'c, u64>,
    stack: *const usize,
}

impl<'c> Words<'c> {
    /// # Safety
    /// As many words can be read from `stack` on as the arguments that are asked for take there.
    pub(super) unsafe fn new(integers: &'c [usize], floats: &'c [u64], stack: *const usize) -> Self {
        Words { integers: integers.iter(), floats: floats.iter(), stack }
    }

    fn on_stack(&mut self) -> usize {
        // SAFETY: the promise of `new`.
        unsafe {
            let word = self.stack.read();
            self.stack = self.stack.add(1);
            word
        }
    }

    pub(super) fn integer(&mut self) -> usize {
        match self.integers.next() {
            Some(&word) => word,
            None => self.on_stack(),
        }
    }

    fn float(&mut self) -> u64 {
        // There is a register for each argument.
        self.floats.next().copied().unwrap_or(0)
    }
}

/// What goes back: the words in the order of the results. `integers` and `floats` have room for what a function returns
/// in registers.
#[doc(hidden)]
#[repr(C)]
#[derive(Default)]
pub struct Returned {
    integers: [usize; arch::RETURNED_INTEGERS],
    floats: [u64; arch::RETURNED_FLOATS],
    integers_used: usize,
    floats_used: usize,
}

impl Returned {
    fn integer(&mut self, word: usize) {
        if let Some(place) = self.integers.get_mut(self.integers_used) {
            *place = word;
            self.integers_used += 1;
        }
    }

    fn float(&mut self, word: u64) {
        if let Some(place) = self.floats.get_mut(self.floats_used) {
            *place = word;
            self.floats_used += 1;
        }
    }
}

/// A parameter of a closure that MLIR code calls: a number, a pointer, a memref with or without a rank.
///
/// # Safety
/// Not to be implemented elsewhere: `take` takes the words that the lowered type has.
pub unsafe trait Argument: Sized {
    /// # Safety
    /// The next words are an argument of this type.
    #[doc(hidden)]
    unsafe fn take(words: &mut Words<'_>) -> Self;
}

/// A result of such a closure: nothing, a number, a pointer, a memref, or a tuple of two or three of those.
///
/// # Safety
/// Not to be implemented elsewhere: the words are those of the lowered type.
pub unsafe trait Outcome: Sized {
    /// Words of each kind, if it is returned in registers.
    #[doc(hidden)]
    const WORDS: (usize, usize);

    /// Returned in registers.
    #[doc(hidden)]
    fn put(self, returned: &mut Returned);

    /// Bytes in a struct, and their alignment.
    #[doc(hidden)]
    const LAYOUT: (usize, usize) = (size_of::<Self>(), align_of::<Self>());

    /// Returned in memory.
    ///
    /// # Safety
    /// So many bytes can be written there, and it is aligned.
    #[doc(hidden)]
    unsafe fn store(self, place: *mut u8) {
        // SAFETY: the caller's promise. All but tuples lie in memory as the lowered type does.
        unsafe { place.cast::<Self>().write(self) }
    }
}

macro_rules! numbers {
    ($($number:ty)*) => {
        $(
            // SAFETY: a number takes one register of its kind or one word on the stack, in its low bits.
            unsafe impl Argument for $number {
                unsafe fn take(words: &mut Words<'_>) -> Self {
                    words.integer() as $number
                }
            }
            // SAFETY: as above.
            unsafe impl Outcome for $number {
                const WORDS: (usize, usize) = (1, 0);
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
                    <$number>::from_bits(words.float() as $bits)
                }
            }
            // SAFETY: as above.
            unsafe impl Outcome for $number {
                const WORDS: (usize, usize) = (0, 1);
                fn put(self, returned: &mut Returned) {
                    let above = if size_of::<$number>() == 4 { arch::HIGH_HALF } else { 0 };
                    returned.float(u64::from(self.to_bits()) | above);
                }
            }
        )*
    };
}
floats! { f32, u32; f64, u64; }

// SAFETY: `i1` is passed as 0 or 1 in the low bit; others are not defined.
unsafe impl Argument for bool {
    unsafe fn take(words: &mut Words<'_>) -> Self {
        words.integer() & 1 != 0
    }
}
// SAFETY: as above.
unsafe impl Outcome for bool {
    const WORDS: (usize, usize) = (1, 0);
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
unsafe impl<T> Outcome for *mut T {
    const WORDS: (usize, usize) = (1, 0);
    fn put(self, returned: &mut Returned) {
        returned.integer(self.expose_provenance());
    }
}

// SAFETY: as many words as scalars, in their order.
unsafe impl<T, const N: usize> Argument for Ranked<T, N> {
    unsafe fn take(words: &mut Words<'_>) -> Self {
        // SAFETY: the words do not end.
        unsafe { Ranked::from_scalars(core::iter::repeat_with(|| words.integer())).unwrap_unchecked() }
    }
}
// SAFETY: the same, flattened.
unsafe impl<T, const N: usize> Outcome for Ranked<T, N> {
    const WORDS: (usize, usize) = (3 + 2 * N, 0);
    fn put(self, returned: &mut Returned) {
        self.scalars().for_each(|word| word.put(returned));
    }
}

// SAFETY: the rank and a pointer to the descriptor, which lies on the caller's stack.
unsafe impl<T> Argument for Unranked<T> {
    unsafe fn take(words: &mut Words<'_>) -> Self {
        let rank = words.integer() as isize;
        // SAFETY: the caller's promise: code that MLIR has lowered passes a descriptor of this rank.
        unsafe { Unranked::read(rank, core::ptr::with_exposed_provenance(words.integer())) }
    }
}

// SAFETY: the rank and the pointer.
unsafe impl<T> Outcome for UnrankedResult<T> {
    const WORDS: (usize, usize) = (2, 0);
    fn put(self, returned: &mut Returned) {
        let (rank, descriptor) = self.into_raw();
        rank.put(returned);
        descriptor.put(returned);
    }
}

// SAFETY: no words.
unsafe impl Outcome for () {
    const WORDS: (usize, usize) = (0, 0);
    fn put(self, _: &mut Returned) {}
}

macro_rules! results {
    ($($result:ident)*) => {
        // SAFETY: a struct of the results, which is returned word by word if there are registers for all.
        unsafe impl<$($result: Outcome),*> Outcome for ($($result,)*) {
            const WORDS: (usize, usize) = (0 $(+ $result::WORDS.0)*, 0 $(+ $result::WORDS.1)*);
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
            unsafe fn store(self, place: *mut u8) {
                let ($($result,)*) = self;
                let end = 0;
                $(
                    let at = usize::next_multiple_of(end, $result::LAYOUT.1);
                    // SAFETY: the caller's promise; each behind the one before, as the struct of the results has it.
                    unsafe { $result.store(place.add(at)) };
                    let end = at + $result::LAYOUT.0;
                )*
                let _ = end;
            }
        }
    };
}
results!(A B);
results!(A B C);
