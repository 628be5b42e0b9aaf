//! The self-test: libc's `qsort` and `bsearch` call closures that capture variables, although these functions pass no
//! context to their comparators.

use statictramp::{AllocError, Callback, bind};
use std::cmp::Ordering;
use std::ffi::{c_int, c_void};

/// The type of a comparator in C.
type Compare = unsafe extern "C" fn(*const c_void, *const c_void) -> c_int;

// On some systems, the `libc` crate does not declare one or both of these functions.
unsafe extern "C" {
    fn qsort(base: *mut c_void, count: usize, width: usize, compare: Compare);
    fn bsearch(
        key: *const c_void,
        base: *const c_void,
        count: usize,
        width: usize,
        compare: Compare,
    ) -> *const c_void;
}

const WIDTH: usize = size_of::<u32>();

fn as_c(order: Ordering) -> c_int {
    order as c_int
}

/// Returns the number in an element.
///
/// # Safety
/// `element` must point to a `u32`.
unsafe fn number(element: *const c_void) -> u32 {
    // SAFETY: the caller upholds the safety contract.
    unsafe { *element.cast() }
}

/// The results of the self-test.
pub struct Done {
    /// The number of calls from C to closures.
    pub calls: usize,
    /// The largest number of closures that were live simultaneously in the static table.
    pub most: usize,
    /// The number of live closures after the table has grown, or the reason why it cannot grow; `None` if growth was
    /// not tried.
    pub grown: Option<Result<usize, AllocError>>,
}

/// Runs all checks. If `only_static` is true, the table does not grow.
pub fn run(only_static: bool) -> Result<Done, String> {
    let mut calls = 0;
    statictramp::set_limit(statictramp::capacity());
    for round in 0..2_000 {
        calls += sort_by_captured_key(round)?;
    }
    let (more, most) = fill_the_table()?;
    if only_static {
        return Ok(Done { calls: calls + more, most, grown: None });
    }
    statictramp::set_limit(usize::MAX);
    Ok(Done { calls: calls + more, most, grown: Some(grow()?) })
}

/// Creates more closures than the static table has slots, and calls each of them.
fn grow() -> Result<Result<usize, AllocError>, String> {
    let offsets: Vec<_> =
        (0..10 * statictramp::capacity()).map(|offset| move |x: usize| x + offset).collect();
    let bound: Result<Vec<_>, _> = offsets.iter().map(bind).collect();
    let bound = match bound {
        Ok(bound) => bound,
        Err(why) => return Ok(Err(why)),
    };
    // SAFETY: each callback is live.
    let right =
        bound.iter().enumerate().all(|(offset, callback)| unsafe { callback.as_fn()(1) } == offset + 1);
    if right {
        Ok(Ok(bound.len()))
    } else {
        Err("a closure was called with another closure's context".into())
    }
}

/// Sorts and searches indices by their keys. The comparator is a closure that captures the table of keys.
fn sort_by_captured_key(round: u32) -> Result<usize, String> {
    let keys: Vec<u32> = (0..64u32).map(|i| (i + round).wrapping_mul(2_654_435_769)).collect();
    let calls = std::cell::Cell::new(0);
    let by_key = |a: *const c_void, b: *const c_void| {
        calls.set(calls.get() + 1);
        // SAFETY: the C functions below pass elements of `order`, or the address of `wanted`.
        let (a, b) = unsafe { (number(a), number(b)) };
        as_c(keys[a as usize].cmp(&keys[b as usize]))
    };
    let compare = bind(&by_key).map_err(|e| e.to_string())?;

    let mut order: Vec<u32> = (0..64).collect();
    // SAFETY: there are 64 elements of WIDTH bytes, and the callback outlives the call.
    unsafe { qsort(order.as_mut_ptr().cast(), 64, WIDTH, compare.as_fn()) };

    let mut expected: Vec<u32> = (0..64).collect();
    expected.sort_by_key(|&i| keys[i as usize]);
    let wanted = expected[(round % 64) as usize];
    // SAFETY: as above. In addition, `order` is sorted by the same comparator.
    let found =
        unsafe { bsearch((&raw const wanted).cast(), order.as_ptr().cast(), 64, WIDTH, compare.as_fn()) };
    let position = (found.addr().wrapping_sub(order.as_ptr().addr())) / WIDTH;
    if order != expected || order.get(position) != Some(&wanted) {
        return Err(format!("round {round}: qsort or bsearch returned a wrong result"));
    }
    Ok(calls.get())
}

/// Binds closures until the table is full, checks that one more closure is rejected, and sorts with each closure.
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
        return Err("binding a closure while the table was full did not fail with the expected error".into());
    }
    for (pivot, compare) in bound.iter().enumerate() {
        let mut numbers: Vec<u32> = (0..16).collect();
        // SAFETY: there are 16 elements of WIDTH bytes, and the callback outlives the call.
        unsafe { qsort(numbers.as_mut_ptr().cast(), 16, WIDTH, compare.as_fn()) };
        if !numbers.is_sorted_by_key(|&n| n ^ pivot as u32) {
            return Err(format!("closure {pivot} was called with another closure's context"));
        }
    }
    Ok((calls.get(), bound.len()))
}
