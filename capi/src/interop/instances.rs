//! What a Fortran host's internal procedure sees of it.

use crate::bind;
use crate::errno::{EINVAL, fail};
use crate::function::{StatictrampFn, address};
use core::ffi::{CStr, c_char, c_int, c_void};
use statictramp::{Lookup, lookup};
use statictramp_interop::instance::{Captured, FrameLayout, Instance};

/// What a captured variable is.
#[repr(C)]
pub enum StatictrampCapturedKind {
    /// A number: its size in bytes.
    Number,
    /// A character: its length in bytes.
    Character,
    /// What has a descriptor: its rank, and the descriptor's address.
    Descriptor,
    /// A procedure, or an address of something: 0.
    Address,
}

/// A variable that a trampoline's procedure has captured from its host.
#[repr(C)]
pub struct StatictrampCaptured {
    /// What it is.
    pub kind: StatictrampCapturedKind,
    /// Where it is.
    pub address: *mut c_void,
    /// As its kind says.
    pub size: usize,
}

/// Finds a variable that the host of a live trampoline's procedure has, as the procedure sees it. `layout` says what is
/// where the static chain points: a list such as "n: integer(4), name: character, a: descriptor(2), p: pointer", in the order in
/// which the host's tuple has them, or the tuple's type in LLVM's text, followed by names. Kinds are: integer, unsigned,
/// logical, real, complex, with the bytes of a number in parentheses, and `value` after that where the number itself is there
/// (GCC's frames) and not its address (flang's tuples); character; descriptor and class, with the rank; pointer,
/// allocatable; procedure; address. The host must be active. Of a bound trampoline, the context is what is looked into.
///
/// Returns 0 and stores what it has found. Returns -1 and sets errno to EINVAL if the pointer is not a live trampoline or has no
/// chain, if the layout is wrong or names no such variable, if the variable's descriptor is wrong, or if one of the other
/// pointers is NULL.
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
        // SAFETY: the comment above demands strings.
        let (layout, name) =
            unsafe { (CStr::from_ptr(layout).to_str().ok()?, CStr::from_ptr(name).to_str().ok()?) };
        let Ok(Lookup::Live { chain, entry, .. }) = lookup(address(trampoline)) else { return None };
        let chain = bind::chain_or_context(entry, chain);
        if chain.is_null() {
            return None;
        }
        let instance = Instance::at(chain, FrameLayout::parse(layout).ok()?);
        // SAFETY: the comment above demands the layout of a host that is active.
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
            // SAFETY: the comment above demands that it be writable.
            unsafe { found.write(variable) };
            0
        }
        None => fail(EINVAL, -1),
    }
}
