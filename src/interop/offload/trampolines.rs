//! Trampolines and devices.
//!
//! A trampoline cannot go to a device as it is: its stub is the host's code, which reads the host's slots, and enters the
//! host's callee. What can go is what it was made of, each part in its device's version: the callee by the map of
//! functions, the chain by whatever has mapped the memory it points to (`omp_get_mapped_ptr`). On a device that runs code
//! with function pointers of its own (another process, LLVM's host plugin) a trampoline is made of the two there, from the
//! table of the device's image. A GPU has neither a static chain in its calls nor a table of stubs: there the two go to code
//! that takes a procedure and a context.

use crate::{Lookup, NotOurs, lookup};
use core::fmt;

/// What a trampoline is made of on a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OnDevice {
    /// The device's version of the callee.
    pub callee: u64,
    /// Where the chain, or the context, lies on the device; null if it is null.
    pub chain: u64,
    /// What the stub enters on the host: the callee, or an adapter that hands the chain on as an argument.
    pub entry: *const (),
}

/// Why a trampoline has no version on a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NotOnDevice {
    /// The address is not that of a trampoline of this copy of the library.
    NotOurs(NotOurs),
    /// The trampoline is dead; this was its callee, or null.
    Dead(*const ()),
    /// The callee is not in the map of the device's functions.
    NoFunction(*const ()),
    /// What the chain points to has not been mapped to the device.
    NotMapped(*mut ()),
}

impl NotOnDevice {
    /// Why, without the address that [`Display`](fmt::Display) adds.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::NotOurs(_) => "the address is not that of a trampoline of this copy of the library",
            Self::Dead(_) => "the trampoline is dead; its callee was",
            Self::NoFunction(_) => "the device has no version of the callee",
            Self::NotMapped(_) => "nothing is mapped to the device for the chain",
        }
    }
}

impl fmt::Display for NotOnDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason())?;
        match self {
            Self::NotOurs(_) => Ok(()),
            Self::Dead(address) | Self::NoFunction(address) => write!(f, " {address:p}"),
            Self::NotMapped(chain) => write!(f, " {chain:p}"),
        }
    }
}

impl core::error::Error for NotOnDevice {}

/// What the live trampoline at an address is made of on a device, whose functions and memory the two closures know.
/// Safe for any address whatever. `mapped` is given what the stub enters and the chain, unless that is null.
///
/// # Errors
/// [`NotOnDevice`].
pub fn on_device(
    trampoline: *const (),
    function: impl FnOnce(u64) -> Option<u64>,
    mapped: impl FnOnce(*const (), *mut ()) -> Option<u64>,
) -> Result<OnDevice, NotOnDevice> {
    match lookup(trampoline).map_err(NotOnDevice::NotOurs)? {
        Lookup::Dead { callee } => Err(NotOnDevice::Dead(callee)),
        Lookup::Live { callee, chain, entry, .. } => Ok(OnDevice {
            callee: function(callee.addr() as u64).ok_or(NotOnDevice::NoFunction(callee))?,
            chain: match chain.is_null() {
                true => 0,
                false => mapped(entry, chain).ok_or(NotOnDevice::NotMapped(chain))?,
            },
            entry,
        }),
    }
}
