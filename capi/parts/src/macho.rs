//! Relocatable Mach-O files in memory: 64-bit, little-endian.

use crate::{Result, symbols_at};
use object::LittleEndian;
use object::macho::{MachHeader64, N_EXT, N_PEXT, N_SECT, N_STAB, N_TYPE, Nlist64};
use object::read::macho::MachHeader as _;

/// Hides all external definitions: a program or shared object that links them calls its own copy, and does not export it.
pub fn hide(data: &mut [u8]) -> Result<()> {
    let header = MachHeader64::<LittleEndian>::parse(&*data, 0)?;
    let mut commands = header.load_commands(LittleEndian, &*data, 0)?;
    let mut tables = Vec::new();
    while let Some(command) = commands.next()? {
        let table = command.symtab()?;
        tables.extend(
            table.map(|it| (it.symoff.get(LittleEndian) as usize, it.nsyms.get(LittleEndian) as usize)),
        );
    }
    for (start, count) in tables {
        for symbol in symbols_at::<Nlist64<LittleEndian>>(data, start, count)? {
            if symbol.n_type & (N_STAB | N_TYPE | N_EXT) == N_SECT | N_EXT {
                symbol.n_type |= N_PEXT;
            }
        }
    }
    Ok(())
}
