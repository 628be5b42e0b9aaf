//! libstatictramp's extra words for each slot, stored next to the table: three per slot, or two with the pool for
//! boards.
#![cfg(feature = "__slot-extra")]

use crate::arch::signing;
#[cfg(not(compact))]
use crate::sync::const_fn;
use crate::sync::{AtomicPtr, Relaxed};

/// The extra words of one slot, written by its owner and read by the owner's adapters. The pools do not use these
/// words.
#[repr(C)]
pub struct SlotExtra {
    /// The first word: the context of a bound trampoline, or data about a trampoline made by compiled code.
    pub first: AtomicPtr<()>,
    /// The second word: the callee or handler of a bound trampoline, or data about a trampoline made by compiled code.
    pub second: AtomicPtr<()>,
    /// The third word: the plan of a bound trampoline whose adapter moves arguments, or data about a trampoline made by
    /// compiled code.
    #[cfg(not(compact))]
    pub third: AtomicPtr<()>,
}

impl SlotExtra {
    /// Returns the second word of a bound trampoline, from which an adapter loads the callee. In builds with signed
    /// slots, the word is signed for the context (the first word) and for its own address.
    #[inline(always)]
    pub fn word_of(&self, callee: *const (), context: *mut ()) -> *mut () {
        signing::sign(callee, context, core::ptr::from_ref(self).cast()).cast_mut()
    }

    /// Changes the context of a bound trampoline. In builds with signed slots, checks the callee's signature before
    /// signing the callee again.
    ///
    /// Relaxed: the program must ensure that this change happens before the next call through the trampoline.
    #[inline(always)]
    pub fn rebind(&self, context: *mut ()) {
        #[cfg(signed)]
        self.sign_again(context);
        self.first.store(context, Relaxed);
    }

    #[cfg(signed)]
    fn sign_again(&self, context: *mut ()) {
        let (old, callee) = (self.first.load(Relaxed), self.second.load(Relaxed));
        match signing::resign(callee, core::ptr::from_ref(self).cast(), old, context) {
            Some(callee) => self.second.store(callee.cast_mut(), Relaxed),
            None => crate::message::fatal(
                "code outside the library has changed the context or the callee of a bound trampoline",
            ),
        }
    }
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
