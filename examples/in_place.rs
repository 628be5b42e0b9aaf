//! A struct with a callback. The closure and its function pointer are stored in a field of the struct, without a
//! separate heap allocation.
//!
//! The closure must not move while a pointer to it exists, so the struct is pinned.

use core::ffi::{c_int, c_void};
use core::pin::Pin;
use statictramp::InPlace;

type Compare = unsafe extern "C" fn(*const c_void, *const c_void) -> c_int;

/// Sorts rows by one column.
struct Sorter<F> {
    sorted: usize,
    compare: InPlace<F, (*const c_void, *const c_void)>,
}

impl<F: Fn(*const c_void, *const c_void) -> c_int> Sorter<F> {
    fn new(compare: F) -> Self {
        Sorter { sorted: 0, compare: InPlace::new(compare) }
    }

    /// Returns the function pointer. The first call creates it, and later calls return the same pointer.
    fn pointer(self: Pin<&mut Self>) -> Result<Compare, statictramp::AllocError> {
        // SAFETY: the field is pinned with the struct and is never moved out of it. (The crate pin-project generates
        // such code.)
        unsafe { self.map_unchecked_mut(|this| &mut this.compare) }.bind()
    }

    fn sort(mut self: Pin<&mut Self>, rows: &mut [[i32; 2]]) -> Result<(), statictramp::AllocError> {
        let compare = self.as_mut().pointer()?;
        // SAFETY: `rows` has this number of elements of this size, and the field is alive during the call.
        unsafe { libc::qsort(rows.as_mut_ptr().cast(), rows.len(), size_of::<[i32; 2]>(), Some(compare)) };
        // SAFETY: nothing is moved out of the pinned struct.
        unsafe { self.get_unchecked_mut() }.sorted += 1;
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let column = std::env::args().count() % 2; // the column is known only at run time
    let by_column = move |a: *const c_void, b: *const c_void| {
        // SAFETY: qsort passes pointers to two rows.
        let [a, b] = [a, b].map(|row| unsafe { (*row.cast::<[i32; 2]>())[column] });
        a.cmp(&b) as c_int
    };
    let mut rows = [[1, 30], [2, 10], [3, 20]];
    let mut sorter = Box::pin(Sorter::new(by_column)); // core::pin::pin! would store it on the stack
    sorter.as_mut().sort(&mut rows)?;
    println!("{rows:?}");
    assert_eq!(rows, [[2, 10], [3, 20], [1, 30]]);
    rows.reverse();
    sorter.as_mut().sort(&mut rows)?;
    assert_eq!((rows, sorter.sorted, statictramp::live()), ([[2, 10], [3, 20], [1, 30]], 2, 1));
    drop(sorter);
    assert_eq!(statictramp::live(), 0);
    Ok(())
}
