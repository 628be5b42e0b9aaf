//! libstatictramp's extra words for each slot, stored next to the table. A slot has three of them, or two in the pool
//! for targets without an operating system.
#![cfg(feature = "__slot-extra")]

use crate::arch::signing;
#[cfg(not(compact))]
use crate::sync::const_fn;
use crate::sync::{AtomicPtr, Relaxed};

/// The extra words of one slot. The slot's owner writes them, and the owner's adapters read them. The pools do not
/// use them.
#[repr(C)]
pub struct SlotExtra {
    /// The first word: the context of a bound trampoline, or data about a trampoline of compiled code.
    pub first: AtomicPtr<()>,
    /// The second word: the callee or handler of a bound trampoline, or data about a trampoline of compiled code.
    pub second: AtomicPtr<()>,
    /// The third word: the plan of a bound trampoline whose adapter moves arguments, or data about a trampoline of
    /// compiled code.
    #[cfg(not(compact))]
    pub third: AtomicPtr<()>,
}

impl SlotExtra {
    /// Returns the second word of a bound trampoline, from which an adapter loads the callee. In builds with signed
    /// slots, the signature depends on the context, which is the first word, and on the address of the words.
    #[inline(always)]
    pub fn word_of(&self, callee: *const (), context: *mut ()) -> *mut () {
        signing::sign(callee, context, core::ptr::from_ref(self).cast()).cast_mut()
    }

    /// Changes the context of a bound trampoline. In builds with signed slots, the callee's signature is checked before
    /// the callee is signed again.
    ///
    /// Relaxed: the program must ensure that this function happens before the next call of the trampoline.
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
