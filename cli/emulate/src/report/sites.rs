//! Counters of jumps, one for each combination of callee, caller and function. The code is async-signal-safe.

use crate::next::Next;
use core::ptr;
use core::sync::atomic::{
    AtomicPtr, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};

struct Counter {
    /// 0 if the counter is unused, 1 while it is being filled, 2 when it is complete.
    state: AtomicUsize,
    callee: AtomicUsize,
    caller: AtomicUsize,
    /// The address of the function's `Next`, or null for the SIGSEGV handler.
    function: AtomicPtr<Next>,
    times: AtomicUsize,
}

impl Counter {
    const fn new() -> Counter {
        Counter {
            state: AtomicUsize::new(0),
            callee: AtomicUsize::new(0),
            caller: AtomicUsize::new(0),
            function: AtomicPtr::new(ptr::null_mut()),
            times: AtomicUsize::new(0),
        }
    }
}

static COUNTERS: [Counter; 1024] = [const { Counter::new() }; 1024];
static LOST: AtomicUsize = AtomicUsize::new(0);
const PROBES: usize = 64;

/// A jump that occurred `times` times.
pub struct Site {
    pub callee: usize,
    pub caller: usize,
    /// The function that was passed the callback, or `None` if the SIGSEGV handler handled the jump.
    pub function: Option<&'static Next>,
    pub times: usize,
}

impl Site {
    pub fn handled_by(&self) -> &'static [u8] {
        self.function.map_or(b"handler", |function| function.name().to_bytes())
    }
}

/// Counts a jump.
pub fn count(callee: usize, caller: usize, function: Option<&'static Next>) {
    let function = function.map_or(ptr::null(), ptr::from_ref).cast_mut();
    let hash = (callee ^ caller.rotate_left(17) ^ function.addr()).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54;
    for probe in 0..PROBES {
        let counter = &COUNTERS[(hash + probe) % COUNTERS.len()];
        // Relaxed on success: the unused counter has no data. Acquire on failure: the words of a complete counter
        // are visible.
        match counter.state.compare_exchange(0, 1, Relaxed, Acquire) {
            Ok(_) => {
                counter.callee.store(callee, Relaxed);
                counter.caller.store(caller, Relaxed);
                counter.function.store(function, Relaxed);
                counter.times.store(1, Relaxed);
                // Release: pairs with the Acquire loads of the state.
                counter.state.store(2, Release);
                return;
            }
            // Relaxed: the state has published these words.
            Err(2)
                if counter.callee.load(Relaxed) == callee
                    && counter.caller.load(Relaxed) == caller
                    && counter.function.load(Relaxed) == function =>
            {
                counter.times.fetch_add(1, Relaxed);
                return;
            }
            Err(_) => {}
        }
    }
    LOST.fetch_add(1, Relaxed);
}

/// Calls `print` for each site.
pub fn each(mut print: impl FnMut(Site)) {
    for counter in &COUNTERS {
        // Acquire: as above.
        if counter.state.load(Acquire) == 2 {
            print(Site {
                callee: counter.callee.load(Relaxed),
                caller: counter.caller.load(Relaxed),
                // SAFETY: the pointer is null, or was made from a static reference in `count`.
                function: unsafe { counter.function.load(Relaxed).as_ref() },
                times: counter.times.load(Relaxed),
            });
        }
    }
}

/// Returns the number of jumps that were not counted because no counter was left.
pub fn lost() -> usize {
    LOST.load(Relaxed)
}

/// Forgets all jumps. No other thread may be counting at that time.
pub fn reset() {
    for counter in &COUNTERS {
        counter.state.store(0, Relaxed);
    }
    LOST.store(0, Relaxed);
}
