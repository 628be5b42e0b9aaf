//! System calls of Linux, each with the name and the parameters that the C library has for it.
//!
//! ISO C lets a program define functions of its own called `open` or `read`, and a linker prefers those to the C library's. So
//! the kernel is asked directly, and the C library only for what has a name that ISO C reserves. A call that fails returns
//! a negative number; `mmap` returns `MAP_FAILED`. None of these changes errno, none is a cancellation point, and
//! a signal handler may use all of them.

use core::ffi::{c_char, c_int, c_void};
use libc::{off_t, stack_t};

#[cfg(not(portable))]
use crate::arch::system_call;

/// Makes a system call on a processor that the library has no stubs for: through the C library, with errno kept.
///
/// # Safety
/// As for the call.
#[cfg(portable)]
unsafe fn system_call(number: usize, [a, b, c, d, e, f]: [usize; 6]) -> isize {
    // SAFETY: the caller's promise; each thread has an errno.
    unsafe {
        let errno = libc::__errno_location();
        let before = *errno;
        let result = libc::syscall(number as libc::c_long, a, b, c, d, e, f) as isize;
        *errno = before;
        result
    }
}

/// Makes a system call with up to six arguments.
macro_rules! call {
    ($number:ident $(, $argument:expr)*) => {
        system_call(libc::$number as usize, arguments(&[$($argument as usize),*]))
    };
}

/// The arguments of a system call, those that it does not have being 0.
#[inline(always)]
fn arguments(given: &[usize]) -> [usize; 6] {
    let mut all = [0; 6];
    all.iter_mut().zip(given).for_each(|(place, &argument)| *place = argument);
    all
}

/// What the kernel says of the process it started (`getauxval(3)`); 0 for what it does not say.
#[cfg(any(portable, not(target_env = "musl")))]
#[inline(always)]
pub fn getauxval(kind: libc::c_ulong) -> libc::c_ulong {
    unsafe extern "C" {
        #[cfg_attr(not(portable), link_name = "__getauxval")]
        safe fn getauxval(kind: libc::c_ulong) -> libc::c_ulong;
    }
    getauxval(kind)
}

/// As above. musl's shared library has no other name for it than `getauxval`, so the kernel is asked, or else its file. If
/// neither answers, pages are small, and the program counts as one with more rights than the user who started it.
#[cfg(all(not(portable), target_env = "musl"))]
#[inline(never)]
pub fn getauxval(kind: libc::c_ulong) -> libc::c_ulong {
    const PR_GET_AUXV: usize = 0x4155_5856; // Linux 6.4
    let mut entries = [[0usize; 2]; 64];
    let (at, len) = (entries.as_mut_ptr(), size_of_val(&entries));
    // SAFETY: both write `len` bytes at most, which are there; the descriptor is this function's.
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
/// `path` ends with 0.
pub(crate) unsafe fn open(path: *const c_char, flags: c_int) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { call!(SYS_openat, libc::AT_FDCWD, path.expose_provenance(), flags) as c_int }
}

/// # Safety
/// No other code uses the descriptor.
pub(crate) unsafe fn close(file: c_int) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { call!(SYS_close, file) as c_int }
}

/// # Safety
/// `len` bytes may be written at `bytes`.
pub(crate) unsafe fn read(file: c_int, bytes: *mut c_void, len: usize) -> isize {
    // SAFETY: the caller's promise.
    unsafe { call!(SYS_read, file, bytes.expose_provenance(), len) }
}

/// Memory that cannot be read makes this fail.
///
/// # Safety
/// As for any writing to the descriptor.
pub(crate) unsafe fn write(file: c_int, bytes: *const c_void, len: usize) -> isize {
    // SAFETY: the caller's promise.
    unsafe { call!(SYS_write, file, bytes.expose_provenance(), len) }
}

/// Uses `preadv`, which takes the file offset as two words, in the same order on every processor.
///
/// # Safety
/// `len` bytes may be written at `bytes`.
pub(crate) unsafe fn pread(file: c_int, bytes: *mut c_void, len: usize, place: off_t) -> isize {
    let vector = libc::iovec { iov_base: bytes, iov_len: len };
    bytes.expose_provenance();
    // SAFETY: the caller's promise. The upper word is 0 on 32 bits, where `off_t` has 32, too; on 64 the lower has all.
    unsafe { call!(SYS_preadv, file, (&raw const vector).expose_provenance(), 1, place, 0) }
}

/// # Safety
/// Room for two descriptors.
pub(crate) unsafe fn pipe2(ends: *mut c_int, flags: c_int) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { call!(SYS_pipe2, ends.expose_provenance(), flags) as c_int }
}

/// # Safety
/// As for `mmap(2)`. On 32 bits `place` is a multiple of 4096.
pub(crate) unsafe fn mmap(
    at: *mut c_void,
    len: usize,
    rights: c_int,
    flags: c_int,
    file: c_int,
    place: off_t,
) -> *mut c_void {
    // SAFETY: the caller's promise.
    #[cfg(portable)]
    return unsafe { libc::mmap(at, len, rights, flags, file, place) };
    #[cfg(not(portable))]
    {
        let at = at.expose_provenance();
        // SAFETY: the caller's promise.
        #[cfg(target_pointer_width = "32")]
        let result = unsafe { call!(SYS_mmap2, at, len, rights, flags, file, place / 4096) };
        // SAFETY: the caller's promise. On s390x the call takes one argument, a pointer to the six.
        #[cfg(target_arch = "s390x")]
        let result = unsafe {
            let six = arguments(&[at, len, rights as usize, flags as usize, file as usize, place as usize]);
            call!(SYS_mmap, six.as_ptr().expose_provenance())
        };
        // SAFETY: the caller's promise.
        #[cfg(not(any(target_pointer_width = "32", target_arch = "s390x")))]
        let result = unsafe { call!(SYS_mmap, at, len, rights, flags, file, place) };
        if (-4095..0).contains(&result) {
            return libc::MAP_FAILED;
        }
        core::ptr::with_exposed_provenance_mut(result as usize)
    }
}

/// # Safety
/// Nothing uses the memory any more.
pub(crate) unsafe fn munmap(at: *mut c_void, len: usize) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { call!(SYS_munmap, at.expose_provenance(), len) as c_int }
}

/// Copies memory of a process, of which each side has one piece. Memory that cannot be read makes this fail.
///
/// # Safety
/// The memory of `ours` may be written.
pub(crate) unsafe fn process_vm_readv(
    process: libc::pid_t,
    ours: *const libc::iovec,
    theirs: *const libc::iovec,
) -> isize {
    let (ours, theirs) = (ours.expose_provenance(), theirs.expose_provenance());
    // SAFETY: the caller's promise.
    unsafe { call!(SYS_process_vm_readv, process, ours, 1, theirs, 1, 0) }
}

/// The process's number.
pub fn getpid() -> libc::pid_t {
    // SAFETY: returns a number.
    unsafe { call!(SYS_getpid) as libc::pid_t }
}

/// The running thread's number.
pub fn gettid() -> libc::pid_t {
    // SAFETY: returns a number.
    unsafe { call!(SYS_gettid) as libc::pid_t }
}

/// The address that the running thread has registered as the head of its robust locks, or 0; `None` if the kernel does not say.
pub fn robust_list() -> Option<usize> {
    let (mut head, mut len) = (0usize, 0usize);
    // SAFETY: room for both words.
    let result = unsafe {
        call!(SYS_get_robust_list, 0, (&raw mut head).expose_provenance(), (&raw mut len).expose_provenance())
    };
    (result == 0).then_some(head)
}

/// The alternate signal stack of the running thread; `None` if the kernel does not say.
pub fn alternate_stack() -> Option<stack_t> {
    // SAFETY: all-zero bytes are a description of a stack, which the kernel fills in.
    unsafe {
        let mut stack: stack_t = core::mem::zeroed();
        (call!(SYS_sigaltstack, 0, (&raw mut stack).expose_provenance()) == 0).then_some(stack)
    }
}

/// The bytes to which the first thread's stack may grow (`RLIMIT_STACK`, the soft limit); `None` if the kernel does not say.
pub fn stack_limit() -> Option<u64> {
    let mut limits = [0u64; 2]; // soft and hard
    // SAFETY: room for both limits.
    let result =
        unsafe { call!(SYS_prlimit64, 0, libc::RLIMIT_STACK, 0, (&raw mut limits).expose_provenance()) };
    (result == 0).then_some(limits[0])
}

/// Bytes of a set of signals, the kernel's: those of the C library are longer.
const SIGNALS: usize = 8;

/// The signals that the running thread blocks, a bit each; `None` if the kernel does not say.
pub fn blocked_signals() -> Option<u64> {
    let mut blocked = 0u64;
    // SAFETY: room for a set.
    let result = unsafe {
        call!(SYS_rt_sigprocmask, libc::SIG_SETMASK, 0, (&raw mut blocked).expose_provenance(), SIGNALS)
    };
    (result == 0).then_some(blocked)
}

/// An action for a signal, as the kernel has it: the handler and the flags, on every processor with stubs; what comes behind these
/// differs, and is shorter than this.
#[repr(C)]
pub struct Action {
    /// `SIG_DFL`, `SIG_IGN`, or the address of a function.
    pub handler: usize,
    /// `SA_NODEFER` and others.
    pub flags: usize,
    rest: [u64; 2],
}

/// Has the process ignore a signal.
pub(crate) fn ignore_signal(signal: c_int) {
    #[cfg(portable)]
    // SAFETY: no function is called.
    unsafe {
        libc::signal(signal, libc::SIG_IGN)
    };
    #[cfg(not(portable))]
    let action = Action { handler: libc::SIG_IGN, flags: 0, rest: [0; 2] };
    #[cfg(not(portable))]
    // SAFETY: an action without a function.
    unsafe {
        call!(SYS_rt_sigaction, signal, (&raw const action).expose_provenance(), 0, SIGNALS)
    };
}
