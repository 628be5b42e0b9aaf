//! The bounds of this thread's own stack, which identify abandoned frames.
//!
//! On the running stack, every frame below the stack pointer has been abandoned. This rule is applied only if the
//! thread is known to be running on its own stack and the frame is known to be on that stack. Otherwise, no frame is
//! treated as abandoned, and the slots are reclaimed later, or never.
//!
//! - The bounds of the first thread's stack are read from `/proc/self` (`src/os/stack.rs`): for a stack of unlimited
//!   size, libc's answer wrongly includes all mappings below the stack, down to the next gap.
//! - The bounds of any other thread's stack are read from libc's thread descriptor (`block.rs`). In a child of `fork`,
//!   the thread that called `fork` is the first thread, on the same stack.
//! - A child of `vfork` or `clone(CLONE_VM)` shares memory with another thread and uses that thread's thread-local
//!   words, so no frame is treated as abandoned, and no bounds are stored.
//! - An alternate signal stack may lie inside a frame of the thread's own stack. The kernel reports whether the thread
//!   is on an alternate stack, unless that stack was registered with `SS_AUTODISARM`. With that flag, the kernel
//!   reports no signal stack, and a handler looks like ordinary code on a thread that blocks signals.
//!
//! No code in this file takes a lock or allocates memory, so signal handlers and allocators may call it.

use super::abandoned::Abandoned;
use super::block;
use super::tls::Word;
use crate::c_library::{Function, this_thread};
use core::ffi::c_int;
use core::mem::transmute;
use core::ops::Range;
use statictramp::for_capi::host::{self, system};

/// The states of a thread whose stack bounds are unknown. The state is stored instead of the low end.
const NOT_ASKED: usize = 0;
const NOT_KNOWN: usize = 1;

/// Returns the range of abandoned frames on this thread's own stack (all frames below `here`), or `None` if the range
/// cannot be determined.
#[cold]
pub(crate) fn abandoned_below(here: usize) -> Option<Abandoned> {
    below(here).filter(|_| !may_be_on_an_alternate_stack())
}

/// Like [`abandoned_below`], but returns `None` if `stack_pointer` is not in one of the abandoned frames.
pub(crate) fn abandoned_with(stack_pointer: usize, here: usize) -> Option<Abandoned> {
    let abandoned = (stack_pointer < here).then(|| below(here))??;
    (abandoned.contains(stack_pointer) && !may_be_on_an_alternate_stack()).then_some(abandoned)
}

/// Returns whether `here` and another stack pointer both point into this thread's own stack.
pub(crate) fn are_own(here: usize, stack_pointer: usize) -> bool {
    below(here).is_some() && known().is_some_and(|stack| stack.contains(&stack_pointer))
}

/// Returns the frames below `here` on this thread's own stack, if the thread is on that stack or on an alternate stack
/// within it.
fn below(here: usize) -> Option<Abandoned> {
    Abandoned::new(own_with(here)?, here).filter(|_| owns_thread_words())
}

/// Returns the bounds of this thread's own stack, if `here` is on it or on an alternate stack within it.
pub(crate) fn own_with(here: usize) -> Option<Range<usize>> {
    if Word::StackLow.get() == NOT_ASKED || grown_to(here) {
        learn(here);
    }
    known().filter(|stack| stack.contains(&here))
}

/// Like [`abandoned_below`], but first rereads the bounds of the stack, in case it has grown or its bounds were
/// unknown. Returns `None` if the bounds have not changed.
#[cold]
pub(crate) fn abandoned_below_if_learned_anew(here: usize) -> Option<Abandoned> {
    let before = Word::StackLow.get();
    learn(here);
    if Word::StackLow.get() == before { None } else { abandoned_below(here) }
}

/// Returns the bounds of this thread's own stack, if they are known.
fn known() -> Option<Range<usize>> {
    let low = Word::StackLow.get();
    (low > NOT_KNOWN).then(|| low..Word::StackHigh.get())
}

/// Returns whether the first thread's stack might have grown down to `here` since its bounds were read.
fn grown_to(here: usize) -> bool {
    /// A size larger than any stack. Even if the stack size is unlimited, other stacks, such as fiber stacks, are
    /// mapped farther away than this on x86-64 and AArch64.
    const MOST: usize = 1 << if size_of::<usize>() == 8 { 40 } else { 31 };
    known().is_some_and(|stack| {
        let depth = stack.end.saturating_sub(here);
        here < stack.start && depth < MOST && is_first_thread() && depth as u64 <= most_of_first_stack()
    })
}

/// Returns the maximum size in bytes of the first thread's stack. The kernel's other mappings are farther away than
/// this, unless the limit was raised after the program started.
fn most_of_first_stack() -> u64 {
    system::stack_limit().unwrap_or(u64::MAX)
}

fn learn(here: usize) {
    if !owns_thread_words() {
        return;
    }
    match (known(), ask(here)) {
        (None, Some(stack)) => {
            // The high end is stored first: a handler that runs between the two stores must still find the low end
            // unknown.
            Word::StackHigh.set(stack.end);
            Word::StackLow.set(stack.start);
        }
        (None, None) => Word::StackLow.set(NOT_KNOWN),
        // Known bounds stay valid, but the first thread's stack may have grown downwards. A stack with a different high
        // end is a different stack.
        (Some(known), Some(stack)) if stack.end == known.end => {
            Word::StackLow.set(stack.start.min(known.start));
        }
        _ => {}
    }
}

fn ask(here: usize) -> Option<Range<usize>> {
    let first = || if is_first_thread() { host::first_stack() } else { None };
    if cfg!(target_env = "musl") {
        // On the first thread's own stack, musl is not queried, because it would make a system call for each page of
        // that stack.
        first().filter(|stack| stack.contains(&here)).or_else(block::stack)
    } else {
        block::stack().or_else(first)
    }
}

/// Returns whether this is the first thread: always true in a child of `fork`, no matter which thread called `fork`.
fn is_first_thread() -> bool {
    system::gettid() == system::getpid()
}

/// Returns whether the thread-local words belong to the running task, rather than to a parent that shares them with the
/// task.
///
/// libc stores each thread's ID next to these words, and updates it in a child of `fork`. Without a system call or a
/// lock, the only source of the ID is the clock ID of the thread's CPU-time clock. Two processes that share memory can
/// both have the ID 1, each in its own PID namespace.
fn owns_thread_words() -> bool {
    const OF_ONE_THREAD: libc::clockid_t = 4;
    const TIME_THAT_IT_RAN: libc::clockid_t = 2;
    let (Some(this), Some(clock_of)) = (this_thread(), Function::PthreadGetcpuclockid.address()) else {
        return false;
    };
    let mut clock = 0;
    // SAFETY: libc's function has this type. The running thread exists, and the call stores its clock in a variable.
    let found = unsafe {
        let clock_of: unsafe extern "C" fn(libc::pthread_t, *mut libc::clockid_t) -> c_int =
            transmute(clock_of);
        clock_of(this, &raw mut clock)
    } == 0;
    let number = system::gettid();
    found && clock == !number << 3 | OF_ONE_THREAD | TIME_THAT_IT_RAN && (number != 1 || is_registered())
}

/// Returns whether libc has registered a robust-futex list for the running task. Only glibc does this, for each thread
/// and in a child of `fork`. The check is inconclusive with musl, or if the kernel does not report the list.
fn is_registered() -> bool {
    cfg!(target_env = "musl") || system::robust_list() != Some(0)
}

fn may_be_on_an_alternate_stack() -> bool {
    system::alternate_stack().is_none_or(|stack| {
        stack.ss_flags & libc::SS_ONSTACK != 0 || stack.ss_flags & libc::SS_DISABLE != 0 && blocks_signals()
    })
}

fn blocks_signals() -> bool {
    system::blocks_signals() != Some(false)
}
