//! Which closure an adapter leads to, by the name that its programmer knows, and where it was bound: for the diagnosis of a
//! dead call, and for `statictramp dump`.
//!
//! An adapter's own symbol does not tell where names are mangled without types, and a stripped program has none. So for
//! each closure that is bound the program holds a record, in a section of its own, which an ELF note leads to (on Windows a
//! list leads to those that are filled). When the closure is bound for the first time, its record is filled. That costs seven
//! words for each closure; and where no slot that the adapter had is at hand, which is the slow way to one, a look at one of them.
//!
//! Where `bind` is compiled into its callers, each has a record of its own: an adapter may have several, of which some are
//! filled.

use super::record::Record;
use crate::message::Message;
use core::panic::Location;

#[cfg(target_pointer_width = "64")]
macro_rules! word {
    () => {
        ".quad "
    };
    (align) => {
        ".balign 8"
    };
}
#[cfg(target_pointer_width = "32")]
macro_rules! word {
    () => {
        ".long "
    };
    (align) => {
        ".balign 4"
    };
}

#[cfg_attr(windows, path = "names/windows.rs")]
#[cfg_attr(not(windows), path = "names/elf.rs")]
mod records;
use records::{section, words};

/// Puts the name of a closure into the program, and when it is bound for the first time, where that is.
///
/// It is asked where a slot is looked for at length. A slot at hand is one that served the adapter before: after this.
#[inline(always)]
pub(crate) fn note<A>(adapter: *const (), name: &'static str, place: &'static Location<'static>) {
    let record: *const Record;
    // SAFETY: words of data, elsewhere, and their address.
    unsafe {
        crate::arch::asm_address!(
            [section!(), concat!("7: ", word!(), words!("{fills}")), ".popsection"]
            "7b" => record,
            fills = sym fill_bound_closure_record::<A>,
            options(nomem, nostack, preserves_flags),
        );
    }
    // SAFETY: it is such a record, aligned as all are, there for good, and what changes is atomic.
    let record = unsafe { &*record };
    if !record.is_filled() {
        fill_bound_closure_record::<A>(record, adapter, name, place);
    }
}

/// Fills the record of a closure. Several threads may do so at once: they write the same, but for the place.
///
/// `cli/src/audit/code/debug/declared.rs` looks for its name in debugging information, where the closure is among its parameters; no
/// path is there, so the name is one that other crates hardly have. Whoever renames it does so in both places.
#[cold]
#[inline(never)]
#[expect(clippy::extra_unused_type_parameters, reason = "debugging information has the type")]
fn fill_bound_closure_record<A>(
    record: &'static Record,
    adapter: *const (),
    name: &'static str,
    place: &'static Location<'static>,
) {
    const {
        assert!(
            size_of::<Record>() == records::WORDS * size_of::<usize>()
                && align_of::<Record>() == align_of::<usize>()
        )
    };
    record.fill(adapter, name, place.file(), place.line() as usize);
    #[cfg(windows)]
    records::list(record);
}

/// A closure that was bound.
pub(crate) struct Named {
    adapter: *const (),
    name: &'static str,
}

/// The closure that an adapter leads to.
///
/// Reads what is there, and calls nothing: async-signal-safe. So is all that can be done with it.
pub(crate) fn of(_slot: usize, adapter: *const ()) -> Option<Named> {
    let name = told(adapter).find_map(Record::name)?;
    Some(Named { adapter, name })
}

/// The records of an adapter.
fn told(adapter: *const ()) -> impl Iterator<Item = &'static Record> {
    records::all().filter(move |record| record.is_of(adapter))
}

impl Named {
    /// Appends its name, and where it was bound.
    pub(crate) fn append(&self, message: &mut Message) {
        message.type_name(self.name);
        let places = || told(self.adapter).filter_map(Record::place);
        let mut word = ", bound at ";
        for (number, (file, line)) in places().enumerate() {
            if !places().take(number).any(|place| place == (file, line)) {
                message.text(word).foreign(file.as_bytes()).text(":").decimal(line);
                word = ", and at ";
            }
        }
    }
}
