//! Relocatable Mach-O files in memory: 64-bit, little-endian.

use crate::Result;
use core::mem::offset_of;
use object::LittleEndian;
use object::macho::{MachHeader64, N_EXT, N_PEXT, N_SECT, N_STAB, N_TYPE, Nlist64};
use object::read::macho::MachHeader as _;

/// Hides all external definitions: a program or shared object that links them calls its own copy, and does not export it.
pub fn hide(data: &mut [u8]) -> Result<()> {
    let header = MachHeader64::<LittleEndian>::parse(&*data, 0)?;
    let mut commands = header.load_commands(LittleEndian, &*data, 0)?;
    let mut fields = Vec::new();
    while let Some(command) = commands.next()? {
        if let Some(table) = command.symtab()? {
            table.symbols::<MachHeader64<_>, _>(LittleEndian, &*data)?; // the symbols are inside the file
            let start = table.symoff.get(LittleEndian) as usize + offset_of!(Nlist64<LittleEndian>, n_type);
            let count = table.nsyms.get(LittleEndian) as usize;
            fields.extend((0..count).map(|index| start + index * size_of::<Nlist64<LittleEndian>>()));
        }
    }
    for field in fields {
        let kind = data.get_mut(field).ok_or("the symbol table is outside the file")?;
        if *kind & (N_STAB | N_TYPE | N_EXT) == N_SECT | N_EXT {
            *kind |= N_PEXT;
        }
    }
    Ok(())
}
