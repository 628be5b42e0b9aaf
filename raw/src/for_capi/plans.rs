//! Plans of trampolines whose adapter moves arguments (`convention/insert.rs`). Equal plans are stored once, and never
//! freed, because a trampoline may be freed while a call through it is still using its plan. A program has few
//! signatures, so plans take little memory.
//!
//! Storing a plan takes no lock, but may make a system call, because memory comes from the system in chunks.

use core::ptr::null_mut;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicPtr, AtomicUsize};

/// A stored plan, followed by its words.
#[repr(C)]
struct Stored {
    /// The plan that was stored in the same bucket before this one.
    next: *mut Stored,
    count: usize,
}

impl Stored {
    fn words(&self) -> &[u32] {
        // SAFETY: `store` has written `count` words after each `Stored`, in the same allocation.
        unsafe { core::slice::from_raw_parts(core::ptr::from_ref(self).add(1).cast(), self.count) }
    }
}

static BUCKETS: [AtomicPtr<Stored>; 64] = [const { AtomicPtr::new(null_mut()) }; 64];

/// The chunk from which memory is taken. Its first word counts the bytes in use after the head.
static CHUNK: AtomicPtr<AtomicUsize> = AtomicPtr::new(memory::FIRST);

/// Size of a chunk in bytes. A chunk is larger than any plan.
const SIZE: usize = 1 << 16;
const WORD: usize = size_of::<usize>();
/// Size of the head in bytes. It is a multiple of the alignment of [`Stored`].
const HEAD: usize = 2 * WORD;

/// Allocates memory for the first plans, once, and returns whether memory is available.
pub fn reserve() -> bool {
    allocate(0).is_some()
}

/// Stores these words, unless equal words are already stored, and returns the address of the stored words. Returns
/// `None` if no memory is available.
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
            // SAFETY: the plan has been written.
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

/// Allocates memory of this size, aligned for [`Stored`], that is never freed.
fn allocate(size: usize) -> Option<*mut u8> {
    let size = size.next_multiple_of(align_of::<Stored>());
    loop {
        // Acquire pairs with the exchange below: the memory of the new chunk is mapped and zeroed.
        let chunk = CHUNK.load(Acquire);
        if !chunk.is_null() {
            // SAFETY: a chunk is never freed.
            let counter = unsafe { &*chunk };
            // Relaxed: the counter alone assigns each part of the chunk to a single caller. Failed attempts are not
            // counted, so that the counter cannot wrap around.
            let end = |taken: usize| Some(taken + size).filter(|&end| end <= SIZE - HEAD);
            if let Ok(taken) = counter.fetch_update(Relaxed, Relaxed, end) {
                // SAFETY: the address is within the chunk.
                return Some(unsafe { chunk.cast::<u8>().add(HEAD + taken) });
            }
        }
        let new: *mut AtomicUsize = memory::zeroed(SIZE)?.cast();
        // Release: a thread that takes memory from the chunk sees the contents that the system has provided.
        if CHUNK.compare_exchange(chunk, new, Release, Relaxed).is_err() {
            // SAFETY: no other code knows the address of this chunk.
            unsafe { memory::free(new.cast(), SIZE) };
        }
    }
}

#[cfg(target_os = "linux")]
mod memory {
    use statictramp::for_capi::host::system::{mmap, munmap};

    /// No chunk exists at first, because memory comes from the system.
    pub(super) const FIRST: *mut super::AtomicUsize = core::ptr::null_mut();

    pub(super) fn zeroed(len: usize) -> Option<*mut u8> {
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: this makes a new mapping at a free address.
        let start = unsafe {
            mmap(core::ptr::null_mut(), len, rights, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0)
        };
        (start != libc::MAP_FAILED).then(|| start.cast())
    }

    /// # Safety
    /// The memory must have been returned by `zeroed`, and no code may still use it.
    pub(super) unsafe fn free(start: *mut u8, len: usize) {
        // SAFETY: the caller upholds the safety contract.
        unsafe { munmap(start.cast(), len) };
    }
}

#[cfg(windows)]
mod memory {
    use statictramp::for_capi::host::memory;

    /// No chunk exists at first, because memory comes from the system.
    pub(super) const FIRST: *mut super::AtomicUsize = core::ptr::null_mut();

    pub(super) fn zeroed(len: usize) -> Option<*mut u8> {
        memory::zeroed(len).map(<*mut _>::cast)
    }

    /// # Safety
    /// The memory must have been returned by `zeroed`, and no code may still use it.
    pub(super) unsafe fn free(start: *mut u8, _len: usize) {
        // SAFETY: the caller upholds the safety contract.
        unsafe { memory::free(start.cast()) };
    }
}

/// On macOS, there is one chunk, in zeroed pages that take no memory before their first use.
#[cfg(not(any(target_os = "linux", windows)))]
mod memory {
    use core::sync::atomic::AtomicUsize;

    static ONLY: [AtomicUsize; super::SIZE / super::WORD] =
        [const { AtomicUsize::new(0) }; super::SIZE / super::WORD];
    pub(super) const FIRST: *mut AtomicUsize = (&raw const ONLY).cast_mut().cast();

    pub(super) fn zeroed(_len: usize) -> Option<*mut u8> {
        None
    }

    /// Does nothing, because the only chunk is never freed.
    ///
    /// # Safety
    /// There are no requirements.
    pub(super) unsafe fn free(_start: *mut u8, _len: usize) {}
}
