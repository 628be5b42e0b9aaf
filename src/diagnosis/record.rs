//! The record of a closure that was bound: words that several threads may fill at once, and any thread may read meanwhile.
//! Where the records are is for `names.rs`; models: `src/tests/models/names.rs`.

use crate::sync::{Acquire, AtomicPtr, AtomicUsize, Relaxed, Release};
#[cfg(any(windows, loom))]
use core::ptr::null_mut;

/// A record. The section that `names.rs` writes consists of them, zeroed but for the first word; `cli/src/dump/closures.rs`
/// reads it.
#[repr(C)]
pub(crate) struct Record {
    /// The function that fills it, of whose type debugging information has the closure; none in the first record of all. Nobody
    /// calls the function by this.
    _fills: Option<fn()>,
    /// Null before the closure is bound. Stored after the name.
    adapter: AtomicPtr<()>,
    name: AtomicPtr<u8>,
    len: AtomicUsize,
    /// The file of the place where it was bound first. Null before that. Stored after the rest of the place.
    file: AtomicPtr<u8>,
    /// Not 0 as soon as a thread has the right to say where.
    file_len: AtomicUsize,
    line: AtomicUsize,
    #[cfg(any(windows, loom))]
    link: Link,
}

impl Record {
    /// An empty one.
    #[cfg(loom)]
    pub(crate) fn new() -> Self {
        Record {
            _fills: None,
            adapter: AtomicPtr::new(null_mut()),
            name: AtomicPtr::new(null_mut()),
            len: AtomicUsize::new(0),
            file: AtomicPtr::new(null_mut()),
            file_len: AtomicUsize::new(0),
            line: AtomicUsize::new(0),
            link: Link(AtomicPtr::new(null_mut())),
        }
    }

    #[inline(always)]
    pub(crate) fn is_filled(&self) -> bool {
        // Relaxed: nothing is read but this.
        !self.adapter.load(Relaxed).is_null()
    }

    /// Fills it. Several threads may do so at once: they write the same, but for the place, of which the first stays. One whose
    /// line is 0 is none.
    pub(crate) fn fill(&self, adapter: *const (), name: &'static str, file: &'static str, line: usize) {
        // Relaxed: the store to `adapter` releases them.
        self.name.store(name.as_ptr().cast_mut(), Relaxed);
        self.len.store(name.len(), Relaxed);
        // Relaxed: the exchange decides whose place it is, and the store to `file` releases what is said of it.
        if line != 0 && self.file_len.compare_exchange(0, file.len(), Relaxed, Relaxed).is_ok() {
            self.line.store(line, Relaxed);
            // Release: a reader that finds the file finds the line and the length. The store to `adapter` is not enough, because
            // another thread's may be the one that is read.
            self.file.store(file.as_ptr().cast_mut(), Release);
        }
        // Release: a reader that finds the adapter finds the name.
        self.adapter.store(adapter.cast_mut(), Release);
    }

    /// Whether it is filled, by this adapter's closure. Then it has a name.
    pub(crate) fn is_of(&self, adapter: *const ()) -> bool {
        // Acquire: the name, which was stored before.
        self.adapter.load(Acquire).cast_const() == adapter
    }

    /// The name of the closure, once [`is_of`](Record::is_of) is true.
    pub(crate) fn name(&self) -> Option<&'static str> {
        // Relaxed: `is_of` has read the adapter, which `fill` stored after these, with Acquire.
        // SAFETY: `fill` stores the words of a text that is there for good.
        unsafe { text(self.name.load(Relaxed), self.len.load(Relaxed)) }
    }

    /// File and line.
    pub(crate) fn place(&self) -> Option<(&'static str, usize)> {
        // Acquire: the rest of the place, which `fill` stored before. Relaxed: ordered by it.
        let file = self.file.load(Acquire);
        // SAFETY: `fill` stores the words of a text that is there for good.
        unsafe { text(file, self.file_len.load(Relaxed)) }.map(|file| (file, self.line.load(Relaxed)))
    }
}

/// Text that a record leads to.
///
/// # Safety
/// If the pointer is not null, it is that of text that is there for good, of this length.
unsafe fn text(bytes: *const u8, len: usize) -> Option<&'static str> {
    // SAFETY: the caller's promise.
    (!bytes.is_null()).then(|| unsafe { str::from_utf8_unchecked(core::slice::from_raw_parts(bytes, len)) })
}

/// Null in a record that no thread has begun to put on the list. The next record on it, or in the last the record itself.
#[cfg(any(windows, loom))]
#[repr(transparent)]
struct Link(AtomicPtr<Record>);

/// A list of filled records, which only grows.
#[cfg(any(windows, loom))]
pub(crate) struct List {
    first: AtomicPtr<Record>,
}

#[cfg(any(windows, loom))]
impl List {
    crate::sync::const_fn! {
        pub(crate) fn new() -> Self {
            List { first: AtomicPtr::new(null_mut()) }
        }
    }

    /// Puts a record on the list, unless it is there, or another thread is about to do so.
    pub(crate) fn add(&self, record: &'static Record) {
        let this = core::ptr::from_ref(record).cast_mut();
        // Relaxed: the exchange decides who does it, and nothing is read by it.
        if record.link.0.compare_exchange(null_mut(), this, Relaxed, Relaxed).is_err() {
            return;
        }
        // Relaxed: the exchange below reads it again.
        let mut first = self.first.load(Relaxed);
        loop {
            // Relaxed: the exchange releases it.
            record.link.0.store(if first.is_null() { this } else { first }, Relaxed);
            // Release: a reader that finds the record finds its link, and through it what other threads released before: this
            // exchange goes on with the release sequence of theirs. Relaxed if it fails, as above.
            match self.first.compare_exchange_weak(first, this, Release, Relaxed) {
                Ok(_) => return,
                Err(now) => first = now,
            }
        }
    }

    /// The records on the list, the latest first.
    pub(crate) fn all(&self) -> impl Iterator<Item = &'static Record> {
        // SAFETY: null, or a record that `add` was given: they are there for good. Acquire: its link, and those behind.
        let first = unsafe { self.first.load(Acquire).as_ref() };
        core::iter::successors(first, |&record| {
            // Relaxed: stored before the record was found, and not changed since.
            let next = record.link.0.load(Relaxed);
            // SAFETY: as of the first.
            unsafe { next.as_ref() }.filter(|&next| !core::ptr::eq(next, record))
        })
    }
}
