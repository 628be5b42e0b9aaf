//! The maps of functions, one for each device, and which of them a caller means.

use crate::c_library::{Function, program_headers};
use core::alloc::Layout;
use core::ffi::{c_int, c_void};
use core::mem::transmute;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use statictramp_interop::offload::{FunctionMap, FunctionPair, MapError, SortedFunctions, TableMemory};

/// The C library's heap.
struct Malloc;

// SAFETY: `malloc` keeps what the trait asks for; its memory is aligned for every word.
unsafe impl TableMemory for Malloc {
    fn allocate(&self, layout: Layout) -> *mut u8 {
        // SAFETY: any number of bytes may be asked for.
        unsafe { libc::malloc(layout.size()) }.cast()
    }

    unsafe fn free(&self, memory: *mut u8, _: Layout) {
        // SAFETY: handed on.
        unsafe { libc::free(memory.cast()) }
    }
}

/// A device: its functions, and where in this process its code lies, if it does.
struct Device {
    functions: FunctionMap<Malloc>,
    image: Image,
}

/// The most devices there can be.
const MOST_DEVICES: usize = 64;

static DEVICES: [Device; MOST_DEVICES] =
    [const { Device { functions: FunctionMap::with_memory(Malloc), image: Image(AtomicU64::new(0)) } };
        MOST_DEVICES];

/// The number of the device whose table was set last.
///
/// Relaxed: a number by itself. Whoever calls device code has set its table before, and the map orders the rest.
static LAST: AtomicUsize = AtomicUsize::new(0);

/// One more than the highest number of a device whose table was ever set. Relaxed: as `LAST`.
static USED: AtomicUsize = AtomicUsize::new(0);

fn of_number(device: c_int) -> Result<(usize, &'static Device), MapError> {
    let known = usize::try_from(device).ok().and_then(|number| Some((number, DEVICES.get(number)?)));
    known.ok_or(MapError::Device(device))
}

/// Held while a table is set, so that `LAST` and the symbols `__omp_offloading_fptr_map_p` and `_size` tell of the same one.
static SETTING: spin::Mutex<()> = spin::Mutex::new(());

/// Sets the table of a device.
///
/// # Safety
/// The pairs can be read.
pub(crate) unsafe fn set(device: c_int, pairs: NonNull<[FunctionPair]>) -> Result<(), MapError> {
    let (number, device) = of_number(device)?;
    let _held = SETTING.lock();
    let tell = |sorted: SortedFunctions<'_>| {
        device.image.set(sorted.pairs());
        USED.fetch_max(number + 1, Relaxed);
        LAST.store(number, Relaxed);
        show(sorted);
    };
    // SAFETY: the caller's promise.
    unsafe { device.functions.set_and(pairs, tell) }
}

/// A function's address on a device.
pub(crate) fn find(device: c_int, host: u64) -> Result<Option<u64>, MapError> {
    of_number(device).map(|(_, device)| device.functions.find(host))
}

/// A function's address on the device that the caller runs on: the one in whose image it lies, else the one whose table was
/// set last. The host's address if it is not in the table.
pub(crate) extern "C" fn translate(host: u64, caller: u64) -> u64 {
    let used = DEVICES.iter().take(USED.load(Relaxed));
    let own = used.clone().find(|device| device.image.contains(caller));
    match own.or_else(|| DEVICES.get(LAST.load(Relaxed))) {
        Some(device) => device.functions.translate(host),
        None => host,
    }
}

/// Where the image of a device lies, if it was loaded into this process, as LLVM's host plugin does: its first page and
/// how many there are, in one word, so that nobody sees half of it.
struct Image(AtomicU64);

const PAGE_BITS: u32 = 12;
const COUNT_BITS: u32 = 28;

impl Image {
    /// Of the object that the functions lie in. Relaxed: a word by itself.
    fn set(&self, pairs: &[FunctionPair]) {
        let word = pairs.first().and_then(|pair| object_of(pair.target)).and_then(|(start, end)| {
            let first = start >> PAGE_BITS;
            let count = (end >> PAGE_BITS) + 1 - first;
            let fits = first < 1 << (u64::BITS - COUNT_BITS) && count < 1 << COUNT_BITS;
            fits.then_some(first << COUNT_BITS | count)
        });
        self.0.store(word.unwrap_or(0), Relaxed);
    }

    fn contains(&self, address: u64) -> bool {
        let word = self.0.load(Relaxed);
        let (first, count) = (word >> COUNT_BITS, word & ((1 << COUNT_BITS) - 1));
        (address >> PAGE_BITS).wrapping_sub(first) < count
    }
}

/// From the first to the last byte of the program or library that an address lies in.
fn object_of(address: u64) -> Option<(u64, u64)> {
    struct Search {
        address: u64,
        found: Option<(u64, u64)>,
    }

    unsafe extern "C" fn look(object: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
        // SAFETY: the C library passes an object that is loaded, with its headers, and what it was given.
        let (object, search, headers) = unsafe {
            let object = &*object;
            let headers = core::slice::from_raw_parts(object.dlpi_phdr, object.dlpi_phnum.into());
            (object, &mut *search.cast::<Search>(), headers)
        };
        let segments = headers.iter().filter(|header| header.p_type == libc::PT_LOAD).map(|header| {
            let start = object.dlpi_addr.wrapping_add(header.p_vaddr);
            (start, start.wrapping_add(header.p_memsz.saturating_sub(1)))
        });
        if !segments.clone().any(|(start, end)| (start..=end).contains(&search.address)) {
            return 0;
        }
        search.found = segments.reduce(|(start, end), other| (start.min(other.0), end.max(other.1)));
        1
    }

    type Look = unsafe extern "C" fn(*mut libc::dl_phdr_info, usize, *mut c_void) -> c_int;
    let mut search = Search { address, found: None };
    let argument = (&raw mut search).cast();
    // SAFETY: the routine is given what it expects: by the C library, or here with the headers of the program, which is all
    // that there is without a loader.
    unsafe {
        if let Some(iterate) = Function::DlIteratePhdr.address() {
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

// The table that was set last, for those who know it by these names. They are weak, so that compilers may define them
// in each file; stable Rust has no word for that.
core::arch::global_asm!(
    ".pushsection .bss.__omp_offloading_fptr_map, \"aw\", %nobits",
    ".balign 8",
    ".irp name, p, size",
    ".weak __omp_offloading_fptr_map_\\name",
    ".type __omp_offloading_fptr_map_\\name, %object",
    ".size __omp_offloading_fptr_map_\\name, 8",
    "__omp_offloading_fptr_map_\\name:",
    ".zero 8",
    ".endr",
    ".popsection",
);

unsafe extern "C" {
    #[link_name = "__omp_offloading_fptr_map_p"]
    safe static TABLE: AtomicU64;
    #[link_name = "__omp_offloading_fptr_map_size"]
    safe static SIZE: AtomicU64;
}

/// Shows a table under the names above. Relaxed: they are for readers that run while no table is set.
fn show(sorted: SortedFunctions<'_>) {
    TABLE.store(sorted.pairs().as_ptr().expose_provenance() as u64, Relaxed);
    SIZE.store(sorted.pairs().len() as u64, Relaxed);
}
