//! Where the records of bound closures lie on Windows, whose linkers give a section no bounds, and may leave gaps in one:
//! anywhere among the data. A list leads to those that are filled.

use super::Record;
use crate::sync::{Acquire, AtomicPtr, Relaxed, Release};
use core::ptr::null_mut;

/// Of a record.
pub(super) const WORDS: usize = 8;

macro_rules! words {
    ($first:literal) => {
        concat!($first, ", 0, 0, 0, 0, 0, 0, 0")
    };
}
pub(super) use words;

macro_rules! section {
    () => {
        ".pushsection .data\n.balign 8"
    };
}
pub(super) use section;

/// Null of a record that nobody has begun to put on the list. The next on it, or of the last the record itself.
#[repr(transparent)]
pub(super) struct Link(AtomicPtr<Record>);

static FIRST: AtomicPtr<Record> = AtomicPtr::new(null_mut());

/// Puts a record on the list, unless it is there, or another thread is about to do so.
pub(super) fn list(record: &'static Record) {
    let this = core::ptr::from_ref(record).cast_mut();
    // Relaxed: the exchange decides who does it, and nobody reads anything by it.
    if record.link.0.compare_exchange(null_mut(), this, Relaxed, Relaxed).is_err() {
        return;
    }
    // Relaxed: the exchange below reads it again.
    let mut first = FIRST.load(Relaxed);
    loop {
        record.link.0.store(if first.is_null() { this } else { first }, Relaxed);
        // Release: who finds the record finds its link, and through it what others released before: this exchange goes on with
        // the release sequence of theirs. Relaxed if it fails, as above.
        match FIRST.compare_exchange_weak(first, this, Release, Relaxed) {
            Ok(_) => return,
            Err(now) => first = now,
        }
    }
}

/// Those on the list.
pub(super) fn all() -> impl Iterator<Item = &'static Record> {
    // SAFETY: null, or a record, which `list` was given: they are there for good. Acquire: its link.
    let first = unsafe { FIRST.load(Acquire).as_ref() };
    core::iter::successors(first, |&record| {
        // Relaxed: stored before the record was found, and not changed since.
        let next = record.link.0.load(Relaxed);
        // SAFETY: a record, as of the first.
        (!core::ptr::eq(next, record)).then(|| unsafe { &*next })
    })
}
