//! The layout is checked, not assumed: what the assembler and the linker made is what the
//! Rust side computes with.
//!
//! STATICTRAMP_CHECK_IMAGES names more linked files to check, separated by colons, which
//! were linked with `statictramp.ld`; `tests/run host` sets it.

use object::{Object, ObjectSection, ObjectSymbol, SectionFlags, SectionKind, elf};
use std::{env, fs, path::Path};

const LAYOUT: statictramp::Layout = statictramp::layout();
const SLOT: usize = LAYOUT.slot_stride;
const STUB: usize = LAYOUT.stub_stride;

/// Where an image has its table, read from its note alone.
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
    let word = |at: usize| u32::from_le_bytes(data[at..at + 4].try_into().unwrap());
    let long = |at: usize| u64::from_le_bytes(data[at..at + 8].try_into().unwrap());
    assert_eq!((word(0), word(4), word(8)), (12, 32, 1), "name size, descriptor size, version");
    assert_eq!(&data[12..24], b"statictramp\0");
    Note {
        slots: word(24) as usize,
        stub_stride: word(28) as usize,
        slot_stride: word(32) as usize,
        // Sums wrap at the width of an address.
        stubs_at: (section.address() + 40).wrapping_add(long(40)) & usize::MAX as u64,
        slots_at: (section.address() + 48).wrapping_add(long(48)) & usize::MAX as u64,
    }
}

/// Decodes one stub at `address` that must read the slot at `slot`.
#[cfg(target_arch = "x86_64")]
fn assert_stub(code: &[u8], address: u64, slot: u64) {
    let mut at = 0;
    let mut expect = |bytes: &[u8]| {
        assert_eq!(&code[at..at + bytes.len()], bytes, "stub at {address:#x}, byte {at}");
        at += bytes.len();
    };
    if LAYOUT.landing_pads {
        expect(&[0xf3, 0x0f, 0x1e, 0xfa]); // endbr64
    }
    expect(&[0x4c, 0x8b, 0x15]); // movq D(%rip), %r10
    let mut relative = || {
        let target = i32::from_le_bytes(code[at..at + 4].try_into().unwrap());
        at += 4;
        address.wrapping_add(at as u64).wrapping_add(target as i64 as u64)
    };
    assert_eq!(relative(), slot, "where the stub at {address:#x} finds its chain");
    assert_eq!(&code[at..at + 2], [0xff, 0x25]); // jmpq *D(%rip)
    at += 2;
    let target = i32::from_le_bytes(code[at..at + 4].try_into().unwrap());
    at += 4;
    let callee = address.wrapping_add(at as u64).wrapping_add(target as i64 as u64);
    assert_eq!(callee, slot + 8, "where the stub at {address:#x} finds its callee");
    assert!(code[at..].iter().all(|&byte| byte == 0xcc), "int3 up to the next stub");
}

/// The same: `bti c; adrp x16; add x16; ldp x15, x17; mov x18, x15; br x17`.
#[cfg(target_arch = "aarch64")]
fn assert_stub(code: &[u8], address: u64, slot: u64) {
    let words: Vec<u32> =
        code.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    let pads = usize::from(LAYOUT.landing_pads);
    assert!(pads == 0 || words[0] == 0xd503_245f, "bti c in the stub at {address:#x}");
    let (adrp, add) = (words[pads], words[pads + 1]);
    assert_eq!((adrp & 0x9f00_001f, add & 0xffc0_03ff), (0x9000_0010, 0x9100_0210), "stub at {address:#x}");
    let pages = ((adrp >> 5 & 0x7_ffff) << 2 | adrp >> 29 & 3) as i32;
    let page = (address + 4 * pads as u64) & !0xfff;
    let target = page.wrapping_add(((pages << 11 >> 11) as i64 * 4096) as u64) + u64::from(add >> 10 & 0xfff);
    assert_eq!(target, slot, "where the stub at {address:#x} finds its slot");
    let rest = [0xa940_460f, 0xaa0f_03f2, 0xd61f_0220]; // ldp x15, x17, [x16]; mov x18, x15; br x17
    assert_eq!(words[pads + 2..pads + 5], rest);
    assert!(words[pads + 5..].iter().all(|&word| word == 0), "udf up to the next stub");
}

/// The same: `auipc t2; addi t2; ld t1, 8(t2); ld t2, 0(t2); jr t1`.
#[cfg(target_arch = "riscv64")]
fn assert_stub(code: &[u8], address: u64, slot: u64) {
    let words: Vec<u32> =
        code.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    assert_eq!((words[0] & 0xfff, words[1] & 0xf_ffff), (0x397, 0x3_8393), "stub at {address:#x}");
    let high = (words[0] & 0xffff_f000) as i32 as i64;
    let low = (words[1] as i32 >> 20) as i64;
    assert_eq!(
        address.wrapping_add((high + low) as u64),
        slot,
        "where the stub at {address:#x} finds its slot"
    );
    assert_eq!(words[2..5], [0x0083_b303, 0x0003_b383, 0x0003_0067]);
    assert!(words[5..].iter().all(|&word| word == 0), "illegal up to the next stub");
}

/// The same: `ldr r12, [pc, #4]; add r12, pc, r12; ldm r12, {r12, pc}` and the distance of the slot.
#[cfg(target_arch = "arm")]
fn assert_stub(code: &[u8], address: u64, slot: u64) {
    let words: Vec<u32> =
        code.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    assert_eq!(words[..3], [0xe59f_c004, 0xe08f_c00c, 0xe89c_9000], "stub at {address:#x}");
    assert_eq!(
        (address as u32 + 12).wrapping_add(words[3]),
        slot as u32,
        "where the stub at {address:#x} finds its slot"
    );
}

/// Checks a linked file. Returns where its slots lie in their page.
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
    assert_eq!(note.slots_at % 64, 0, "slots share no cache line with other data");

    let start = (note.stubs_at - code.address()) as usize;
    let stubs = &code.data().unwrap()[start..start + LAYOUT.slots * STUB];
    for (i, stub) in stubs.chunks_exact(STUB).enumerate() {
        assert_stub(stub, note.stubs_at + (i * STUB) as u64, note.slots_at + (i * SLOT) as u64);
    }

    for segment in object::Object::segments(&file) {
        use object::ObjectSegment;
        if let object::SegmentFlags::Elf { p_flags } = segment.flags() {
            let both = elf::PF_W | elf::PF_X;
            assert_ne!(p_flags & both, both, "a segment at {:#x} is W+X", segment.address());
        }
    }
    // Loading the table relocates nothing.
    for (address, _) in file.dynamic_relocations().into_iter().flatten() {
        let inside = |at: u64, size: usize| (at..at + size as u64).contains(&address);
        assert!(!inside(note.stubs_at, LAYOUT.slots * STUB) && !inside(note.slots_at, LAYOUT.slots * SLOT));
    }
    note.slots_at
}

#[test]
fn this_program_has_the_table_that_the_rust_side_computes_with() {
    check(&env::current_exe().unwrap());
}

#[test]
fn images_linked_with_the_script_have_slots_on_pages_of_their_own() {
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
fn an_address_is_where_the_note_says() {
    let trampoline = statictramp::Trampoline::new(check as *const (), core::ptr::null_mut()).unwrap();
    let bytes = fs::read(env::current_exe().unwrap()).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let loaded_at = {
        // Where the loader put the image: the difference for any symbol of it.
        let here = file.symbols().find(|s| s.name() == Ok("statictramp_0_1_stubs")).unwrap();
        trampoline.as_ptr().addr() as u64 - (trampoline.slot() * STUB) as u64 - here.address()
    };
    let stub = note(&file).stubs_at + (trampoline.slot() * STUB) as u64 + loaded_at;
    assert_eq!(stub, trampoline.as_ptr().addr() as u64);
}

/// The object as assembled, where the C compiler assembled it.
#[test]
fn the_assembled_object_is_what_the_linker_may_rely_on() {
    if option_env!("STATICTRAMP_ASM") == Some("rust") {
        return; // then rustc assembles, and leaves no object; the linked image is checked above
    }
    let bytes = fs::read(concat!(env!("OUT_DIR"), "/libstatictramp_0_1_table.a")).unwrap();
    let archive = object::read::archive::ArchiveFile::parse(&*bytes).unwrap();
    let member = archive.members().next().unwrap().unwrap();
    let file = object::File::parse(member.data(&*bytes).unwrap()).unwrap();

    let symbol =
        |name: &str| file.symbols().find(|s| s.name() == Ok(name)).unwrap_or_else(|| panic!("{name}"));
    assert_eq!(symbol("statictramp_0_1_stubs").size() as usize, LAYOUT.slots * STUB);
    assert_eq!(symbol("statictramp_0_1_slots").size() as usize, LAYOUT.slots * SLOT);
    assert_eq!(symbol("statictramp_0_1_slot_count").address() as usize, LAYOUT.slots);
    assert_eq!(symbol("statictramp_0_1_stub_stride").address() as usize, STUB);
    assert_eq!(symbol("statictramp_0_1_slot_stride").address() as usize, SLOT);
    for symbol in file.symbols().filter(|s| s.name().is_ok_and(|n| n.starts_with("statictramp"))) {
        let object::SymbolFlags::Elf { st_other, .. } = symbol.flags() else { panic!("not ELF") };
        assert_eq!(st_other, elf::STV_HIDDEN, "{:?}", symbol.name());
        let version =
            concat!("_", env!("CARGO_PKG_VERSION_MAJOR"), "_", env!("CARGO_PKG_VERSION_MINOR"), "_");
        assert!(symbol.name().unwrap().contains(version), "two versions must not share {:?}", symbol.name());
    }

    // One unwind entry over the whole table, and a stack that need not be executable.
    let unwinding = if cfg!(target_arch = "arm") { ".ARM.exidx.text.statictramp" } else { ".eh_frame" };
    assert!(file.section_by_name(unwinding).is_some());
    let stack = file.section_by_name(".note.GNU-stack").unwrap();
    let SectionFlags::Elf { sh_flags } = stack.flags() else { panic!("not ELF") };
    assert_eq!(sh_flags as u32 & elf::SHF_EXECINSTR, 0);

    #[cfg(not(any(target_arch = "riscv64", target_arch = "arm")))]
    {
        let property = file.section_by_name(".note.gnu.property").unwrap();
        let features = property.data().unwrap()[24];
        let pads = LAYOUT.landing_pads as u8;
        // GNU_PROPERTY_X86_FEATURE_1_AND: SHSTK = 2, IBT = 1. GNU_PROPERTY_AARCH64_FEATURE_1_AND: BTI = 1.
        assert_eq!(features, if cfg!(target_arch = "x86_64") { 2 + pads } else { pads });
    }
}
