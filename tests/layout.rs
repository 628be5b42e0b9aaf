//! Checks that the output of the assembler and the linker matches the constants in the Rust code.
//!
//! STATICTRAMP_CHECK_IMAGES contains additional files to check, separated by colons. They must have been linked with
//! `statictramp.ld`. `tests/run native` sets the variable.
#![cfg(target_os = "linux")] // `layout_coff.rs` covers Windows, and the macos leg covers macOS

use object::{Object, ObjectSection, ObjectSymbol, SectionFlags, SectionKind, elf};
use statictramp::ENCODING;
use statictramp_targets::stub;
use std::{env, fs, path::Path};

const LAYOUT: statictramp::Layout = statictramp::layout();
const SLOT: usize = LAYOUT.slot_stride;
const STUB: usize = LAYOUT.stub_stride;

/// The location of an image's table, read only from its note.
struct Note {
    slots: usize,
    stub_stride: usize,
    slot_stride: usize,
    stubs_at: u64,
    slots_at: u64,
}

fn note(file: &object::File) -> Note {
    let section = file.section_by_name(".note.statictramp").expect("a note");
    let data = section.data().unwrap();
    let word = |at: usize| u32::from_ne_bytes(data[at..at + 4].try_into().unwrap());
    // Some assemblers support only 32-bit distances.
    let long = |at: usize| match word(36) {
        2 => word(at) as i32 as u64,
        _ => u64::from_ne_bytes(data[at..at + 8].try_into().unwrap()),
    };
    assert_eq!((word(0), word(4), word(8)), (12, 32, 1), "name size, descriptor size, version");
    assert_eq!(&data[12..24], b"statictramp\0");
    Note {
        slots: word(24) as usize,
        stub_stride: word(28) as usize,
        slot_stride: word(32) as usize,
        // Sums wrap around at the width of an address.
        stubs_at: (section.address() + 40).wrapping_add(long(40)) & usize::MAX as u64,
        slots_at: (section.address() + 48).wrapping_add(long(48)) & usize::MAX as u64,
    }
}

/// Checks that the decoder finds the slot of the stub at `address`, and rejects any other code for that stub. Only the
/// padding at the end of the stub, which consists of equal bytes, may differ. If the padding differs, the tool reports
/// code between two stubs.
fn assert_decoded(code: &[u8], address: u64, slot: u64) {
    let decode = |code: &[u8]| stub::slot_of(ENCODING, code, address).map(|(slot, _)| slot);
    assert_eq!(decode(code), Some(slot), "the slot of the stub at {address:#x}");
    let mut padding = 0;
    for i in 4 * LAYOUT.landing_pads as usize..STUB {
        let mut other = code.to_vec();
        other[i] ^= 1;
        if stub::decode_filled(ENCODING, &other, address) == Err(stub::FILLED) {
            padding += 1;
            assert_eq!(code[i], code[STUB - 1], "byte {i}");
        } else {
            assert_eq!(padding, 0, "padding before byte {i}");
            assert_ne!(decode(&other), Some(slot), "byte {i}");
        }
    }
}

/// Checks a linked file. Returns the offset of its slots in their page.
fn check(path: &Path) -> u64 {
    let bytes = fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let file = object::File::parse(&*bytes).unwrap();
    let note = note(&file);
    assert_eq!((note.slots, note.stub_stride, note.slot_stride), (LAYOUT.slots, STUB, SLOT));

    let section_of = |address: u64, size: usize| {
        file.sections()
            .find(|s| {
                s.address() <= address && address + size as u64 <= s.address() + s.size() && s.address() != 0
            })
            .expect("a section that holds the whole table")
    };
    let flags = |s: &object::Section| match s.flags() {
        SectionFlags::Elf { sh_flags } => sh_flags as u32,
        other => panic!("{other:?}"),
    };
    let code = section_of(note.stubs_at, LAYOUT.slots * STUB);
    assert_eq!(flags(&code) & (elf::SHF_WRITE | elf::SHF_EXECINSTR), elf::SHF_EXECINSTR, "stubs: R-X");
    let data = section_of(note.slots_at, LAYOUT.slots * SLOT);
    assert_eq!(data.name().unwrap(), ".tramp_data");
    assert_eq!(flags(&data) & (elf::SHF_WRITE | elf::SHF_EXECINSTR), elf::SHF_WRITE, "slots: RW-");
    assert_eq!(data.kind(), SectionKind::UninitializedData, "slots take no room in the file");
    assert_eq!(note.slots_at % 64, 0, "the slots do not begin at a 64-byte boundary");

    let start = (note.stubs_at - code.address()) as usize;
    let before = code.data().unwrap()[..start]
        .last_chunk::<8>()
        .expect("-fsanitize=function reads 8 bytes before a stub");
    assert!(before.iter().all(|byte| [0, 0xcc].contains(byte)), "padding precedes the stubs: {before:x?}");
    let stubs = &code.data().unwrap()[start..start + LAYOUT.slots * STUB];
    let layout =
        stub::Layout { stubs: note.stubs_at, stub_stride: STUB, slots: note.slots_at, slot_stride: SLOT };
    let protection =
        stub::check(ENCODING, stubs, &layout).unwrap_or_else(|e| panic!("{}: {e:?}", path.display()));
    let expected = stub::Protection { landing_pad: LAYOUT.landing_pads, signed: LAYOUT.signed };
    assert_eq!(protection, expected, "{}", path.display());
    for (i, code) in stubs.chunks(STUB).enumerate() {
        let i = i as u64;
        assert_decoded(code, note.stubs_at + i * STUB as u64, note.slots_at + i * SLOT as u64);
    }

    // Some ABIs let the loader write the code of this section (`loader` in tests/legs/parts/machines.sh).
    let loader_writes_code = file.section_by_name(".plt").is_some_and(|plt| {
        let both = elf::SHF_WRITE | elf::SHF_EXECINSTR;
        flags(&plt) & both == both
    });
    for segment in object::Object::segments(&file) {
        use object::ObjectSegment;
        if let object::SegmentFlags::Elf { p_flags } = segment.flags() {
            let both = elf::PF_W | elf::PF_X;
            assert!(
                p_flags & both != both || loader_writes_code,
                "a segment at {:#x} is W+X",
                segment.address()
            );
        }
    }
    // Loading the table needs no relocations.
    for (address, _) in file.dynamic_relocations().into_iter().flatten() {
        let inside = |at: u64, size: usize| (at..at + size as u64).contains(&address);
        assert!(!inside(note.stubs_at, LAYOUT.slots * STUB) && !inside(note.slots_at, LAYOUT.slots * SLOT));
    }
    note.slots_at
}

#[test]
fn this_program_has_the_expected_table() {
    check(&env::current_exe().unwrap());
}

#[test]
fn images_linked_with_the_script_have_slots_on_separate_pages() {
    for path in env::var("STATICTRAMP_CHECK_IMAGES").unwrap_or_default().split(':').filter(|p| !p.is_empty())
    {
        let slots_at = check(Path::new(path));
        assert_eq!(slots_at % 4096, 0, "{path}");
        let bytes = fs::read(path).unwrap();
        let file = object::File::parse(&*bytes).unwrap();
        let end = slots_at + (LAYOUT.slots * SLOT) as u64;
        let page_end = end.next_multiple_of(4096);
        for section in file.sections().filter(|s| s.address() != 0 && s.size() != 0) {
            let apart = section.address() >= page_end || section.address() + section.size() <= slots_at;
            let tls = matches!(section.kind(), SectionKind::UninitializedTls);
            assert!(apart || tls || section.name() == Ok(".tramp_data"), "{path}: {:?}", section.name());
        }
    }
}

#[test]
fn the_address_of_a_stub_matches_the_note() {
    let trampoline = statictramp::Trampoline::new(check as *const (), core::ptr::null_mut()).unwrap();
    let bytes = fs::read(env::current_exe().unwrap()).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let loaded_at = {
        // This determines the load bias of the image, which is the same for all of its symbols.
        let here = file.symbols().find(|s| s.name() == Ok(statictramp::__symbol!("stubs"))).unwrap();
        trampoline.as_ptr().addr() as u64 - (trampoline.slot() * STUB) as u64 - here.address()
    };
    let stub = note(&file).stubs_at + (trampoline.slot() * STUB) as u64 + loaded_at;
    assert_eq!(stub, trampoline.as_ptr().addr() as u64);
}

/// This test uses the object file, which exists only if the C compiler assembled the stubs.
#[test]
fn the_assembled_object_has_the_expected_layout() {
    if option_env!("STATICTRAMP_ASM") == Some("rust") {
        return; // rustc has assembled the stubs and leaves no object; the linked image is checked above
    }
    let bytes = fs::read(concat!(env!("OUT_DIR"), "/lib", statictramp::__symbol!("table"), ".a")).unwrap();
    let archive = object::read::archive::ArchiveFile::parse(&*bytes).unwrap();
    let member = archive.members().next().unwrap().unwrap();
    let file = object::File::parse(member.data(&*bytes).unwrap()).unwrap();

    let symbol =
        |name: &str| file.symbols().find(|s| s.name() == Ok(name)).unwrap_or_else(|| panic!("{name}"));
    assert_eq!(symbol(statictramp::__symbol!("stubs")).size() as usize, LAYOUT.slots * STUB);
    assert_eq!(symbol(statictramp::__symbol!("slots")).size() as usize, LAYOUT.slots * SLOT);
    assert_eq!(symbol(statictramp::__symbol!("slot_count")).address() as usize, LAYOUT.slots);
    assert_eq!(symbol(statictramp::__symbol!("stub_stride")).address() as usize, STUB);
    assert_eq!(symbol(statictramp::__symbol!("slot_stride")).address() as usize, SLOT);
    for symbol in file.symbols().filter(|s| s.name().is_ok_and(|n| n.starts_with("statictramp"))) {
        let object::SymbolFlags::Elf { st_other, .. } = symbol.flags() else { panic!("not ELF") };
        assert_eq!(st_other, elf::STV_HIDDEN, "{:?}", symbol.name());
        let version =
            concat!("_", env!("CARGO_PKG_VERSION_MAJOR"), "_", env!("CARGO_PKG_VERSION_MINOR"), "_");
        assert!(symbol.name().unwrap().contains(version), "two versions must not share {:?}", symbol.name());
    }

    // The object must have one unwind entry for the whole table, and must not request an executable stack.
    let unwinding = if cfg!(target_arch = "arm") { ".ARM.exidx.text.statictramp" } else { ".eh_frame" };
    assert!(file.section_by_name(unwinding).is_some());
    let stack = file.section_by_name(".note.GNU-stack").unwrap();
    let SectionFlags::Elf { sh_flags } = stack.flags() else { panic!("not ELF") };
    assert_eq!(sh_flags as u32 & elf::SHF_EXECINSTR, 0);

    #[cfg(any(target_arch = "x86_64", target_arch = "x86", target_arch = "aarch64"))]
    {
        let property = file.section_by_name(".note.gnu.property").unwrap();
        let features = property.data().unwrap()[24];
        let pads = LAYOUT.landing_pads as u8;
        // GNU_PROPERTY_X86_FEATURE_1_AND: SHSTK = 2, IBT = 1. GNU_PROPERTY_AARCH64_FEATURE_1_AND: PAC = 2, BTI = 1.
        assert_eq!(features, 2 + pads);
    }
}
