//! Where the records of bound closures lie: an ELF section, with symbols of the linker at its beginning and its end.

// R: for the linker the section is in use if nothing but its beginning and its end is.
macro_rules! section {
    () => {
        concat!(".pushsection ", crate::__symbol!("names"), ",\"awR\",%progbits")
    };
}
pub(super) use section;

// A record of its own, so that there is a section; and where it lies, for `address_of!`.
core::arch::global_asm!(
    section!(),
    word!(align),
    concat!(word!(), "0, 0, 0, 0, 0, 0, 0"),
    ".popsection",
    concat!(".hidden __start_", crate::__symbol!("names")),
    concat!(".hidden __stop_", crate::__symbol!("names")),
    concat!(".pushsection .data.rel.ro.", crate::__symbol!("names_bounds"), ",\"aw\",%progbits"),
    word!(align),
    concat!(".hidden ", crate::__symbol!("names_bounds")),
    concat!(".globl ", crate::__symbol!("names_bounds")),
    concat!(crate::__symbol!("names_bounds"), ":"),
    concat!(word!(), "__start_", crate::__symbol!("names")),
    concat!(word!(), "__stop_", crate::__symbol!("names")),
    ".popsection",
);

// The note, as `asm/table.S` has the table's: where the section begins and ends, each relative to its own field. Type 2.
#[cfg(target_pointer_width = "64")] // others are not read
core::arch::global_asm!(
    ".pushsection .note.statictramp.names,\"a\",%note",
    ".balign 4",
    ".long 12, 16, 2",
    ".asciz \"statictramp\"",
    concat!(".quad __start_", crate::__symbol!("names"), " - ."),
    concat!(".quad __stop_", crate::__symbol!("names"), " - ."),
    ".popsection",
);
