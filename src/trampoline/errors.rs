//! The errors of making and freeing a trampoline, and their remedies.

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
    /// All slots are in use.
    Full,
    /// This target has no stubs, so no code passes a static chain; closures can still be bound.
    NoStubs,
}

/// The reason why an address is not that of a trampoline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NotOurs {
    /// It is outside the table of stubs.
    Foreign,
    /// It is inside the table, but not where a stub begins.
    Interior,
}

/// The reason why a trampoline could not be freed. Nothing has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FreeError {
    /// The address is not that of a trampoline.
    NotOurs(NotOurs),
    /// The trampoline was already freed, or was never made.
    Dead,
}

impl From<NotAStub> for NotOurs {
    fn from(why: NotAStub) -> Self {
        match why {
            NotAStub::Foreign => NotOurs::Foreign,
            NotAStub::Interior => NotOurs::Interior,
        }
    }
}

impl From<SlotState> for FreeError {
    fn from(found: SlotState) -> Self {
        match found {
            SlotState::Not(why) => FreeError::NotOurs(why.into()),
            _ => FreeError::Dead,
        }
    }
}

impl fmt::Display for AllocError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AllocError::NullCallee => write!(f, "a trampoline needs a non-null callee"),
            AllocError::NoStubs => f.write_str(concat!(
                "there are no stubs for the target ",
                env!("STATICTRAMP_TARGET"),
                ", so nothing passes a static chain there; closures can be bound all the same"
            )),
            AllocError::Full => {
                write!(f, "all {} trampolines are in use: {}", capacity(), why_full())
            }
        }
    }
}

impl fmt::Display for NotOurs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotOurs::Foreign => "not an address in this copy's table of trampolines",
            NotOurs::Interior => "an address inside a trampoline, not its beginning",
        })
    }
}

impl fmt::Display for FreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FreeError::NotOurs(why) => why.fmt(f),
            FreeError::Dead => f.write_str("the trampoline is already dead, or was never made"),
        }
    }
}

impl core::error::Error for AllocError {}
impl core::error::Error for NotOurs {}
impl core::error::Error for FreeError {}
