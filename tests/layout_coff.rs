//! Checks, like `layout.rs`, that the output of the assembler and the linker matches the constants in the Rust code,
//! for a Windows image.
#![cfg(all(windows, not(portable)))]

use object::pe::{IMAGE_SCN_MEM_EXECUTE, IMAGE_SCN_MEM_WRITE};
use object::{Object, ObjectSection, ObjectSymbol, SectionFlags};
use statictramp_targets::stub;
use std::{env, fs};

const LAYOUT: statictramp::Layout = statictramp::layout();

#[test]
fn this_program_has_the_expected_table() {
    let bytes = fs::read(env::current_exe().unwrap()).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let symbol = |name: &str| {
        let name = [statictramp::__symbol!(""), name].concat();
        file.symbols().find(|s| s.name() == Ok(&name)).unwrap_or_else(|| panic!("{name}")).address()
    };
    let (stubs, slots) = (symbol("stubs"), symbol("slots"));
    assert_eq!((symbol("stubs_end") - stubs) as usize, LAYOUT.slots * LAYOUT.stub_stride);
    assert_eq!((symbol("slots_end") - slots) as usize, LAYOUT.slots * LAYOUT.slot_stride);
    assert_eq!(slots % 64, 0, "the slots do not begin at a 64-byte boundary");

    let section_of = |address: u64, len: usize| {
        file.sections()
            .find(|s| s.address() <= address && address + len as u64 <= s.address() + s.size())
            .expect("a section that holds the whole table")
    };
    let rights = |section: &object::Section| match section.flags() {
        SectionFlags::Coff { characteristics } => {
            characteristics & (IMAGE_SCN_MEM_WRITE | IMAGE_SCN_MEM_EXECUTE)
        }
        other => panic!("{other:?}"),
    };
    let code = section_of(stubs, LAYOUT.slots * LAYOUT.stub_stride);
    assert_eq!(rights(&code), IMAGE_SCN_MEM_EXECUTE, "stubs: R-X");
    let data = section_of(slots, LAYOUT.slots * LAYOUT.slot_stride);
    assert_eq!(rights(&data), IMAGE_SCN_MEM_WRITE, "slots: RW-");
    for section in file.sections() {
        let both = IMAGE_SCN_MEM_WRITE | IMAGE_SCN_MEM_EXECUTE;
        assert_ne!(rights(&section), both, "{:?} is W+X", section.name());
    }

    let start = (stubs - code.address()) as usize;
    let before = code.data().unwrap()[..start].last_chunk::<8>();
    assert_eq!(before, Some(&[0xcc; 8]), "-fsanitize=function reads 8 bytes before a stub");
    let stubs_code = &code.data().unwrap()[start..][..LAYOUT.slots * LAYOUT.stub_stride];
    for (i, code) in stubs_code.chunks(LAYOUT.stub_stride).enumerate() {
        let at = stubs as usize + i * LAYOUT.stub_stride;
        let slot = slots as usize + i * LAYOUT.slot_stride;
        let decode = |code: &[u8]| stub::slot_of(statictramp::ENCODING, code, at as u64);
        assert_eq!(decode(code), Some((slot as u64, 13)), "the slot of stub {i}");
        assert_eq!(code[13..], [0xcc; 3], "execution never falls through between two stubs");
        for byte in 0..13 {
            let mut other = code.to_vec();
            other[byte] ^= 1;
            assert_ne!(decode(&other).map(|(slot, _)| slot), Some(slot as u64), "byte {byte}");
        }
    }

    // The image may be loaded at any address, so the test compares distances between symbols.
    let trampoline = statictramp::Trampoline::new(stubs as *const (), core::ptr::null_mut()).unwrap();
    let first = trampoline.as_ptr().addr() - trampoline.slot() * LAYOUT.stub_stride;
    let here = this_program_has_the_expected_table as *const () as usize;
    let loaded_at = first.wrapping_sub(stubs as usize);
    let name =
        |s: &object::Symbol| s.name().is_ok_and(|name| name.contains("this_program_has_the_expected_table"));
    let mine = file.symbols().filter(name).map(|s| loaded_at.wrapping_add(s.address() as usize));
    let mine: Vec<_> = mine.collect();
    assert!(mine.contains(&here), "{here:#x} among {mine:x?}");
}
