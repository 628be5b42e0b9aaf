//! The known properties of a parameter's type in a closure's signature: its size and alignment, but not its class.

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
    #[allow(dead_code)] // unused on some processors, like `integer_registers`
    pub(crate) const fn words(self) -> usize {
        if self.size == 0 { 1 } else { self.size.div_ceil(size_of::<usize>()) }
    }
}

/// Rejects at compile time, on every target, an argument aligned to more than 4096 bytes, which some targets cannot
/// support.
pub(crate) const fn assert_every_target_has_a_way(arguments: &[SizeAlign]) {
    let mut i = 0;
    while i < arguments.len() {
        assert!(
            arguments[i].align <= 4096,
            "a closure cannot take an argument aligned to more than 4096 bytes: pass a reference to it"
        );
        i += 1;
    }
}

/// Returns the maximum number of integer registers that the arguments take, on processors that pass no argument larger
/// than two words in integer registers. An argument of up to two words takes at most one register for each word, and
/// one more if it must begin in an even-numbered register. Any larger argument takes at most one register, for its
/// address (AAPCS64, section 6.8.2; RISC-V ELF psABI, chapter "Integer Calling Convention"; LoongArch ELF psABI,
/// section "Procedure Calling Convention").
#[allow(dead_code)] // unused on processors with other rules
pub(crate) const fn integer_registers(arguments: &[SizeAlign]) -> usize {
    let (mut most, mut i) = (0, 0);
    while i < arguments.len() {
        most += match arguments[i].words() {
            2 => 2 + (arguments[i].align > size_of::<usize>()) as usize,
            _ => 1,
        };
        i += 1;
    }
    most
}

/// Returns the maximum size in bytes of the stack arguments. The stack arguments are those that do not fit into eight
/// registers, one of which may stay unused.
#[allow(dead_code)] // as above
pub(crate) const fn stack_beyond_eight(arguments: &[SizeAlign]) -> usize {
    const HIDDEN: usize = 1;
    (8 * (integer_registers(arguments) + HIDDEN).saturating_sub(7)).next_multiple_of(16)
}
