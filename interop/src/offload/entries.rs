//! The entries that compilers leave in the images of host and device, in the sections `omp_offloading_entries` and
//! `llvm_offload_entries` (between `__start_` and `__stop_` of the section's name).
//!
//! An entry of a procedure has one of two forms, told apart by its size. LLVM's document "declare target indirect" has the
//! procedure's own address in either image, and a size of 0. Clang writes the size of a pointer, and in the device's image
//! the address of a variable that holds the procedure's.

use super::{FunctionPair, MapError};
use core::ffi::{CStr, c_char};

/// The layout of entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntryLayout {
    /// `omp_offloading_entries`, up to LLVM 20: 32 bytes.
    Llvm19,
    /// `llvm_offload_entries`, from LLVM 21 on: 56 bytes, with a version and a kind.
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

// A word is 8 bytes where programs offload.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<EntryOf19>() == 32 && size_of::<EntryOf22>() == 56);

/// The version and the kind of OpenMP's entries.
const VERSION: u16 = 1;
const OPENMP: u16 = 1;

/// Flags of entries.
const INDIRECT: u32 = 0x08;
const INDIRECT_VTABLE: u32 = 0x20;

/// What an entry is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Indirect {
    /// A procedure that is called indirectly. In the device's image the entry is of a variable that holds its address.
    Function,
    /// A procedure that is called indirectly. In the device's image, too, the entry is of the procedure itself.
    FunctionItself,
    /// A table of virtual functions. In the device's image the entry is of a variable that holds its address, or of the table.
    /// Clang 22 leaves an entry of the table with another name there, and the host's name is that of a variable which the
    /// image exports and which holds the table's address.
    Vtable,
}

/// An entry.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'i> {
    /// Of what the entry is about, in its own image.
    pub address: u64,
    /// Equal in all images.
    pub name: &'i CStr,
    /// In bytes: of a function's entry 0 or that of a pointer, of a vtable's all of it, of a region's 0.
    pub size: u64,
    /// Bits that say what it is.
    pub flags: u32,
    version: u16,
}

impl Entry<'_> {
    /// Whether it is of a procedure or a vtable; `None` if it is of neither.
    ///
    /// # Errors
    /// [`MapError::EntryVersion`], [`MapError::Entry`] if its flags say that it is, but its size does not fit.
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

/// The entries of an image, in their order; without those of other languages. One of another version has no name.
#[derive(Clone, Debug)]
pub struct Entries<'i> {
    layout: EntryLayout,
    next: *const u8,
    /// Bytes.
    left: usize,
    image: core::marker::PhantomData<&'i CStr>,
}

impl Entries<'_> {
    /// From the first to where the last one ends. A part of an entry at the end is not looked at.
    ///
    /// # Safety
    /// What lies between the two can be read and is entries of this layout, whose names are null or strings that end with
    /// 0, for as long as the result and what it gives are used.
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
            // SAFETY: the promise of `new`; what is left has room for one.
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
            // Some linkers leave gaps of zeroes between the entries of two files.
            if !name.is_null() {
                // SAFETY: the promise of `new`.
                return Some(Entry { address, name: unsafe { CStr::from_ptr(name) }, size, flags, version });
            }
        }
        None
    }
}

/// The pairs of what may be called indirectly: one for each procedure, and one for each pointer of each vtable.
///
/// `on_device` says where the device has what an entry of the host is of: a procedure's address, or a vtable's. What it does
/// not know has no pair. Where the device's entry is of a variable ([`Indirect::Function`], [`Indirect::Vtable`]), a runtime
/// reads that from the device's memory; on a device that shares the host's, [`OnHost::find`] does. Whether the device's entry
/// is of the same kind and size is for `on_device` to see. An error of an entry or of `on_device` comes in its pair's place.
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

/// The entries of a device's image that shares the host's memory, by name.
#[derive(Clone, Copy, Debug)]
pub struct OnHost<'e, 'i>(&'e [Entry<'i>]);

impl<'e, 'i> OnHost<'e, 'i> {
    /// Puts entries in order.
    ///
    /// # Errors
    /// Those of [`Entry::indirect`], of any entry.
    pub fn new(entries: &'e mut [Entry<'i>]) -> Result<Self, MapError> {
        entries.iter().try_for_each(|entry| entry.indirect().map(drop))?;
        entries.sort_unstable_by_key(|entry| (entry.by_name(), entry.address, entry.size, entry.flags));
        Ok(OnHost(entries))
    }

    /// The device's address of what an entry of the host is of: that of the device's entry of the same name, or what the
    /// variable holds that this is of. An entry of a vtable is of a variable if its size is 8, else of the table itself;
    /// how large a table is that a variable points to is not known.
    ///
    /// # Errors
    /// [`MapError::Entry`], of the device's, if one is of a function and the other of a vtable, or they are of vtables of
    /// different sizes; [`MapError::Conflict`] if entries of the name differ; those of [`Entry::indirect`].
    ///
    /// # Safety
    /// 8 bytes can be read at the address of each entry of a variable that holds an address.
    pub unsafe fn find(&self, host: &Entry<'_>) -> Result<Option<u64>, MapError> {
        let before = self.0.partition_point(|entry| entry.by_name() < (host.name, false));
        let after = self.0.partition_point(|entry| entry.by_name() <= (host.name, false));
        let found = self.0.get(before..after).unwrap_or_default();
        let (Some(first), Some(last)) = (found.first(), found.last()) else { return Ok(None) };
        let form = |entry: &Entry<'_>| (entry.address, entry.size, entry.flags);
        // They are in order, so that what lies between two equal ones is equal.
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
        // SAFETY: the caller's promise.
        Ok(Some(unsafe { variable.read_unaligned() }))
    }
}

impl<'i> Entry<'i> {
    /// What is looked for: entries that are of neither a procedure nor a vtable come after the others of their name.
    fn by_name(&self) -> (&'i CStr, bool) {
        (self.name, self.flags & (INDIRECT | INDIRECT_VTABLE) == 0)
    }
}
