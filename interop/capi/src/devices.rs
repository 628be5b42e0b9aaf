//! The function maps, one for each device, and the choice of the device whose map a lookup uses.

use crate::image::{Image, object_at};
use crate::variables;
use core::alloc::Layout;
use core::ffi::c_int;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use statictramp_interop::offload::{FunctionMap, FunctionPair, MapError, SortedFunctions, TableMemory};

/// libc's heap.
struct Malloc;

// SAFETY: `malloc` returns null or memory that no other code uses, aligned for the 8-byte words of a table.
unsafe impl TableMemory for Malloc {
    fn allocate(&self, layout: Layout) -> *mut u8 {
        // SAFETY: `malloc` accepts any number of bytes.
        unsafe { libc::malloc(layout.size()) }.cast()
    }

    unsafe fn free(&self, memory: *mut u8, _: Layout) {
        // SAFETY: the caller upholds the safety contract.
        unsafe { libc::free(memory.cast()) }
    }
}

/// The functions of a device and, if its code is in this process, the pages of the code.
struct Device {
    functions: FunctionMap<Malloc>,
    image: Image,
}

/// Maximum number of devices.
const MOST_DEVICES: usize = 64;

static DEVICES: [Device; MOST_DEVICES] =
    [const { Device { functions: FunctionMap::with_memory(Malloc), image: Image::none() } }; MOST_DEVICES];

/// The index of the device whose table was set last.
///
/// Relaxed: no other data depends on it. The caller of device code has set the device's table before the call, and the
/// map orders all other accesses.
static LAST: AtomicUsize = AtomicUsize::new(0);

/// The highest number of a device whose table was ever set, plus one. Relaxed, for the same reason as `LAST`.
static USED: AtomicUsize = AtomicUsize::new(0);

fn of_number(device: c_int) -> Result<(usize, &'static Device), MapError> {
    let known = usize::try_from(device).ok().and_then(|number| Some((number, DEVICES.get(number)?)));
    known.ok_or(MapError::Device(device))
}

/// A lock that is held while a table is set, so that `LAST` and the symbols `__omp_offloading_fptr_map_p` and `_size`
/// describe the same table.
static SETTING: spin::Mutex<()> = spin::Mutex::new(());

/// Sets the table of a device.
///
/// # Safety
/// The pairs must be readable until this function returns.
pub(crate) unsafe fn set(device: c_int, pairs: NonNull<[FunctionPair]>) -> Result<(), MapError> {
    let (number, device) = of_number(device)?;
    let _held = SETTING.lock();
    let publish = |sorted: SortedFunctions<'_>| {
        device.image.set(sorted.pairs().first().and_then(|pair| object_at(pair.target)));
        LAST.store(number, Relaxed);
        variables::show(&USED, number + 1, sorted);
    };
    // SAFETY: the caller upholds the safety contract.
    unsafe { device.functions.set_and(pairs, publish) }
}

/// Returns the device address of a function, or `None` if the device's table does not contain the function.
pub(crate) fn find(device: c_int, host: u64) -> Result<Option<u64>, MapError> {
    of_number(device).map(|(_, device)| device.functions.find(host))
}

/// Returns the address of a function on the device on which the caller runs: the device whose image contains the caller
/// or else the device whose table was set last. If no function in this copy of the library has set a table, uses the
/// table that a plugin has stored in the image's variables. Returns the host address if the function is not in the table.
pub(crate) extern "C" fn translate(host: u64, caller: u64) -> u64 {
    if USED.load(Relaxed) == 0
        && let Some(written) = variables::written(&USED, caller)
    {
        return variables::find(written, host).unwrap_or(host);
    }
    let own = DEVICES.iter().take(USED.load(Relaxed)).find(|device| device.image.contains(caller));
    match own.or_else(|| DEVICES.get(LAST.load(Relaxed))) {
        Some(device) => device.functions.translate(host),
        None => host,
    }
}
