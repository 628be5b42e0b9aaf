//! The part of a closure's signature that is known: the sizes and alignments of its types, but not their classes.

/// Size and alignment of a type, in bytes.
#[derive(Clone, Copy)]
pub(crate) struct SizeAlign {
    pub(crate) size: usize,
    pub(crate) align: usize,
}

impl SizeAlign {
    pub(crate) const fn of<T>() -> Self {
        SizeAlign { size: size_of::<T>(), align: align_of::<T>() }
    }

    /// Returns the size in words, but at least 1, because some conventions assign a register to a zero-sized type.
    #[allow(dead_code, reason = "the rules of some processors do not need it")]
    pub(crate) const fn words(self) -> usize {
        if self.size == 0 { 1 } else { self.size.div_ceil(size_of::<usize>()) }
    }
}

pub(crate) struct Signature<'s> {
    pub(crate) arguments: &'s [SizeAlign],
    #[allow(dead_code, reason = "as above")]
    pub(crate) result: SizeAlign,
}

#[allow(dead_code, reason = "as above")]
impl Signature<'_> {
    /// At compile time, rejects arguments aligned to more than 4096 bytes on every target, because some targets cannot
    /// support them.
    pub(crate) const fn assert_alignment(&self) {
        assert!(
            self.largest_alignment() <= 4096,
            "a closure cannot take an argument aligned to more than 4096 bytes: pass a reference to it"
        );
    }

    /// Returns the largest alignment of the arguments in bytes, or 1 if there are none.
    pub(crate) const fn largest_alignment(&self) -> usize {
        let (mut largest, mut i) = (1, 0);
        while i < self.arguments.len() {
            if self.arguments[i].align > largest {
                largest = self.arguments[i].align;
            }
            i += 1;
        }
        largest
    }

    /// Returns the maximum number of integer registers that the arguments take, on processors where no argument larger
    /// than two words is passed in integer registers. An argument of up to two words takes at most one register for
    /// each word, and one more if it must begin in an even-numbered register. Any larger argument takes at most one
    /// register, for its address (AAPCS64, section 6.8.2; RISC-V ELF psABI, chapter "Integer Calling Convention";
    /// LoongArch ELF psABI, section "Procedure Calling Convention").
    pub(crate) const fn integer_registers(&self) -> usize {
        let (mut most, mut i) = (0, 0);
        while i < self.arguments.len() {
            most += match self.arguments[i].words() {
                2 => 2 + (self.arguments[i].align > size_of::<usize>()) as usize,
                _ => 1,
            };
            i += 1;
        }
        most
    }

    /// Returns the maximum total size, in bytes, of the stack arguments on RISC-V and LoongArch. Any argument, even
    /// one that consists of floating-point numbers, is passed on the stack only if all eight integer registers are
    /// filled or skipped. An argument may skip the last register, so at least seven of the counted words are not on
    /// the stack.
    pub(crate) const fn stack_beyond_eight(&self) -> usize {
        const HIDDEN: usize = 1;
        (8 * (self.integer_registers() + HIDDEN).saturating_sub(7)).next_multiple_of(16)
    }
}
