//! Gives the readers of `statictramp dump` arbitrary data: the kernel's lists, headers and notes of images, symbols,
//! layout files, and the captures of a process that change during the read. The variable READER selects a reader;
//! libFuzzer generates the bytes.
#![no_main]

use statictramp_cli::fuzzed::budget::Budget;
use statictramp_cli::fuzzed::source::{self, Source};
use statictramp_cli::fuzzed::{captured, closures, maps, notes, shown, symbols};
use statictramp_interop::descriptor::View;
use statictramp_interop::instance::FrameLayout;
use std::cell::Cell;
use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::os::fd::FromRawFd;
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;

/// Memory from address 0.
struct Flat<'d>(&'d [u8]);

impl Source for Flat<'_> {
    fn read(&self, address: u64, bytes: &mut [u8]) -> Result<()> {
        let from =
            usize::try_from(address).ok().and_then(|address| self.0.get(address..)?.get(..bytes.len()));
        bytes.copy_from_slice(from.ok_or(ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

/// Memory with different contents at each read, until the input is used up.
struct Changing<'d>(Cell<&'d [u8]>);

impl Source for Changing<'_> {
    fn read(&self, _: u64, bytes: &mut [u8]) -> Result<()> {
        let (now, later) =
            self.0.get().split_at_checked(bytes.len()).ok_or(Error::from(ErrorKind::UnexpectedEof))?;
        bytes.copy_from_slice(now);
        self.0.set(later);
        Ok(())
    }
}

fn is_harmless(text: &str) {
    assert!(text.len() < 1 << 16 && !text.contains(char::is_control), "{text:?}");
}

fn image(source: &impl Source) {
    let Ok(image) = notes::Image::at(source, 0) else { return };
    for (address, held) in image.notes(source) {
        tables(&held, address);
    }
    for address in [0, 1, 0x1000, u64::MAX] {
        let (_, _) = (image.address_of(address), image.offset_of(address));
    }
}

fn tables(held: &[u8], address: u64) {
    for table in notes::tables(held, address) {
        assert!(table.slots * table.slot_stride <= 1 << 28 && table.slots * table.stub_stride <= 1 << 28);
        assert!(table.slot_stride >= notes::WORDS_OF_SLOT && table.stub_stride > 0);
        let _ = table.slots_of(u64::MAX);
    }
}

fn maps(data: &[u8]) {
    let Ok(maps) = maps::Maps::read(data) else { return };
    for mapping in &maps.mappings {
        assert!(
            mapping.start < mapping.end && mapping.offset.checked_add(mapping.end - mapping.start).is_some()
        );
        assert!(maps.files.get(mapping.file).is_some_and(|file| file.path.starts_with(b"/")));
        if let Some(found) = maps.code_at(mapping.start) {
            assert!(found.executable && (found.start..found.end).contains(&mapping.start));
        }
    }
    maps.files.iter().for_each(|file| drop(shown(&file.path)));
}

/// Fuzzes a list of layouts; the variables of its first line are in changing memory.
fn layouts(data: &[u8]) {
    let end = data.iter().position(|&byte| byte == b'\n').unwrap_or(data.len());
    let (text, memory) = data.split_at(end);
    let Ok(text) = std::str::from_utf8(text) else { return };
    match captured::Layouts::parse(&format!("f {text}")) {
        Ok(layouts) => {
            let Some(layout) = layouts.of("f") else { return };
            assert!(layout.variables().count() <= text.len() + 1 && layout.size() < 1 << 50);
            shows(layout, memory);
        }
        Err(why) => is_harmless(&why),
    }
}

fn shows(layout: FrameLayout<'_>, memory: &[u8]) {
    let process = captured::Memory(&Changing(Cell::new(memory)));
    process
        .captured(u64::MAX - 100, layout, |address| format!("{address:#x}"))
        .for_each(|line| is_harmless(&line));
}

/// Reads descriptors in a process's memory, and descriptors that are given as words.
fn descriptors(data: &[u8]) {
    const LAYOUTS: [&str; 3] = [
        "a: descriptor(15)",
        "p: pointer, c: character, q: procedure",
        "r: real(8), c: complex(10) value, a: allocatable",
    ];
    for text in LAYOUTS {
        shows(FrameLayout::parse(text).expect("it is right"), data);
    }
    let words: Vec<u64> = data.chunks_exact(8).filter_map(|bytes| source::word(bytes, 0)).collect();
    let Ok(view) = View::of_words(&words) else { return };
    let first: Vec<isize> = view.dimensions().iter().map(|d| d.lower_bound).collect();
    assert!(view.element(&first).is_none_or(|element| element == view.base()));
    assert!(view.len().is_none_or(|len| (len == 0) == view.is_empty()));
}

/// Closures' names, and the places where they were bound.
fn closures(data: &[u8]) {
    let Ok(image) = notes::Image::at(&Flat(data), 0) else { return };
    let source = Flat(data);
    let mut closures = closures::Closures::of(&source, [&image].into_iter());
    for address in [0, 0x1000, source::word(data, data.len().saturating_sub(8)).unwrap_or(1)] {
        closures.name(address).iter().for_each(|name| is_harmless(name));
        closures.locations(address).iter().for_each(|location| is_harmless(location));
        let _ = closures.knows(address);
    }
}

fn symbols(data: &[u8]) {
    // SAFETY: the name is a C string.
    let file = unsafe { libc::memfd_create(c"symbols".as_ptr(), libc::MFD_CLOEXEC) };
    assert!(file >= 0);
    // SAFETY: the file has just been opened.
    let file = unsafe { File::from_raw_fd(file) };
    file.write_all_at(data, 0).expect("memory");
    let Some(functions) = symbols::Functions::of(file, &Budget::of(1 << 20)) else { return };
    for address in [0, 0x1000, u64::MAX].into_iter().chain(source::word(data, data.len().saturating_sub(8))) {
        let name = functions.name_at(address);
        assert!(name.is_none_or(|name| name.len() <= symbols::LONGEST_NAME && !name.contains(&0)));
    }
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    static READER: OnceLock<String> = OnceLock::new();
    match READER.get_or_init(|| std::env::var("READER").unwrap_or_default()).as_str() {
        "maps" => maps(data),
        "notes" => {
            image(&Flat(data));
            image(&Changing(Cell::new(data)));
            tables(data, u64::MAX - 20);
            closures(data);
        }
        "layouts" => layouts(data),
        "descriptors" => descriptors(data),
        "symbols" => symbols(data),
        other => panic!("READER={other}: maps, notes, layouts, descriptors or symbols"),
    }
});
