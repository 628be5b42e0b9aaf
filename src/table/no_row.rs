//! Replaces `row.rs` on macOS and Windows, where there is no row: the slots of each segment are found through the
//! pointer to it.

use crate::pool::Slot;
use crate::sync::Ordering;

/// The row, which is never used.
pub(crate) struct Row;

pub(crate) static ROW: Row = Row;

#[cold]
fn nowhere() -> ! {
    crate::message::fatal("BUG: a slot in the row was used, but this system has no row")
}

impl Row {
    #[cfg(target_os = "macos")]
    pub(super) fn is_taken(&self, _first: usize, _len: usize) -> bool {
        false
    }

    #[cfg(feature = "__slot-extra")]
    pub(crate) fn extra(&self, _index: u32) -> &crate::pool::hosted::SlotExtra {
        nowhere()
    }
}

impl crate::pool::hosted::Row for Row {
    const MAY_EXIST: bool = false;

    fn slot(&self, _index: u32) -> &Slot {
        nowhere()
    }

    fn stub(&self, _index: u32) -> *const () {
        nowhere()
    }

    fn index_at(&self, _address: usize) -> Option<usize> {
        None
    }

    fn slot_of(&self, _index: u32, _stub: usize) -> &Slot {
        nowhere()
    }

    fn stub_of(&self, _index: u32, _slot: &Slot) -> *const () {
        nowhere()
    }

    fn is_open(&self, _index: u32, _order: Ordering) -> bool {
        false
    }

    fn is_marked(&self, _index: u32, _order: Ordering) -> bool {
        false
    }
}
