//! The kernel's actions for signals, read and changed by system calls.

use crate::sys;
use core::ffi::c_int;

/// The proxy of SIGSEGV in masks.
pub const PROXY: c_int = 64;

/// The kernel's `struct sigaction` of x86-64.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct KernelAction {
    pub handler: usize,
    pub flags: usize,
    pub restorer: usize,
    pub mask: u64,
}

/// Reads the kernel's action for a signal.
pub fn kernel_action(signal: c_int) -> KernelAction {
    let mut action = KernelAction { handler: 0, flags: 0, restorer: 0, mask: 0 };
    // SAFETY: the structure has the kernel's layout.
    unsafe { sys::call(sys::SYS_rt_sigaction, [signal as usize, 0, (&raw mut action).addr(), 8, 0, 0]) };
    action
}

/// Sets the kernel's action for a signal.
pub fn set_kernel_action(signal: c_int, action: &KernelAction) {
    // SAFETY: the structure has the kernel's layout. The handler is the program's, this library's, or SIG_DFL.
    unsafe {
        sys::call(sys::SYS_rt_sigaction, [signal as usize, core::ptr::from_ref(action).addr(), 0, 8, 0, 0])
    };
}
