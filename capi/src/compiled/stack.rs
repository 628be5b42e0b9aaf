//! Where this thread's own stack lies: to tell hosts that are gone.
//!
//! What lies on a stack below the stack pointer of what runs there has been left. So it must be
//! certain that the thread is on its own stack, and that an address is on it, too. Where it is
//! not, nothing is gone: slots come back later, or never.
//!
//! - The first thread's stack is the mapping that the kernel calls `[stack]`. The C library is
//!   not asked: where the stack's size has no limit, it takes whatever lies below for a part of
//!   the stack, up to the next mapping.
//! - Another thread's stack is what `pthread_getattr_np` says. glibc's allocates, which a signal
//!   handler must not, and a handler need not look like one (`SA_NODEFER`, or its signal
//!   unblocked). So it is asked only while no signal has a handler.
//! - An alternate signal stack may lie in a frame of the thread's own stack. The kernel says
//!   whether the thread is on it. Not of one that disarms itself (`SS_AUTODISARM`): that looks
//!   as if there were none, and its handler as a thread that blocks signals.

use super::tls::Word;
use crate::c_library::Function;
use core::ffi::{c_int, c_void};
use core::mem::transmute;
use core::ops::Range;
use statictramp::runtime::host::{self, system};

/// States of a thread whose stack is not known, in place of its low end.
const NOT_ASKED: usize = 0;
const NOT_KNOWN: usize = 1;

/// The frames below `here` on this thread's own stack, all of which have been left: an
/// address there is that of a host that is gone. `None` where that cannot be told.
#[cold]
pub(crate) fn left_below(here: usize) -> Option<Range<usize>> {
    below(here).filter(|_| !may_be_on_an_alternate_stack())
}

/// As [`left_below`], but `None` unless `place` is among those frames, which is checked first.
pub(crate) fn left_with(place: usize, here: usize) -> Option<Range<usize>> {
    let left = (place < here).then(|| below(here))??;
    (left.contains(&place) && !may_be_on_an_alternate_stack()).then_some(left)
}

/// Whether both `here`, where the stack pointer is, and another place are on this thread's own stack.
pub(crate) fn are_own(here: usize, place: usize) -> bool {
    below(here).is_some() && holds(place)
}

/// What lies below on this thread's own stack, if it is on that or on an alternate stack there.
fn below(here: usize) -> Option<Range<usize>> {
    if Word::StackLow.get() == NOT_ASKED || grown_to(here) {
        learn();
    }
    holds(here).then(|| Word::StackLow.get()..here)
}

/// As [`left_below`], after asking again for the bounds of the stack: it may have grown since, or
/// could not be asked for. `None` where the answer is the one that was known.
#[cold]
pub(crate) fn left_below_if_learned_anew(here: usize) -> Option<Range<usize>> {
    let before = Word::StackLow.get();
    learn();
    if Word::StackLow.get() == before { None } else { left_below(here) }
}

/// Whether an address is on this thread's own stack, as far as that is known.
fn holds(address: usize) -> bool {
    let low = Word::StackLow.get();
    low > NOT_KNOWN && (low..Word::StackHigh.get()).contains(&address)
}

/// Whether the first thread's stack may have grown down to `here` since it was asked for. Those
/// of fibers lie further away, as a rule; if not, asking is only in vain.
fn grown_to(here: usize) -> bool {
    const AS_A_RULE: usize = 64 << 20;
    let low = Word::StackLow.get();
    low > NOT_KNOWN && here < low && low - here < AS_A_RULE && is_first_thread()
}

fn learn() {
    let Some(bounds) = ask() else {
        // What was known once stays true.
        if Word::StackLow.get() == NOT_ASKED {
            Word::StackLow.set(NOT_KNOWN);
        }
        return;
    };
    // In the child of a `fork` the thread that called it is the first, and what the kernel
    // names is not its own stack.
    if Word::StackLow.get() > NOT_KNOWN && Word::StackHigh.get() != bounds.end {
        return;
    }
    // The high end first: a handler that comes between sees the low end as unknown, or as
    // it was.
    Word::StackHigh.set(bounds.end);
    Word::StackLow.set(bounds.start);
}

fn ask() -> Option<Range<usize>> {
    if is_first_thread() {
        host::first_stack()
    } else if cfg!(target_env = "musl") || no_handler_can_run() {
        ask_the_c_library()
    } else {
        None
    }
}

fn is_first_thread() -> bool {
    system::gettid() == system::getpid()
}

fn may_be_on_an_alternate_stack() -> bool {
    system::alternate_stack().is_none_or(|stack| {
        stack.ss_flags & libc::SS_ONSTACK != 0 || stack.ss_flags & libc::SS_DISABLE != 0 && blocks_signals()
    })
}

fn blocks_signals() -> bool {
    system::blocked_signals() != Some(0)
}

/// A handler that has run once may have taken its own registration back; the flags for that
/// stay.
fn no_handler_can_run() -> bool {
    // 32 and 33 are glibc's own, for cancelled threads and for `setuid`.
    let has_handler = |signal| {
        !(32..=33).contains(&signal)
            && system::action_of(signal).is_some_and(|action| {
                const REARMED: usize = (libc::SA_RESETHAND | libc::SA_NODEFER) as u32 as usize;
                ![libc::SIG_DFL, libc::SIG_IGN].contains(&action.handler) || action.flags & REARMED != 0
            })
    };
    !blocks_signals() && !(1..=64).any(has_handler)
}

fn ask_the_c_library() -> Option<Range<usize>> {
    type Attributes = libc::pthread_attr_t;
    let myself = Function::PthreadSelf.address()?;
    let attributes_of = Function::PthreadGetattrNp.address()?;
    let stack_of = Function::PthreadAttrGetstack.address()?;
    let destroy = Function::PthreadAttrDestroy.address()?;
    // SAFETY: as glibc's and musl's manuals have it: the attributes are initialised by the
    // first call, if it returns 0, and destroyed by the last. None is a cancellation point for a thread that
    // `pthread_create` has made; each thread has an errno.
    unsafe {
        let myself: extern "C" fn() -> libc::pthread_t = transmute(myself);
        let attributes_of: unsafe extern "C" fn(libc::pthread_t, *mut Attributes) -> c_int =
            transmute(attributes_of);
        let stack_of: unsafe extern "C" fn(*const Attributes, *mut *mut c_void, *mut usize) -> c_int =
            transmute(stack_of);
        let destroy: unsafe extern "C" fn(*mut Attributes) -> c_int = transmute(destroy);

        let errno = *libc::__errno_location();
        let mut attributes: Attributes = core::mem::zeroed();
        let (mut low, mut len) = (core::ptr::null_mut(), 0);
        let mut got = attributes_of(myself(), &raw mut attributes);
        if got == 0 {
            got = stack_of(&raw const attributes, &raw mut low, &raw mut len);
            destroy(&raw mut attributes);
        }
        *libc::__errno_location() = errno;
        (got == 0).then(|| low.addr()..low.addr() + len)
    }
}
