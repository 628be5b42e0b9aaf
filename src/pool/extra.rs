//! libstatictramp's extra words for each slot, stored next to the table: three words, or two on targets without an
//! operating system.
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
    /// The third word, used only by compiled code.
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
