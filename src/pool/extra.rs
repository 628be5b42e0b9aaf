//! Three more words for each slot, which belong to the C library. They lie beside the table.
#![cfg(feature = "__slot-extra")]

use crate::sync::{AtomicPtr, const_fn};

/// The words of one slot. Only its owner uses them; the core never reads them.
#[repr(C)]
pub struct SlotExtra {
    /// The first word.
    pub first: AtomicPtr<()>,
    /// The second word.
    pub second: AtomicPtr<()>,
    /// The third word.
    pub third: AtomicPtr<()>,
}

impl SlotExtra {
    const_fn! {
        pub(crate) fn new() -> Self {
            let null = core::ptr::null_mut();
            SlotExtra { first: AtomicPtr::new(null), second: AtomicPtr::new(null), third: AtomicPtr::new(null) }
        }
    }
}
