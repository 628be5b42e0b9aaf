//! Functions that set or return signal masks. They replace SIGSEGV with its proxy in masks for the kernel. In masks for
//! the program, they add SIGSEGV if the proxy is present.

use super::kernel::PROXY;
use crate::message::Line;
use crate::next::functions;
use crate::sys::{kernel_mask, read_all};
use core::arch::naked_asm;
use core::ffi::{c_int, c_long, c_void};
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use libc::sigset_t;

/// A set of the signals 1 to 64. The lowest bit stands for signal 1. glibc's `sigset_t` has more words, which the kernel
/// does not use.
#[derive(Clone, Copy)]
pub struct Mask(pub u64);

const fn bit(signal: c_int) -> u64 {
    1 << (signal - 1)
}

impl Mask {
    /// Returns the mask that the kernel restores when the handler returns.
    pub fn of(context: &libc::ucontext_t) -> Mask {
        // SAFETY: a sigset_t begins with the kernel's mask of 8 bytes.
        Mask(unsafe { *(&raw const context.uc_sigmask).cast::<u64>() })
    }

    pub fn has(self, signal: c_int) -> bool {
        self.0 & bit(signal) != 0
    }

    pub fn with(self, signal: c_int) -> Mask {
        Mask(self.0 | bit(signal))
    }

    /// Converts a mask of the program to the mask that is passed to the kernel.
    pub fn for_kernel(self) -> Mask {
        if self.has(libc::SIGSEGV) { Mask(self.0 & !bit(libc::SIGSEGV) | bit(PROXY)) } else { self }
    }

    /// Converts a mask from the kernel to the mask that the program sees.
    pub fn for_program(self) -> Mask {
        if self.has(PROXY) { self.with(libc::SIGSEGV) } else { self }
    }
}

/// Replaces SIGSEGV with its proxy in the mask of this thread. Returns whether the mask contained SIGSEGV.
pub fn unblock() -> bool {
    let mask = Mask(kernel_mask(libc::SIG_BLOCK, 0));
    let blocked = mask.has(libc::SIGSEGV);
    if blocked {
        kernel_mask(libc::SIG_SETMASK, mask.for_kernel().0);
    }
    blocked
}

/// Checks whether the program has blocked SIGSEGV with a direct system call. If it has, the next jump to its stack would
/// kill it, so this function unblocks SIGSEGV and blocks the proxy instead. The first time, it prints a message.
pub fn check_mask() {
    static REPORTED: AtomicBool = AtomicBool::new(false);
    // Relaxed: no other data depends on this flag.
    if unblock() && !REPORTED.swap(true, Relaxed) {
        Line::new()
            .text(b"the program blocked SIGSEGV with a direct system call; a jump to its stack would then have killed it")
            .print();
    }
}

/// Copies a signal set of the program, and converts the copy to the set to pass to the kernel. Returns `None` if `set` is
/// null.
///
/// # Safety
/// `set` must be null or point to a signal set.
pub unsafe fn copy_for_kernel(set: *const sigset_t) -> Option<sigset_t> {
    if set.is_null() {
        return None;
    }
    // SAFETY: the caller passes a set.
    let mut copy = unsafe { *set };
    let word = (&raw mut copy).cast::<u64>();
    // SAFETY: a sigset_t begins with the kernel's mask of 8 bytes.
    unsafe { *word = Mask(*word).for_kernel().0 };
    Some(copy)
}

/// Returns the address of the copy, or null.
pub fn address(copy: &Option<sigset_t>) -> *const sigset_t {
    copy.as_ref().map_or(core::ptr::null(), core::ptr::from_ref)
}

/// Converts a signal set that the kernel has filled to the set that the program must see.
///
/// # Safety
/// `set` must be null or point to a signal set.
pub unsafe fn for_program(set: *mut sigset_t) {
    let word = set.cast::<u64>();
    if !word.is_null() {
        // SAFETY: a sigset_t begins with the kernel's mask of 8 bytes.
        unsafe { *word = Mask(*word).for_program().0 };
    }
}

/// Defines functions with the C library's contract. The argument named after `in` is a set for the kernel, and the argument
/// named after `out` is a set for the program.
macro_rules! with_sets {
    ($($name:ident($($argument:ident: $type:ty),*); $(in $set:ident)? $(, out $filled:ident)?;)*) => {
        functions! { $($name)* syscall }

        $(
            /// Calls the original function with translated sets.
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name($($argument: $type),*) -> c_int {
                let next = &FUNCTIONS[Number::$name as usize];
                // SAFETY: this is the function's type in the C library's headers.
                let next: unsafe extern "C" fn($($type),*) -> c_int = unsafe { next.function() };
                $(
                    // SAFETY: the function's contract requires the program to pass null or a set.
                    let copy = unsafe { copy_for_kernel($set) };
                    let $set = address(&copy);
                )?
                // SAFETY: the program passes its own arguments, and a copy replaces its set.
                let result = unsafe { next($($argument),*) };
                $(
                    if result == 0 {
                        // SAFETY: as above; the function has filled the set.
                        unsafe { for_program($filled) };
                    }
                )?
                result
            }
        )*
    };
}

#[rustfmt::skip]
with_sets! {
    sigprocmask(how: c_int, set: *const sigset_t, old: *mut sigset_t); in set, out old;
    pthread_sigmask(how: c_int, set: *const sigset_t, old: *mut sigset_t); in set, out old;
    sigpending(set: *mut sigset_t);, out set;
    sigsuspend(set: *const sigset_t); in set;
    ppoll(files: *mut c_void, count: usize, limit: *const c_void, set: *const sigset_t); in set;
    __ppoll_chk(files: *mut c_void, count: usize, limit: *const c_void, set: *const sigset_t, room: usize); in set;
    pselect(count: c_int, reads: *mut c_void, writes: *mut c_void, others: *mut c_void, limit: *const c_void,
        set: *const sigset_t); in set;
    epoll_pwait(epoll: c_int, events: *mut c_void, most: c_int, limit: c_int, set: *const sigset_t); in set;
    epoll_pwait2(epoll: c_int, events: *mut c_void, most: c_int, limit: *const c_void, set: *const sigset_t); in set;
    pthread_attr_setsigmask_np(attributes: *mut c_void, set: *const sigset_t); in set;
}

/// Changes this thread's mask as specified by `how` and `mask`, for the functions in older interfaces. Returns the
/// previous mask.
fn change(how: c_int, mask: Mask) -> Mask {
    Mask(kernel_mask(how, mask.for_kernel().0)).for_program()
}

fn one(signal: c_int) -> Option<Mask> {
    (1..=PROXY).contains(&signal).then(|| Mask(bit(signal)))
}

/// Sets errno to EINVAL and returns -1.
pub fn invalid() -> c_int {
    // SAFETY: the C library returns the address of this thread's errno.
    unsafe { *libc::__errno_location() = libc::EINVAL };
    -1
}

/// Adds signals to the mask. `mask` can contain signals 1 to 32.
#[unsafe(no_mangle)]
extern "C" fn sigblock(mask: c_int) -> c_int {
    change(libc::SIG_BLOCK, Mask(u64::from(mask as u32))).0 as c_int
}

/// Replaces the mask.
#[unsafe(no_mangle)]
extern "C" fn sigsetmask(mask: c_int) -> c_int {
    change(libc::SIG_SETMASK, Mask(u64::from(mask as u32))).0 as c_int
}

/// Adds a signal to the mask.
#[unsafe(no_mangle)]
extern "C" fn sighold(signal: c_int) -> c_int {
    let Some(mask) = one(signal) else { return invalid() };
    change(libc::SIG_BLOCK, mask);
    0
}

/// Removes a signal from the mask.
#[unsafe(no_mangle)]
extern "C" fn sigrelse(signal: c_int) -> c_int {
    let Some(mask) = one(signal) else { return invalid() };
    change(libc::SIG_UNBLOCK, mask);
    0
}

/// Makes a system call for the program, like the C library's function of the same name. Translates the masks of
/// `rt_sigprocmask`, and passes every other call unchanged.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn syscall() {
    naked_asm!(
        ".cfi_startproc",
        "endbr64",
        "cmp rdi, {sigprocmask}",
        "jne 2f",
        "cmp r8, 8", // the size of the sets
        "jne 2f",
        "mov rdi, rsi",
        "mov rsi, rdx",
        "mov rdx, rcx",
        "jmp {translated}",
        "2:",
        "push rdi",
        "push rsi",
        "push rdx",
        "push rcx",
        "push r8",
        "push r9",
        "sub rsp, 8",
        ".cfi_adjust_cfa_offset 56",
        "call {next}",
        "add rsp, 8",
        "pop r9",
        "pop r8",
        "pop rcx",
        "pop rdx",
        "pop rsi",
        "pop rdi",
        ".cfi_adjust_cfa_offset -56",
        "jmp rax",
        ".cfi_endproc",
        sigprocmask = const libc::SYS_rt_sigprocmask,
        translated = sym translated,
        next = sym next_syscall,
    )
}

extern "C" fn next_syscall() -> usize {
    FUNCTIONS[Number::syscall as usize].existing_address()
}

/// Calls `rt_sigprocmask` with translated 8-byte sets, which need not be readable.
unsafe extern "C" fn translated(how: c_long, set: *const u64, old: *mut u64) -> c_long {
    // SAFETY: the C library's function is variadic.
    let next: unsafe extern "C" fn(c_long, ...) -> c_long =
        unsafe { FUNCTIONS[Number::syscall as usize].function() };
    let mut bytes = [0; 8];
    let readable = !set.is_null() && read_all(set.addr(), &mut bytes);
    let copy = Mask(u64::from_ne_bytes(bytes)).for_kernel().0;
    let passed = if readable { &raw const copy } else { set };
    // SAFETY: the kernel checks both addresses; the copy is valid.
    let result = unsafe { next(libc::SYS_rt_sigprocmask, how, passed, old, 8usize) };
    if result == 0 && !old.is_null() {
        // SAFETY: the kernel has just stored a mask there.
        unsafe { *old = Mask(*old).for_program().0 };
    }
    result
}
