//! Where this thread's own stack lies: to tell hosts that are gone.

use crate::tls::Word;
use core::ops::Range;

/// States of a thread whose stack is not known, in place of its low end.
const NOT_ASKED: usize = 0;
const ASKED_IN_A_HANDLER: usize = 1;
const NOT_TO_BE_HAD: usize = 2;

/// Learns the bounds of this thread's stack when it makes its first trampoline.
#[inline(always)]
pub(crate) fn learn_first() {
    if Word::StackLow.get() == NOT_ASKED {
        learn();
    }
}

/// The frames below `here` on this thread's own stack, all of which have been left: an
/// address there is that of a host that is gone. `None` where that cannot be told: the
/// bounds are not known, or the thread runs on another stack (a fiber's, an alternate
/// signal stack).
pub(crate) fn left_below(here: usize) -> Option<Range<usize>> {
    if [NOT_ASKED, ASKED_IN_A_HANDLER].contains(&Word::StackLow.get()) {
        learn();
    }
    holds(here).then(|| Word::StackLow.get()..here)
}

/// Whether an address is on this thread's own stack, as far as that is known.
pub(crate) fn holds(address: usize) -> bool {
    let low = Word::StackLow.get();
    low > NOT_TO_BE_HAD && (low..Word::StackHigh.get()).contains(&address)
}

/// To ask may allocate and read `/proc`, which a signal handler must not. A handler runs with
/// its own signal blocked, so a thread asks only while it blocks none.
#[cold]
fn learn() {
    if may_be_a_handler() {
        return Word::StackLow.set(ASKED_IN_A_HANDLER);
    }
    let bounds = ask();
    // The high end first: a handler that comes between sees the low end as unknown.
    Word::StackHigh.set(bounds.as_ref().map_or(0, |bounds| bounds.end));
    Word::StackLow.set(bounds.map_or(NOT_TO_BE_HAD, |bounds| bounds.start));
}

fn may_be_a_handler() -> bool {
    // SAFETY: all-zero bytes are an empty set and an empty description of a stack; both
    // functions fill in what they are given, and are async-signal-safe.
    unsafe {
        let mut blocked: libc::sigset_t = core::mem::zeroed();
        let mut alternate: libc::stack_t = core::mem::zeroed();
        libc::pthread_sigmask(libc::SIG_SETMASK, core::ptr::null(), &raw mut blocked) != 0
            || libc::sigaltstack(core::ptr::null(), &raw mut alternate) != 0
            || (&raw const blocked).cast::<u64>().read_unaligned() != 0
            || alternate.ss_flags & libc::SS_ONSTACK != 0
    }
}

fn ask() -> Option<Range<usize>> {
    // SAFETY: as glibc's and musl's manuals have it: the attributes are initialised by the
    // first call, if it returns 0, and destroyed by the last.
    unsafe {
        let mut attributes: libc::pthread_attr_t = core::mem::zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &raw mut attributes) != 0 {
            return None;
        }
        let (mut low, mut len) = (core::ptr::null_mut(), 0);
        let got = libc::pthread_attr_getstack(&raw const attributes, &raw mut low, &raw mut len);
        libc::pthread_attr_destroy(&raw mut attributes);
        (got == 0).then(|| low.addr()..low.addr() + len)
    }
}
