//! Function pointers on OpenMP devices: functions declared in `statictramp_interop.h`, and the interface described in
//! LLVM's document "declare target indirect". One function in that interface has a second name, which is used by LLVM's
//! device code.

use crate::devices;
use crate::image::object_at;
use crate::invalid_table;
use core::ffi::{c_int, c_void};
use statictramp_capi::for_interop::{self, StatictrampFn, address, function};
use statictramp_interop::offload::{
    Entries, Entry, EntryLayout, FunctionPair, MOST_FUNCTIONS, MapError, OnDeviceError, OnHost,
    checked_table, indirect_functions, on_device,
};

/// An error in a table of pairs. On error, the previous table remains in use.
#[repr(C)]
pub enum StatictrampMapError {
    /// No error: the table is in use.
    Set = 0,
    /// A non-empty table is NULL or not aligned to 8 bytes, or exactly one of a section's two bounds is NULL.
    Table,
    /// The table has more than 1,048,576 entries.
    TooMany,
    /// An entry has the host address 0.
    NullHost,
    /// An entry has the device address 0.
    NullTarget,
    /// Two entries have different device addresses for the same host address, or two entries in a device image have the
    /// same name but differ.
    Conflict,
    /// The device does not exist. Devices are numbered from 0 to 63.
    Device,
    /// Not enough memory for the table.
    NoMemory,
    /// The size of an entry is neither 32 nor 56.
    Layout,
    /// An entry has an unknown version, or records an invalid size for a procedure or a vtable, or does not match the
    /// entry with the same name in the other image. (A procedure's size must be 0 or 8, and a vtable's size must be a
    /// multiple of 8.)
    Entry,
}

impl From<Result<(), MapError>> for StatictrampMapError {
    fn from(result: Result<(), MapError>) -> Self {
        match result {
            Ok(()) => Self::Set,
            Err(MapError::Null | MapError::Misaligned) => Self::Table,
            Err(MapError::TooMany(_)) => Self::TooMany,
            Err(MapError::NullHost(_)) => Self::NullHost,
            Err(MapError::NullTarget(_)) => Self::NullTarget,
            Err(MapError::Conflict(_)) => Self::Conflict,
            Err(MapError::Device(_)) => Self::Device,
            Err(MapError::Entry { .. } | MapError::EntryVersion(_)) => Self::Entry,
            Err(_) => Self::NoMemory,
        }
    }
}

/// Sets the table of a device to copies of `count` pairs, which may be in any order. Equal pairs are merged, and a
/// count of 0 empties the table. Other threads may look up addresses concurrently. Not async-signal-safe.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_set_functions(
    device: c_int,
    count: u64,
    pairs: *const FunctionPair,
) -> StatictrampMapError {
    // SAFETY: the contract in the doc comment requires `count` pairs.
    unsafe { set(device, count, pairs) }.into()
}

/// Sets a device's table. `pairs` may be the address that `__omp_offloading_fptr_map_p` contains, or an address that it
/// contained earlier.
///
/// # Safety
/// If the address is non-null and aligned, and `count` is at most [`MOST_FUNCTIONS`], `count` pairs must be readable
/// there.
unsafe fn set(device: c_int, count: u64, pairs: *const FunctionPair) -> Result<(), MapError> {
    let pairs = checked_table(count, pairs)?;
    // SAFETY: the caller upholds the safety contract.
    unsafe { devices::set(device, pairs) }
}

/// Sets the table of a device that shares the host's memory (LLVM's host plugin), from the offload entries of the
/// program and of the device image. The entries are in the memory between the __start_ and __stop_ symbols of their
/// sections. `size` is the size of an entry: 32 (omp_offloading_entries, up to LLVM 20) or 56 (llvm_offload_entries,
/// since LLVM 21). If a procedure's entry in the device image records a size of 8, as emitted by clang, it describes a
/// variable that holds the procedure's address. If the size is 0, as documented by LLVM, it describes the procedure
/// itself. A vtable's entry in the device image may also describe a variable, with a size of 8. Any other size in a
/// procedure's entry is an error, as are different vtable sizes in the two images, and a name that denotes a function
/// in one image and a vtable in the other. Instead of an entry, the device image may export a variable that has the
/// entry's name and holds the address, as clang 22 does for each vtable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_set_functions_of_entries(
    device: c_int,
    size: usize,
    host_start: *const c_void,
    host_stop: *const c_void,
    device_start: *const c_void,
    device_stop: *const c_void,
) -> StatictrampMapError {
    let layout = match size {
        32 => EntryLayout::Llvm19,
        56 => EntryLayout::Llvm22,
        _ => return StatictrampMapError::Layout,
    };
    if host_start.is_null() != host_stop.is_null() || device_start.is_null() != device_stop.is_null() {
        return StatictrampMapError::Table;
    }
    // SAFETY: the contract in the doc comment requires entries of this layout, and the device's entries describe
    // variables in its image.
    let (host, on_device) = unsafe {
        let entries =
            |start: *const c_void, stop: *const c_void| Entries::new(layout, start.cast(), stop.cast());
        (entries(host_start, host_stop), entries(device_start, device_stop))
    };
    // The number of pairs in the table if the device has all functions. Counting stops at one more than the maximum,
    // because a table that exceeds the maximum is rejected anyway.
    let most = indirect_functions(host.clone(), |_| Ok(Some(1))).take(MOST_FUNCTIONS + 1).count();
    let entries = on_device.clone().count();
    // SAFETY: `malloc` accepts any number of bytes, and the code writes and reads only as many entries and pairs as the
    // memory has room for. The contract in the doc comment requires that the device's entries describe valid variables,
    // and the device's image stays loaded.
    unsafe {
        let image = object_at(device_start.addr() as u64);
        let exported =
            |entry: &Entry<'_>| image.and_then(|image| image.word(entry.name)).map(|word| word.read());
        let room = libc::calloc(most.max(1), size_of::<FunctionPair>()).cast::<FunctionPair>();
        let names = libc::calloc(entries.max(1), size_of::<Entry<'_>>()).cast::<Entry<'_>>();
        let result = if room.is_null() || names.is_null() {
            Err(MapError::NoMemory)
        } else {
            (0..entries).zip(on_device).for_each(|(index, entry)| names.add(index).write(entry));
            OnHost::new(core::slice::from_raw_parts_mut(names, entries)).and_then(|on_device| {
                let mut written = 0..most;
                let target = |entry: &Entry<'_>| Ok(on_device.find(entry)?.or_else(|| exported(entry)));
                let count = indirect_functions(host, target).zip(&mut written).try_fold(
                    0,
                    |count, (pair, index)| {
                        room.add(index).write(pair?);
                        Ok(count + 1)
                    },
                )?;
                set(device, count, room)
            })
        };
        libc::free(room.cast());
        libc::free(names.cast());
        result.into()
    }
}

/// Returns the device address of a function, given its host address, or NULL if the device's table does not contain the
/// function or there is no such device. Async-signal-safe.
#[unsafe(no_mangle)]
pub extern "C" fn statictramp_function_on(device: c_int, host: StatictrampFn) -> StatictrampFn {
    let found = devices::find(device, address(host).addr() as u64).ok().flatten();
    function(core::ptr::with_exposed_provenance(found.unwrap_or(0) as usize))
}

/// The device's versions of a trampoline's callee and chain. To make an equivalent trampoline on a device that runs
/// host code, call statictramp_bind(callee, chain, position) there if the position is not negative, or
/// statictramp_alloc(callee, chain) if the position is -1.
#[repr(C)]
pub struct StatictrampOnDevice {
    /// The device's version of the callee.
    pub callee: StatictrampFn,
    /// The device address of the memory to which the chain or the context points.
    pub chain: *mut c_void,
    /// The position of the register for the context, or -1 for a static chain. From -2 to -63, the trampoline inserts
    /// the context before the caller's arguments, as with statictramp_bind_first; if the result is not returned in
    /// memory, the value is -2 minus the number of argument registers that move up. -64 means that statictramp_bind_raw
    /// made the trampoline. -65 means that statictramp_bind_types or statictramp_bind_types_last made it, and that it
    /// copies arguments; in this case, call the same function on the device, with the same types.
    pub position: c_int,
}

/// The reason why the library cannot determine a device's versions of a trampoline's callee and chain.
#[repr(C)]
pub enum StatictrampNotOnDevice {
    /// No error: the device has versions of both the callee and the chain.
    Has = 0,
    /// The pointer is not a trampoline of this copy of the library.
    Foreign,
    /// The trampoline is dead.
    Dead,
    /// The device has no version of the callee, or there is no such device.
    NoFunction,
    /// The memory to which the chain or the context points is not mapped to the device.
    NotMapped,
}

/// Determines the device's versions of a live trampoline's callee and chain; the trampoline itself cannot be
/// transferred, because its stub is host code. Any pointer may be passed. `mapped` is a function such as OpenMP's
/// omp_get_mapped_ptr, which returns the device address of host memory, or NULL if the memory is not mapped. It is not
/// called for a NULL chain or context; if `mapped` itself is NULL, no memory is treated as mapped. If `parts` is NULL,
/// nothing is stored. A GPU has neither a static chain nor stubs, so pass the callee and the chain to GPU code that
/// takes a procedure and a context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_on_device(
    device: c_int,
    trampoline: StatictrampFn,
    mapped: Option<unsafe extern "C" fn(memory: *const c_void, device: c_int) -> *mut c_void>,
    parts: *mut StatictrampOnDevice,
) -> StatictrampNotOnDevice {
    let found = on_device(
        address(trampoline),
        |host| devices::find(device, host).ok().flatten(),
        |entry, chain| {
            // SAFETY: `on_device` passes the entry and the chain that it has found for the trampoline.
            let memory = unsafe { for_interop::chain_or_context(entry, chain) };
            if memory.is_null() {
                return Some(0);
            }
            // SAFETY: the contract in the doc comment requires that `mapped` is NULL or a function of this type.
            let on = unsafe { mapped?(memory.cast_const().cast(), device) };
            (!on.is_null()).then(|| on.expose_provenance() as u64)
        },
    );
    match found {
        Ok(found) => {
            let written = StatictrampOnDevice {
                callee: function(core::ptr::with_exposed_provenance(found.callee as usize)),
                chain: core::ptr::with_exposed_provenance_mut(found.chain as usize),
                position: for_interop::position(found.entry),
            };
            if !parts.is_null() {
                // SAFETY: the contract in the doc comment requires that `parts` is NULL or writable.
                unsafe { parts.write(written) };
            }
            StatictrampNotOnDevice::Has
        }
        Err(OnDeviceError::Dead(_)) => StatictrampNotOnDevice::Dead,
        Err(OnDeviceError::NoFunction(_)) => StatictrampNotOnDevice::NoFunction,
        Err(OnDeviceError::NotMapped(_)) => StatictrampNotOnDevice::NotMapped,
        Err(_) => StatictrampNotOnDevice::Foreign,
    }
}

/// Sets a device's table. The OpenMP run-time library, which calls this function, cannot handle a failure, so on error a
/// message explains why the previous table remains in use.
#[unsafe(no_mangle)]
unsafe extern "C" fn __tgt_rtl_set_function_ptr_map(device: i32, count: u64, pairs: *const FunctionPair) {
    // SAFETY: the run-time library passes `count` pairs.
    if let Err(why) = unsafe { set(device, count, pairs) } {
        invalid_table::unchanged(device, why);
    }
}

/// Translates a function's host address to its address on the device on which the caller runs. The return address
/// identifies that device (`devices::translate`). Returns the host address if the function is not in that device's table.
/// Device code calls this before it calls through a pointer.
#[unsafe(no_mangle)]
#[unsafe(naked)]
extern "C" fn __kmpc_target_translate_fptr(host: *const ()) -> *const () {
    for_interop::go_on!(__kmpc_target_translate_fptr: return_address second, devices::translate)
}

/// LLVM's name for `__kmpc_target_translate_fptr`.
#[unsafe(no_mangle)]
#[unsafe(naked)]
extern "C" fn __llvm_omp_indirect_call_lookup(host: *const ()) -> *const () {
    for_interop::go_on!(__llvm_omp_indirect_call_lookup: return_address second, devices::translate)
}
