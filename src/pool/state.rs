//! The state of a slot as its users see it: the owner and the generation of a slot, and the classification of an
//! address.

use super::stubs::NotAStub;

/// A number that identifies one use of a slot, from a claim to its release. A number recurs only after many other
/// uses of the slot (`hosted/slot.rs` states when). Every such number is odd and therefore not 0, so an
/// `Option<Generation>` fits in one register.
pub(crate) type Generation = core::num::NonZeroU32;

/// The bit that is set in every generation number and clear in every free number.
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
    /// Compiled code, for an internal procedure or a nested function. The chain is a host's frame, and `longjmp` may
    /// leave the host before it frees the trampoline.
    #[cfg(not(compact))]
    Compiler,
}

/// The state of the slot whose stub begins at an address, or the reason why no stub begins there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SlotState {
    /// A live trampoline.
    Live { claim: Claim, callee: *const (), entry: *const (), chain: *mut () },
    /// A freed trampoline, with its last callee.
    Dead { callee: *const () },
    /// A stub whose slot was never handed out.
    Unused,
    /// No stub begins at the address.
    Not(NotAStub),
}
