//! Passing a closure's address in thread-local words, for signatures in which the position of an additional parameter
//! depends on the classes of the arguments. The adapter jumps to `pass`, which stores the address in the words and
//! jumps to the function for the signature. The function for the signature begins by taking the address from the words.
//! In the usual case (the fast path), no argument moves, no frame remains, and the words are restored before the
//! closure's code begins.
//! ```text
//!   stub --> adapter --> pass --------------------------------> enter(every argument as it came)
//!                          pending.chain <- the closure's address   '-> take: reads it, pending <- what was there before
//! ```
//! A signal may arrive after `pass` has stored the address and before `take` reads it, and the signal's handler may
//! call another closure in this way. That call finds a pending address, which it must preserve, so it takes the slow
//! path. On the slow path, `pass` makes a frame with a record of the pending state, copies the caller's stack words
//! (as many as the signature can have) to just below the record, and calls the function. `take` restores the recorded
//! state, and the interrupted call continues with its own address. Such calls can nest as deeply as signals do.
//! - A handler that never returns (`siglongjmp`) leaves behind an address that no function takes. Later calls take the
//!   slow path to preserve this address, although it is never used.
//! - A panic may unwind through either path: the fast path has no frame, the slow path's frame has unwind information,
//!   and `take` has restored the words before a closure's code runs.
//! - If a thread exits while an address is pending, the thread's words are freed with it. A child of `fork` has its own
//!   copy of the words.
//! - Do not use such signatures with a scheduler that switches stacks *in a signal handler* and then resumes the
//!   interrupted stack either on another thread or before all calls that the handler started have returned (see
//!   `docs/safety.md`).
//!
//!   The words use the initial-exec model, so that a signal handler's first access allocates nothing (ELF Handling for
//!   Thread-Local Storage, section 4.3.6). In a library loaded at run time, the words take 16 bytes of the space that
//!   libc reserves for such libraries.

/// The symbol name of the thread-local words.
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
    ".skip 8", // on 64-bit processors the pending address, or 0 if there is none; on 32-bit processors both words
    ".skip 8", // on 64-bit processors the address of the previous pending state's record, or 0 if there is none
    ".popsection",
);

/// Returns the address of the running thread's two words: the pending address and the address of the previous state's
/// record, each 0 if there is none.
pub(crate) fn words() -> *mut [usize; 2] {
    crate::arch::address_of_thread!("pending") as *mut [usize; 2]
}

/// Defines `take`. The instruction `$call` calls the processor's `take_pending`, which returns the passed address in
/// register `$passed` and clobbers the registers in `$changed`.
#[allow(unused_macros, reason = "some processors have no take_pending")]
macro_rules! take {
    ($call:literal => $passed:tt, changing $($changed:tt)+) => {
        /// Takes the address passed to the function, which must call this before it does anything else.
        #[inline(always)]
        pub(crate) fn take<H>() -> *const H {
            let passed: usize;
            // SAFETY: the instruction changes only the listed registers and the words, which belong to this library.
            unsafe {
                core::arch::asm!($call, take = sym take_pending, out($passed) passed, $(out($changed) _),+);
            }
            core::ptr::with_exposed_provenance(passed)
        }
    };
}
#[allow(unused_imports, reason = "as above")]
pub(in crate::arch) use take;

/// Takes the address passed to the function, and restores the words, on processors without `take_pending`.
#[allow(dead_code, reason = "the other processors")]
#[inline(always)]
pub(crate) fn take_in_rust<H>() -> *const H {
    let words: *mut usize =
        core::ptr::with_exposed_provenance_mut(crate::arch::address_of_thread!("pending"));
    // SAFETY: the code accesses only this library's two thread-local words and the record stored by `pass`. The
    // accesses are volatile, because a signal may arrive between any two of them.
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
