//! Ways to find the slots of a free list (`free_lists.rs`). A way that finds fewer slots takes less
//! code.

use super::free_lists::Find;
use super::segment::Table;
use super::segments::Segments;
use super::slot::Slot;

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
