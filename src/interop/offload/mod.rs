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
//! | runs code of the host's kind, in this process or another (LLVM's host plugin) | a trampoline is made of them, from the table in the device's image: [`Trampoline::new`](crate::Trampoline::new), or `statictramp_bind` for a context in an argument |
//! | a GPU | its calls have no static chain, its images no table of stubs, and threads by the thousand would share the slots: the two go, as they are, to code that takes a procedure and a context. A plain procedure's address is translated like any other |

mod entries;
#[cfg(any(target_has_atomic = "64", loom))]
mod map;
mod sorted;
mod trampolines;

pub use entries::{Entries, Entry, EntryLayout, Indirect, indirect_functions};
#[cfg(all(feature = "alloc", any(target_has_atomic = "64", loom)))]
pub use map::Heap;
#[cfg(any(target_has_atomic = "64", loom))]
pub use map::{FunctionMap, Memory};
pub use sorted::SortedFunctions;
pub use trampolines::{NotOnDevice, OnDevice, on_device};

use core::fmt;

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
    /// There is no device of this number.
    Device(i32),
    /// There is no memory for the table.
    NoMemory,
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
            Self::Device(_) => "there is no device of the number",
            Self::NoMemory => "there is no memory for the table",
        }
    }
}

impl fmt::Display for MapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason())?;
        match self {
            Self::Null | Self::Misaligned | Self::NoMemory => Ok(()),
            Self::TooMany(count) => write!(f, " {count}"),
            Self::NullHost(index) | Self::NullTarget(index) => write!(f, " {index}"),
            Self::Conflict(host) => write!(f, " {host:#x}"),
            Self::Device(number) => write!(f, " {number}"),
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
/// If the address is not null and aligned, and there are no more than [`MOST_FUNCTIONS`], so many can be read there for
/// as long as the result is used.
pub unsafe fn table<'t>(count: u64, first: *const FunctionPair) -> Result<&'t [FunctionPair], MapError> {
    if count == 0 {
        return Ok(&[]);
    }
    if first.is_null() {
        return Err(MapError::Null);
    }
    if count > MOST_FUNCTIONS as u64 {
        return Err(MapError::TooMany(count));
    }
    if !first.is_aligned() {
        return Err(MapError::Misaligned);
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { core::slice::from_raw_parts(first, count as usize) })
}
