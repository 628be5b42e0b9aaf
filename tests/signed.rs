//! Signed slots on AArch64 Linux: what the functions of `Trampoline` do with an entry that other code has stored.
//! `tests/programs/hardened/forgery.c` tests calls, and the functions of libstatictramp.
#![cfg(all(target_arch = "aarch64", target_os = "linux"))]

mod common;

use core::ffi::c_int;
use statictramp::Trampoline;
use statictramp_targets::stub;

// Declares functions that return the static chain, and the number of the function that ran.
twice_the_chain!(first 0 second 1);

fn number(n: usize) -> *mut () {
    core::ptr::without_provenance_mut(n)
}

fn call(trampoline: &Trampoline) -> usize {
    // SAFETY: the trampoline enters one of the functions above, or the call faults in a child.
    unsafe { core::mem::transmute::<*const (), extern "C" fn() -> usize>(trampoline.as_ptr())() }
}

/// Replaces the entry in the slot of a trampoline.
fn overwrite_entry(trampoline: &Trampoline, entry: *const ()) {
    let stub = trampoline.as_ptr();
    // SAFETY: a stub is 32 bytes long, and its bytes are never written.
    let code = unsafe { core::slice::from_raw_parts(stub.cast::<u8>(), 32) };
    let slot = stub::slot_of(statictramp::ENCODING, code, stub.addr() as u64).expect("a stub").0;
    let words: *mut usize = core::ptr::with_exposed_provenance_mut(slot as usize);
    // SAFETY: a slot consists of atomics, and no other code uses this one.
    unsafe { words.add(1).write_volatile(entry.expose_provenance()) }
}

/// The status of a child whose forgery has succeeded.
const TAKEN_OVER: c_int = 42;

/// Runs `forgery` in a child with its own keys. Returns the child's status, or `None` if a signal has ended the child.
fn in_child(forgery: fn() -> bool) -> Option<c_int> {
    const PR_PAC_RESET_KEYS: c_int = 54;
    // SAFETY: the child calls only functions that a signal handler may call.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            libc::close(2); // the library's messages
            libc::prctl(PR_PAC_RESET_KEYS, 0, 0, 0, 0); // fails on a processor without keys
            libc::_exit(if forgery() { TAKEN_OVER } else { 0 })
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &mut status, 0), child);
        libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status))
    }
}

/// If `set_chain` signed any entry, an attacker could store an entry and wait until the program signs it.
#[test]
fn set_chain_re_signs_an_entry_only_if_its_signature_is_valid() {
    fn forgery() -> bool {
        let trampoline = Trampoline::new(first as *const (), number(1)).unwrap();
        overwrite_entry(&trampoline, second as *const ());
        trampoline.set_chain(number(2));
        call(&trampoline) == 2 * 2 + 1
    }
    if statictramp::layout().signed && std::arch::is_aarch64_feature_detected!("paca") {
        // One signature in 128 is valid by chance.
        let ended = (0..200).filter(|_| in_child(forgery).is_none()).count();
        assert!(ended >= 190, "{ended} of 200");
    } else {
        assert_eq!(in_child(forgery), Some(TAKEN_OVER), "nothing checks the entry");
    }
}

/// The new entry comes from the caller, so the stored entry does not matter.
#[test]
fn retarget_replaces_a_forged_entry() {
    fn forged_and_retargeted() -> bool {
        let mut trampoline = Trampoline::new(first as *const (), number(1)).unwrap();
        overwrite_entry(&trampoline, first as *const ());
        trampoline.retarget(second as *const (), number(3)).unwrap();
        call(&trampoline) != 2 * 3 + 1
    }
    assert_eq!(in_child(forged_and_retargeted), Some(0));
}
