//! Sorts by a key that a closure captured, with C's `qsort`, whose comparator takes no context.

use core::cmp::Ordering;
use core::ffi::{c_int, c_void};

fn main() -> Result<(), statictramp::AllocError> {
    let distance = [40, 3, 17, 9]; // the distance of each town, which qsort does not know
    let mut towns: [u32; 4] = [0, 1, 2, 3];

    let nearer = |a: *const c_void, b: *const c_void| -> c_int {
        // SAFETY: qsort passes pointers to two elements of the array below.
        let (a, b) = unsafe { (*a.cast::<u32>(), *b.cast::<u32>()) };
        distance[a as usize].cmp(&distance[b as usize]) as Ordering as c_int
    };
    let callback = statictramp::bind(&nearer)?;

    // SAFETY: the array has 4 elements of 4 bytes, and `callback` outlives the call.
    unsafe { libc::qsort(towns.as_mut_ptr().cast(), 4, 4, Some(callback.as_fn())) };
    assert_eq!(towns, [1, 3, 2, 0]);
    println!("the towns from near to far: {towns:?}");
    Ok(())
}
