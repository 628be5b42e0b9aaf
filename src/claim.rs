//! What is known of a slot from outside: whose it is, and what an address turns out to be.

use crate::table::NotAStub;

/// The number of a life, which no other life of a slot has: odd, so never 0, which keeps an
/// `Option` of it in a register.
pub(crate) type Life = core::num::NonZeroU32;

/// Set in the number of a life, and in no death's.
pub(crate) const LIVE: u32 = 1;

/// A live slot: its index and the number of its life.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Claim {
    pub(crate) index: u32,
    pub(crate) life: Life,
}

/// Who made a trampoline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A program, which will free it.
    Own,
    /// Compiled code, for an internal procedure: the chain is a host's frame, and a host
    /// may leave without freeing it (`longjmp`).
    #[cfg(not(compact))]
    Host,
}

/// What an address turns out to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// A live trampoline.
    Live { claim: Claim, procedure: *const (), callee: *const (), chain: *mut () },
    /// A freed one, with the procedure it served last.
    Dead { procedure: *const () },
    /// A stub whose slot was never handed out.
    Unused,
    /// Not the address of a stub.
    Not(NotAStub),
}
