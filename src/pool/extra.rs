//! More words for each slot, which belong to the C library: three, or two without an operating system. They are beside the
//! table.
#![cfg(feature = "__slot-extra")]

use crate::sync::AtomicPtr;
#[cfg(not(compact))]
use crate::sync::const_fn;

/// The words of one slot. Only its owner uses them; the core never reads them.
#[repr(C)]
pub struct SlotExtra {
    /// The first word.
    pub first: AtomicPtr<()>,
    /// The second word.
    pub second: AtomicPtr<()>,
    /// The third word, which compiled code alone needs.
    #[cfg(not(compact))]
    pub third: AtomicPtr<()>,
}

#[cfg(not(compact))]
impl SlotExtra {
    const_fn! {
        pub(crate) fn new() -> Self {
            let null = core::ptr::null_mut();
            SlotExtra { first: AtomicPtr::new(null), second: AtomicPtr::new(null), third: AtomicPtr::new(null) }
        }
    }
}
