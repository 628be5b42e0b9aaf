//! The section that contains the records of bound closures: an ELF section with linker-defined symbols for its start
//! and end.

use crate::diagnosis::record::Record;

/// The number of words in a record, including the pointer to the function that fills it.
pub(super) const WORDS: usize = 7;

macro_rules! words {
    ($first:literal) => {
        concat!($first, ", 0, 0, 0, 0, 0, 0")
    };
}
pub(super) use words;

// The R flag makes the linker keep the section even if only the symbols for its start and end are referenced.
macro_rules! section {
    () => {
        concat!(".pushsection ", crate::arch::symbols::__symbol!("names"), ",\"awR\",%progbits")
    };
}
pub(super) use section;

// Defines an empty record, so that the section exists in every program. Also defines two words for `address_of!`,
// which contain the bounds of the section.
core::arch::global_asm!(
    section!(),
    word!(align),
    concat!(word!(), words!("0")),
    ".popsection",
    concat!(".hidden __start_", crate::arch::symbols::__symbol!("names")),
    concat!(".hidden __stop_", crate::arch::symbols::__symbol!("names")),
    concat!(
        ".pushsection .data.rel.ro.",
        crate::arch::symbols::__symbol!("names_bounds"),
        ",\"aw\",%progbits"
    ),
    word!(align),
    concat!(".hidden ", crate::arch::symbols::__symbol!("names_bounds")),
    concat!(".globl ", crate::arch::symbols::__symbol!("names_bounds")),
    concat!(crate::arch::symbols::__symbol!("names_bounds"), ":"),
    concat!(word!(), "__start_", crate::arch::symbols::__symbol!("names")),
    concat!(word!(), "__stop_", crate::arch::symbols::__symbol!("names")),
    ".popsection",
);

// The ELF note has type 2 and resembles the note for the table in `asm/table.S`. It contains the start and the end of
// the section. Each value is relative to its own field in the note.
#[cfg(target_pointer_width = "64")] // no tool reads the note on other targets
core::arch::global_asm!(
    ".pushsection .note.statictramp.names,\"a\",%note",
    ".balign 4",
    ".long 12, 16, 2",
    ".asciz \"statictramp\"",
    concat!(".quad __start_", crate::arch::symbols::__symbol!("names"), " - ."),
    concat!(".quad __stop_", crate::arch::symbols::__symbol!("names"), " - ."),
    ".popsection",
);

/// Returns all records, filled or not.
pub(super) fn all() -> impl Iterator<Item = &'static Record> {
    let bounds = crate::arch::address_of!("names_bounds").cast::<[*const Record; 2]>();
    // SAFETY: this reads the two words defined above.
    let [start, stop] = unsafe { bounds.read() };
    let len = (stop.addr() - start.addr()) / size_of::<Record>();
    // SAFETY: the section consists of records, all aligned like the first one, and every field that changes is atomic.
    unsafe { core::slice::from_raw_parts(start, len) }.iter()
}
