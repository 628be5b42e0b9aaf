//! The stack bounds of a thread created by libc.
//!
//! glibc's `pthread_getattr_np` takes the thread's lock and calls `malloc`, so neither signal handlers nor an allocator
//! that makes trampolines may call it. Instead, this module reads glibc's thread descriptor, although its layout is not
//! public. The descriptor starts at the address that `pthread_self()` returns. Four contiguous words in it describe the
//! memory block that contains both the stack and the descriptor: its address, its size, and the actual and the
//! requested size of its guard. Their offset is the same in glibc 2.36 and 2.43, but this module recognises them by
//! their values: no other words nearby describe a block that contains the descriptor. If this module does not find
//! exactly one such group of words, the stack is unknown.
//!
//! The thread's frames are below the descriptor and below the thread-local variables. (A program may use such a
//! variable as a coroutine's stack.) On processors with `thread_variables_below`, these variables are between the
//! frames and the descriptor. The program's own variables are at the top, and their low end is known from the program's
//! headers. The variables of shared libraries are below them and cannot be distinguished from frames.
//!
//! With musl, this module calls `pthread_getattr_np`, which merely reads the thread descriptor if libc created the
//! thread.

#[cfg(not(target_env = "musl"))]
use crate::arch::processor;
#[cfg(target_env = "musl")]
use crate::c_library::Function;
#[cfg(not(target_env = "musl"))]
use crate::c_library::program_headers;
use crate::c_library::this_thread;
use core::ops::Range;

/// Returns the bounds of the running thread's stack, without the guard and the thread-local variables, or `None` on the
/// first thread or if the bounds are unknown.
#[cfg(not(target_env = "musl"))]
pub(super) fn stack() -> Option<Range<usize>> {
    use core::ptr::with_exposed_provenance;
    use core::sync::atomic::AtomicUsize;
    use core::sync::atomic::Ordering::Relaxed;

    /// The range of words to search. It is above the values of pthread keys and, in glibc 2.36 and 2.43, entirely
    /// within the descriptor. The other words in the range are the thread ID, the thread's function, argument and
    /// result, and zeroes.
    const WORDS: Range<usize> = if cfg!(target_arch = "x86_64") { 194..224 } else { 130..194 };
    let this = this_thread()? as usize; // the address of the descriptor
    let words: *const AtomicUsize = with_exposed_provenance(this);
    // SAFETY: the descriptor contains all words of the range. Relaxed: the four words were stored before the thread
    // started, and the values of the other words do not matter.
    let word = |at: usize| unsafe { (*words.add(at)).load(Relaxed) };
    let mut blocks = (WORDS.start..WORDS.end - 3)
        .filter_map(|at| block([word(at), word(at + 1), word(at + 2), word(at + 3)], this));
    let block = blocks.next()?;
    if blocks.next().is_some() {
        return None;
    }
    let end =
        if processor!(thread_variables_below) { this.checked_sub(program_variables(this)?)? } else { this };
    (block.start < end).then_some(block.start..end)
}

/// Returns the distance in bytes from the low end of the program's thread-local variables to the descriptor at `this`.
#[cfg(not(target_env = "musl"))]
fn program_variables(this: usize) -> Option<usize> {
    let (headers, _) = program_headers();
    let Some(variables) = headers.iter().find(|header| header.p_type == libc::PT_TLS) else {
        return Some(0);
    };
    // The variables begin at the highest address below the descriptor that leaves room for them and has the linker's
    // alignment.
    let end = this.checked_sub(variables.p_memsz as usize)?;
    let unaligned =
        end.wrapping_sub(variables.p_vaddr as usize) & (variables.p_align as usize).saturating_sub(1);
    Some(this - end.checked_sub(unaligned)?)
}

/// Returns the bounds, without the guard, of the memory block described by four words. Returns `None` unless the
/// descriptor at `this` is in the block, near its end.
#[cfg(not(target_env = "musl"))]
fn block([start, size, guard, asked]: [usize; 4], this: usize) -> Option<Range<usize>> {
    /// The maximum size of a block: larger than ordinary stacks, but smaller than the distance from a program's code to
    /// its stacks, so that the addresses of a thread's function and argument are never mistaken for a block.
    const MOST: usize = 1 << if size_of::<usize>() == 8 { 36 } else { 29 };
    /// The maximum number of bytes in the block above the descriptor. On most processors, these bytes contain the
    /// thread-local variables.
    const ABOVE: usize = 64 << 20;
    const PAGE: usize = 4096;
    let end = start.checked_add(size)?;
    let is_block = (1..=this).contains(&start) && end > this && end - this < ABOVE && size < MOST;
    let has_guard = guard < size && asked < size && (guard | asked).is_multiple_of(PAGE);
    (is_block && has_guard).then_some(start + guard..end)
}

/// Returns the bounds of the running thread's stack, or `None` on the first thread or if the bounds are unknown.
#[cfg(target_env = "musl")]
pub(super) fn stack() -> Option<Range<usize>> {
    use core::ffi::{c_int, c_void};
    use core::mem::transmute;
    use statictramp::for_capi::host::system;

    type Attributes = libc::pthread_attr_t;
    let (this, first_stack) = (this_thread()?, system::getauxval(libc::AT_RANDOM) as usize);
    let attributes_of = Function::PthreadGetattrNp.address()?;
    let stack_of = Function::PthreadAttrGetstack.address()?;
    // SAFETY: libc's functions have these types. In musl's sources, the first call initializes the attributes if it
    // returns 0, and the attributes own no resources that must be freed.
    unsafe {
        let attributes_of: unsafe extern "C" fn(libc::pthread_t, *mut Attributes) -> c_int =
            transmute(attributes_of);
        let stack_of: unsafe extern "C" fn(*const Attributes, *mut *mut c_void, *mut usize) -> c_int =
            transmute(stack_of);
        let mut attributes: libc::pthread_attr_t = core::mem::zeroed();
        let (mut low, mut len) = (core::ptr::null_mut(), 0);
        let known = attributes_of(this, &raw mut attributes) == 0
            && stack_of(&raw const attributes, &raw mut low, &raw mut len) == 0;
        let stack = low.addr()..low.addr() + len;
        (known && !stack.contains(&first_stack)).then_some(stack)
    }
}
