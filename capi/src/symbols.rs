//! The symbols defined by a loaded object, found through the hash tables that the loader uses.

use core::ffi::{CStr, c_char};

#[cfg(target_pointer_width = "32")]
pub use libc::Elf32_Sym as Symbol;
#[cfg(target_pointer_width = "64")]
pub use libc::Elf64_Sym as Symbol;

/// Dynamic-section tags of a loaded object's tables.
const DT_HASH: usize = 4;
const DT_STRTAB: usize = 5;
const DT_SYMTAB: usize = 6;
const DT_GNU_HASH: usize = 0x6fff_fef5;

/// Returns the symbol with this name that is defined in a loaded object and accepted by `is_wanted`. `table` returns
/// the address of the object's table with a given tag.
///
/// # Safety
/// The tables must belong to an object that stays loaded while the result is used.
pub unsafe fn find<'a>(
    table: impl Fn(usize) -> Option<usize>,
    name: &CStr,
    is_wanted: impl Fn(&Symbol) -> bool,
) -> Option<&'a Symbol> {
    let address_of = |tag| Some(core::ptr::with_exposed_provenance::<u32>(table(tag)?));
    let symbols = address_of(DT_SYMTAB)?.cast::<Symbol>();
    let names = address_of(DT_STRTAB)?.cast::<c_char>();
    // SAFETY: the caller guarantees that these are the tables of a loaded object. The loader itself relies on the
    // format of these tables.
    let right = |number: u32| unsafe {
        let symbol = &*symbols.add(number as usize);
        let has_name = symbol.st_shndx != 0 && CStr::from_ptr(names.add(symbol.st_name as usize)) == name;
        (has_name && is_wanted(symbol)).then_some(symbol)
    };
    match address_of(DT_GNU_HASH) {
        // SAFETY: as above.
        Some(table) => unsafe { by_gnu_hash(table, name, right) },
        // SAFETY: as above.
        None => unsafe { by_hash(address_of(DT_HASH)?, name, right) },
    }
}

/// Searches a GNU hash table, which consists of four 4-byte words, a filter of machine words, the buckets, and a hash
/// for each symbol from number `first` on. The last hash in each bucket's chain is odd.
///
/// # Safety
/// `table` must be the GNU hash table of a loaded object.
unsafe fn by_gnu_hash<T>(table: *const u32, name: &CStr, right: impl Fn(u32) -> Option<T>) -> Option<T> {
    let add = |hash: u32, &byte: &u8| hash.wrapping_mul(33).wrapping_add(byte.into());
    let wanted = name.to_bytes().iter().fold(5381, add);
    // SAFETY: the caller upholds the safety contract.
    unsafe {
        let [buckets, first, filter, _] = *table.cast::<[u32; 4]>();
        let heads = table.add(4).cast::<usize>().add(filter as usize).cast::<u32>();
        let mut number = *heads.add(wanted.checked_rem(buckets)? as usize);
        loop {
            let hash = *heads.add((buckets + number.checked_sub(first)?) as usize);
            if hash | 1 == wanted | 1
                && let Some(found) = right(number)
            {
                return Some(found);
            }
            if hash & 1 != 0 {
                return None;
            }
            number += 1;
        }
    }
}

/// Searches a System V ABI hash table, which consists of the number of buckets, the number of symbols, the buckets and,
/// for each symbol, the next symbol in its bucket. Finds no symbol on s390x, where the table has 64-bit words.
///
/// # Safety
/// `table` must be the hash table of a loaded object.
unsafe fn by_hash<T>(table: *const u32, name: &CStr, right: impl Fn(u32) -> Option<T>) -> Option<T> {
    let wanted = name.to_bytes().iter().fold(0u32, |hash, &byte| {
        let hash = (hash << 4).wrapping_add(byte.into());
        (hash ^ hash >> 28 << 4) & 0x0fff_ffff
    });
    // SAFETY: the caller upholds the safety contract.
    unsafe {
        let buckets = *table;
        let mut number = *table.add(2 + wanted.checked_rem(buckets)? as usize);
        while number != 0 {
            if let Some(found) = right(number) {
                return Some(found);
            }
            number = *table.add((2 + buckets + number) as usize);
        }
        None
    }
}
