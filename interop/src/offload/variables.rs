//! Two variables of a device image, in which the library exposes its table and a plugin may store another:
//! `__omp_offloading_fptr_map_p` (the address of the first pair) and `__omp_offloading_fptr_map_size` (the number of
//! pairs). A table that the library has set takes precedence over a plugin's. In this file, `set` is nonzero if the
//! library has set a table.

use crate::sync::{Acquire, AtomicU64, AtomicUsize, Relaxed, Release};

/// Exposes the library's table, given as the address of its first pair and the number of pairs. Raises `set` to at least
/// `number`.
#[doc(hidden)]
pub fn show_table(set: &AtomicUsize, variables: [&AtomicU64; 2], number: usize, table: [u64; 2]) {
    set.fetch_max(number, Relaxed);
    for (variable, word) in variables.into_iter().zip(table) {
        // Release: a reader that sees one of the two words also sees the new value of `set`.
        variable.store(word, Release);
    }
}

/// Returns the two words that a plugin has stored, or zeroes if no plugin has stored any. Returns `None` if the library
/// has set a table.
///
/// A plugin stores the two words separately and non-atomically, so no ordering here could make both visible together.
/// However, the plugin stores the words before it starts the code that calls this function, so the stores of the words
/// and of the table precede these loads.
#[doc(hidden)]
pub fn written_table(set: &AtomicUsize, variables: [&AtomicU64; 2]) -> Option<[u64; 2]> {
    // Acquire: if `show_table` stored one of these words, the load of `set` below sees that function's change.
    let written = variables.map(|variable| variable.load(Acquire));
    // Relaxed: the loads above order this load.
    (set.load(Relaxed) == 0).then_some(written)
}
