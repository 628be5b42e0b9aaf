//! The C function that finds the variables that a Fortran internal procedure has captured from its host.

use core::ffi::{CStr, c_char, c_int, c_void};
use statictramp::{Lookup, lookup};
use statictramp_capi::for_interop::{EINVAL, StatictrampFn, address, chain_or_context, fail};
use statictramp_interop::instance::{Captured, FrameLayout, Instance};

/// The kind of a captured variable.
#[repr(C)]
pub enum StatictrampCapturedKind {
    /// A number of `size` bytes.
    Number,
    /// A character object of `size` bytes.
    Character,
    /// An object with a descriptor. `size` is the object's rank, and `address` is the descriptor's address.
    Descriptor,
    /// A procedure or another address. `size` is 0.
    Address,
}

/// A host variable captured by a trampoline's procedure.
#[repr(C)]
pub struct StatictrampCaptured {
    /// The kind of the variable.
    pub kind: StatictrampCapturedKind,
    /// The address of the variable or of its descriptor, or the captured address itself.
    pub address: *mut c_void,
    /// The variable's size, length or rank, depending on the kind.
    pub size: usize,
}

/// Finds a host variable captured by a live trampoline's procedure. `layout` describes the memory to which the static
/// chain (for a bound trampoline, the context) points: a tuple if flang compiled the host, or a frame if GCC did.
/// `layout` is a list of the items in order, such as "n: integer(4), name: character, a: descriptor(2), p: pointer", or
/// the tuple's type as LLVM prints it, followed by names. The kinds of numbers are integer, unsigned, logical, real and
/// complex, with Fortran's kind number in parentheses, followed by the keyword `value` if the memory contains the
/// number itself (GCC's frames) rather than its address (flang's tuples). The other kinds are character, pointer,
/// allocatable, procedure and address, and, with the rank in parentheses, descriptor and class. The host must be
/// active.
///
/// Returns 0 and stores the variable, or returns -1 and sets errno to EINVAL if the pointer is not a live trampoline
/// with a chain, if the layout is invalid or lacks the variable, if the variable's descriptor is invalid, or if another
/// argument is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statictramp_captured(
    trampoline: StatictrampFn,
    layout: *const c_char,
    name: *const c_char,
    found: *mut StatictrampCaptured,
) -> c_int {
    let search = || {
        if layout.is_null() || name.is_null() || found.is_null() {
            return None;
        }
        // SAFETY: the contract in the doc comment requires strings.
        let (layout, name) =
            unsafe { (CStr::from_ptr(layout).to_str().ok()?, CStr::from_ptr(name).to_str().ok()?) };
        let Ok(Lookup::Live { chain, entry, .. }) = lookup(address(trampoline)) else { return None };
        // SAFETY: `lookup` has found the entry and the chain of this trampoline.
        let chain = unsafe { chain_or_context(entry, chain) };
        if chain.is_null() {
            return None;
        }
        let instance = Instance::at(chain, FrameLayout::parse(layout).ok()?);
        // SAFETY: the contract in the doc comment requires the layout of an active host.
        let mut variables = unsafe { instance.captured() };
        let (_, captured) = variables.find(|(variable, _)| variable.name == name)?;
        let (kind, address, size) = match captured {
            Captured::Number(ty, at) => (StatictrampCapturedKind::Number, at, ty.size()),
            Captured::Character(at, len) => (StatictrampCapturedKind::Character, at.cast(), len),
            Captured::Described(view) => {
                (StatictrampCapturedKind::Descriptor, view.address(), view.dimensions().len())
            }
            Captured::Procedure(at) | Captured::Address(at) => (StatictrampCapturedKind::Address, at, 0),
            Captured::Wrong(_) => return None,
        };
        Some(StatictrampCaptured { kind, address: address.cast_mut().cast(), size })
    };
    match search() {
        Some(variable) => {
            // SAFETY: the contract in the doc comment requires that `found` is writable.
            unsafe { found.write(variable) };
            0
        }
        None => fail(EINVAL, -1),
    }
}
