//! The processor-dependent parts of the Linux interface, in the form common to most processors. Each processor's code
//! imports all of these definitions and redefines the ones that differ.

/// Defines `system_call`. The arguments are names for the system call number, the six system call arguments and the
/// result, followed by the arguments of `asm!`. On processors that report failure in a separate word, the name of that
/// word follows the result's name: if the word is nonzero, the result is a positive error number.
macro_rules! system_call {
    ($number:ident [$($argument:ident)*] $result:ident $(, $failed:ident)?; $($asm:tt)*) => {
        /// Makes a Linux system call. Returns its result or a negated error number.
        /// # Safety
        /// Same as for the system call. The provenance of every pointer argument must also be exposed.
        #[inline(always)]
        pub(crate) unsafe fn system_call($number: usize, [$($argument),*]: [usize; 6]) -> isize {
            let $result: isize;
            $(let $failed: usize;)?
            // SAFETY: the caller upholds the safety contract. The processor's file states which registers the kernel
            // changes, and `$asm` lists these as clobbered or restores them.
            unsafe { core::arch::asm!($($asm)*) };
            $(if $failed != 0 {
                return -$result;
            })?
            $result
        }
    };
}
pub(crate) use system_call;

/// Size of the kernel's signal set in bytes. libc's signal set is larger.
pub(crate) const SIGNAL_SET: usize = 8;

/// The kernel's structure for a signal action: the handler, the flags, and `rest`, large enough for the remaining
/// fields on any processor.
#[repr(C)]
pub(crate) struct Action {
    /// `SIG_DFL`, `SIG_IGN`, or the address of a function.
    pub(crate) handler: usize,
    /// Flags such as `SA_NODEFER`.
    pub(crate) flags: usize,
    pub(crate) rest: [u64; 2],
}

/// Makes the `mmap` system call. Returns its result, or a negated error number.
/// # Safety
/// Same as for `mmap(2)`. On 32-bit targets the last argument must be a multiple of 4096.
#[inline(always)]
pub(crate) unsafe fn map(arguments: [usize; 6]) -> isize {
    let [at, len, rights, flags, file, offset] = arguments;
    #[cfg(target_pointer_width = "32")]
    let (number, offset) = (libc::SYS_mmap2, (offset as isize / 4096) as usize);
    #[cfg(not(target_pointer_width = "32"))]
    let number = libc::SYS_mmap;
    // SAFETY: the caller upholds the safety contract.
    unsafe { crate::arch::system_call(number as usize, [at, len, rights, flags, file, offset]) }
}
