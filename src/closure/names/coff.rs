//! Where the records of bound closures lie: a COFF section, of which the linker sorts the parts by what comes after `$`.

macro_rules! name {
    ($part:literal) => {
        concat!(".st", env!("CARGO_PKG_VERSION_MAJOR"), "_", env!("CARGO_PKG_VERSION_MINOR"), "$", $part)
    };
}
pub(super) use name;

macro_rules! section {
    () => {
        concat!(".pushsection ", crate::closure::names::section::name!("m"), ",\"dw\"")
    };
}
pub(super) use section;

// The beginning and the end, which the last words lie behind; and where both lie, for `address_of!`.
core::arch::global_asm!(
    concat!(".pushsection ", name!("a"), ",\"dw\""),
    word!(align),
    concat!(".globl ", crate::__symbol!("names_bounds")),
    concat!(crate::__symbol!("names_bounds"), ":"),
    concat!(word!(), "7f"),
    concat!(word!(), "8f"),
    "7:",
    ".popsection",
    concat!(".pushsection ", name!("z"), ",\"dw\""),
    word!(align),
    "8:",
    concat!(word!(), "0"),
    ".popsection",
);
