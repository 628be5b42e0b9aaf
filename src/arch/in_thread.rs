//! A closure's address on its way in words of the running thread, for signatures of which the registers and the stack say
//! nothing: where no parameter has a place that is known without knowing the classes of all the others.
//!
//! The adapter puts the address there and jumps on to the function of the signature, which takes it first of all. No
//! argument is touched, there is no frame, and nothing is left when the function's own code begins.
//!
//! ```text
//!   stub --> adapter --> pass --------------------------------> enter(every argument as it came)
//!                          pending.chain <- the closure's address   '-> take: reads it, pending <- what was there before
//! ```
//!
//! Between the two a signal may come whose handler calls another closure this way. It finds an address pending, and has
//! to leave it as it was. So its own call goes the long way: `pass` makes a frame with a record of what it found, copies the
//! caller's stack words below it (as many as the signature can have), and calls; `take` puts back what the record has. The
//! interrupted call goes on with its own address. This nests as deep as signals do.
//!
//! - A handler that never comes back (`siglongjmp`) leaves an address that nobody takes. Later calls find it, go the long way
//!   and put it back. It is never used.
//! - A panic may unwind through both: the short way has no frame, that of the long way says how to go on, and `take` has
//!   put everything back before a closure's code runs.
//! - A thread that ends in between, or a child of `fork`, has words of its own.
//! - A scheduler that switches stacks *in a signal handler*, and comes back in another order than calls return, or on
//!   another thread, must not be used with such signatures: `docs/safety.md`.
//!
//! The words are of the initial-exec model, so that a signal handler's first use allocates nothing (ELF Handling for
//! Thread-Local Storage, section 4.3.6): 16 bytes of the room that the C library keeps for libraries loaded later.

/// Name of the words.
macro_rules! pending {
    () => {
        $crate::__symbol!("pending")
    };
}
pub(super) use pending;

core::arch::global_asm!(
    ".pushsection .tbss, \"awT\", %nobits",
    ".balign 8",
    concat!(".hidden ", pending!()),
    concat!(".globl ", pending!()),
    concat!(".type ", pending!(), ", %tls_object"),
    concat!(".size ", pending!(), ", 16"),
    concat!(pending!(), ":"),
    ".skip 8", // a word: the address that is pending, or 0
    ".skip 8", // the next word: the record of what was pending before, or 0
    ".popsection",
);

/// The words of the running thread: an address that is on its way, or 0, and the record of what was before it.
pub(crate) fn words() -> *mut [usize; 2] {
    crate::arch::address_of_thread!("pending") as *mut [usize; 2]
}

/// Whether there is such a way.
#[allow(dead_code)] // of some processors there are no boards, which have none
pub(crate) const HAS_THREAD_WORDS: bool = true;

/// The adapter: the processor's `jump_to_pass!` has its instructions, which lead `pass` to the function that is entered, and tell
/// it the bytes of the stack that arguments can take.
macro_rules! in_thread {
    ($enter:path; $arguments:expr) => {
        core::arch::naked_asm!(
            arch::jump_to_pass!(),
            enter = sym $enter,
            stack = const arch::stack($arguments),
            pass = sym arch::pass,
        )
    };
}
pub(crate) use in_thread;

/// Defines `take`: what was passed to the function that this begins. The instruction calls the processor's `take_pending`, which
/// leaves that in a register and changes others.
#[cfg(not(any(target_arch = "powerpc", target_arch = "powerpc64")))]
macro_rules! take {
    ($call:literal => $passed:tt, changing $($changed:tt)+) => {
        #[inline(always)]
        pub(crate) fn take<H>() -> *const H {
            let passed: usize;
            // SAFETY: changes what is listed here, and the words, which are this library's.
            unsafe {
                core::arch::asm!($call, take = sym take_pending, out($passed) passed, $(out($changed) _),+);
            }
            core::ptr::with_exposed_provenance(passed)
        }
    };
}
#[cfg(not(any(target_arch = "powerpc", target_arch = "powerpc64")))]
pub(in crate::arch) use take;

/// What was passed to the function that this begins; in the words is what was there before. Where `take` is not in assembly.
#[cfg(any(target_arch = "powerpc", target_arch = "powerpc64"))]
#[inline(always)]
pub(crate) fn take<H>() -> *const H {
    let words: *mut usize =
        core::ptr::with_exposed_provenance_mut(crate::arch::address_of_thread!("pending"));
    // SAFETY: two words of this thread's own, which are this library's, and the record that `pass` has left. Volatile: a signal
    // may come between any two.
    unsafe {
        let passed = words.read_volatile();
        let record = core::ptr::with_exposed_provenance::<usize>(words.add(1).read_volatile());
        if record.is_null() {
            words.write_volatile(0);
        } else {
            let (address, before) = (record.read_volatile(), record.add(1).read_volatile());
            words.add(1).write_volatile(before);
            words.write_volatile(address);
        }
        core::ptr::with_exposed_provenance(passed)
    }
}
