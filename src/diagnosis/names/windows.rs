//! Records of bound closures on Windows. The records may be anywhere in the data section, because Windows linkers
//! define no symbols for the bounds of a section, and may leave gaps in the section. The filled records are linked in a
//! list.

use crate::diagnosis::record::{List, Record};

/// The number of words in a record.
pub(super) const WORDS: usize = 8;

macro_rules! words {
    ($first:literal) => {
        concat!($first, ", 0, 0, 0, 0, 0, 0, 0")
    };
}
pub(super) use words;

macro_rules! section {
    () => {
        ".pushsection .data\n.balign 8"
    };
}
pub(super) use section;

static LIST: List = List::new();

/// Adds a record to the list.
pub(super) fn list(record: &'static Record) {
    LIST.add(record);
}

/// Returns the records on the list.
pub(super) fn all() -> impl Iterator<Item = &'static Record> {
    LIST.all()
}
