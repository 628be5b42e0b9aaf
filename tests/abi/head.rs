#![allow(improper_ctypes, improper_ctypes_definitions, dead_code, unused, clippy::all)]
use statictramp::bind;
use std::{cell::Cell, hint::black_box};
#[cfg(target_arch = "aarch64")]
use core::arch::aarch64::*;
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

/// Bits that the generator knows to be right for the type; of 32 bytes the second half has the words of the first in the
/// other order.
unsafe fn of<T: Copy>(bits: u128) -> T { unsafe { core::mem::transmute_copy(&[bits, bits.rotate_left(64)]) } }
fn bits_of<T: Copy>(value: T) -> u128 {
    let mut bits = [0u128; 2];
    unsafe { (&raw const value).cast::<u8>().copy_to(bits.as_mut_ptr().cast(), size_of::<T>()) };
    if size_of::<T>() > 16 && bits[1] != bits[0].rotate_left(64) { !bits[0] } else { bits[0] }
}

thread_local! {
    static PLAIN: Cell<bool> = const { Cell::new(true) };
    static DISAGREED: Cell<usize> = const { Cell::new(0) };
}
/// Whether a plain function was reached with every argument, and what it returned came back.
fn agree(number: usize, by: &str, returned: i32) -> bool {
    let agree = PLAIN.replace(true) && returned == 1;
    if !agree {
        println!("signature {number}: rustc and {by} disagree");
        DISAGREED.set(DISAGREED.get() + 1);
    }
    agree
}
fn arrived(right: bool, number: usize) { assert!(right, "signature {number}: an argument did not arrive") }
fn returned(right: i32, by: &str, number: usize) { assert!(right == 1, "signature {number}, called by {by}: the result did not arrive") }
fn finish(count: usize, seed: u64, callers: usize) {
    let disagreed = DISAGREED.get();
    println!("{count} signatures of seed {seed}, each called {callers} times: every bit arrived; {disagreed} times the compilers disagreed");
    assert!(disagreed <= count * callers / 20 + 1, "too many to have tested much");
}
