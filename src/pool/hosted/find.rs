//! Strategies for finding the slots of a free list (`free_lists.rs`). A strategy that finds only some of the slots
//! takes less code.

use super::free_lists::Find;
#[cfg(growing)]
use super::segment::Row;
use super::segment::Table;
use super::segments::Segments;
use super::slot::Slot;
#[cfg(growing)]
use crate::sync::Acquire;

/// Finds only slots of the static table.
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

/// Finds only slots of the row.
#[cfg(growing)]
pub(super) struct InRow<'a, T: Table>(pub(super) &'a Segments<T>);

#[cfg(growing)]
impl<'a, T: Table> Find<'a> for InRow<'a, T> {
    #[inline(always)]
    fn listed(&self, index: u32) -> Option<&'a Slot> {
        if let Some(row) = self.0.in_row(index) { Some(row.slot(index)) } else { None }
    }

    #[inline(always)]
    fn opened(&self, index: u32) -> Option<&'a Slot> {
        match self.0.in_row(index) {
            Some(row) if row.is_open(index, Acquire) => Some(row.slot(index)),
            _ => None,
        }
    }
}

/// Finds only slots of the static table and of the row, without calling a function.
pub(super) struct Near<'a, T: Table>(pub(super) &'a Segments<T>);

impl<'a, T: Table> Find<'a> for Near<'a, T> {
    #[inline(always)]
    fn listed(&self, index: u32) -> Option<&'a Slot> {
        #[cfg(growing)]
        if !self.0.is_in_table(index) {
            return InRow(self.0).listed(index);
        }
        InTable(self.0).listed(index)
    }

    #[inline(always)]
    fn opened(&self, index: u32) -> Option<&'a Slot> {
        #[cfg(growing)]
        if !self.0.is_in_table(index) {
            return InRow(self.0).opened(index);
        }
        InTable(self.0).opened(index)
    }
}

/// Finds all slots.
pub(super) struct Anywhere<'a, T: Table>(pub(super) &'a Segments<T>);

impl<'a, T: Table> Find<'a> for Anywhere<'a, T> {
    #[inline(always)]
    fn listed(&self, index: u32) -> Option<&'a Slot> {
        self.0.listed(index)
    }

    fn opened(&self, index: u32) -> Option<&'a Slot> {
        self.0.opened(index)
    }
}
