//! The location of an argument's bytes in a call: a register or the stack.

/// The location in which bytes of an argument are passed.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Location {
    /// In a register, at this offset in the block that contains the saved registers.
    Register(usize),
    /// On the stack, at this offset from the first argument on the stack.
    Stack(usize),
}

impl Location {
    pub(super) fn plus(self, bytes: usize) -> Self {
        match self {
            Location::Register(offset) => Location::Register(offset + bytes),
            Location::Stack(offset) => Location::Stack(offset + bytes),
        }
    }

    pub(super) fn offset(self) -> usize {
        match self {
            Location::Register(offset) | Location::Stack(offset) => offset,
        }
    }

    pub(super) fn minus(self, bytes: usize) -> Self {
        match self {
            Location::Register(offset) => Location::Register(offset - bytes),
            Location::Stack(offset) => Location::Stack(offset - bytes),
        }
    }
}
