//! The crate and the C library in one image, in every order of creating and freeing.

#![no_std]
#![no_main]

#[path = "../../../copies/orders.rs"]
#[macro_use]
mod orders;

use core::ffi::{c_int, c_uint, c_void};
use orders::{Function, InC, Library};
use semihosting::{println, process};
// The first crate of each pair has the critical sections.
#[cfg(target_arch = "arm")]
use {cortex_m as _, cortex_m_rt::entry};
#[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
use {riscv as _, riscv_rt::entry};

copy_of_crate!(Crate, "crate", statictramp);

unsafe extern "C" {
    fn statictramp_bind(callee: *const (), context: *const c_void, position: c_uint) -> Option<Function>;
    fn statictramp_free(function: Function) -> c_int;
    fn statictramp_lookup(function: Function, callee: *mut *const (), context: *mut *mut c_void) -> c_int;
    fn statictramp_live() -> usize;
}

#[entry]
fn main() -> ! {
    let in_c = InC {
        name: "archive",
        bind: statictramp_bind,
        free: statictramp_free,
        lookup: statictramp_lookup,
        live: statictramp_live,
    };
    let in_rust = Crate(orders::closures());
    orders::foreign_frees([&in_rust, &in_c]);
    let sequences = orders::every_order([&in_rust, &in_c], 5);
    println!("{} and {}: {sequences} orders", in_rust.name(), in_c.name());
    process::exit(0)
}
