//! Linux system calls, with the names and parameters of the corresponding libc functions.
//!
//! ISO C lets a program define its own `open` or `read`, which linkers prefer to libc's. This module therefore calls
//! the kernel directly, and uses libc only for functions whose names ISO C reserves. A failed call returns a negative
//! number, or `MAP_FAILED` for `mmap`. On processors with stubs, these functions are async-signal-safe, and none
//! changes errno or is a cancellation point. On other processors, all calls go through libc, and a failed `mmap`
//! changes errno.

use core::ffi::{c_char, c_int, c_void};
use libc::{off_t, stack_t};

#[cfg(not(portable))]
use crate::arch::{self, system_call};

/// Makes a system call through libc, on a processor without stubs, and preserves errno.
///
/// # Safety
/// Same as for the system call.
#[cfg(portable)]
unsafe fn system_call(number: usize, [a, b, c, d, e, f]: [usize; 6]) -> isize {
    // SAFETY: the caller upholds the safety contract, and each thread has its own errno.
    unsafe {
        let errno = libc::__errno_location();
        let before = *errno;
        let result = libc::syscall(number as libc::c_long, a, b, c, d, e, f) as isize;
        *errno = before;
        result
    }
}

/// Makes a system call with at most six arguments.
macro_rules! call {
    ($number:ident $(, $argument:expr)*) => {
        system_call(libc::$number as usize, arguments(&[$($argument as usize),*]))
    };
}

/// Pads a system call's arguments with zeros to a total of six.
#[inline(always)]
fn arguments(given: &[usize]) -> [usize; 6] {
    let mut all = [0; 6];
    all.iter_mut().zip(given).for_each(|(word, &argument)| *word = argument);
    all
}

/// Returns a value that the kernel passed to the process at startup (`getauxval(3)`), or 0 if it passed no such value.
#[cfg(any(portable, not(target_env = "musl")))]
#[inline(always)]
pub fn getauxval(kind: libc::c_ulong) -> libc::c_ulong {
    unsafe extern "C" {
        #[cfg_attr(not(portable), link_name = "__getauxval")]
        safe fn getauxval(kind: libc::c_ulong) -> libc::c_ulong;
    }
    getauxval(kind)
}

/// Returns a value that the kernel passed to the process at startup. The shared musl library exports no reserved name
/// for `getauxval`, so the value comes from a system call or else from `/proc`. If neither works, the library assumes
/// small pages and treats the program as set-user-ID.
#[cfg(all(not(portable), target_env = "musl"))]
#[inline(never)]
pub fn getauxval(kind: libc::c_ulong) -> libc::c_ulong {
    const PR_GET_AUXV: usize = 0x4155_5856; // Linux 6.4
    let mut entries = [[0usize; 2]; 64];
    let (at, len) = (entries.as_mut_ptr(), size_of_val(&entries));
    // SAFETY: both calls write at most `len` bytes into a buffer of that size, and this function owns the descriptor.
    unsafe {
        if call!(SYS_prctl, PR_GET_AUXV, at.expose_provenance(), len) < 0 {
            let file = open(c"/proc/self/auxv".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
            if file >= 0 {
                read(file, at.cast(), len);
                close(file);
            }
        }
    }
    let found = entries.iter().find(|entry| entry[0] == kind as usize).map(|entry| entry[1] as libc::c_ulong);
    found.unwrap_or(match kind {
        libc::AT_PAGESZ => 4096,
        libc::AT_SECURE => 1,
        _ => 0,
    })
}

/// # Safety
/// `path` must be zero-terminated.
pub(crate) unsafe fn open(path: *const c_char, flags: c_int) -> c_int {
    // SAFETY: the caller upholds the safety contract.
    unsafe { call!(SYS_openat, libc::AT_FDCWD, path.expose_provenance(), flags) as c_int }
}

/// # Safety
/// No other code may use the descriptor afterwards.
pub(crate) unsafe fn close(file: c_int) -> c_int {
    // SAFETY: the caller upholds the safety contract.
    unsafe { call!(SYS_close, file) as c_int }
}

/// # Safety
/// `bytes` must be valid for writes of `len` bytes.
pub(crate) unsafe fn read(file: c_int, bytes: *mut c_void, len: usize) -> isize {
    // SAFETY: the caller upholds the safety contract.
    unsafe { call!(SYS_read, file, bytes.expose_provenance(), len) }
}

/// Writes bytes to a file. The call fails if the memory is unreadable.
///
/// # Safety
/// If the descriptor belongs to other code, that code must expect this write.
pub(crate) unsafe fn write(file: c_int, bytes: *const c_void, len: usize) -> isize {
    // SAFETY: the caller upholds the safety contract.
    unsafe { call!(SYS_write, file, bytes.expose_provenance(), len) }
}

/// Reads from an offset in a file. Uses `preadv`, which takes the offset as two words, in the same order on every
/// processor.
///
/// # Safety
/// `bytes` must be valid for writes of `len` bytes.
pub(crate) unsafe fn pread(file: c_int, bytes: *mut c_void, len: usize, offset: off_t) -> isize {
    let vector = libc::iovec { iov_base: bytes, iov_len: len };
    bytes.expose_provenance();
    // SAFETY: the caller upholds the safety contract. On 32-bit targets, `off_t` is 32 bits wide, so the upper word
    // is 0. On 64-bit targets, the lower word contains the whole offset.
    unsafe { call!(SYS_preadv, file, (&raw const vector).expose_provenance(), 1, offset, 0) }
}

/// # Safety
/// `ends` must be valid for writes of two descriptors.
pub(crate) unsafe fn pipe2(ends: *mut c_int, flags: c_int) -> c_int {
    // SAFETY: the caller upholds the safety contract.
    unsafe { call!(SYS_pipe2, ends.expose_provenance(), flags) as c_int }
}

/// # Safety
/// Same as for `mmap(2)`. On 32-bit targets `offset` must be a multiple of 4096.
pub unsafe fn mmap(
    at: *mut c_void,
    len: usize,
    rights: c_int,
    flags: c_int,
    file: c_int,
    offset: off_t,
) -> *mut c_void {
    // SAFETY: the caller upholds the safety contract.
    #[cfg(portable)]
    return unsafe { libc::mmap(at, len, rights, flags, file, offset) };
    #[cfg(not(portable))]
    {
        let at = at.expose_provenance();
        let (rights, flags, file) = (rights as usize, flags as usize, file as usize);
        // SAFETY: the caller upholds the safety contract.
        let result = unsafe { arch::map([at, len, rights, flags, file, offset as usize]) };
        if (-4095..0).contains(&result) {
            return libc::MAP_FAILED;
        }
        core::ptr::with_exposed_provenance_mut(result as usize)
    }
}

/// # Safety
/// The memory must no longer be in use.
pub unsafe fn munmap(at: *mut c_void, len: usize) -> c_int {
    // SAFETY: the caller upholds the safety contract.
    unsafe { call!(SYS_munmap, at.expose_provenance(), len) as c_int }
}

/// Copies one contiguous range of a process's memory to another range. Fails if the memory is unreadable.
///
/// # Safety
/// The memory that `ours` describes must be writable.
pub(crate) unsafe fn process_vm_readv(
    process: libc::pid_t,
    ours: *const libc::iovec,
    theirs: *const libc::iovec,
) -> isize {
    let (ours, theirs) = (ours.expose_provenance(), theirs.expose_provenance());
    // SAFETY: the caller upholds the safety contract.
    unsafe { call!(SYS_process_vm_readv, process, ours, 1, theirs, 1, 0) }
}

/// Makes every running thread of the process execute a full memory barrier; a thread that is not running has already
/// executed one. Returns false if the kernel does not support this (before Linux 4.14) or denies it.
#[cold]
pub(crate) fn membarrier() -> bool {
    const PRIVATE_EXPEDITED: usize = 1 << 3;
    const REGISTER_PRIVATE_EXPEDITED: usize = 1 << 4;
    // SAFETY: the call does not access the program's memory.
    let call = |command: usize| unsafe { call!(SYS_membarrier, command) == 0 };
    call(PRIVATE_EXPEDITED) || (call(REGISTER_PRIVATE_EXPEDITED) && call(PRIVATE_EXPEDITED))
}

/// Returns the process ID.
pub fn getpid() -> libc::pid_t {
    // SAFETY: the call only returns a number.
    unsafe { call!(SYS_getpid) as libc::pid_t }
}

/// Returns the thread ID of the running thread.
pub fn gettid() -> libc::pid_t {
    // SAFETY: the call only returns a number.
    unsafe { call!(SYS_gettid) as libc::pid_t }
}

/// Returns the head of the running thread's list of robust futexes, or 0 if the thread has not registered a list.
/// Returns `None` if the call fails.
pub fn robust_list() -> Option<usize> {
    let (mut head, mut len) = (0usize, 0usize);
    // SAFETY: both words are writable.
    let result = unsafe {
        call!(SYS_get_robust_list, 0, (&raw mut head).expose_provenance(), (&raw mut len).expose_provenance())
    };
    (result == 0).then_some(head)
}

/// Returns the alternate signal stack of the running thread, or `None` if the call fails.
pub fn alternate_stack() -> Option<stack_t> {
    // SAFETY: all-zero bytes are a valid `stack_t`, which the kernel fills in.
    unsafe {
        let mut stack: stack_t = core::mem::zeroed();
        (call!(SYS_sigaltstack, 0, (&raw mut stack).expose_provenance()) == 0).then_some(stack)
    }
}

/// Returns the maximum size of the first thread's stack in bytes (`RLIMIT_STACK`, the soft limit), or `None` if the
/// call fails.
pub fn stack_limit() -> Option<u64> {
    let mut limits = [0u64; 2]; // the soft and hard limits
    // SAFETY: the array has room for both limits.
    let result =
        unsafe { call!(SYS_prlimit64, 0, libc::RLIMIT_STACK, 0, (&raw mut limits).expose_provenance()) };
    (result == 0).then_some(limits[0])
}

/// Returns whether the running thread blocks any signal, or `None` if the call fails.
#[cfg(linux_stubs)]
pub fn blocks_signals() -> Option<bool> {
    let mut blocked = [0u64; arch::SIGNAL_SET / 8];
    // SAFETY: the array has space for a signal set.
    let result = unsafe {
        call!(
            SYS_rt_sigprocmask,
            libc::SIG_SETMASK,
            0,
            (&raw mut blocked).expose_provenance(),
            arch::SIGNAL_SET
        )
    };
    (result == 0).then_some(blocked.iter().any(|&signals| signals != 0))
}

/// Makes the process ignore a signal.
pub(crate) fn ignore_signal(signal: c_int) {
    #[cfg(portable)]
    // SAFETY: the action installs no handler.
    unsafe {
        libc::signal(signal, libc::SIG_IGN)
    };
    #[cfg(not(portable))]
    let action = arch::Action { handler: libc::SIG_IGN, flags: 0, rest: [0; 2] };
    #[cfg(not(portable))]
    // SAFETY: the action installs no handler.
    unsafe {
        call!(SYS_rt_sigaction, signal, (&raw const action).expose_provenance(), 0, arch::SIGNAL_SET)
    };
}
