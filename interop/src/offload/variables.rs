//! The two variables of a device's image in which a library shows its table, and to which a plugin may write another:
//! `__omp_offloading_fptr_map_p`, the first pair's address, and `__omp_offloading_fptr_map_size`. A table that the library has set,
//! which `set` tells by not being 0, wins over one that a plugin has written.

use crate::sync::{Acquire, AtomicU64, AtomicUsize, Relaxed, Release};

/// Shows a table of the library: the address of its first pair, and how many there are. `set` becomes `number` if it is lower.
#[doc(hidden)]
pub fn show_table(set: &AtomicUsize, variables: [&AtomicU64; 2], number: usize, table: [u64; 2]) {
    set.fetch_max(number, Relaxed);
    for (variable, word) in variables.into_iter().zip(table) {
        // Release: a reader that sees either word sees `set`.
        variable.store(word, Release);
    }
}

/// What a plugin has written, or zeroes; `None` if the library has set a table.
///
/// A plugin writes plain words, one after the other, so no ordering here could make both appear at once. It writes before it
/// starts the code that calls this, and the start orders the words, and the table, before these loads.
#[doc(hidden)]
pub fn written_table(set: &AtomicUsize, variables: [&AtomicU64; 2]) -> Option<[u64; 2]> {
    // Acquire: if one of them is a word that `show_table` has stored, `set` is seen below.
    let written = variables.map(|variable| variable.load(Acquire));
    // Relaxed: the loads above order it.
    (set.load(Relaxed) == 0).then_some(written)
}
