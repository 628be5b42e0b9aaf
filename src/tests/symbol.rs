//! Tests of the search for names, with valid and invalid symbol tables.

use crate::diagnosis::symbol::{append_name, find_in};
use crate::message::{Message, written};
use crate::os::elf::{Header, IDENTITY, ProgramHeader, Section, Symbol, Word};
use crate::os::maps::File;
use core::mem::{MaybeUninit, offset_of};
use core::time::Duration;
use proptest::prelude::*;
use std::ffi::CString;
use std::io::{Read, Seek, Write};
use std::os::fd::AsRawFd;
use std::vec::Vec;

extern crate std;

/// The file offset of the function's code, whose link-time address is [`ADDRESS`].
const CODE: Word = 0x200;
const ADDRESS: Word = 0x40_0200;

/// The parts of an object file, in this order. Only the last symbol has a name. The string table
/// follows this struct.
#[repr(C)]
struct Parts {
    header: Header,
    segment: ProgramHeader,
    sections: [Section; 3],
    symbols: [Symbol; 30],
}

/// Returns a file with one function. `change` modifies the file before it is written.
fn file(change: impl FnOnce(&mut Parts)) -> Vec<u8> {
    // SAFETY: the struct consists of integers.
    let mut parts: Parts = unsafe { core::mem::zeroed() };
    let Parts { header, segment, sections, symbols } = &mut parts;
    header.e_ident[..6].copy_from_slice(&IDENTITY);
    (header.e_phoff, header.e_phnum) = (offset_of!(Parts, segment) as _, 1);
    (header.e_shoff, header.e_shnum) = (offset_of!(Parts, sections) as _, 3);
    header.e_phentsize = size_of::<ProgramHeader>() as u16;
    header.e_shentsize = size_of::<Section>() as u16;
    (segment.p_type, segment.p_vaddr, segment.p_filesz) = (libc::PT_LOAD, ADDRESS - CODE, 0x1000);
    (sections[1].sh_type, sections[1].sh_link) = (2, 2);
    sections[1].sh_offset = offset_of!(Parts, symbols) as _;
    sections[1].sh_size = size_of_val(symbols) as _;
    sections[1].sh_entsize = size_of::<Symbol>() as _;
    (sections[2].sh_type, sections[2].sh_offset) = (3, size_of::<Parts>() as _);
    let last = &mut symbols[29];
    (last.st_name, last.st_info, last.st_shndx) = (1, 2, 1);
    (last.st_value, last.st_size) = (ADDRESS, 16);
    change(&mut parts);
    // SAFETY: the struct consists of integers without padding.
    let bytes = unsafe { core::slice::from_raw_parts((&raw const parts).cast::<u8>(), size_of::<Parts>()) };
    [bytes, b"\0the_function\0"].concat()
}

/// Returns a file whose only function has this name.
fn named(name: &str) -> Vec<u8> {
    let mut bytes = file(|_| ());
    bytes.truncate(bytes.len() - "the_function\0".len());
    bytes.extend(name.bytes().chain([0]));
    bytes
}

/// Returns an empty file in memory.
fn in_memory() -> std::fs::File {
    // SAFETY: the name is zero-terminated.
    let memory = unsafe { libc::memfd_create(c"elf".as_ptr(), 0) };
    // SAFETY: the descriptor was just created, so no other code has it.
    unsafe { std::os::fd::FromRawFd::from_raw_fd(memory) }
}

/// Searches a file for the name of the function at an offset, and returns the message that contains the name. The file
/// is `bytes`, extended with zeroes to at least `len` bytes.
fn name_in(bytes: &[u8], offset: Word, len: u64) -> Option<Vec<u8>> {
    let mut written_to = in_memory();
    let mut memory = in_memory();
    memory.write_all(bytes).unwrap();
    memory.set_len(len.max(bytes.len() as u64)).unwrap();
    let path = CString::new(std::format!("/proc/self/fd/{}", memory.as_raw_fd())).unwrap();
    let file = File::open(&path, 0).unwrap();
    let name = find_in(&file, offset)?;
    let mut message = Message::new("");
    // A long name is written in chunks, and is truncated at the limit.
    written::TO.set(written_to.as_raw_fd());
    append_name(&mut message, &file, name);
    written::TO.set(2);
    let mut printed = Vec::new();
    written_to.rewind().unwrap();
    written_to.read_to_end(&mut printed).unwrap();
    printed.extend(message.as_str().bytes());
    Some(printed)
}

#[test]
fn a_function_is_found_by_any_address_in_its_code() {
    let whole = file(|_| ());
    assert_eq!(name_in(&whole, CODE, 0).as_deref(), Some(&b"statictramp:  (the_function)"[..]));
    assert_eq!(name_in(&whole, CODE + 15, 0).as_deref(), Some(&b"statictramp:  (the_function)"[..]));
    assert_eq!(name_in(&whole, CODE + 16, 0), None);
    assert_eq!(name_in(&whole, CODE - 1, 0), None);
}

#[test]
fn a_name_is_truncated_only_at_the_limit() {
    let printed =
        |name: &str| std::string::String::from_utf8(name_in(&named(name), CODE, 0).unwrap()).unwrap();
    assert_eq!(printed("_ZN3one3two17h0123456789abcdefE"), "statictramp:  (one::two)");
    for len in [1023, 1024, 1025, 2048, 65_535] {
        let name = "a".repeat(len - 3) + "end";
        assert_eq!(printed(&name), std::format!("statictramp:  ({name})"), "{len}");
    }
    assert!(printed(&"a".repeat(1 << 17)).ends_with("a...)"));
}

#[test]
fn a_corrupt_file_yields_no_name() {
    let none = |bytes: Vec<u8>| assert_eq!(name_in(&bytes, CODE, 0), None);
    none(file(|parts| parts.header.e_shoff = Word::MAX));
    none(file(|parts| parts.header.e_phoff = Word::MAX - 1));
    none(file(|parts| parts.header.e_phentsize = 0));
    none(file(|parts| parts.segment.p_vaddr = Word::MAX));
    none(file(|parts| parts.sections[1].sh_entsize = 0));
    none(file(|parts| parts.sections[1].sh_link = u32::MAX));
    none(file(|parts| parts.sections[2].sh_offset = Word::MAX));
    none(file(|parts| parts.symbols[29].st_name = u32::MAX));
    none(file(|parts| parts.symbols[29].st_value = Word::MAX));
}

/// Returns this thread's CPU time, which is independent of other load on the machine.
fn processor_time() -> Duration {
    let mut time = MaybeUninit::<libc::timespec>::uninit();
    // SAFETY: `time` is writable, and the function fills it if it returns 0.
    let time = unsafe {
        assert_eq!(libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, time.as_mut_ptr()), 0);
        time.assume_init()
    };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Searches a file that contains a terabyte of zeroes (1 GiB on 32-bit targets), which are read as symbols.
#[test]
fn a_huge_file_is_not_read_completely() {
    let long = file(|parts| {
        (parts.sections[1].sh_offset, parts.sections[1].sh_size) = (0x1000, Word::MAX);
    });
    let started = processor_time();
    assert_eq!(name_in(&long, CODE, if size_of::<Word>() == 8 { 1 << 40 } else { 1 << 30 }), None);
    let taken = processor_time() - started;
    assert!(taken < Duration::from_secs(30), "{taken:?}");
}

proptest! {
    /// Searches files with invalid contents. Whatever the result, the search must end without a panic.
    #[test]
    fn invalid_files_cause_no_panic(breaks in prop::collection::vec((0usize..400, prop_oneof![Just(0u8), Just(0xff), any::<u8>()]), 1..24)) {
        let mut bytes = file(|_| ());
        for (at, byte) in breaks {
            let len = bytes.len();
            bytes[at % len] = byte;
        }
        name_in(&bytes, CODE, 0);
    }
}
