//! Tests a table that has grown to the largest size. The test has its own process, because added slots remain until the process
//! ends.

#![cfg(feature = "grow")]

use statictramp::{Lookup, bind, capacity, lookup, reserve, set_limit};

/// If the largest table does not consist of whole copies of the static table, the last copy must not overlap the bitmaps after
/// it, which record the state of added slots. Without debug assertions, only a table in which every slot is live shows
/// such an overlap.
#[test]
fn the_last_copy_of_the_largest_table_overlaps_no_bitmap() {
    const LARGEST: usize = 1 << 20;
    set_limit(LARGEST);
    assert_eq!(reserve(LARGEST), Ok(()));
    assert_eq!(capacity(), LARGEST);
    let add = |x: i32| x + 1;
    let len = if cfg!(debug_assertions) { LARGEST / 64 } else { LARGEST };
    let bound: Vec<_> = (0..len).map(|_| bind(&add).unwrap()).collect();
    // SAFETY: the closure and the callbacks outlive the calls.
    assert!(bound.iter().all(|callback| unsafe { callback.as_fn()(1) } == 2));
    assert!(
        bound.iter().all(|callback| matches!(lookup(callback.as_fn() as *const ()), Ok(Lookup::Live { .. })))
    );
}
