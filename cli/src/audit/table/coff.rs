//! This library's own table in a Windows file. PE and COFF files have no ELF note that locates the table. The table is
//! therefore found by its symbols (gcc leaves these in a program), or by the stubs, each of which refers to its slot.

use super::search::{self, Found, MOST_TABLES};
use super::{State, Table, decoded};
use object::pe::{IMAGE_SCN_MEM_EXECUTE, IMAGE_SCN_MEM_WRITE, ImageNtHeaders64};
use object::read::ReadRef;
use object::read::pe::{PeFile64, PeSection64};
use object::{Architecture, LittleEndian, Object, ObjectKind, ObjectSection, SectionFlags};
use statictramp_targets::stub::Encoding;

/// Size of a stub in bytes.
const STUB: usize = 16;

/// Maximum number of imports. Files with more imports are not analysed.
const MOST_IMPORTS: usize = 1 << 20;

/// Name of the section that contains the stubs in a relocatable file.
const STUBS: &str = ".text$statictramp";

/// The number of bytes before the first stub in its section (`asm/windows/table.S`).
const PADDING: u64 = 64;

/// Returns the tables of an x86-64 file; other processors are not supported.
pub fn tables<'data, R: ReadRef<'data>>(file: &object::File<'data, R>, data: R) -> Vec<Table> {
    if file.architecture() != Architecture::X86_64 {
        return Vec::new();
    }
    if file.kind() == ObjectKind::Relocatable {
        let stubs = file.sections().filter(|section| section.name() == Ok(STUBS));
        let slots = stubs.map(|section| section.size().saturating_sub(PADDING) / STUB as u64);
        let slots = slots.filter(|&slots| slots > 0);
        return slots.take(MOST_TABLES).map(|slots| Table { slots, state: State::NotLinked }).collect();
    }
    let object::File::Pe64(file) = file else { return Vec::new() };
    let mut found = named(file);
    for section in file.sections().filter(|section| rights(section) & IMAGE_SCN_MEM_EXECUTE != 0) {
        let code = section.data().unwrap_or_default();
        search::seen(Encoding::X86_64, STUB, section.address(), code, &mut found);
    }
    search::judged(found, |it| whole(file, data, it))
}

/// Finds tables by the symbols `statictramp_VERSION_stubs` and `..._stubs_end`, and by the corresponding symbols of the
/// slots.
fn named<'data, R: ReadRef<'data>>(file: &PeFile64<'data, R>) -> Vec<Found> {
    let found = search::named(file, "statictramp_").into_iter().filter_map(|words| {
        let [stubs, stubs_end, slots, slots_end] = [words[0]?, words[1]?, words[2]?, words[3]?];
        Found::between(stubs..stubs_end, STUB, slots..slots_end)
    });
    found.collect()
}

fn rights<'data>(section: &impl ObjectSection<'data>) -> u32 {
    match section.flags() {
        SectionFlags::Coff { characteristics } => {
            characteristics & (IMAGE_SCN_MEM_WRITE | IMAGE_SCN_MEM_EXECUTE)
        }
        _ => 0,
    }
}

fn whole<'data, R: ReadRef<'data>>(
    file: &PeFile64<'data, R>,
    data: R,
    found: &Found,
) -> Result<State, String> {
    let (layout, len, slots_len) = (&found.layout, found.stubs_len(), found.slots_len());
    let loaded = |address: u64, len: u64| {
        let into = |section: &PeSection64<'data, '_, _>| {
            let into = address.checked_sub(section.address())?;
            (into.checked_add(len)? <= section.size()).then_some(into)
        };
        file.sections().find_map(|section| into(&section).map(|into| (section, into)))
    };
    let (code, into) = loaded(layout.stubs, len).ok_or("its stubs are not all in one section")?;
    let (data_of_slots, _) = loaded(layout.slots, slots_len).ok_or("its slots are not all in one section")?;
    if rights(&code) != IMAGE_SCN_MEM_EXECUTE {
        return Err("its stubs are not in an executable, non-writable section".into());
    }
    if rights(&data_of_slots) != IMAGE_SCN_MEM_WRITE {
        return Err("its slots are not in a writable, non-executable section".into());
    }
    found.begins()?;
    // If two sections have the same address, the loader decides which one to use.
    let mut others =
        file.sections().filter(|it| it.index() != code.index() && it.index() != data_of_slots.index());
    let is_over = |it: &PeSection64<'data, '_, _>, start: u64, len: u64| {
        let size = it.size().max(it.pe_section().size_of_raw_data.get(LittleEndian).into());
        it.address() < start + len && start < it.address().saturating_add(size)
    };
    let crossed = is_over(&code, layout.slots, slots_len)
        || is_over(&data_of_slots, layout.stubs, len)
        || others.any(|it| is_over(&it, layout.stubs, len) || is_over(&it, layout.slots, slots_len));
    if crossed {
        return Err("sections overlap at its addresses".into());
    }
    imports(file, found)?;
    let blocks = file.data_directories().relocation_blocks(data, &file.section_table());
    let mut blocks = blocks.map_err(|why| why.to_string())?;
    let base = file.relative_address_base();
    while let Some(block) = blocks.as_mut().map_or(Ok(None), |it| it.next()).map_err(|why| why.to_string())? {
        for relocation in block {
            let address = base.wrapping_add(relocation.virtual_address.into());
            if relocation.typ != object::pe::IMAGE_REL_BASED_ABSOLUTE {
                found.written(address)?;
            }
        }
    }
    let code = code.data().ok().and_then(|code| code.get(into as usize..)?.get(..len as usize));
    decoded(&[Encoding::X86_64], code.ok_or("its stubs cannot be read")?, layout)
}

/// Returns an error if the loader writes the address of an import into the table in `found`.
fn imports<'data, R: ReadRef<'data>>(file: &PeFile64<'data, R>, found: &Found) -> Result<(), String> {
    let why = |why: object::Error| why.to_string();
    let Some(table) = file.import_table().map_err(why)? else { return Ok(()) };
    let mut files = table.descriptors().map_err(why)?;
    let mut left = MOST_IMPORTS;
    while let Some(its) = files.next().map_err(why)? {
        let (names, first) = (its.original_first_thunk.get(LittleEndian), its.first_thunk.get(LittleEndian));
        let mut names = table.thunks(if names == 0 { first } else { names }).map_err(why)?;
        let mut address = file.relative_address_base().wrapping_add(first.into());
        while names.next::<ImageNtHeaders64>().map_err(why)?.is_some() {
            found.written(address)?;
            address = address.wrapping_add(8);
            left = left.checked_sub(1).ok_or("there are too many imports")?;
        }
    }
    Ok(())
}
