//! Plans of trampolines whose adapter moves arguments (`arch/convention/insert.rs`). Equal plans are stored once, and remain
//! until the process ends: a call may be in progress when a trampoline is freed, and a program has few signatures.
//!
//! Storing takes no lock. Memory comes from the system in chunks, so storing may make a system call.

use crate::sync::{Acquire, AtomicPtr, AtomicUsize, Relaxed, Release};
use core::ptr::null_mut;

/// A stored plan, followed by its words.
#[repr(C)]
struct Stored {
    /// The plan that was stored before in the same bucket.
    next: *mut Stored,
    count: usize,
}

impl Stored {
    fn words(&self) -> &[u32] {
        // SAFETY: `store` has written `count` words behind each of these, in the same allocation.
        unsafe { core::slice::from_raw_parts(core::ptr::from_ref(self).add(1).cast(), self.count) }
    }
}

static BUCKETS: [AtomicPtr<Stored>; 64] = [const { AtomicPtr::new(null_mut()) }; 64];

/// The chunk from which memory is taken. At its beginning is the number of bytes that have been taken.
static CHUNK: AtomicPtr<AtomicUsize> = AtomicPtr::new(null_mut());

/// Size of a chunk in bytes, more than that of any plan.
const SIZE: usize = 1 << 16;
const WORD: usize = size_of::<usize>();

/// The address of stored words that equal these; `None` if there is no memory.
pub fn store(words: &[u32]) -> Option<*const u32> {
    let hash = words.iter().fold(0x811c_9dc5u32, |hash, word| (hash ^ word).wrapping_mul(0x0100_0193));
    let bucket = &BUCKETS[(hash >> 16) as usize % BUCKETS.len()];
    // Acquire pairs with the Release below: the plans in the bucket are complete.
    let mut first = bucket.load(Acquire);
    if let Some(found) = find(first, null_mut(), words) {
        return Some(found);
    }
    let made: *mut Stored = allocate(size_of::<Stored>() + size_of_val(words))?.cast();
    loop {
        // SAFETY: `allocate` returns aligned memory of this size that no other code uses.
        unsafe {
            made.write(Stored { next: first, count: words.len() });
            made.add(1).cast::<u32>().copy_from_nonoverlapping(words.as_ptr(), words.len());
        }
        // Release: a thread that finds the plan in the bucket sees its words. Acquire on failure, as above.
        match bucket.compare_exchange(first, made, Release, Acquire) {
            // SAFETY: it has been written.
            Ok(_) => return Some(unsafe { (*made).words().as_ptr() }),
            Err(newer) => {
                // The memory of `made` remains unused if another thread has stored the same plan.
                if let Some(found) = find(newer, first, words) {
                    return Some(found);
                }
                first = newer;
            }
        }
    }
}

/// Searches a bucket from `stored` up to, but not including, `end`.
fn find(mut stored: *mut Stored, end: *mut Stored, words: &[u32]) -> Option<*const u32> {
    while stored != end {
        // SAFETY: only complete plans are in a bucket, and they are never removed.
        let plan = unsafe { &*stored };
        if plan.words() == words {
            return Some(plan.words().as_ptr());
        }
        stored = plan.next;
    }
    None
}

/// Memory of this size, aligned for [`Stored`], that is never freed.
fn allocate(size: usize) -> Option<*mut u8> {
    let size = size.next_multiple_of(align_of::<Stored>());
    loop {
        // Acquire pairs with the exchange below: the new chunk's first word has been written.
        let chunk = CHUNK.load(Acquire);
        if !chunk.is_null() {
            // SAFETY: a chunk is never freed. Relaxed: only the number matters; each part belongs to one caller.
            let taken = unsafe { (*chunk).fetch_add(size, Relaxed) };
            if taken.checked_add(size)? <= SIZE {
                // SAFETY: within the chunk.
                return Some(unsafe { chunk.cast::<u8>().add(taken) });
            }
        }
        let new: *mut AtomicUsize = memory::zeroed(SIZE)?.cast();
        // SAFETY: new memory, aligned to a page.
        unsafe { new.write(AtomicUsize::new(2 * WORD)) };
        // Release: a thread that takes memory from the chunk sees its first word.
        if CHUNK.compare_exchange(chunk, new, Release, Relaxed).is_err() {
            // SAFETY: no other code knows the address.
            unsafe { memory::free(new.cast(), SIZE) };
        }
    }
}

#[cfg(target_os = "linux")]
mod memory {
    use crate::os::system::{mmap, munmap};

    pub(super) fn zeroed(len: usize) -> Option<*mut u8> {
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: makes a new mapping at a free address.
        let start = unsafe {
            mmap(core::ptr::null_mut(), len, rights, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0)
        };
        (start != libc::MAP_FAILED).then(|| start.cast())
    }

    /// # Safety
    /// No code may use the memory, which `zeroed` has returned.
    pub(super) unsafe fn free(start: *mut u8, len: usize) {
        // SAFETY: guaranteed by the caller.
        unsafe { munmap(start.cast(), len) };
    }
}

#[cfg(all(windows, growing))]
mod memory {
    use crate::os::{Memory, free as free_memory};

    pub(super) fn zeroed(len: usize) -> Option<*mut u8> {
        Some(core::ptr::with_exposed_provenance_mut(Memory::zeroed(len)?.keep()))
    }

    /// # Safety
    /// No code may use the memory, which `zeroed` has returned.
    pub(super) unsafe fn free(start: *mut u8, _len: usize) {
        // SAFETY: guaranteed by the caller.
        unsafe { free_memory(start.cast()) };
    }
}

/// macOS, and Windows without growth: one chunk, zeroed pages that are not touched until used.
#[cfg(not(any(target_os = "linux", all(windows, growing))))]
mod memory {
    use crate::sync::{AtomicUsize, Relaxed};

    static ONLY: [AtomicUsize; super::SIZE / super::WORD] =
        [const { AtomicUsize::new(0) }; super::SIZE / super::WORD];
    static IS_TAKEN: AtomicUsize = AtomicUsize::new(0);

    pub(super) fn zeroed(_len: usize) -> Option<*mut u8> {
        // Relaxed: only one caller gets 0, and the memory is not written before.
        (IS_TAKEN.swap(1, Relaxed) == 0).then(|| ONLY.as_ptr().cast_mut().cast())
    }

    /// # Safety
    /// None.
    pub(super) unsafe fn free(_start: *mut u8, _len: usize) {}
}
