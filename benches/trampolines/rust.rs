//! The costs of the Rust interface, compared with lower bounds and other implementations in the same process.

use criterion::Criterion;
use std::hint::black_box;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering::*};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::Instant;

use statictramp::{Trampoline, capacity};

/// The name of this column in the table.
pub const HERE: &str = "Rust";

/// A callee that gets its context in the static-chain register.
#[unsafe(naked)]
extern "C" fn by_chain(_x: usize) -> usize {
    core::arch::naked_asm!("endbr64", "mov rax, [r10]", "add rax, rdi", "ret")
}

/// The same callee with a normal argument.
#[inline(never)]
extern "C" fn by_argument(x: usize, context: &usize) -> usize {
    x + *context
}

static CONTEXT: usize = 3;

fn chain() -> *mut () {
    (&raw const CONTEXT).cast_mut().cast()
}

fn make() -> Trampoline {
    Trampoline::new(black_box(by_chain as *const ()), black_box(chain())).expect("a free slot")
}

fn call(address: *const ()) -> usize {
    // SAFETY: every address here belongs to a live trampoline, or to a stub below, that jumps to `by_chain` with the
    // address of a number.
    let f = unsafe { core::mem::transmute::<*const (), extern "C" fn(usize) -> usize>(black_box(address)) };
    f(1)
}

/// A fixed slot without an allocator, which needs only the stores of creating and freeing.
mod fixed {
    use super::*;

    #[repr(C, align(64))]
    pub struct Slot {
        pub chain: AtomicPtr<()>,
        pub callee: AtomicPtr<()>,
        pub claim: AtomicU32,
        pub procedure: AtomicPtr<()>,
    }

    pub static SLOT: Slot = Slot {
        chain: AtomicPtr::new(core::ptr::null_mut()),
        callee: AtomicPtr::new(core::ptr::null_mut()),
        claim: AtomicU32::new(0),
        procedure: AtomicPtr::new(core::ptr::null_mut()),
    };

    #[unsafe(naked)]
    pub extern "C" fn stub() {
        core::arch::naked_asm!("endbr64", "mov r10, [rip + {0}]", "jmp [rip + {0} + 8]", sym SLOT)
    }

    pub fn fill() {
        SLOT.claim.store(1, Relaxed);
        SLOT.chain.store(black_box(chain()), Release);
        SLOT.callee.store(black_box(by_chain as *mut ()), Release);
    }

    pub fn clear() {
        SLOT.callee.store(stub as *mut (), Relaxed);
        SLOT.chain.store(core::ptr::null_mut(), Release);
        SLOT.procedure.store(by_chain as *mut (), Relaxed);
        SLOT.claim.store(0, Release);
    }
}

fn floors(c: &mut Criterion) {
    let mut group = c.benchmark_group(HERE);
    let (one, other) = (AtomicUsize::new(0), AtomicUsize::new(0));
    group.bench_function("two RMWs", |b| {
        b.iter(|| (black_box(&one).fetch_add(1, AcqRel), black_box(&other).fetch_sub(1, AcqRel)))
    });
    group.bench_function("fixed slot", |b| {
        b.iter(|| {
            fixed::fill();
            let result = call(fixed::stub as *const ());
            fixed::clear();
            result
        })
    });
    group.bench_function("plain call", |b| {
        b.iter(|| {
            let f: extern "C" fn(usize, &usize) -> usize = black_box(by_argument);
            f(1, black_box(&CONTEXT))
        })
    });
    group.bench_function("malloc + free", |b| b.iter(|| drop(black_box(Box::new([0u64; 4])))));
    let stack = Mutex::new((0..1024usize).collect::<Vec<_>>());
    group.bench_function("Mutex<Vec>: pop + push", |b| {
        b.iter(|| {
            let taken = stack.lock().unwrap().pop().unwrap();
            stack.lock().unwrap().push(black_box(taken));
        })
    });
    group.finish();
}

fn trampolines(c: &mut Criterion) {
    let mut group = c.benchmark_group(HERE);
    let hot = make();
    group.bench_function("call", |b| b.iter(|| call(hot.as_ptr())));
    drop(hot);
    group.bench_function("create + free", |b| b.iter(|| make().as_ptr()));
    group.bench_function("create + call + free", |b| b.iter(|| call(make().as_ptr())));
    let held: Vec<_> = (0..16).map(|_| make()).collect();
    group.bench_function("create + call + free, 16 held", |b| b.iter(|| call(make().as_ptr())));
    drop(held);
    group.bench_function("create 16, free 16, for each", |b| {
        b.iter_custom(|iterations| {
            let start = Instant::now();
            for _ in 0..iterations.div_ceil(16) {
                let all: [Trampoline; 16] = std::array::from_fn(|_| make());
                drop(black_box(all));
            }
            start.elapsed()
        })
    });
    let step = 5;
    let closure = |x: usize| x + step;
    let bound = statictramp::bind(&closure).unwrap();
    group.bench_function("call of a bound closure", |b| {
        // SAFETY: the callback is alive.
        b.iter(|| unsafe { black_box(bound.as_fn())(black_box(1)) })
    });
    let boxed: Box<dyn Fn(usize) -> usize> = Box::new(closure);
    group.bench_function("the same closure as Box<dyn Fn>", |b| b.iter(|| black_box(&boxed)(black_box(1))));
    group.bench_function("bind + drop", |b| {
        b.iter(|| black_box(statictramp::bind(black_box(&closure)).unwrap().as_fn()))
    });
    group.finish();
}

/// closure-ffi, which copies a thunk into memory that it makes executable.
#[cfg(target_arch = "x86_64")]
fn closure_ffi(c: &mut Criterion) {
    use closure_ffi::BareFn;
    let mut group = c.benchmark_group("closure-ffi 4");
    let step = 5;
    let kept = BareFn::new_c(|x: usize| -> usize { x + step });
    // SAFETY: the closure is alive.
    group.bench_function("call", |b| b.iter(|| unsafe { black_box(kept.bare())(black_box(1)) }));
    group.bench_function("create + call + free", |b| {
        b.iter(|| {
            let made = BareFn::new_c(|x: usize| -> usize { x + black_box(step) });
            // SAFETY: as above.
            unsafe { made.bare()(black_box(1)) }
        })
    });
    group.finish();
}

/// A small random number generator that produces the same numbers in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit
    }
}

/// Frees a random held trampoline and creates another one, at several fill levels of the table.
fn occupancy(c: &mut Criterion) {
    let mut group = c.benchmark_group(HERE);
    for (name, spare) in [("50", 500), ("99", 10), ("99.9", 1)] {
        let live = capacity() - (capacity() * spare / 1000).max(1);
        let mut random = Random(1);
        let mut held: Vec<_> = (0..live).map(|_| make()).collect();
        group.bench_function(format!("churn, {name} % full"), |b| {
            b.iter(|| {
                let index = random.below(held.len());
                drop(held.swap_remove(index));
                held.push(make());
            })
        });
    }
    let full: Vec<_> = std::iter::from_fn(|| Trampoline::new(by_chain as *const (), chain()).ok()).collect();
    group.bench_function("failed claim", |b| {
        b.iter(|| assert!(Trampoline::new(black_box(by_chain as *const ()), chain()).is_err()))
    });
    drop(full);
    group.finish();
}

/// Measures threads, each of which creates, calls and frees trampolines. The result is the nanoseconds per
/// operation, over all threads.
fn threads(c: &mut Criterion) {
    let mut group = c.benchmark_group(HERE);
    for count in [1usize, 2, 4, 8] {
        group.bench_function(format!("create + call + free, {count} threads"), |b| {
            b.iter_custom(|iterations| {
                let each = iterations.div_ceil(count as u64);
                let barrier = Arc::new(Barrier::new(count + 1));
                let workers: Vec<_> = (0..count)
                    .map(|_| {
                        let barrier = barrier.clone();
                        thread::spawn(move || {
                            barrier.wait();
                            (0..each).for_each(|_| {
                                black_box(call(make().as_ptr()));
                            });
                        })
                    })
                    .collect();
                let start = Instant::now();
                barrier.wait();
                workers.into_iter().for_each(|worker| worker.join().unwrap());
                start.elapsed()
            })
        });
    }
    group.finish();
}

pub fn run(c: &mut Criterion) {
    statictramp::set_limit(capacity()); // the current capacity is the limit here
    floors(c);
    trampolines(c);
    occupancy(c);
    threads(c);
    #[cfg(target_arch = "x86_64")]
    closure_ffi(c);
}
