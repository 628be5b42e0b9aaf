//! Signed code pointers, with Armv8.3 pointer authentication (FEAT_PAuth in the Arm Architecture Reference Manual for
//! A-profile).
//!
//! A signature is stored in the pointer's upper bits, which address translation does not use. The signature depends on
//! the pointer, on a key that the kernel chooses for each process at `execve`, and on a *modifier*. A *pair* is two
//! words: a context (the static chain, or the context of a bound function) and a code pointer. The code pointer's
//! modifier is the context plus the square of the pair's address, modulo 2^64. A signature is therefore valid only
//! together with its context, and only in its own pair.
//!
//! The code pointer of pair t is also valid in pair s, but only with the one context that the modifier's formula
//! determines. If the modifier were the context XORed with the pair's address, that context would be context_t ^ t ^ s,
//! which is close to context_t and therefore often an address in the same object. If the pair's address were also
//! rotated by 28 bits, the contexts of two pairs 1 to 255 whole MiB apart could differ only in the top byte. Linux
//! enables top-byte ignore for data, so both contexts would still point to the same object. With squares, the contexts
//! differ by (t - s)(t + s), a distance that is useful to an attacker only by accident.
//!
//! The instructions are encoded as hints. `pacia1716` (HINT 8) signs x17 with the modifier in x16. `autia1716` (HINT
//! 12) removes a valid signature, and makes a pointer with an invalid signature unusable. `xpaclri` (HINT 7) removes
//! any signature from x30. Older processors execute all three as NOPs. In a process that started with the key disabled,
//! the first two are NOPs, and `xpaclri` has nothing to remove. In both cases, all code pointers in pairs are plain
//! addresses.

use core::sync::atomic::AtomicPtr;

fn modifier(context: *mut (), words: *const ()) -> usize {
    context.addr().wrapping_add(words.addr().wrapping_mul(words.addr()))
}

/// Signs a code pointer with this context, for the pair at the address `words`.
#[inline(always)]
pub(crate) fn sign(pointer: *const (), context: *mut (), words: *const ()) -> *const () {
    let signed;
    // SAFETY: the instruction changes only x17. The block is not `pure`, so that the compiler keeps no copy of a signed
    // pointer for later use.
    unsafe {
        core::arch::asm!(
            "hint #8", // pacia1716
            inlateout("x17") pointer => signed, in("x16") modifier(context, words),
            options(nomem, nostack, preserves_flags),
        );
    }
    signed
}

/// Removes the signature from a code pointer without checking it. The result may be compared and printed, but must
/// never be signed again, because that would also validate forged pointers.
#[inline(always)]
pub(crate) fn strip(pointer: *const ()) -> *const () {
    let stripped;
    // SAFETY: the instruction changes only x30.
    unsafe {
        core::arch::asm!(
            "hint #7", // xpaclri
            inlateout("x30") pointer => stripped,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    stripped
}

/// Re-signs a signed code pointer for a new context in the same pair. Returns `None` if the old signature is not valid
/// for the old context.
///
/// One block authenticates and signs, so that the plain pointer never reaches memory. If the signature is invalid, the
/// block signs a null pointer: signing the pointer that failed authentication would yield a pointer that differs from a
/// validly signed one only in known bits. With FEAT_FPAC, `autia1716` itself faults instead.
#[inline(always)]
pub(crate) fn resign(signed: *const (), words: *const (), from: *mut (), to: *mut ()) -> Option<*const ()> {
    let again: *const ();
    let valid: usize;
    // SAFETY: the instructions change only the named registers and the flags.
    unsafe {
        core::arch::asm!(
            "hint #12", // autia1716
            "mov x30, x17",
            "hint #7", // xpaclri
            "cmp x17, x30",
            "csel x17, x17, xzr, eq",
            "cset {valid}, eq",
            "mov x16, {to}",
            "hint #8", // pacia1716
            valid = out(reg) valid, to = in(reg) modifier(to, words),
            inlateout("x17") signed => again, inlateout("x16") modifier(from, words) => _, out("x30") _,
            options(nomem, nostack),
        );
    }
    (valid != 0).then_some(again)
}

/// A pair whose two words change together. It is aligned so that one exclusive instruction can access both words.
///
/// A store-exclusive of two registers is atomic on every AArch64 processor, but a stub's load-pair instruction is
/// atomic only on processors with FEAT_LSE2 (Armv8.4; HWCAP_USCAT on Linux).
#[repr(C, align(16))]
pub(crate) struct Pair {
    context: AtomicPtr<()>,
    code: AtomicPtr<()>,
}

impl Pair {
    /// Loads the context and the signed code pointer in one atomic operation, with Acquire ordering.
    ///
    /// A load-exclusive of two registers is known to be atomic only if a subsequent store-exclusive succeeds, so `load`
    /// stores the words back.
    pub(crate) fn load(&self) -> (*mut (), *const ()) {
        let (context, code): (*mut (), *const ());
        // SAFETY: the words are in a `Pair`, which is aligned to 16 bytes and consists of atomics. The store does not
        // change their values.
        unsafe {
            core::arch::asm!(
                "2: ldaxp {context}, {code}, [{pair}]",
                "stxp {failed:w}, {context}, {code}, [{pair}]",
                "cbnz {failed:w}, 2b",
                context = out(reg) context, code = out(reg) code, failed = out(reg) _,
                pair = in(reg) core::ptr::from_ref(self), options(nostack, preserves_flags),
            );
        }
        (context, code)
    }

    /// Stores a context and a signed code pointer in one atomic operation, with Release ordering.
    #[inline(always)]
    pub(crate) fn store(&self, context: *mut (), code: *const ()) {
        // SAFETY: the words are in a `Pair`, which is aligned to 16 bytes and consists of atomics.
        unsafe {
            core::arch::asm!(
                "2: ldxp {old}, xzr, [{pair}]",
                "stlxp {failed:w}, {context}, {code}, [{pair}]",
                "cbnz {failed:w}, 2b",
                context = in(reg) context, code = in(reg) code, old = out(reg) _, failed = out(reg) _,
                pair = in(reg) core::ptr::from_ref(self), options(nostack, preserves_flags),
            );
        }
    }

    /// Returns the pair's address, on which the code pointer's signature depends.
    #[inline(always)]
    pub(crate) fn address(&self) -> *const () {
        core::ptr::from_ref(self).cast()
    }
}
