//! Function pointers on OpenMP devices: run-time support for `declare target indirect` (OpenMP 5.2, section 7.8.3; the
//! LLVM document "declare target indirect").
//!
//! A device has its own version of a procedure at a different address, but a pointer that comes from the host contains
//! the host address. Before a call, device code therefore looks up the pointer in the device's table of
//! [`FunctionPair`]s (`__omp_offloading_fptr_map_ty`), made from the entries that compilers store in both images
//! ([`Entries`]).
//!
//! - [`SortedFunctions`]: a checked and sorted table in memory that the program provides, for example in a program
//!   without an allocator;
//! - [`FunctionMap`]: a table that is replaced while other threads read it;
//! - [`on_device`]: the device versions of a trampoline's callee and chain.
//!
//! # Trampolines on devices
//! A trampoline itself cannot be used on a device, because its stub is host code that reads the host's slots and jumps
//! to the host's callee. However, its two parts have device versions: the callee is looked up in the table of
//! functions, and the chain is translated like any pointer to mapped memory (`omp_get_mapped_ptr`).
//!
//! | device | use of the two parts on the device |
//! |---|---|
//! | runs code of the host's architecture, in this process or another (LLVM's host plugin) | a trampoline is made from them, using the table of stubs in the device's image: [`Trampoline::new`](statictramp::Trampoline::new), or `statictramp_bind` for a context in an argument |
//! | a GPU | calls have no static chain, images have no table of stubs, and thousands of threads would share the slots: both parts are passed unchanged to code that takes a procedure and a context. The address of a plain procedure is translated like any other |

mod entries;
#[cfg(any(target_has_atomic = "64", loom))]
mod map;
mod sorted;
mod trampolines;
#[cfg(any(target_has_atomic = "64", loom))]
mod variables;

pub use entries::{Entries, Entry, EntryLayout, Indirect, OnHost, indirect_functions};
#[cfg(all(feature = "alloc", any(target_has_atomic = "64", loom)))]
pub use map::Heap;
#[cfg(any(target_has_atomic = "64", loom))]
pub use map::{FunctionMap, TableMemory};
pub use sorted::SortedFunctions;
pub use trampolines::{OnDevice, OnDeviceError, on_device};
#[cfg(any(target_has_atomic = "64", loom))]
#[doc(hidden)]
pub use variables::{show_table, written_table};

use core::fmt;
use core::ptr::NonNull;

/// The host address of a procedure, and the address of its version on a device (`__omp_offloading_fptr_map_ty`).
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FunctionPair {
    /// The address on the host, which is the key.
    pub host: u64,
    /// The address on the device.
    pub target: u64,
}

/// Maximum number of pairs in a table.
pub const MOST_FUNCTIONS: usize = 1 << 20;

/// An error in a table of pairs or in offload entries, or another failure to set a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum MapError {
    /// The table's address is null, but its pair count is not 0.
    Null,
    /// The table's address is not a multiple of 8.
    Misaligned,
    /// The table has more than [`MOST_FUNCTIONS`] pairs.
    TooMany(u64),
    /// The pair with this zero-based index has a null host address.
    NullHost(usize),
    /// The pair with this zero-based index has a null device address.
    NullTarget(usize),
    /// Two pairs map this host address to different device addresses, or two device entries for the function at this
    /// host address have the same name but differ.
    Conflict(u64),
    /// [`SortedFunctions::in_order`] requires sorted pairs, but up to the pair with this zero-based index, they ascend
    /// neither as unsigned nor as signed numbers.
    Order(usize),
    /// No device has this number.
    Device(i32),
    /// Not enough memory for the table.
    NoMemory,
    /// An entry whose flags mark a procedure or a vtable has an invalid size, or does not match the host entry of the
    /// same name.
    Entry {
        /// The entry's flags.
        flags: u32,
        /// The entry's size in bytes.
        size: u64,
    },
    /// An entry has an unknown version.
    EntryVersion(u16),
}

impl MapError {
    /// Returns the text of the error, without the numbers that [`Display`](fmt::Display) adds.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Null => "the table is null although it has entries",
            Self::Misaligned => "the table is not aligned",
            Self::TooMany(_) => "a table can have at most 1,048,576 entries, but this one has",
            Self::NullHost(_) => "the host's address is null in entry",
            Self::NullTarget(_) => "the device's address is null in entry",
            Self::Conflict(_) => "two entries have different device addresses for the host address",
            Self::Order(_) => "the host addresses are not in ascending order at entry",
            Self::Device(_) => "the device number is invalid",
            Self::NoMemory => "not enough memory for the table",
            Self::Entry { .. } => "unknown offload entry format with flags and size",
            Self::EntryVersion(_) => "unknown offload entry version",
        }
    }
}

impl fmt::Display for MapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason())?;
        match self {
            Self::Null | Self::Misaligned | Self::NoMemory => Ok(()),
            Self::TooMany(count) => write!(f, " {count}"),
            Self::NullHost(index) | Self::NullTarget(index) | Self::Order(index) => write!(f, " {index}"),
            Self::Conflict(host) => write!(f, " {host:#x}"),
            Self::Device(number) => write!(f, ": {number}"),
            Self::Entry { flags, size } => write!(f, " {flags:#x} and {size}"),
            Self::EntryVersion(version) => write!(f, " {version}"),
        }
    }
}

impl core::error::Error for MapError {}

/// Returns the `count` pairs at an address passed by a run-time library.
///
/// # Errors
/// [`MapError::TooMany`], [`MapError::Null`] or [`MapError::Misaligned`]. In all three cases, nothing is read.
///
/// # Safety
/// If the address is non-null and aligned, and `count` is at most [`MOST_FUNCTIONS`], `count` pairs must be readable
/// there and must not be written while the result is used. A table that a [`FunctionMap`] has passed to a callback does
/// not meet this condition, because the map may overwrite that table's memory.
pub unsafe fn table<'t>(count: u64, first: *const FunctionPair) -> Result<&'t [FunctionPair], MapError> {
    let pairs = checked_table(count, first)?;
    // SAFETY: the caller upholds the safety contract. The address is aligned and non-null, even if the table is empty.
    Ok(unsafe { pairs.as_ref() })
}

/// Like [`table`], but creates no reference and reads nothing.
///
/// # Errors
/// Same as for [`table`].
#[doc(hidden)]
pub fn checked_table(count: u64, first: *const FunctionPair) -> Result<NonNull<[FunctionPair]>, MapError> {
    if count == 0 {
        return Ok(NonNull::slice_from_raw_parts(NonNull::dangling(), 0));
    }
    let first = NonNull::new(first.cast_mut()).ok_or(MapError::Null)?;
    if count > MOST_FUNCTIONS as u64 {
        return Err(MapError::TooMany(count));
    }
    if !first.is_aligned() {
        return Err(MapError::Misaligned);
    }
    Ok(NonNull::slice_from_raw_parts(first, count as usize))
}
