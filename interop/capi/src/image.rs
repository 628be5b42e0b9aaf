//! Programs and libraries in this process: a search for the object that contains an address, and for variables that the
//! object exports.

use core::ffi::{CStr, c_int, c_void};
use core::mem::transmute;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use statictramp_capi::for_interop::{Symbol, dl_iterate_phdr, find_symbol, program_headers};

/// The pages of an object: the number of the first page and the number of pages, in one word, so that readers see both
/// or neither. All accesses are Relaxed, since no other data depends on it.
pub(crate) struct Image(AtomicU64);

const PAGE_BITS: u32 = 12;
const COUNT_BITS: u32 = 28;

impl Image {
    /// Makes an image without recorded pages.
    pub(crate) const fn none() -> Image {
        Image(AtomicU64::new(0))
    }

    /// Records the pages of an object, if there is one and it is not too large for the word.
    pub(crate) fn set(&self, object: Option<Object>) {
        let word = object.and_then(|Object { start, end, .. }| {
            let first = start >> PAGE_BITS;
            let count = (end >> PAGE_BITS) + 1 - first;
            let fits = first < 1 << (u64::BITS - COUNT_BITS) && count < 1 << COUNT_BITS;
            fits.then_some(first << COUNT_BITS | count)
        });
        self.0.store(word.unwrap_or(0), Relaxed);
    }

    /// Returns true if no pages are recorded.
    pub(crate) fn is_none(&self) -> bool {
        self.0.load(Relaxed) == 0
    }

    pub(crate) fn contains(&self, address: u64) -> bool {
        let word = self.0.load(Relaxed);
        let (first, count) = (word >> COUNT_BITS, word & ((1 << COUNT_BITS) - 1));
        (address >> PAGE_BITS).wrapping_sub(first) < count
    }
}

/// A loaded program or library.
#[derive(Clone, Copy)]
pub(crate) struct Object {
    /// The addresses of the object's first and last bytes.
    start: u64,
    end: u64,
    /// The difference between the object's run-time and link-time addresses.
    base: u64,
    /// The address of the object's dynamic section, or 0.
    dynamic: u64,
}

/// Returns the object that contains an address.
pub(crate) fn object_at(address: u64) -> Option<Object> {
    struct Search {
        address: u64,
        found: Option<Object>,
    }

    unsafe extern "C" fn look(object: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
        // SAFETY: the caller passes a loaded object with its program headers, and the address of a `Search`.
        let (object, search, headers) = unsafe {
            let object = &*object;
            let headers = core::slice::from_raw_parts(object.dlpi_phdr, object.dlpi_phnum.into());
            (object, &mut *search.cast::<Search>(), headers)
        };
        let range = |header: &libc::Elf64_Phdr| {
            let start = object.dlpi_addr.wrapping_add(header.p_vaddr);
            (start, start.wrapping_add(header.p_memsz.saturating_sub(1)))
        };
        let segments = headers.iter().filter(|header| header.p_type == libc::PT_LOAD).map(range);
        if !segments.clone().any(|(start, end)| (start..=end).contains(&search.address)) {
            return 0;
        }
        let dynamic = headers.iter().find(|header| header.p_type == libc::PT_DYNAMIC);
        search.found = segments.reduce(|(start, end), other| (start.min(other.0), end.max(other.1))).map(
            |(start, end)| Object {
                start,
                end,
                base: object.dlpi_addr,
                dynamic: dynamic.map_or(0, |header| range(header).0),
            },
        );
        1
    }

    type Look = unsafe extern "C" fn(*mut libc::dl_phdr_info, usize, *mut c_void) -> c_int;
    let mut search = Search { address, found: None };
    let argument = (&raw mut search).cast();
    // SAFETY: the callback receives valid arguments from libc or, if there is no loader, from this function, which
    // passes the program's headers, because the program is the only object.
    unsafe {
        if let Some(iterate) = dl_iterate_phdr() {
            let iterate: unsafe extern "C" fn(Look, *mut c_void) -> c_int = transmute(iterate);
            iterate(look, argument);
        } else {
            let (headers, moved_by) = program_headers();
            let mut program: libc::dl_phdr_info = core::mem::zeroed();
            program.dlpi_addr = moved_by as u64;
            (program.dlpi_phdr, program.dlpi_phnum) = (headers.as_ptr(), headers.len() as u16);
            look(&raw mut program, 0, argument);
        }
    }
    search.found
}

/// The symbol type of a variable.
const STT_OBJECT: u8 = 1;

impl Object {
    /// Returns the address of an 8-byte variable that the object itself exports. Unlike `dlsym`, searches no other
    /// object, and does not change the result of `dlerror` on failure.
    ///
    /// # Safety
    /// The object must be loaded, and must stay loaded during the call.
    pub(crate) unsafe fn word(&self, name: &CStr) -> Option<*mut u64> {
        let fits = |symbol: &Symbol| symbol.st_info & 0xf == STT_OBJECT && symbol.st_size == 8;
        // SAFETY: the caller guarantees that the object is loaded.
        let symbol = unsafe { find_symbol(|tag| self.table(tag as u64), name, fits)? };
        let address =
            core::ptr::with_exposed_provenance_mut::<u64>(self.base.wrapping_add(symbol.st_value) as usize);
        address.is_aligned().then_some(address)
    }

    /// Returns the address of the table with a given tag in the dynamic section.
    ///
    /// # Safety
    /// Same as for [`word`](Object::word).
    unsafe fn table(&self, tag: u64) -> Option<usize> {
        if self.dynamic == 0 {
            return None;
        }
        let mut at = core::ptr::with_exposed_provenance::<[u64; 2]>(self.dynamic as usize);
        loop {
            // SAFETY: the section ends with an entry whose tag is 0.
            match unsafe { at.read() } {
                [0, _] => return None,
                // Some loaders have already added the base to the value.
                [found, value] if found == tag => {
                    let relocated = (self.start..=self.end).contains(&value);
                    return Some(if relocated { value } else { self.base.wrapping_add(value) } as usize);
                }
                _ => at = at.wrapping_add(1),
            }
        }
    }
}
