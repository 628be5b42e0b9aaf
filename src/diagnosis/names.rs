//! The type names of closures, and the source locations that bound them, for the diagnosis of a call after free and for
//! `statictramp dump`.
//!
//! An adapter's symbol does not identify the closure if names are mangled without types, and is missing from a stripped
//! program. The program therefore contains a record of seven words (eight on Windows) for each bound closure. The
//! records are in one section, and an ELF note contains the section's bounds. (On Windows, the filled records are
//! linked into a list.) A record is filled when its closure is first bound. Only the slow path checks whether a record
//! is filled: the thread takes this path if it knows of no free slot that previously belonged to the adapter.
//!
//! If `bind` is inlined, each caller has its own record, so an adapter may have several records, not all of them
//! filled.

use super::record::ClosureRecord;
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

/// The section that contains the records of bound closures: an ELF section with linker-defined symbols for its start
/// and end.
#[cfg(not(windows))]
mod records {
    use crate::diagnosis::record::ClosureRecord;

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

    // An empty record, so that the section exists in every program, and two words with the section's bounds, which
    // `address_of!` locates.
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

    // An ELF note of type 2 (the table's note, in `asm/table.S`, is of type 1). It contains the start and the end of
    // the section, each relative to its own field in the note.
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
    pub(super) fn all() -> impl Iterator<Item = &'static ClosureRecord> {
        let bounds = crate::arch::address_of!("names_bounds").cast::<[*const ClosureRecord; 2]>();
        // SAFETY: this reads the two words defined above.
        let [start, stop] = unsafe { bounds.read() };
        let len = (stop.addr() - start.addr()) / size_of::<ClosureRecord>();
        // SAFETY: the section consists of records, all aligned like the first one, and every field that changes is
        // atomic.
        unsafe { core::slice::from_raw_parts(start, len) }.iter()
    }
}

/// On Windows, the records of bound closures may be anywhere in the data section, because Windows linkers define no
/// symbols for a section's bounds, and may leave gaps in a section. The filled records are linked into a list.
#[cfg(windows)]
mod records {
    use crate::diagnosis::record::{ClosureRecord, List};

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
    pub(super) fn list(record: &'static ClosureRecord) {
        LIST.add(record);
    }

    /// Returns the records on the list.
    pub(super) fn all() -> impl Iterator<Item = &'static ClosureRecord> {
        LIST.all()
    }
}
use records::{section, words};

/// Emits a closure's record, and fills it in when the closure is first bound.
///
/// Runs only when a slot is claimed on the slow path: the fast path reuses a slot that previously belonged to the
/// adapter, so the record is already filled.
#[inline(always)]
pub(crate) fn record<A>(adapter: *const (), name: &'static str, location: &'static Location<'static>) {
    let record: *const ClosureRecord;
    // SAFETY: the assembly code defines data words in another section, and computes their address.
    unsafe {
        crate::arch::asm_address!(
            [section!(), concat!("7: ", word!(), words!("{fills}")), ".popsection"]
            "7b" => record,
            fills = sym fill_bound_closure_record::<A>,
            options(nomem, nostack, preserves_flags),
        );
    }
    // SAFETY: this is the address of an aligned record that is never freed. All fields of the record that change are
    // atomic.
    let record = unsafe { &*record };
    if !record.is_filled() {
        fill_bound_closure_record::<A>(record, adapter, name, location);
    }
}

/// Fills the record of a closure. Several threads may fill the record concurrently, because they store the same values,
/// apart from the source location.
///
/// `cli/src/audit/code/debug/declared.rs` searches debug information for this function's name, because its type
/// parameter contains the closure's type. Names in debug information have no path, so this function has a name that
/// other crates are unlikely to use. If the name changes, `declared.rs` must also be changed.
#[cold]
#[inline(never)]
#[expect(clippy::extra_unused_type_parameters, reason = "debug information contains this type")]
fn fill_bound_closure_record<A>(
    record: &'static ClosureRecord,
    adapter: *const (),
    name: &'static str,
    location: &'static Location<'static>,
) {
    const {
        assert!(
            size_of::<ClosureRecord>() == records::WORDS * size_of::<usize>()
                && align_of::<ClosureRecord>() == align_of::<usize>()
        )
    };
    record.fill(adapter, name, location.file(), location.line() as usize);
    #[cfg(windows)]
    records::list(record);
}

/// The name and source location of a closure that was bound.
pub(crate) struct Named {
    adapter: *const (),
    name: &'static str,
}

/// Returns the closure that an adapter calls.
///
/// Async-signal-safe, like the methods of the result: it only reads memory and makes no system call.
pub(crate) fn of(_slot: usize, adapter: *const ()) -> Option<Named> {
    let name = filled_records(adapter).find_map(ClosureRecord::name)?;
    Some(Named { adapter, name })
}

/// Returns the filled records of an adapter.
fn filled_records(adapter: *const ()) -> impl Iterator<Item = &'static ClosureRecord> {
    records::all().filter(move |record| record.is_of(adapter))
}

impl Named {
    /// Appends the name and each source location.
    pub(crate) fn append(&self, message: &mut Message) {
        message.type_name(self.name);
        let locations = || filled_records(self.adapter).filter_map(ClosureRecord::location);
        let mut word = ", bound at ";
        for (number, (file, line)) in locations().enumerate() {
            if !locations().take(number).any(|location| location == (file, line)) {
                message.text(word).foreign(file.as_bytes()).text(":").decimal(line);
                word = ", and at ";
            }
        }
    }
}
