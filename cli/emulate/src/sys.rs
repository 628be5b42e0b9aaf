//! System calls, made directly, because the program may define its own functions with the C library's names.

use core::arch::{asm, naked_asm};
use core::ffi::{CStr, c_int};

pub use libc::{
    SYS_close, SYS_exit_group, SYS_faccessat, SYS_fcntl, SYS_fgetxattr, SYS_fstat, SYS_getpid, SYS_gettid,
    SYS_kcmp, SYS_memfd_create, SYS_mmap, SYS_munmap, SYS_openat, SYS_prctl, SYS_pread64, SYS_prlimit64,
    SYS_process_vm_readv, SYS_pwrite64, SYS_readlinkat, SYS_rt_sigaction, SYS_rt_sigprocmask,
    SYS_rt_sigtimedwait, SYS_rt_tgsigqueueinfo, SYS_write,
};

/// Makes a system call. If the call fails, the result is the negated error number.
///
/// # Safety
/// The requirements are the same as for the system call.
#[inline(always)]
pub unsafe fn call(number: i64, words: [usize; 6]) -> isize {
    let result: isize;
    // SAFETY: the kernel changes only rax, rcx, r11 and the memory described by the call's arguments, which the caller
    // guarantees to be valid.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number as isize => result,
            in("rdi") words[0],
            in("rsi") words[1],
            in("rdx") words[2],
            in("r10") words[3],
            in("r8") words[4],
            in("r9") words[5],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result
}

/// Copies bytes from any address, up to the first unreadable one, and returns the number of bytes copied. The two pages
/// that may contain the source are read separately, so that an unreadable second page does not prevent the first from
/// being read.
pub fn read_memory(address: usize, bytes: &mut [u8]) -> usize {
    let in_page = (4096 - address % 4096).min(bytes.len());
    let ours = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    let part = |begin: usize, len: usize| libc::iovec {
        iov_base: core::ptr::with_exposed_provenance_mut(begin),
        iov_len: len,
    };
    let there = [part(address, in_page), part(address.wrapping_add(in_page), bytes.len() - in_page)];
    // SAFETY: the kernel checks the memory at `address`, and `bytes` is writable. The process reads its own memory.
    let got = unsafe {
        call(SYS_process_vm_readv, [process(), (&raw const ours).addr(), 1, there.as_ptr().addr(), 2, 0])
    };
    if got == -(libc::ENOSYS as isize) || got == -(libc::EPERM as isize) {
        return copy_memory(address, bytes); // a sandbox forbids the system call
    }
    usize::try_from(got).unwrap_or(0)
}

/// Does the same as [`read_memory`], but without a system call. If the memory belongs to a file that has been truncated,
/// the process gets SIGBUS.
pub fn copy_memory(address: usize, bytes: &mut [u8]) -> usize {
    let left: usize;
    // SAFETY: `bytes` is writable. If a load faults, the handler continues after the instruction, and rcx contains the
    // number of remaining bytes (see `continue_copy`).
    unsafe {
        asm!(
            "call {copy}",
            copy = sym copy,
            inout("rcx") bytes.len() => left,
            inout("rsi") address => _,
            inout("rdi") bytes.as_mut_ptr() => _,
        );
    }
    bytes.len() - left
}

/// Copies rcx bytes from rsi to rdi.
#[unsafe(naked)]
unsafe extern "C" fn copy() {
    naked_asm!("rep movsb", "ret")
}

/// If the faulting instruction at `at` is the copying instruction of [`copy_memory`], returns the address at which to
/// continue.
pub fn continue_copy(at: usize) -> Option<usize> {
    const LENGTH: usize = 2; // of `rep movsb`
    (at == (copy as *const ()).addr()).then(|| at + LENGTH)
}

/// Fills `bytes` with [`copy_memory`]. Returns whether all of them were readable.
pub fn copy_all(address: usize, bytes: &mut [u8]) -> bool {
    copy_memory(address, bytes) == bytes.len()
}

/// Fills `bytes` with [`read_memory`]. Returns whether all of them were readable.
pub fn read_all(address: usize, bytes: &mut [u8]) -> bool {
    read_memory(address, bytes) == bytes.len()
}

/// Returns the process ID.
pub fn process() -> usize {
    // SAFETY: the call has no preconditions.
    unsafe { call(SYS_getpid, [0; 6]) as usize }
}

/// Returns the thread ID.
pub fn thread() -> usize {
    // SAFETY: the call has no preconditions.
    unsafe { call(SYS_gettid, [0; 6]) as usize }
}

/// Returns the length of the longest file that the process may write, in bytes (RLIMIT_FSIZE).
pub fn longest_file() -> u64 {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    let number = libc::RLIMIT_FSIZE as usize;
    // SAFETY: the kernel only fills the structure.
    unsafe { call(SYS_prlimit64, [0, number, 0, (&raw mut limit).addr(), 0, 0]) };
    limit.rlim_cur
}

/// Returns whether this process shares its memory with the process `other`, as it does after `vfork`.
pub fn shares_memory_with(other: usize) -> bool {
    const KCMP_VM: usize = 1;
    // SAFETY: the call only compares the two processes.
    unsafe { call(SYS_kcmp, [process(), other, KCMP_VM, 0, 0, 0]) == 0 }
}

/// A file descriptor that is closed when this value is dropped.
pub struct File(c_int);

impl File {
    /// Opens a file for reading.
    pub fn open(path: &CStr) -> Option<File> {
        Self::open_with(path, libc::O_RDONLY | libc::O_NONBLOCK)
    }

    /// Opens a file. Its descriptor is closed when the process executes another program.
    pub fn open_with(path: &CStr, flags: c_int) -> Option<File> {
        // SAFETY: the path ends with a zero byte.
        let got = unsafe {
            call(
                SYS_openat,
                [
                    libc::AT_FDCWD as usize,
                    path.as_ptr().addr(),
                    (flags | libc::O_CLOEXEC) as usize,
                    0o600,
                    0,
                    0,
                ],
            )
        };
        Self::new(got)
    }

    /// Creates an empty file in memory. `/proc` shows it under the given name.
    pub fn in_memory(name: &CStr) -> Option<File> {
        const MFD_EXEC: usize = 0x10; // Linux 6.3; older kernels reject it
        for flags in [libc::MFD_CLOEXEC as usize | MFD_EXEC, libc::MFD_CLOEXEC as usize] {
            // SAFETY: the name ends with a zero byte.
            let got = unsafe { call(SYS_memfd_create, [name.as_ptr().addr(), flags, 0, 0, 0, 0]) };
            if got >= 0 {
                return Self::new(got);
            }
        }
        None
    }

    fn new(got: isize) -> Option<File> {
        (got >= 0).then_some(File(got as c_int))
    }

    /// Returns the file's attributes.
    pub fn stat(&self) -> Option<libc::stat> {
        stat(self.0)
    }

    /// Returns whether executing this file grants capabilities.
    pub fn has_capabilities(&self) -> bool {
        // SAFETY: the name ends with a zero byte, and no value is stored in a buffer of length 0.
        unsafe {
            call(SYS_fgetxattr, [self.0 as usize, c"security.capability".as_ptr().addr(), 0, 0, 0, 0]) > 0
        }
    }

    /// Reads bytes at an offset, at most up to the end of the file. Returns their number, which is 0 if the read fails.
    pub fn read_at(&self, offset: u64, bytes: &mut [u8]) -> usize {
        // SAFETY: `bytes` is writable.
        let got = unsafe {
            call(
                SYS_pread64,
                [self.0 as usize, bytes.as_mut_ptr().addr(), bytes.len(), offset as usize, 0, 0],
            )
        };
        usize::try_from(got).unwrap_or(0)
    }

    /// Writes bytes at an offset. Returns whether all of them were written.
    pub fn write_at(&self, offset: u64, bytes: &[u8]) -> bool {
        // SAFETY: `bytes` is readable.
        let got = unsafe {
            call(SYS_pwrite64, [self.0 as usize, bytes.as_ptr().addr(), bytes.len(), offset as usize, 0, 0])
        };
        got == bytes.len() as isize
    }

    /// Appends bytes. Returns whether all of them were written.
    pub fn write(&self, bytes: &[u8]) -> bool {
        write(self.0, bytes)
    }

    /// Returns a duplicate of the descriptor, with a high number that programs do not expect, or the descriptor itself
    /// if it cannot be duplicated. The result is never closed.
    pub fn into_high(self) -> c_int {
        for least in [500, 100, 10] {
            // SAFETY: the call only duplicates a descriptor.
            let got =
                unsafe { call(SYS_fcntl, [self.0 as usize, libc::F_DUPFD_CLOEXEC as usize, least, 0, 0, 0]) };
            if got >= 0 {
                return got as c_int; // dropping `self` closes the original
            }
        }
        let number = self.0;
        core::mem::forget(self);
        number
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: the descriptor belongs to this value alone.
        unsafe { call(SYS_close, [self.0 as usize, 0, 0, 0, 0, 0]) };
    }
}

/// Returns the attributes of an open file.
pub fn stat(descriptor: c_int) -> Option<libc::stat> {
    let mut found = core::mem::MaybeUninit::<libc::stat>::uninit();
    // SAFETY: the kernel fills the structure if the call succeeds.
    unsafe {
        let got = call(SYS_fstat, [descriptor as usize, found.as_mut_ptr().addr(), 0, 0, 0, 0]);
        (got == 0).then(|| found.assume_init())
    }
}

/// Changes the kernel's mask of this thread, and returns the previous one.
pub fn kernel_mask(how: c_int, mask: u64) -> u64 {
    let mut old = 0u64;
    // SAFETY: both masks have 8 bytes.
    unsafe {
        call(SYS_rt_sigprocmask, [how as usize, (&raw const mask).addr(), (&raw mut old).addr(), 8, 0, 0])
    };
    old
}

/// Writes bytes to a descriptor. Returns whether all of them were written. If the program has limited the size of files, or
/// if a pipe has no reader, no signal is delivered. A signal that the program itself blocks remains pending.
pub fn write(descriptor: c_int, bytes: &[u8]) -> bool {
    const RAISED: u64 = 1 << (libc::SIGXFSZ - 1) | 1 << (libc::SIGPIPE - 1);
    let before = kernel_mask(libc::SIG_BLOCK, RAISED);
    let is_whole = write_all(descriptor, bytes);
    if !is_whole {
        // Discards the signal that the write has raised, unless the program blocks that signal.
        let (raised, now) = (RAISED & !before, libc::timespec { tv_sec: 0, tv_nsec: 0 });
        // SAFETY: the kernel reads a mask of 8 bytes and the time.
        unsafe {
            call(SYS_rt_sigtimedwait, [(&raw const raised).addr(), 0, (&raw const now).addr(), 8, 0, 0]);
        }
    }
    kernel_mask(libc::SIG_SETMASK, before);
    is_whole
}

fn write_all(descriptor: c_int, mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        // SAFETY: `bytes` is readable.
        let got =
            unsafe { call(SYS_write, [descriptor as usize, bytes.as_ptr().addr(), bytes.len(), 0, 0, 0]) };
        match got {
            1.. => bytes = &bytes[(got as usize).min(bytes.len())..],
            _ if got == -(libc::EINTR as isize) => {}
            _ => return false,
        }
    }
    true
}

/// Maps a file for reading, or zeroed memory if no file is given. Returns null if that fails.
pub fn map(len: usize, file: Option<&File>) -> *mut u8 {
    let (rights, flags, descriptor) = match file {
        Some(file) => (libc::PROT_READ, libc::MAP_PRIVATE, file.0),
        None => (
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
        ),
    };
    // SAFETY: the mapping is new, at an address that the kernel chooses.
    let got = unsafe { call(SYS_mmap, [0, len, rights as usize, flags as usize, descriptor as usize, 0]) };
    if got < 0 && got > -4096 {
        core::ptr::null_mut()
    } else {
        core::ptr::with_exposed_provenance_mut(got as usize)
    }
}

/// Unmaps memory.
///
/// # Safety
/// `map` must have returned this memory, and no reference to it may remain.
pub unsafe fn unmap(memory: *mut u8, len: usize) {
    // SAFETY: the caller owns the mapping.
    unsafe { call(SYS_munmap, [memory.addr(), len, 0, 0, 0, 0]) };
}

/// Reads a symbolic link. Returns the number of bytes, or 0 if the link cannot be read.
pub fn read_link(path: &CStr, bytes: &mut [u8]) -> usize {
    read_link_at(libc::AT_FDCWD, path, bytes)
}

/// Does the same as [`read_link`], but for a path relative to an open directory.
pub fn read_link_at(directory: c_int, path: &CStr, bytes: &mut [u8]) -> usize {
    // SAFETY: the path ends with a zero byte, and `bytes` is writable.
    let got = unsafe {
        call(
            SYS_readlinkat,
            [directory as usize, path.as_ptr().addr(), bytes.as_mut_ptr().addr(), bytes.len(), 0, 0],
        )
    };
    usize::try_from(got).unwrap_or(0)
}

/// Returns whether the process may execute a file.
pub fn may_be_executed(path: &CStr) -> bool {
    // SAFETY: the path ends with a zero byte.
    unsafe {
        call(SYS_faccessat, [libc::AT_FDCWD as usize, path.as_ptr().addr(), libc::X_OK as usize, 0, 0, 0])
            == 0
    }
}

/// Sets the name that `/proc` shows for this thread.
pub fn set_name(name: &CStr) {
    // SAFETY: the name ends with a zero byte.
    unsafe { call(SYS_prctl, [libc::PR_SET_NAME as usize, name.as_ptr().addr(), 0, 0, 0, 0]) };
}
