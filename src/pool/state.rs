//! The state of a slot as its users see it: its owner, its generation, and the classification of an address.

use super::stubs::NotAStub;

/// The number of one use of a slot, from a claim to its release. No other use of the slot has the same number
/// (`hosted/slot.rs`). The number is odd, so it is never 0, and an `Option` of it takes one register.
pub(crate) type Generation = core::num::NonZeroU32;

/// The bit that is set in every generation number and clear in every death number.
pub(crate) const LIVE: u32 = 1;

/// A live slot: its index and its generation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Claim {
    pub(crate) index: u32,
    pub(crate) generation: Generation,
}

/// The maker of a trampoline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Owner {
    /// A program, which frees the trampoline itself.
    Program,
    /// Compiled code, for an internal procedure: the chain is a host's frame, and the host may leave without freeing
    /// the trampoline (`longjmp`).
    #[cfg(not(compact))]
    Compiler,
}

/// The state of the slot that belongs to an address, if a stub begins there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SlotState {
    /// A live trampoline.
    Live { claim: Claim, callee: *const (), entry: *const (), chain: *mut () },
    /// A freed trampoline, with its last callee.
    Dead { callee: *const () },
    /// A stub whose slot was never handed out.
    Unused,
    /// The address is not the address of a stub.
    Not(NotAStub),
}
