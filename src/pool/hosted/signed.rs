//! The operations of a slot (`slot.rs`) whose entry is signed (`src/arch/aarch64/signing.rs`).
//!
//! A stub faults if it reads an entry together with a chain for which the entry was not signed. Each operation
//! therefore changes both words with one atomic store. On a processor where a stub also reads its two words with one
//! atomic load, a concurrent call therefore passes either the old chain to the old entry, or the new chain to the new
//! entry.
//!
//! Library code that loads the two words one after the other relies on the orderings that `slot.rs` establishes. After
//! `arm`, a thread that sees the new entry also sees the new chain. After `disarm`, a thread that sees the new chain
//! also sees the new entry. An atomic store of both words guarantees both orderings, so the models of slots without
//! signatures cover this code.

use super::slot::{FreeRecord, Slot};
use crate::arch::signing::{Pair, resign, sign};
use crate::message;

impl Slot {
    /// Returns the two words that the stub reads.
    #[inline(always)]
    fn pair(&self) -> &Pair {
        // SAFETY: a slot begins with its chain and its entry, and has the same alignment as a `Pair`.
        unsafe { &*core::ptr::from_ref(self).cast() }
    }

    /// Fills the two words that the stub reads. Only the owner may call this. Release: as for a slot that is not signed.
    #[inline(always)]
    pub(crate) fn arm(&self, entry: *const (), chain: *mut ()) {
        let pair = self.pair();
        pair.store(chain, sign(entry, chain, pair.address()));
    }

    /// Points the stub at the dead procedure. Only the owner may call this.
    ///
    /// Release: a thread that sees the record also sees the generation that this free ends.
    #[inline(always)]
    pub(crate) fn disarm(&self, dead_procedure: *const (), record: FreeRecord) {
        self.arm(dead_procedure, core::ptr::without_provenance_mut(record.0));
    }

    /// Changes the chain. Only the owner may call this.
    ///
    /// The entry's signature is checked before the entry is signed again. Otherwise this function would validate an
    /// entry that other code has stored. The slot contains no other signed copy of the entry: `callee` is not signed.
    ///
    /// Two threads of the owner may call this concurrently. Both sign the same entry, and each stores a valid pair.
    pub(crate) fn set_chain(&self, chain: *mut ()) {
        let pair = self.pair();
        let (old, entry) = pair.load();
        match resign(entry, pair.address(), old, chain) {
            Some(entry) => pair.store(chain, entry),
            None => {
                message::fatal("code outside the library has changed the entry or the chain of a live slot")
            }
        }
    }
}
