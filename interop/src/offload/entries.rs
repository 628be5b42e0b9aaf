//! Entries that compilers store in the host and device images, in the section `omp_offloading_entries` or
//! `llvm_offload_entries`. The symbols `__start_` and `__stop_`, each followed by the section's name, mark its bounds.
//!
//! A procedure's entry has one of two forms, which differ in the value of the size field. In the form described in the
//! LLVM document "declare target indirect", the size is 0, and the entries in both images contain the procedure's own
//! address. In clang's form, the size equals a pointer's size, and the entry in the device image contains the address
//! of a variable that holds the procedure's address.

use super::{FunctionPair, MapError};
use core::ffi::{CStr, c_char};

/// The layout of an image's entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntryLayout {
    /// `omp_offloading_entries`, up to LLVM 20: 32 bytes.
    Llvm19,
    /// `llvm_offload_entries`, since LLVM 21: 56 bytes, with a version and a kind.
    Llvm22,
}

#[repr(C)]
struct EntryOf19 {
    address: u64,
    name: *const c_char,
    size: u64,
    flags: i32,
    reserved: i32,
}

#[repr(C)]
struct EntryOf22 {
    reserved: u64,
    version: u16,
    kind: u16,
    flags: u32,
    address: u64,
    name: *const c_char,
    size: u64,
    data: u64,
    auxiliary: u64,
}

// On 32-bit targets, the structs would have different sizes.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<EntryOf19>() == 32 && size_of::<EntryOf22>() == 56);

/// The version and the kind of the entries for OpenMP.
const VERSION: u16 = 1;
const OPENMP: u16 = 1;

/// Flags of procedure entries and vtable entries.
const INDIRECT: u32 = 0x08;
const INDIRECT_VTABLE: u32 = 0x20;

/// The kind of object that an entry for an indirect call describes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Indirect {
    /// An indirectly called procedure, in clang's form: the device's entry describes a variable that contains the
    /// procedure's address.
    Function,
    /// An indirectly called procedure, in the LLVM document's form: the device's entry describes the procedure itself.
    FunctionItself,
    /// A vtable: the device's entry describes the table itself, or a variable that contains its address. With clang 22,
    /// a vtable's entries have different names in the two images; the device image exports, under the host's name, a
    /// variable that contains the table's address.
    Vtable,
}

/// One entry.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'i> {
    /// The address of the object in its own image.
    pub address: u64,
    /// The object's name. Entries for the same object usually have the same name in all images ([`Indirect::Vtable`]
    /// describes an exception).
    pub name: &'i CStr,
    /// The size in bytes: for a function, 0 or a pointer's size; for a vtable, the table's size, or a pointer's size if
    /// the entry describes a variable; for a region, 0.
    pub size: u64,
    /// Bits that specify what the entry describes.
    pub flags: u32,
    version: u16,
}

impl Entry<'_> {
    /// Returns the kind of object that the entry describes, or `None` if the entry describes neither a procedure nor a
    /// vtable.
    ///
    /// # Errors
    /// [`MapError::EntryVersion`]; [`MapError::Entry`] if the flags mark the entry as a procedure or a vtable, but the
    /// size is invalid.
    pub fn indirect(&self) -> Result<Option<Indirect>, MapError> {
        if self.version != VERSION {
            return Err(MapError::EntryVersion(self.version));
        }
        match (self.flags & INDIRECT_VTABLE, self.flags & INDIRECT, self.size) {
            (0, 0, _) => Ok(None),
            (0, _, 0) => Ok(Some(Indirect::FunctionItself)),
            (0, _, 8) => Ok(Some(Indirect::Function)),
            (1.., _, 8..) if self.size.is_multiple_of(8) => Ok(Some(Indirect::Vtable)),
            _ => Err(MapError::Entry { flags: self.flags, size: self.size }),
        }
    }
}

/// An iterator over an image's OpenMP entries, in order. Entries of other kinds are skipped. An entry with an unknown
/// version has an empty name.
#[derive(Clone, Debug)]
pub struct Entries<'i> {
    layout: EntryLayout,
    next: *const u8,
    /// The number of remaining bytes.
    left: usize,
    image: core::marker::PhantomData<&'i CStr>,
}

impl Entries<'_> {
    /// Makes an iterator over the entries between two addresses. An incomplete entry at the end is ignored.
    ///
    /// # Safety
    /// While the result and its items are used, the memory between the two addresses must be readable and must
    /// contain entries of this layout. The names of the entries must be null or zero-terminated strings.
    pub unsafe fn new(layout: EntryLayout, first: *const (), end: *const ()) -> Self {
        let left = end.addr().saturating_sub(first.addr());
        Entries { layout, next: first.cast(), left, image: core::marker::PhantomData }
    }
}

impl<'i> Iterator for Entries<'i> {
    type Item = Entry<'i>;

    fn next(&mut self) -> Option<Entry<'i>> {
        let size = match self.layout {
            EntryLayout::Llvm19 => size_of::<EntryOf19>(),
            EntryLayout::Llvm22 => size_of::<EntryOf22>(),
        };
        while self.left >= size {
            let at = self.next;
            self.left -= size;
            self.next = at.wrapping_add(size);
            // SAFETY: the caller of `new` upholds its safety contract, and the remaining bytes include a whole entry.
            let (version, address, name, size, flags) = unsafe {
                match self.layout {
                    EntryLayout::Llvm19 => {
                        let entry = at.cast::<EntryOf19>().read_unaligned();
                        (VERSION, entry.address, entry.name, entry.size, entry.flags as u32)
                    }
                    EntryLayout::Llvm22 => {
                        let entry = at.cast::<EntryOf22>().read_unaligned();
                        if entry.kind != OPENMP {
                            continue;
                        }
                        (entry.version, entry.address, entry.name, entry.size, entry.flags)
                    }
                }
            };
            if version != VERSION {
                return Some(Entry { address: 0, name: c"", size: 0, flags: 0, version });
            }
            // Some linkers leave zero-filled gaps between entries from different files.
            if !name.is_null() {
                // SAFETY: the caller of `new` upholds its safety contract.
                return Some(Entry { address, name: unsafe { CStr::from_ptr(name) }, size, flags, version });
            }
        }
        None
    }
}

/// Returns the address pairs of the functions that may be called indirectly: one for each procedure and each vtable
/// slot on the device.
///
/// Given a host entry, `on_device` returns the device address of its procedure or vtable, or `None` to yield no pair.
/// `on_device` must check that the device's entry has the same kind and size. If that entry describes a variable (see
/// [`Indirect`]), `on_device` must read the variable from the device's memory, as [`OnHost::find`] does for a device
/// that shares the host's memory. If an entry is invalid or `on_device` fails, the iterator yields the error instead of
/// a pair.
pub fn indirect_functions<'i>(
    host: Entries<'i>,
    mut on_device: impl FnMut(&Entry<'i>) -> Result<Option<u64>, MapError>,
) -> impl Iterator<Item = Result<FunctionPair, MapError>> {
    host.map(move |entry| {
        let pointers = match entry.indirect()? {
            None => return Ok(None),
            Some(Indirect::Function | Indirect::FunctionItself) => 1,
            Some(Indirect::Vtable) => entry.size / 8,
        };
        let target = on_device(&entry)?.filter(|&target| target != 0);
        Ok(target.map(|target| {
            (0..pointers).map(move |number| FunctionPair {
                host: entry.address.wrapping_add(8 * number),
                target: target.wrapping_add(8 * number),
            })
        }))
    })
    .flat_map(|pairs| {
        let (pairs, error) = match pairs {
            Ok(pairs) => (pairs, None),
            Err(error) => (None, Some(Err(error))),
        };
        pairs.into_iter().flatten().map(Ok).chain(error)
    })
}

/// The entries of a device image, sorted by name, for a device that shares the host's memory.
#[derive(Clone, Copy, Debug)]
pub struct OnHost<'e, 'i>(&'e [Entry<'i>]);

impl<'e, 'i> OnHost<'e, 'i> {
    /// Sorts the entries of a device image.
    ///
    /// # Errors
    /// Fails if [`Entry::indirect`] fails for any entry, with the same error.
    pub fn new(entries: &'e mut [Entry<'i>]) -> Result<Self, MapError> {
        entries.iter().try_for_each(|entry| entry.indirect().map(drop))?;
        entries.sort_unstable_by_key(|entry| (entry.by_name(), entry.address, entry.size, entry.flags));
        Ok(OnHost(entries))
    }

    /// Returns the device address for a host entry, or `None` if the device has no entry with the same name. The device
    /// address is the one in the device's entry or, if that entry describes a variable, the variable's value. A vtable
    /// entry of size 8 describes a variable. The vtable's size on the device is then unknown, and is not compared with
    /// the host's.
    ///
    /// # Errors
    /// [`MapError::Entry`], with the device entry's values, if one entry describes a function and the other a vtable,
    /// or if the two vtables differ in size; [`MapError::Conflict`] if two device entries have this name but differ. If
    /// [`Entry::indirect`] fails for one of the entries, its error is returned.
    ///
    /// # Safety
    /// If a device entry describes a variable, 8 bytes must be readable at the entry's address.
    pub unsafe fn find(&self, host: &Entry<'_>) -> Result<Option<u64>, MapError> {
        let before = self.0.partition_point(|entry| entry.by_name() < (host.name, false));
        let after = self.0.partition_point(|entry| entry.by_name() <= (host.name, false));
        let found = self.0.get(before..after).unwrap_or_default();
        let (Some(first), Some(last)) = (found.first(), found.last()) else { return Ok(None) };
        let form = |entry: &Entry<'_>| (entry.address, entry.size, entry.flags);
        // The entries are sorted, so if the first and the last are equal, all entries between them are also equal.
        if form(first) != form(last) {
            return Err(MapError::Conflict(host.address));
        }
        let is_vtable = |of| of == Some(Indirect::Vtable);
        let (here, there) = (host.indirect()?, first.indirect()?);
        let fits = !is_vtable(there) || first.size == 8 || first.size == host.size;
        if is_vtable(here) != is_vtable(there) || !fits {
            return Err(MapError::Entry { flags: first.flags, size: first.size });
        }
        if there == Some(Indirect::FunctionItself) || first.size > 8 {
            return Ok(Some(first.address));
        }
        let variable = core::ptr::with_exposed_provenance::<u64>(first.address as usize);
        // SAFETY: the caller upholds the safety contract.
        Ok(Some(unsafe { variable.read_unaligned() }))
    }
}

impl<'i> Entry<'i> {
    /// Returns an entry's sort key: its name, then whether it describes neither a procedure nor a vtable, so that such
    /// entries sort last.
    fn by_name(&self) -> (&'i CStr, bool) {
        (self.name, self.flags & (INDIRECT | INDIRECT_VTABLE) == 0)
    }
}
