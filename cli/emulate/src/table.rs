//! Table trampolines that replace trampolines on stacks. Each one is found by the stack address of the trampoline that it
//! replaces.

use crate::next::Next;
use crate::recognise::Pair;
use crate::signals::masks::check_mask;
use crate::{module, recognise, report, sys};
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::ptr;
use core::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};
use statictramp::Trampoline;

/// The time during which a function may use a pointer that is passed to it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// While the function runs. The caller's frame, and with it the trampoline on the stack, exist as long as the
    /// function runs. If another trampoline is at the same address later, the earlier one no longer exists, so the
    /// table trampoline gets the new callee and chain.
    Call,
    /// After the function has returned. The table trampoline keeps its callee and chain permanently, and is reused for
    /// an equal trampoline at the same address.
    Kept,
}

/// The capacity of the table. If this limit is reached, or if no table trampoline is left, the function gets the pointer
/// that the program passed, and the SIGSEGV handler handles the call.
const ENTRIES: usize = 1 << 18;
const PROBES: usize = 32;

struct Entry {
    /// The address on the stack, shifted left by one bit, plus 1 for `Kept`. The key is 0 if the entry is unused, and
    /// never changes once it is set.
    key: AtomicUsize,
    /// The address of the table trampoline, or 0 until it exists. Once set, the address never changes.
    stub: AtomicUsize,
    callee: AtomicUsize,
    chain: AtomicUsize,
    /// A lock that is held while `trampoline`, `callee` and `chain` change. Code that finds the flag set does not wait,
    /// because it may be a signal handler that has interrupted the holder.
    busy: AtomicBool,
    /// Initialised if `stub` is not 0.
    trampoline: UnsafeCell<MaybeUninit<Trampoline>>,
}

// SAFETY: all fields are atomic except `trampoline`, which only the holder of `busy` accesses.
unsafe impl Sync for Entry {}

/// The entries. Their memory is mapped when the first one is needed. All-zero memory is a valid unused entry.
static TABLE: AtomicPtr<Entry> = AtomicPtr::new(ptr::null_mut());

fn entries() -> Option<&'static [Entry]> {
    let len = ENTRIES * size_of::<Entry>();
    // Acquire: pairs with the exchange below. The kernel has zeroed the memory.
    let mut table = TABLE.load(Acquire);
    if table.is_null() {
        let new = sys::map(len, None);
        if new.is_null() {
            return None;
        }
        // Release on success and Acquire on failure: the entries of the one table that remains are visible.
        match TABLE.compare_exchange(ptr::null_mut(), new.cast(), Release, Acquire) {
            Ok(_) => table = new.cast(),
            Err(other) => {
                // SAFETY: the memory was mapped above, and no other code has its address.
                unsafe { sys::unmap(new, len) };
                table = other;
            }
        }
    }
    // SAFETY: the memory has room for `ENTRIES` entries, is never unmapped, and is zeroed: each field has a valid value.
    Some(unsafe { core::slice::from_raw_parts(table, ENTRIES) })
}

/// Returns the callback to use in place of `address`, which is passed to `function` by the code at `caller` (0 if unknown).
/// If a trampoline on a stack is at `address`, this is a table trampoline, unless none can be made; otherwise, it is
/// `address` itself.
pub fn callback(address: usize, use_: Use, function: &'static Next, caller: usize) -> usize {
    // Most callbacks are in a loaded file, where no trampoline on a stack can be.
    if address == 0 || module::of(address).is_some() {
        return address;
    }
    // This frame is below the trampoline if both are on the same stack.
    let stack = (&raw const address).addr();
    let Some(pair) = recognise::at(address, stack) else { return address };
    check_mask();
    let Some(stub) = table_trampoline(address, pair, use_) else { return address };
    report::wrapped(pair.callee, caller, function);
    stub
}

/// Returns the table trampoline for a trampoline on a stack, or `None` if none can be made at present.
/// Async-signal-safe.
pub fn table_trampoline(address: usize, pair: Pair, use_: Use) -> Option<usize> {
    let kept = use_ == Use::Kept;
    let key = address << 1 | if kept { 1 } else { 0 };
    let mut hash = key;
    if kept {
        hash ^= pair.callee.rotate_left(20) ^ pair.chain.rotate_left(40);
    }
    let first = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 46;
    const { assert!(ENTRIES == 1 << (64 - 46)) };
    let entries = entries()?;
    for probe in 0..PROBES {
        let entry = &entries[(first + probe) % ENTRIES];
        // Relaxed: the key publishes no other data. `stub` is read with Acquire.
        let found = match entry.key.compare_exchange(0, key, Relaxed, Relaxed) {
            Ok(_) => key,
            Err(found) => found,
        };
        if found != key {
            continue;
        }
        // Acquire: pairs with the store in `fill`, so callee and chain are visible, and the slot is armed.
        let stub = entry.stub.load(Acquire);
        // Relaxed: another thread changes these words only if it passes the same stack address with a different
        // trampoline. A program that does this concurrently has the same race without this library.
        let same = entry.callee.load(Relaxed) == pair.callee && entry.chain.load(Relaxed) == pair.chain;
        if stub != 0 && same {
            return Some(stub);
        }
        if stub != 0 && kept {
            continue;
        }
        return fill(entry, pair, kept);
    }
    None
}

/// Makes the entry's table trampoline, or retargets one that is not `Kept`.
fn fill(entry: &Entry, pair: Pair, kept: bool) -> Option<usize> {
    // Acquire: pairs with the Release below, so the previous holder's stores are visible.
    if entry.busy.swap(true, Acquire) {
        return None;
    }
    let callee = ptr::with_exposed_provenance::<()>(pair.callee);
    let chain = ptr::with_exposed_provenance_mut::<()>(pair.chain);
    // SAFETY: this thread holds `busy`, and a signal handler on this thread cannot get past the exchange above.
    let trampoline = unsafe { &mut *entry.trampoline.get() };
    // Relaxed: `busy` orders these loads and stores between holders.
    let made = match entry.stub.load(Relaxed) {
        0 => match Trampoline::new(callee, chain) {
            Ok(new) => {
                let stub = new.as_ptr().expose_provenance();
                trampoline.write(new);
                Some(stub)
            }
            Err(_) => None,
        },
        // Another thread has just filled the entry. The entry's trampoline may have a different callee or chain.
        _ if kept => None,
        stub => {
            // SAFETY: `stub` is not 0, so the trampoline was stored before it.
            let trampoline = unsafe { trampoline.assume_init_mut() };
            trampoline.retarget(callee, chain).is_ok().then_some(stub)
        }
    };
    if let Some(stub) = made {
        // Relaxed: the Release store of `stub` publishes these words.
        entry.callee.store(pair.callee, Relaxed);
        entry.chain.store(pair.chain, Relaxed);
        entry.stub.store(stub, Release);
    }
    // Release: pairs with the Acquire in the exchange above.
    entry.busy.store(false, Release);
    made
}
