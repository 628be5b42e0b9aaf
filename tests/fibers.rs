//! Fibers that resume on another thread after their first thread has ended and its thread-local storage has been
//! unmapped. After each call of foreign code, the library must determine the current thread again, even if everything
//! is inlined into one function. Only an optimized build can fail here, so `tests/run threads` runs this test with
//! `--release`.
#![cfg(all(target_os = "linux", target_env = "gnu", not(target_arch = "arm")))] // musl and Arm lack makecontext

use statictramp::Trampoline;
use std::cell::UnsafeCell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

struct Context(UnsafeCell<libc::ucontext_t>);

// SAFETY: only one thread at a time uses the contexts, because each thread is joined before the next one starts.
unsafe impl Sync for Context {}

impl Context {
    const fn new() -> Self {
        // SAFETY: the struct is plain data, which getcontext and swapcontext fill.
        Context(UnsafeCell::new(unsafe { core::mem::zeroed() }))
    }
}

static FIBER: Context = Context::new();
static HOST: Context = Context::new();

/// Switches from the fiber to the code that resumed it.
#[inline(never)]
fn suspend() {
    // SAFETY: `resume` has filled HOST.
    unsafe { libc::swapcontext(FIBER.0.get(), HOST.0.get()) };
}

fn resume() {
    // SAFETY: the fiber is new, or has suspended itself.
    unsafe { libc::swapcontext(HOST.0.get(), FIBER.0.get()) };
}

extern "C" fn callee() {}

static MADE: [AtomicBool; 2] = [AtomicBool::new(false), AtomicBool::new(false)];

/// Reuses the slot that this thread freed last for the callee. This function is always inlined, so that both calls are
/// in the fiber's function.
#[inline(always)]
fn make_in_the_last_slot() -> bool {
    let callee = callee as *const ();
    Trampoline::new_fast(callee, |_| (callee, null_mut())).is_some_and(|made| !made.into_raw().is_null())
}

extern "C" fn fiber() {
    MADE[0].store(make_in_the_last_slot(), Relaxed);
    suspend();
    MADE[1].store(make_in_the_last_slot(), Relaxed);
    suspend();
}

fn make_and_free() {
    drop(Trampoline::new(callee as *const (), null_mut()).unwrap());
}

#[test]
fn a_migrated_fiber_does_not_use_its_former_threads_storage() {
    let mut stack = vec![0u8; 256 * 1024];
    // SAFETY: the stack exists until the fiber has suspended itself for the last time.
    unsafe {
        let context = FIBER.0.get();
        assert_eq!(libc::getcontext(context), 0);
        (*context).uc_stack.ss_sp = stack.as_mut_ptr().cast();
        (*context).uc_stack.ss_size = stack.len();
        libc::makecontext(context, fiber, 0);
    }
    let on_a_thread = || {
        make_and_free();
        resume();
    };
    // When the thread is joined, a stack of this size is unmapped, together with the thread's storage.
    thread::Builder::new().stack_size(256 << 20).spawn(on_a_thread).unwrap().join().unwrap();
    make_and_free();
    resume();
    assert!(MADE.iter().all(|made| made.load(Relaxed)), "a thread used the list of another thread");
    assert_eq!(statictramp::live(), 2);
}
