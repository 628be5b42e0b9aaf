//! Passing a closure's address in thread-local words, for signatures in which no parameter has a register or stack
//! position that is known without the classes of all other parameters.
//! The adapter stores the address there and jumps to the function for the signature, which takes the address before
//! anything else. No argument is touched, there is no frame, and the words are restored before the function's own code
//! begins.
//! ```text
//!   stub --> adapter --> pass --------------------------------> enter(every argument as it came)
//!                          pending.chain <- the closure's address   '-> take: reads it, pending <- what was there before
//! ```
//! A signal may arrive between the two, and its handler may call another closure in this way. It finds a pending
//! address, which it must preserve. So its own call takes the slow path: `pass` makes a frame with a record of the
//! pending state, copies the caller's stack words below it (as many as the signature can have), and calls; `take`
//! restores the recorded state. The interrupted call continues with its own address. This nests as deep as signals do.
//! - A handler that never returns (`siglongjmp`) leaves an address that no function takes. Later calls find it, take
//!   the slow path and restore it. It is never used.
//! - A panic may unwind through both paths: the fast path has no frame, the frame of the slow path has unwind
//!   information, and `take` has restored everything before a closure's code runs.
//! - A thread that ends in between, or a child of `fork`, has words of its own.
//! - A scheduler that switches stacks *in a signal handler*, and resumes them in another order than calls return, or on
//!   another thread, must not be used with such signatures: `docs/safety.md`.
//! The words use the initial-exec model, so that a signal handler's first access allocates nothing (ELF Handling for
//! Thread-Local Storage, section 4.3.6): 16 bytes of the space that the C library reserves for libraries loaded later.

/// The symbol name of the words.
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
    ".skip 8", // the first word: the pending address, or 0
    ".skip 8", // the second word: the record of the previous pending state, or 0
    ".popsection",
);

/// The running thread's words: the pending address, or 0, and the record of the previous state.
pub(crate) fn words() -> *mut [usize; 2] {
    crate::arch::address_of_thread!("pending") as *mut [usize; 2]
}

/// Whether thread-local words are available for passing a closure's address.
#[allow(dead_code)] // read only on processors that also have boards
pub(crate) const HAS_THREAD_WORDS: bool = true;

/// The adapter. Its instructions are in the processor's `jump_to_pass!`. They give `pass` the entered function and the
/// maximum size in bytes of the stack arguments.
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

/// Defines `take`. The instruction calls the processor's `take_pending`, which returns the passed address in a
/// register and clobbers others.
#[allow(unused_macros, reason = "some processors have no take_pending")]
macro_rules! take {
    ($call:literal => $passed:tt, changing $($changed:tt)+) => {
        /// Takes the address that was passed to the function; must be the first thing that the function does.
        #[inline(always)]
        pub(crate) fn take<H>() -> *const H {
            let passed: usize;
            // SAFETY: changes only the listed registers, and the words, which belong to this library.
            unsafe {
                core::arch::asm!($call, take = sym take_pending, out($passed) passed, $(out($changed) _),+);
            }
            core::ptr::with_exposed_provenance(passed)
        }
    };
}
#[allow(unused_imports, reason = "as above")]
pub(in crate::arch) use take;

/// `take` for processors that have no `take_pending`: takes the address that was passed to the function, and restores
/// the words.
#[allow(dead_code, reason = "the other processors")]
#[inline(always)]
pub(crate) fn take_in_rust<H>() -> *const H {
    let words: *mut usize =
        core::ptr::with_exposed_provenance_mut(crate::arch::address_of_thread!("pending"));
    // SAFETY: two thread-local words, which belong to this library, and the record that `pass` has stored. Volatile: a
    // signal may arrive between any two accesses.
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
