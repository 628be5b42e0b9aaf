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

use crate::message::Message;
use crate::sync::{Acquire, AtomicPtr, AtomicUsize, Relaxed, Release};
use core::panic::Location;

/// What the section consists of. `cli/src/dump/closures.rs` reads it.
#[repr(C)]
struct Record {
    /// [`fill_bound_closure_record`] for this closure, whose type debugging information has; none in the first of all. Nobody
    /// calls it by this.
    _fills: Option<fn()>,
    /// Null before the closure is bound; whoever finds it finds the name.
    adapter: AtomicPtr<()>,
    name: AtomicPtr<u8>,
    len: AtomicUsize,
    /// Where it was bound first. Null before that; whoever finds it finds the rest.
    file: AtomicPtr<u8>,
    /// Not 0 as soon as somebody has the right to say where.
    file_len: AtomicUsize,
    line: AtomicUsize,
    /// What the list has of it.
    #[cfg(windows)]
    link: records::Link,
}

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

#[cfg_attr(windows, path = "names/list.rs")]
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
    // Relaxed: nothing is read but this.
    if record.adapter.load(Relaxed).is_null() {
        fill_bound_closure_record::<A>(record, adapter, name, place);
    }
}

/// Fills the record of a closure. Several threads may do so at once: they write the same, but for the place.
///
/// `cli/src/audit/code/debug/declared.rs` looks for its name in debugging information, where the closure is among its parameters; no
/// path is there, so the name is one that other crates hardly have. Whoever renames it does so in both places.
#[cold]
#[inline(never)]
fn fill_bound_closure_record<A>(
    record: &'static Record,
    adapter: *const (),
    name: &'static str,
    place: &Location<'static>,
) {
    const {
        assert!(
            size_of::<Record>() == records::WORDS * size_of::<usize>()
                && align_of::<Record>() == align_of::<usize>()
        )
    };
    let file = place.file();
    record.name.store(name.as_ptr().cast_mut(), Relaxed);
    record.len.store(name.len(), Relaxed);
    // Relaxed: the exchange decides who says where.
    if place.line() != 0 && record.file_len.compare_exchange(0, file.len(), Relaxed, Relaxed).is_ok() {
        record.line.store(place.line() as usize, Relaxed);
        // Release: who finds the file finds the line.
        record.file.store(file.as_ptr().cast_mut(), Release);
    }
    // Release: who finds the adapter finds the name.
    record.adapter.store(adapter.cast_mut(), Release);
    #[cfg(windows)]
    records::list(record);
}

/// Text that a record leads to.
///
/// # Safety
/// If the pointer is not null, it is that of text that is there for good, of this length.
unsafe fn text(bytes: *const u8, len: usize) -> Option<&'static str> {
    // SAFETY: the caller's promise.
    (!bytes.is_null()).then(|| unsafe { str::from_utf8_unchecked(core::slice::from_raw_parts(bytes, len)) })
}

impl Record {
    fn name(&self) -> Option<&'static str> {
        // Relaxed: `told` has read the adapter, which `fill_bound_closure_record` stored after these, with Acquire.
        // SAFETY: `fill_bound_closure_record` has stored a text.
        unsafe { text(self.name.load(Relaxed), self.len.load(Relaxed)) }
    }

    /// File and line.
    fn place(&self) -> Option<(&'static str, usize)> {
        // Acquire: the rest, which comes before.
        let file = self.file.load(Acquire);
        // SAFETY: `fill_bound_closure_record` has stored a text.
        unsafe { text(file, self.file_len.load(Relaxed)) }.map(|file| (file, self.line.load(Relaxed)))
    }
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
///
/// Acquire: what they say comes before that.
fn told(adapter: *const ()) -> impl Iterator<Item = &'static Record> {
    records::all().filter(move |record| record.adapter.load(Acquire).cast_const() == adapter)
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
