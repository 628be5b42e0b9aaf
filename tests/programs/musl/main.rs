//! Tests what is different about Rust with std on musl: threads with 128 KiB of stack, fork, signals, reading
//! `/proc`, and the unwinding of panics. `tests/legs/parts/musl.sh` links it statically and dynamically.

use statictramp::{Trampoline, bind, boxed, capacity, live};
use std::ffi::{c_int, c_void};
use std::ptr::{null, null_mut, without_provenance_mut};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// The default stack size of a thread.
const STACK: usize = 128 * 1024;

/// Creates a thread through libc, with the default stack size if none is given. Returns its number.
fn start(stack: Option<usize>, run: extern "C" fn(*mut c_void) -> *mut c_void) -> libc::pthread_t {
    // SAFETY: the struct is plain data, which the next call fills.
    let (mut attributes, mut thread) =
        unsafe { core::mem::zeroed::<(libc::pthread_attr_t, libc::pthread_t)>() };
    // SAFETY: the attributes are initialized, and the new thread gets no reference from this one.
    unsafe {
        assert_eq!(libc::pthread_attr_init(&mut attributes), 0);
        if let Some(size) = stack {
            assert_eq!(libc::pthread_attr_setstacksize(&mut attributes, size), 0);
        }
        let chosen = if stack.is_some() { &raw const attributes } else { null() };
        assert_eq!(libc::pthread_create(&mut thread, chosen, run, null_mut()), 0);
    }
    thread
}

fn join(thread: libc::pthread_t) {
    // SAFETY: `start` created the thread, and it is joined only once.
    assert_eq!(unsafe { libc::pthread_join(thread, null_mut()) }, 0);
}

/// Returns the size of the running thread's stack.
fn stack_size() -> usize {
    let mut size = 0;
    // SAFETY: the struct is plain data, which the first call fills.
    unsafe {
        let mut attributes = core::mem::zeroed();
        assert_eq!(libc::pthread_getattr_np(libc::pthread_self(), &mut attributes), 0);
        assert_eq!(libc::pthread_attr_getstacksize(&attributes, &mut size), 0);
    }
    size
}

/// Creates `count` closures whose arguments are passed in registers and on the stack, calls each, and frees them.
fn many(count: u64) {
    let made: Vec<_> = (0..count)
        .map(|i| {
            let sum = move |a: u64, b: f64, c: [u64; 5], d: u8, e: u16, f: u32, g: u64| {
                i + a + b as u64 + c.iter().sum::<u64>() + u64::from(d) + u64::from(e) + u64::from(f) + g
            };
            boxed(sum).unwrap()
        })
        .collect();
    for (i, f) in made.iter().enumerate() {
        // SAFETY: the guard is alive.
        assert_eq!(unsafe { f.as_fn()(1, 2.0, [3, 4, 5, 6, 7], 8, 9, 10, 11) }, i as u64 + 66);
    }
    assert!(capacity() as u64 >= count);
}

/// Runs on a stack of 16 KiB, which is the most that growth needs.
extern "C" fn grows_first(_: *mut c_void) -> *mut c_void {
    let before = capacity();
    many(before as u64 + 1);
    assert!(capacity() > before);
    null_mut()
}

extern "C" fn grows_further(_: *mut c_void) -> *mut c_void {
    assert!((STACK..STACK + STACK / 4).contains(&stack_size()), "{}", stack_size()); // rounded to whole pages
    many(20_000);
    null_mut()
}

static IS_OVER: AtomicBool = AtomicBool::new(false);
static MADE: AtomicUsize = AtomicUsize::new(0);
static HANDLED: AtomicUsize = AtomicUsize::new(0);

/// Creates and frees two closures at the same time, as a handler may do.
fn make_call_free(tag: usize) {
    let add = |x: usize| x + tag;
    let multiply = |x: usize| x * tag;
    let (add, multiply) = (bind(&add).unwrap(), bind(&multiply).unwrap());
    // SAFETY: both guards are alive.
    assert_eq!(unsafe { (add.as_fn()(7), multiply.as_fn()(7)) }, (7 + tag, 7 * tag));
}

extern "C" fn makes(_: *mut c_void) -> *mut c_void {
    while !IS_OVER.load(Relaxed) {
        make_call_free(MADE.fetch_add(1, Relaxed));
    }
    null_mut()
}

extern "C" fn on_signal(_: c_int) {
    make_call_free(HANDLED.fetch_add(1, Relaxed) + 1000);
}

/// Makes a timer send SIGALRM to this process at this interval in microseconds. An interval of 0 stops the timer.
fn ring(microseconds: i64) {
    let every = libc::timeval { tv_sec: 0, tv_usec: microseconds };
    let timer = libc::itimerval { it_interval: every, it_value: every };
    // SAFETY: this only reads the timer.
    assert_eq!(unsafe { libc::setitimer(libc::ITIMER_REAL, &timer, null_mut()) }, 0);
}

#[unsafe(naked)]
extern "C" fn twice_the_chain() -> usize {
    core::arch::naked_asm!("endbr64", "lea rax, [r10 * 2]", "ret")
}

/// Fills the table, makes it grow, and calls the new closures. Runs in a child process, and allocates no memory.
fn fill_and_grow() -> bool {
    let before = capacity();
    (0..before + 100).all(|i| {
        let made = Trampoline::new(twice_the_chain as *const (), without_provenance_mut(i));
        made.is_ok_and(|made| {
            // SAFETY: this is the address of a function that is valid until the process ends.
            let f = unsafe { core::mem::transmute::<*const (), extern "C" fn() -> usize>(made.into_raw()) };
            f() == 2 * i
        })
    }) && capacity() > before
}

/// Forks while other threads create and free trampolines and signals arrive.
fn forks(count: usize) {
    for _ in 0..count {
        // SAFETY: the child calls nothing that another thread may have locked.
        match unsafe { libc::fork() } {
            // SAFETY: this ends the child immediately.
            0 => unsafe { libc::_exit(c_int::from(!fill_and_grow())) },
            child => {
                let mut status = -1;
                // SAFETY: this is a child of this process. Signals may interrupt the wait.
                while unsafe { libc::waitpid(child, &mut status, 0) } < 0 {}
                assert_eq!(status, 0);
            }
        }
    }
}

/// Tests a panic that unwinds through the stub and the adapter, if the pointer's type permits this, and a panic that
/// the closure catches.
fn panics() {
    std::panic::set_hook(Box::new(|_| ()));
    let limit = 5;
    let kept = |x: u32| u32::from(std::panic::catch_unwind(|| assert!(x < limit)).is_err());
    let kept = bind(&kept).unwrap();
    let let_go = statictramp::unwind(|x: u32| assert!(x < limit));
    let let_go = bind(&let_go).unwrap();
    for x in 0..10 {
        // SAFETY: both guards are alive.
        assert_eq!(unsafe { kept.as_fn()(x) }, u32::from(x >= limit));
        // SAFETY: as above.
        assert_eq!(std::panic::catch_unwind(|| unsafe { let_go.as_fn()(x) }).is_err(), x >= limit);
    }
    drop(std::panic::take_hook());
}

fn main() {
    join(start(Some(16 * 1024), grows_first));

    // SAFETY: the handler performs only operations that are permitted in handlers.
    unsafe {
        let mut action: libc::sigaction = core::mem::zeroed();
        action.sa_sigaction = on_signal as *const () as usize;
        assert_eq!(libc::sigaction(libc::SIGALRM, &action, null_mut()), 0);
    }
    ring(200);
    let mut threads: Vec<_> = (0..4).map(|_| start(None, makes)).collect();
    threads.push(start(None, grows_further));
    forks(20);
    // On a fast machine, the forks end before the timer has expired often.
    while MADE.load(Relaxed) < 100 || HANDLED.load(Relaxed) < 100 {
        std::thread::yield_now();
    }
    IS_OVER.store(true, Relaxed);
    threads.into_iter().for_each(join);
    ring(0);

    panics();
    assert_eq!(live(), 0);
    println!("growth to {}, forks, signals, stacks of {STACK} bytes, panics", capacity());
}
