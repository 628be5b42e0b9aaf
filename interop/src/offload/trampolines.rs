//! Device versions of trampolines.

use core::fmt;
use statictramp::{Lookup, LookupError, lookup};

/// The device versions of a trampoline's callee and chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OnDevice {
    /// The callee's address on the device.
    pub callee: u64,
    /// The device address of the memory that the chain or the context points to, or null if the chain is null.
    pub chain: u64,
    /// The function that the stub jumps to on the host: the callee, or an adapter that passes the context as an
    /// argument.
    pub entry: *const (),
}

/// The reason why the device versions of a trampoline's callee and chain cannot be determined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum OnDeviceError {
    /// No trampoline of this copy of the library begins at the address.
    Lookup(LookupError),
    /// The trampoline is dead. The value is its former callee, or null.
    Dead(*const ()),
    /// The device has no version of this callee.
    NoFunction(*const ()),
    /// The memory that this chain points to has not been mapped to the device.
    NotMapped(*mut ()),
}

impl fmt::Display for OnDeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lookup(_) => f.write_str("no trampoline begins at this address"),
            Self::Dead(callee) => write!(f, "the trampoline is dead; its callee was {callee:p}"),
            Self::NoFunction(callee) => write!(f, "the device has no version of the callee {callee:p}"),
            Self::NotMapped(chain) => {
                write!(f, "the memory to which the chain {chain:p} points is not mapped to the device")
            }
        }
    }
}

impl core::error::Error for OnDeviceError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Lookup(source) => Some(source),
            _ => None,
        }
    }
}

/// Returns the device versions of a live trampoline's callee and chain. `function` translates the callee's host address
/// into a device address. `mapped` receives the trampoline's entry and chain, and returns the device address of the
/// chain's memory; it is not called for a null chain. Any address may be passed as the trampoline.
///
/// # Errors
/// [`OnDeviceError`].
pub fn on_device(
    trampoline: *const (),
    function: impl FnOnce(u64) -> Option<u64>,
    mapped: impl FnOnce(*const (), *mut ()) -> Option<u64>,
) -> Result<OnDevice, OnDeviceError> {
    match lookup(trampoline).map_err(OnDeviceError::Lookup)? {
        Lookup::Dead { callee, .. } => Err(OnDeviceError::Dead(callee)),
        Lookup::Live { callee, chain, entry, .. } => Ok(OnDevice {
            callee: function(callee.addr() as u64).ok_or(OnDeviceError::NoFunction(callee))?,
            chain: match chain.is_null() {
                true => 0,
                false => mapped(entry, chain).ok_or(OnDeviceError::NotMapped(chain))?,
            },
            entry,
        }),
        _ => Err(OnDeviceError::Dead(core::ptr::null())),
    }
}
