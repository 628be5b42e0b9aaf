//! Function pointers on OpenMP's devices: what `declare target indirect` needs at run time (OpenMP 5.2, section 7.8.3;
//! LLVM's document "declare target indirect").
//!
//! A device has its own version of a procedure, at an address of its own, while a pointer to the procedure that comes
//! from the host holds the host's address. So code on the device looks the address up before it calls: in a table of
//! [`FunctionPair`]s (`__omp_offloading_fptr_map_ty`), made of the entries that compilers leave in both images
//! ([`Entries`]), one for each device.
//!
//! - [`SortedFunctions`]: such a table that the program owns, checked and put in order; without an allocator;
//! - [`FunctionMap`]: one that is replaced while other threads read it;
//! - [`on_device`]: what of a trampoline goes to a device.
//!
//! # Trampolines on devices
//! A trampoline cannot go to a device as it is: its stub is the host's code, which reads the host's slots, and enters the
//! host's callee. What can go is what it was made of, each part in its device's version: the callee by the table of
//! functions, the chain by whatever has mapped the memory it points to (`omp_get_mapped_ptr`).
//!
//! | device | what can be done with the two parts there |
//! |---|---|
//! | runs code of the host's kind, in this process or another (LLVM's host plugin) | a trampoline is made of them, from the table in the device's image: [`Trampoline::new`](statictramp::Trampoline::new), or `statictramp_bind` for a context in an argument |
//! | a GPU | its calls have no static chain, its images no table of stubs, and threads by the thousand would share the slots: the two go, as they are, to code that takes a procedure and a context. A plain procedure's address is translated like any other |

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

/// A procedure's address on the host, and that of its version on a device (`__omp_offloading_fptr_map_ty`).
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FunctionPair {
    /// On the host: the key.
    pub host: u64,
    /// On the device.
    pub target: u64,
}

/// The most pairs that a table can have.
pub const MOST_FUNCTIONS: usize = 1 << 20;

/// What is wrong with a table of pairs, or with setting it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum MapError {
    /// Its address is null, though it has pairs.
    Null,
    /// Its address is not a multiple of 8.
    Misaligned,
    /// It has more than [`MOST_FUNCTIONS`].
    TooMany(u64),
    /// This pair, counted from 0, has a null address of the host.
    NullHost(usize),
    /// This pair, counted from 0, has a null address of the device.
    NullTarget(usize),
    /// Two pairs give different addresses of the device for this one of the host.
    Conflict(u64),
    /// The pairs must be in order, and this pair, counted from 0, has a lower address of the host than the one before
    /// ([`SortedFunctions::in_order`]).
    Order(usize),
    /// There is no device of this number.
    Device(i32),
    /// There is no memory for the table.
    NoMemory,
    /// The flags of an entry say that it is of a procedure or a vtable, and its size is not that of any known form.
    Entry {
        /// The entry's flags.
        flags: u32,
        /// Its size, in bytes.
        size: u64,
    },
    /// An entry is of a version that is not known.
    EntryVersion(u16),
}

impl MapError {
    /// What is wrong, without the number that [`Display`](fmt::Display) adds.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Null => "the table is null, though it has entries",
            Self::Misaligned => "the table is not aligned",
            Self::TooMany(_) => "a table can have 1,048,576 entries, and not as many as",
            Self::NullHost(_) => "the host's address is null in entry",
            Self::NullTarget(_) => "the device's address is null in entry",
            Self::Conflict(_) => "two entries give different addresses of the device for the host's",
            Self::Order(_) => "the host's addresses are not in ascending order at entry",
            Self::Device(_) => "there is no device of the number",
            Self::NoMemory => "there is no memory for the table",
            Self::Entry { .. } => "an offload entry is of no form that is known, by its flags and size:",
            Self::EntryVersion(_) => "an offload entry is of no version that is known:",
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
            Self::Device(number) => write!(f, " {number}"),
            Self::Entry { flags, size } => write!(f, " {flags:#x} and {size}"),
            Self::EntryVersion(version) => write!(f, " {version}"),
        }
    }
}

impl core::error::Error for MapError {}

/// The pairs at an address, as a runtime passes them.
///
/// # Errors
/// [`MapError::TooMany`], [`MapError::Null`], [`MapError::Misaligned`]; nothing is read then.
///
/// # Safety
/// If the address is not null and aligned, and there are no more than [`MOST_FUNCTIONS`], so many can be read there, and
/// nobody writes there, for as long as the result is used. The table that a [`FunctionMap`] has shown is not such a place:
/// the map fills it again.
pub unsafe fn table<'t>(count: u64, first: *const FunctionPair) -> Result<&'t [FunctionPair], MapError> {
    let pairs = checked_table(count, first)?;
    // SAFETY: the caller's promise; the address is aligned and not null, if only that of no pairs.
    Ok(unsafe { pairs.as_ref() })
}

/// The same, without a reference: nothing is read.
///
/// # Errors
/// As for [`table`].
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
