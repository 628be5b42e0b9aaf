//! The proof: closures that capture, called back by the C library's `qsort` and `bsearch`,
//! whose comparators take no context.

use statictramp::{AllocError, Callback, bind};
use std::cmp::Ordering;
use std::ffi::{c_int, c_void};

const WIDTH: usize = size_of::<u32>();

fn as_c(order: Ordering) -> c_int {
    order as c_int
}

/// # Safety
/// The address is that of a `u32`.
unsafe fn number(element: *const c_void) -> u32 {
    // SAFETY: promised by the caller.
    unsafe { *element.cast() }
}

/// Runs it all: how often closures were called, and how many were alive at once at most.
pub fn run() -> Result<(usize, usize), String> {
    let mut calls = 0;
    for round in 0..2_000 {
        calls += sort_by_captured_key(round)?;
    }
    let (more, most) = fill_the_table()?;
    Ok((calls + more, most))
}

/// Sorts and searches indices by a table of keys that only the closure knows.
fn sort_by_captured_key(round: u32) -> Result<usize, String> {
    let keys: Vec<u32> = (0..64u32).map(|i| (i + round).wrapping_mul(2_654_435_769)).collect();
    let calls = std::cell::Cell::new(0);
    let by_key = |a: *const c_void, b: *const c_void| {
        calls.set(calls.get() + 1);
        // SAFETY: the C functions below pass elements of `order`, or `wanted`.
        let (a, b) = unsafe { (number(a), number(b)) };
        as_c(keys[a as usize].cmp(&keys[b as usize]))
    };
    let compare = bind(&by_key).map_err(|e| e.to_string())?;

    let mut order: Vec<u32> = (0..64).collect();
    // SAFETY: 64 elements of WIDTH bytes; the callback outlives the call.
    unsafe { libc::qsort(order.as_mut_ptr().cast(), 64, WIDTH, Some(compare.as_fn())) };

    let mut expected: Vec<u32> = (0..64).collect();
    expected.sort_by_key(|&i| keys[i as usize]);
    let wanted = expected[(round % 64) as usize];
    // SAFETY: as above, and `order` is sorted by this very order.
    let found = unsafe {
        libc::bsearch((&raw const wanted).cast(), order.as_ptr().cast(), 64, WIDTH, Some(compare.as_fn()))
    };
    let place = (found.addr().wrapping_sub(order.as_ptr().addr())) / WIDTH;
    if order != expected || order.get(place) != Some(&wanted) {
        return Err(format!("round {round}: qsort or bsearch gave a wrong answer"));
    }
    Ok(calls.get())
}

/// Binds closures until none is left, sorts with each, and sees that one more is refused.
fn fill_the_table() -> Result<(usize, usize), String> {
    let calls = std::cell::Cell::new(0);
    let closures: Vec<_> = (0..statictramp::capacity() as u32)
        .map(|pivot| {
            let calls = &calls;
            move |a: *const c_void, b: *const c_void| {
                calls.set(calls.get() + 1);
                // SAFETY: qsort below passes elements of `numbers`.
                let (a, b) = unsafe { (number(a) ^ pivot, number(b) ^ pivot) };
                as_c(a.cmp(&b))
            }
        })
        .collect();
    let bound: Vec<Callback<_, _>> =
        closures.iter().map(bind).collect::<Result<_, _>>().map_err(|e| format!("filling the table: {e}"))?;
    if !matches!(bind(&closures[0]), Err(AllocError::Full)) {
        return Err("one trampoline too many was made".into());
    }
    for (pivot, compare) in bound.iter().enumerate() {
        let mut numbers: Vec<u32> = (0..16).collect();
        // SAFETY: 16 elements of WIDTH bytes; the callback outlives the call.
        unsafe { libc::qsort(numbers.as_mut_ptr().cast(), 16, WIDTH, Some(compare.as_fn())) };
        if !numbers.is_sorted_by_key(|&n| n ^ pivot as u32) {
            return Err(format!("closure {pivot} was called with another's context"));
        }
    }
    Ok((calls.get(), bound.len()))
}
