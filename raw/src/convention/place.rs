//! The place of an argument's bytes in a call: a register or the stack.

/// The place in which bytes of an argument are passed.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Place {
    /// In a register, at this offset in the block that contains the saved registers.
    Register(usize),
    /// On the stack, at this offset from the first argument on the stack.
    Stack(usize),
}

impl Place {
    pub(super) fn plus(self, bytes: usize) -> Self {
        match self {
            Place::Register(offset) => Place::Register(offset + bytes),
            Place::Stack(offset) => Place::Stack(offset + bytes),
        }
    }

    pub(super) fn offset(self) -> usize {
        match self {
            Place::Register(offset) | Place::Stack(offset) => offset,
        }
    }

    pub(super) fn minus(self, bytes: usize) -> Self {
        match self {
            Place::Register(offset) => Place::Register(offset - bytes),
            Place::Stack(offset) => Place::Stack(offset - bytes),
        }
    }
}
