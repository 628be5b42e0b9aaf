//! A driver as in a vendor's C library: a port calls one function for each byte, and passes no context.

use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering::Relaxed};
use core::{mem, ptr};

/// The function that a port calls.
pub type OnByte = unsafe extern "C" fn(byte: u32);

/// A port. Its state has the size that a C driver's would have: one function pointer and the last byte.
pub struct Port {
    on_byte: AtomicPtr<()>,
    byte: AtomicU32,
}

impl Port {
    pub const fn new() -> Self {
        Port { on_byte: AtomicPtr::new(ptr::null_mut()), byte: AtomicU32::new(b'a' as u32) }
    }

    /// Sets or removes the function.
    ///
    /// # Safety
    ///
    /// The function must stay valid until it is removed, and it must be safe to call in an interrupt.
    pub unsafe fn register(&self, on_byte: Option<OnByte>) {
        self.on_byte.store(on_byte.map_or(ptr::null_mut(), |function| function as *mut ()), Relaxed);
    }

    /// The driver's part of the interrupt handler: "receives" the next byte.
    pub fn interrupt(&self) {
        let byte = self.byte.load(Relaxed);
        self.byte.store(byte + 1, Relaxed);
        // SAFETY: the pointer is null, for which `Option` is `None`, or a function that `register` has stored; the caller of `register`
        // promised that the function is valid.
        let on_byte = unsafe { mem::transmute::<*mut (), Option<OnByte>>(self.on_byte.load(Relaxed)) };
        if let Some(on_byte) = on_byte {
            // SAFETY: as promised to `register`.
            unsafe { on_byte(byte) };
        }
    }
}
