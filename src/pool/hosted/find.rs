//! Ways to find the slots of a free list (`free_lists.rs`): those that find fewer slots are shorter.

use super::free_lists::Find;
#[cfg(growing)]
use super::segment::Row;
use super::segment::Table;
use super::segments::Segments;
use super::slot::Slot;
#[cfg(growing)]
use crate::sync::Acquire;

/// Finds slots of the static table only.
pub(super) struct InTable<'a, T: Table>(pub(super) &'a Segments<T>);

impl<'a, T: Table> Find<'a> for InTable<'a, T> {
    #[inline(always)]
    fn listed(&self, index: u32) -> Option<&'a Slot> {
        if self.0.is_in_table(index) { Some(self.0.slot(index)) } else { None }
    }

    #[inline(always)]
    fn opened(&self, index: u32) -> Option<&'a Slot> {
        if self.0.is_in_table(index) { self.0.opened(index) } else { None }
    }
}

/// Finds slots of the row only.
#[cfg(growing)]
pub(super) struct InRow<'a, T: Table>(pub(super) &'a Segments<T>);

#[cfg(growing)]
impl<'a, T: Table> Find<'a> for InRow<'a, T> {
    #[inline(always)]
    fn listed(&self, index: u32) -> Option<&'a Slot> {
        self.0.in_row(index).map(|row| row.slot(index))
    }

    #[inline(always)]
    fn opened(&self, index: u32) -> Option<&'a Slot> {
        self.0.in_row(index).filter(|row| row.is_open(index, Acquire)).map(|row| row.slot(index))
    }
}

/// Finds all slots.
pub(super) struct Anywhere<'a, T: Table>(pub(super) &'a Segments<T>);

impl<'a, T: Table> Find<'a> for Anywhere<'a, T> {
    fn listed(&self, index: u32) -> Option<&'a Slot> {
        self.0.listed(index)
    }

    fn opened(&self, index: u32) -> Option<&'a Slot> {
        self.0.opened(index)
    }
}
