#![allow(improper_ctypes, improper_ctypes_definitions, dead_code, unused, clippy::all)]
use statictramp::bind;
use std::{cell::Cell, hint::black_box};
#[cfg(target_arch = "aarch64")]
use core::arch::aarch64::*;
#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

#[derive(Clone, Copy)]
#[repr(u8)]
enum Small { V0, V1, V2, V3 }
#[derive(Clone, Copy)]
#[repr(C)]
enum Wide { V0, V1, V2, V3 }
type OptionNonNull = Option<core::ptr::NonNull<u8>>;
type OptionFn = Option<extern "C" fn()>;

/// Returns a value whose bits the generator has made valid for the type. If it has 32 bytes, the second half contains
/// the words of the first in reverse order.
unsafe fn of<T: Copy>(bits: u128) -> T {
    let bits = [bits, bits.rotate_left(64)];
    unsafe { bits.as_ptr().cast::<u8>().add(skipped::<T>()).cast::<T>().read_unaligned() }
}
/// In a big-endian number the last bytes are the lowest. No type is larger than such a number on big-endian targets.
const fn skipped<T>() -> usize { if cfg!(target_endian = "big") { 16 - size_of::<T>() } else { 0 } }
fn bits_of<T: Copy>(value: T) -> u128 {
    let mut bits = [0u128; 2];
    unsafe { (&raw const value).cast::<u8>().copy_to(bits.as_mut_ptr().cast::<u8>().add(skipped::<T>()), size_of::<T>()) };
    if size_of::<T>() > 16 && bits[1] != bits[0].rotate_left(64) { !bits[0] } else { bits[0] }
}

thread_local! {
    static PLAIN: Cell<bool> = const { Cell::new(true) };
    static DISAGREED: Cell<usize> = const { Cell::new(0) };
}
#[cfg(unix)]
unsafe extern "C" {
    fn fork() -> i32;
    fn waitpid(child: i32, status: *mut i32, options: i32) -> i32;
    fn _exit(status: i32) -> !;
}
/// Returns whether a plain function receives every argument, and its result is returned, unchanged.
fn agree(number: usize, by: &str, call: impl FnOnce() -> i32) -> bool {
    let right = alone(|| call() == 1 && PLAIN.get());
    if !right {
        println!("signature {number}: rustc and {by} disagree");
        DISAGREED.set(DISAGREED.get() + 1);
    }
    right
}
/// This runs in its own process, because the call may jump to an invalid address.
#[cfg(unix)]
fn alone(call: impl FnOnce() -> bool) -> bool {
    let mut status = -1;
    unsafe {
        let child = fork();
        assert!(child >= 0, "no process");
        if child == 0 {
            _exit(!call() as i32)
        }
        assert_eq!(waitpid(child, &mut status, 0), child);
    }
    status == 0
}
/// Windows cannot fork, so for Windows the generator omits the signatures about which the compilers disagree.
#[cfg(windows)]
fn alone(call: impl FnOnce() -> bool) -> bool { call() }
fn arrived(right: bool, number: usize) { assert!(right, "signature {number}: an argument did not arrive") }
fn returned(right: i32, by: &str, number: usize) { assert!(right == 1, "signature {number}, called by {by}: the result did not arrive") }
fn finish(count: usize, seed: u64, callers: usize) {
    let disagreed = DISAGREED.get();
    println!("{count} signatures of seed {seed}, each called {callers} times: every bit arrived; {disagreed} times the compilers disagreed");
    let most = if cfg!(windows) { 0 } else { 2 * (count * callers / 10 + 1) };
    assert!(disagreed <= most, "too often to have tested much");
}
