//! The record of a bound closure. Any thread may read the record while several threads fill it. `names.rs` determines
//! where the records are. The models are in `src/tests/models/names.rs`.

use crate::sync::{Acquire, AtomicPtr, AtomicUsize, Relaxed, Release};
#[cfg(any(windows, loom))]
use core::ptr::null_mut;

/// A record of a bound closure. Initially, all words but the first are zero. `names.rs` defines the section that
/// contains the records, and `cli/src/dump/closures.rs` reads it.
#[repr(C)]
pub(crate) struct ClosureRecord {
    /// The function that fills the record, or `None` in the section's first record. In debug information, the
    /// function's type parameter contains the closure's type. The function is never called through this field.
    _fills: Option<fn()>,
    /// The closure's adapter, or null before the closure is bound. The adapter is stored after the name.
    adapter: AtomicPtr<()>,
    name: AtomicPtr<u8>,
    len: AtomicUsize,
    /// The source file in which the closure was first bound, or null until it is known. The file is stored after the
    /// other fields of the location.
    file: AtomicPtr<u8>,
    /// The length of the file name. It becomes nonzero when a thread is chosen to store the location.
    file_len: AtomicUsize,
    line: AtomicUsize,
    #[cfg(any(windows, loom))]
    link: Link,
}

impl ClosureRecord {
    /// Returns an empty record.
    #[cfg(loom)]
    pub(crate) fn new() -> Self {
        ClosureRecord {
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
        // Relaxed: no access to other data depends on the result.
        !self.adapter.load(Relaxed).is_null()
    }

    /// Fills the record. Several threads may fill the record concurrently: they store the same values, except that
    /// their source locations may differ. Only the first location is kept. Line 0 means that the location is unknown.
    pub(crate) fn fill(&self, adapter: *const (), name: &'static str, file: &'static str, line: usize) {
        // Relaxed: the store to `adapter` releases these stores.
        self.name.store(name.as_ptr().cast_mut(), Relaxed);
        self.len.store(name.len(), Relaxed);
        // Relaxed: the exchange decides which thread stores the location, and the store to `file` releases the
        // location's other fields.
        if line != 0 && self.file_len.compare_exchange(0, file.len(), Relaxed, Relaxed).is_ok() {
            self.line.store(line, Relaxed);
            // Release: a reader that sees the file also sees the line and the length. The store to `adapter` does not
            // ensure this, because the reader may see another thread's store to `adapter`.
            self.file.store(file.as_ptr().cast_mut(), Release);
        }
        // Release: a reader that sees the adapter also sees the name.
        self.adapter.store(adapter.cast_mut(), Release);
    }

    /// Returns whether the record was filled for the closure of this adapter. A filled record contains a name.
    pub(crate) fn is_of(&self, adapter: *const ()) -> bool {
        // Acquire: the name was stored before the adapter, so its loads must follow this one.
        self.adapter.load(Acquire).cast_const() == adapter
    }

    /// Returns the name of the closure. The result is valid only after [`is_of`](ClosureRecord::is_of) has returned true.
    pub(crate) fn name(&self) -> Option<&'static str> {
        // Relaxed: `is_of` has loaded the adapter with Acquire, and `fill` stores the adapter after these fields.
        // SAFETY: `fill` stores the address and the length of text that is never freed.
        unsafe { text(self.name.load(Relaxed), self.len.load(Relaxed)) }
    }

    /// Returns the file and line of the source location, if it is known.
    pub(crate) fn location(&self) -> Option<(&'static str, usize)> {
        // Acquire: `fill` stored the location's other fields before the file, so these fields may be loaded with
        // Relaxed.
        let file = self.file.load(Acquire);
        // SAFETY: `fill` stores the address and length of text that is never freed.
        unsafe { text(file, self.file_len.load(Relaxed)) }.map(|file| (file, self.line.load(Relaxed)))
    }
}

/// Returns the text at an address, or `None` if the address is null.
///
/// # Safety
/// The pointer must be null, or point to `len` bytes of text that are never freed.
unsafe fn text(bytes: *const u8, len: usize) -> Option<&'static str> {
    // SAFETY: the caller upholds the safety contract.
    (!bytes.is_null()).then(|| unsafe { str::from_utf8_unchecked(core::slice::from_raw_parts(bytes, len)) })
}

/// The next record on the list or, in the last record, the record itself. Null until a thread begins to add the record.
#[cfg(any(windows, loom))]
#[repr(transparent)]
struct Link(AtomicPtr<ClosureRecord>);

/// A list of filled records. Records are never removed.
#[cfg(any(windows, loom))]
pub(crate) struct List {
    first: AtomicPtr<ClosureRecord>,
}

#[cfg(any(windows, loom))]
impl List {
    crate::sync::const_fn! {
        pub(crate) fn new() -> Self {
            List { first: AtomicPtr::new(null_mut()) }
        }
    }

    /// Adds a record to the list, unless it is already on the list or another thread is adding it.
    pub(crate) fn add(&self, record: &'static ClosureRecord) {
        let this = core::ptr::from_ref(record).cast_mut();
        // Relaxed: the exchange decides which thread adds the record, and no access to other data depends on its
        // result.
        if record.link.0.compare_exchange(null_mut(), this, Relaxed, Relaxed).is_err() {
            return;
        }
        // Relaxed: the exchange below checks this value.
        let mut first = self.first.load(Relaxed);
        loop {
            // Relaxed: the exchange releases the link.
            record.link.0.store(if first.is_null() { this } else { first }, Relaxed);
            // Release: a reader that sees the record also sees its link. Through the link, the reader also sees the
            // records that other threads released earlier, because this exchange continues the release sequences of
            // their exchanges. Relaxed on failure, as above.
            match self.first.compare_exchange_weak(first, this, Release, Relaxed) {
                Ok(_) => return,
                Err(now) => first = now,
            }
        }
    }

    /// Returns the records on the list, in reverse order of their addition.
    pub(crate) fn all(&self) -> impl Iterator<Item = &'static ClosureRecord> {
        // SAFETY: the pointer is null or points to a record that was passed to `add`. Such records are never freed.
        // Acquire: the record's link and the records after it are visible.
        let first = unsafe { self.first.load(Acquire).as_ref() };
        core::iter::successors(first, |&record| {
            // Relaxed: the link was stored before the record became visible, and it has not changed since then.
            let next = record.link.0.load(Relaxed);
            // SAFETY: same as for the first record.
            unsafe { next.as_ref() }.filter(|&next| !core::ptr::eq(next, record))
        })
    }
}
