//! What is known of a slot from outside: whose it is, and what an address turns out to be.

use super::stubs::NotAStub;

/// The number of one use of a slot, from a claim to its release. No other use of the slot has it
/// (`hosted/slot.rs`). It is odd, so never 0, which keeps an `Option` of it in a register.
pub(crate) type Generation = core::num::NonZeroU32;

/// Set in every generation, and in the number of no death.
pub(crate) const LIVE: u32 = 1;

/// A live slot: its index and its generation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Claim {
    pub(crate) index: u32,
    pub(crate) generation: Generation,
}

/// Who made a trampoline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Owner {
    /// A program, which will free it.
    Program,
    /// Compiled code, for an internal procedure: the chain is a host's frame, and a host
    /// may leave without freeing it (`longjmp`).
    #[cfg(not(compact))]
    Compiler,
}

/// What an address turns out to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SlotState {
    /// A live trampoline.
    Live { claim: Claim, callee: *const (), entry: *const (), chain: *mut () },
    /// A freed one, with the callee it served last.
    Dead { callee: *const () },
    /// A stub whose slot was never handed out.
    Unused,
    /// Not the address of a stub.
    Not(NotAStub),
}
