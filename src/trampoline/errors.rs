//! Errors that occur when making, looking up or freeing a trampoline, and their remedies.

use super::limit::why_full;
use super::statistics::capacity;
use crate::pool::{NotAStub, SlotState};
use core::fmt;

/// The reason why a trampoline could not be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AllocError {
    /// The callee is null.
    NullCallee,
    /// All slots are in use, or [`reserve`](crate::reserve) cannot provide the requested number of slots. On Armv6-M
    /// boards, this error is also returned in NMI and HardFault handlers, and in unprivileged threads.
    Full,
    /// This target has no stubs, so static chains cannot be passed. Closures can still be bound.
    NoStubs,
}

/// The reason why no trampoline begins at an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LookupError {
    /// The address is outside the table of stubs.
    Foreign,
    /// The address is inside the table, but not at the beginning of a stub.
    Interior,
}

/// The reason why a trampoline could not be freed. Nothing has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FreeError {
    /// No stub begins at the address. The field contains the reason, and is also the error's source.
    Lookup(LookupError),
    /// The slot's trampoline was already freed, or the slot was never used.
    Dead,
}

impl From<NotAStub> for LookupError {
    fn from(reason: NotAStub) -> Self {
        match reason {
            NotAStub::Foreign => LookupError::Foreign,
            NotAStub::Interior => LookupError::Interior,
        }
    }
}

impl From<SlotState> for FreeError {
    fn from(found: SlotState) -> Self {
        match found {
            SlotState::Not(reason) => FreeError::Lookup(reason.into()),
            _ => FreeError::Dead,
        }
    }
}

impl fmt::Display for AllocError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AllocError::NullCallee => write!(f, "a trampoline needs a non-null callee"),
            AllocError::NoStubs => f.write_str(concat!(
                "this build for the target ",
                env!("STATICTRAMP_TARGET"),
                " has no stubs, so static chains cannot be passed; closures can still be bound"
            )),
            AllocError::Full => {
                // Some slots might be free, because `reserve` also returns this error.
                let slots = capacity();
                write!(f, "no further trampoline is available (the table has {slots} slots): {}", why_full())
            }
        }
    }
}

impl fmt::Display for LookupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LookupError::Foreign => "the address is not in this copy's table of trampolines",
            LookupError::Interior => "the address is inside a trampoline, not at its beginning",
        })
    }
}

impl fmt::Display for FreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FreeError::Lookup(_) => f.write_str("no trampoline begins at this address"),
            FreeError::Dead => f.write_str("the trampoline is already dead, or was never made"),
        }
    }
}

impl core::error::Error for AllocError {}
impl core::error::Error for LookupError {}
impl core::error::Error for FreeError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            FreeError::Lookup(source) => Some(source),
            FreeError::Dead => None,
        }
    }
}
