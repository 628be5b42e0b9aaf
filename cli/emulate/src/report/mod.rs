//! The list of jumps to stacks, requested with `--report FILE`: the callees, the callers, the number of jumps, how they
//! were handled, and their cost. The list is written when the program ends.
//!
//! - `sites.rs`: the counters; `names.rs`: names of functions; `output.rs`: the file;
//! - `cost.rs`: the cost of a call on this machine.

mod cost;
mod names;
mod output;
mod sites;

use crate::loading::Path;
use crate::message::Line;
use crate::next::Next;
use crate::sys::{self, File, copy_all};
use core::cell::UnsafeCell;
use core::ffi::c_int;
use core::sync::atomic::{
    AtomicBool, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};
use cost::Cost;
use output::Output;

struct Request {
    path: UnsafeCell<Path>,
    cost: UnsafeCell<Cost>,
}
// SAFETY: the constructor writes both fields before it sets `ENABLED`, and afterwards they are only read.
unsafe impl Sync for Request {}
static REQUEST: Request =
    Request { path: UnsafeCell::new(Path::EMPTY), cost: UnsafeCell::new(Cost { handler: 0, wrapper: 0 }) };
static ENABLED: AtomicBool = AtomicBool::new(false);

/// The process whose jumps are counted. The child of a `vfork` shares the counters, but its jumps are not counted.
static OWNER: AtomicUsize = AtomicUsize::new(0);

/// Starts counting jumps if a report is requested. The report is written to the file at `path`.
pub fn start(path: Option<&[u8]>) {
    let Some(path) = path.and_then(|path| Path::of(&[path])) else { return };
    // SAFETY: `ENABLED` is not set yet, so no other code reads the request.
    unsafe {
        *REQUEST.path.get() = path;
        *REQUEST.cost.get() = cost::measure();
    }
    static AT_FORK: Next = Next::new(c"__register_atfork");
    if AT_FORK.address() != 0 {
        type Hook = Option<extern "C" fn()>;
        // SAFETY: this is the function's type in glibc, where pthread_atfork calls it.
        let at_fork: extern "C" fn(Hook, Hook, Hook, usize) -> c_int = unsafe { AT_FORK.function() };
        at_fork(None, None, Some(child), 0);
    }
    OWNER.store(sys::process(), Relaxed);
    // Release: pairs with the Acquire in `is_on`.
    ENABLED.store(true, Release);
}

/// Runs in the child of a `fork`. The child's report contains only the child's own jumps.
extern "C" fn child() {
    sites::reset();
    OWNER.store(sys::process(), Relaxed);
}

fn is_on() -> bool {
    // Acquire: if the flag is set, the request is complete.
    ENABLED.load(Acquire)
}

/// Counts a callback that was exchanged for a table trampoline.
pub fn wrapped(callee: usize, caller: usize, function: &'static Next) {
    if is_on() {
        sites::count(callee, caller, Some(function));
    }
}

/// Counts a jump that the SIGSEGV handler handled. `stack` is the stack pointer, which points to the return address in
/// the caller.
pub fn faulted(callee: usize, stack: usize) {
    if is_on() {
        let mut word = [0; 8];
        let caller = if copy_all(stack, &mut word) { usize::from_ne_bytes(word) } else { 0 };
        sites::count(callee, caller, None);
    }
}

/// Appends the list to the file, once. This function is async-signal-safe, because the program may be ended by a fatal
/// signal.
pub extern "C" fn write() {
    // Relaxed: the exchange only decides which call writes the report.
    if !is_on() || OWNER.load(Relaxed) != sys::process() || OWNER.swap(0, Relaxed) == 0 {
        return;
    }
    // A process without jumps writes no report. Most such processes are programs that a script executes.
    let mut any = false;
    sites::each(|_| any = true);
    if !any {
        return;
    }
    // SAFETY: `ENABLED` is set, so no code changes the request.
    let (path, cost) = unsafe { (&*REQUEST.path.get(), &*REQUEST.cost.get()) };
    let flags = libc::O_WRONLY
        | libc::O_CREAT
        | libc::O_APPEND
        | libc::O_NOFOLLOW
        | libc::O_NONBLOCK
        | libc::O_NOCTTY;
    let Some(file) = File::open_with(path.c_str(), flags) else {
        return cannot_write(path);
    };
    let mut output = Output::new(file);
    let mut line = Line::empty();
    line.text(b"process ").decimal(sys::process(), 0).text(b": ").text(names::program().bytes());
    output.write(line.end());
    let mut line = Line::empty();
    line.text(b"a call takes ").decimal(cost.handler, 0).text(b" ns through the handler, ");
    line.decimal(cost.wrapper, 0).text(b" ns through a table trampoline (measured at process start)");
    output.write(line.end());
    output.write(b"     times  served by             total us  callee, called from\n");
    sites::each(|site| {
        let mut line = Line::empty();
        line.decimal(site.times, 10).text(b"  ");
        let handler = site.handled_by();
        line.text(handler).text(&[b' '; 20][handler.len().min(20)..]);
        match site.function {
            None => line.decimal(site.times * cost.handler / 1000, 10),
            Some(_) => line.text(b"         -"),
        };
        line.text(b"  ");
        names::add(&mut line, site.callee);
        if site.caller != 0 {
            line.text(b", ");
            names::add(&mut line, site.caller - 1); // an address within the call instruction, not after it
        }
        output.write(line.end());
    });
    if sites::lost() > 0 {
        let mut line = Line::empty();
        line.decimal(sites::lost(), 10).text(b"  not listed, because the list was full");
        output.write(line.end());
    }
    if !output.end() {
        cannot_write(path);
    }
}

fn cannot_write(path: &Path) {
    Line::new().text(b"cannot write ").text(path.bytes()).print();
}
