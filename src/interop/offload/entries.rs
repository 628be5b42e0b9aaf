//! The entries that compilers leave in the images of host and device, in the sections `omp_offloading_entries` and
//! `llvm_offload_entries` (between `__start_` and `__stop_` of the section's name).

use super::FunctionPair;
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

/// What is behind an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Indirect {
    /// A procedure that is called indirectly. In the device's image the entry is of a variable that holds its address.
    Function,
    /// A table of virtual functions. In the device's image the entry is of a variable that holds its address.
    Vtable,
}

/// An entry.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'i> {
    /// Of what the entry is about, in its own image.
    pub address: u64,
    /// The same in all images.
    pub name: &'i CStr,
    /// In bytes: of a function's entry that of a pointer, of a vtable's all of it, of a region's 0.
    pub size: u64,
    /// Bits that say what it is.
    pub flags: u32,
}

impl Entry<'_> {
    /// Whether it is of a procedure or a vtable; `None` if it is of neither, or its size is not that of one.
    pub fn indirect(&self) -> Option<Indirect> {
        match (self.flags & INDIRECT_VTABLE, self.flags & INDIRECT) {
            (0, 0) => None,
            (0, _) => (self.size == 8).then_some(Indirect::Function),
            (..) => (self.size != 0 && self.size.is_multiple_of(8)).then_some(Indirect::Vtable),
        }
    }
}

/// The entries of an image, in their order; without those of other languages and versions.
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
            let (known, address, name, size, flags) = unsafe {
                match self.layout {
                    EntryLayout::Llvm19 => {
                        let entry = at.cast::<EntryOf19>().read_unaligned();
                        (true, entry.address, entry.name, entry.size, entry.flags as u32)
                    }
                    EntryLayout::Llvm22 => {
                        let entry = at.cast::<EntryOf22>().read_unaligned();
                        let known = entry.version == VERSION && entry.kind == OPENMP;
                        (known, entry.address, entry.name, entry.size, entry.flags)
                    }
                }
            };
            // Some linkers leave gaps of zeroes between the entries of two files.
            if known && !name.is_null() {
                // SAFETY: the promise of `new`.
                return Some(Entry { address, name: unsafe { CStr::from_ptr(name) }, size, flags });
            }
        }
        None
    }
}

/// The pairs of what may be called indirectly: one for each procedure, and one for each pointer of each vtable.
///
/// `held` says what the device's variable of a name holds: of a procedure its address on the device, of a vtable the
/// address of that. What it does not know has no pair. A runtime reads it from the device's memory; on a device that shares
/// the host's, [`held_on_host`](Entries::held_on_host) does.
pub fn indirect_functions<'i>(
    host: Entries<'i>,
    mut held: impl FnMut(&'i CStr) -> Option<u64>,
) -> impl Iterator<Item = FunctionPair> {
    host.filter_map(move |entry| {
        let pointers = match entry.indirect()? {
            Indirect::Function => 1,
            Indirect::Vtable => entry.size / 8,
        };
        let target = held(entry.name).filter(|&target| target != 0)?;
        Some((0..pointers).map(move |number| FunctionPair {
            host: entry.address.wrapping_add(8 * number),
            target: target.wrapping_add(8 * number),
        }))
    })
    .flatten()
}

impl Entries<'_> {
    /// What the variable of a name holds, if these are the entries of a device's image that shares the host's memory.
    ///
    /// # Safety
    /// 8 bytes can be read at the address of each entry that is of a procedure or a vtable.
    pub unsafe fn held_on_host(&self, name: &CStr) -> Option<u64> {
        let entry = self
            .clone()
            .find(|entry| entry.name == name && entry.flags & (INDIRECT | INDIRECT_VTABLE) != 0)?;
        let variable = core::ptr::with_exposed_provenance::<u64>(entry.address as usize);
        // SAFETY: the caller's promise.
        Some(unsafe { variable.read_unaligned() })
    }
}
