//! Tests of the lower-level interface, for compilers and runtimes.

#![cfg_attr(unstable_asm, feature(asm_experimental_arch))]

mod common;

use statictramp::{AllocError, LiveTrampoline, Lookup, Trampoline, live_trampolines, lookup, statistics};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};

/// The whole process shares the table, so tests take turns.
static TURN: Mutex<()> = Mutex::new(());

// Declares functions that return the static chain, and the number of the function that ran.
twice_the_chain!(first 0 second 1);

fn number(n: usize) -> *mut () {
    core::ptr::without_provenance_mut(n)
}

fn call(trampoline: &Trampoline) -> usize {
    // SAFETY: each trampoline here is alive and enters one of the functions above.
    unsafe { core::mem::transmute::<*const (), extern "C" fn() -> usize>(trampoline.as_ptr())() }
}

#[test]
fn live_trampolines_can_be_listed_and_counted() {
    let _turn = TURN.lock().unwrap();
    let before = statistics();
    let one = Trampoline::new(first as *const (), number(1)).unwrap();
    let two = Trampoline::new(second as *const (), number(2)).unwrap();
    let listed: Vec<LiveTrampoline> = live_trampolines().collect();
    assert_eq!(listed.len(), 2);
    for (trampoline, callee, chain) in [(&one, first as *const (), 1), (&two, second as *const (), 2)] {
        let live = listed.iter().find(|live| live.address == trampoline.as_ptr()).expect("listed");
        assert_eq!((live.slot, live.callee, live.entry), (trampoline.slot(), callee, callee));
        assert_eq!(live.chain, number(chain));
    }
    let now = statistics();
    assert_eq!((now.live, now.capacity), (before.live + 2, before.capacity));
    assert_eq!(now.live + now.dead + now.unused, now.capacity);
    drop((one, two));
    assert_eq!((statistics().live, statistics().dead), (0, now.dead + 2));
}

#[test]
fn a_live_trampoline_can_be_retargeted() {
    let _turn = TURN.lock().unwrap();
    let mut trampoline = Trampoline::new(first as *const (), number(1)).unwrap();
    let address = trampoline.as_ptr();
    assert_eq!(call(&trampoline), 2);
    trampoline.set_chain(number(5));
    assert_eq!(call(&trampoline), 10);
    trampoline.retarget(second as *const (), number(7)).unwrap();
    assert_eq!((call(&trampoline), trampoline.as_ptr()), (15, address));
    assert_eq!(trampoline.retarget(core::ptr::null(), number(8)), Err(AllocError::NullCallee));
    assert_eq!(call(&trampoline), 15);
    assert!(matches!(lookup(address), Ok(Lookup::Live { callee, .. }) if callee == second as *const ()));
    drop(trampoline);
    assert!(matches!(lookup(address), Ok(Lookup::Dead { callee, .. }) if callee == second as *const ()));
}

/// How the stubs of this build load their two words on this processor.
#[derive(PartialEq, Eq, Debug)]
#[cfg_attr(not(target_arch = "aarch64"), expect(dead_code, reason = "only slots on AArch64 are signed"))]
enum Loads {
    /// One after the other. Any combination of old and new words can be called.
    Separately,
    /// Together, so a call uses only a chain and an entry that belong together.
    Together,
    /// One after the other, but a combination of words that do not belong together faults.
    SeparatelyAndChecked,
}

fn loads() -> Loads {
    #[cfg(target_arch = "aarch64")]
    if statictramp::layout().signed && std::arch::is_aarch64_feature_detected!("paca") {
        let together = std::arch::is_aarch64_feature_detected!("lse2");
        return if together { Loads::Together } else { Loads::SeparatelyAndChecked };
    }
    Loads::Separately
}

/// Returns whether calls may run concurrently with a change of the trampoline on this processor. Reports it if they
/// may not.
fn calls_may_be_concurrent() -> bool {
    let may_fault = loads() == Loads::SeparatelyAndChecked;
    if may_fault {
        eprintln!("not tested: this processor has pointer authentication but not FEAT_LSE2");
    }
    !may_fault
}

/// The chain is stored atomically, so calls on other threads get either the old or the new chain.
#[test]
fn a_call_passes_either_the_old_or_the_new_chain() {
    let _turn = TURN.lock().unwrap();
    if !calls_may_be_concurrent() {
        return;
    }
    const LOW: usize = usize::MAX / 15;
    const HIGH: usize = usize::MAX / 15 * 2;
    let trampoline = Trampoline::new(first as *const (), number(LOW)).unwrap();
    let (stop, calls) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !stop.load(Relaxed) {
                    let got = call(&trampoline);
                    assert!(got == LOW * 2 || got == HIGH * 2, "{got:#x}");
                    calls.fetch_add(1, Relaxed);
                }
            });
        }
        let mut changes = 0;
        while changes < 100_000 || calls.load(Relaxed) < 10_000 {
            trampoline.set_chain(number(if changes % 2 == 0 { HIGH } else { LOW }));
            changes += 1;
        }
        stop.store(true, Relaxed);
    });
}

/// Checks which chains the calls on other threads pass to which callee.
#[test]
fn a_call_during_retarget_passes_only_allowed_chains() {
    let _turn = TURN.lock().unwrap();
    if !calls_may_be_concurrent() {
        return;
    }
    let allowed: &[usize] = match loads() {
        Loads::Together => &[2 * 5, 2 * 9 + 1],
        _ => &[2 * 5, 2 * 9 + 1, 2 * 9, 2 * 5 + 1],
    };
    let mut trampoline = Trampoline::new(first as *const (), number(5)).unwrap();
    let address = trampoline.as_ptr().addr();
    let (stop, calls) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let stub = core::ptr::with_exposed_provenance::<()>(address);
                // SAFETY: the trampoline is alive, and both callees accept both chains.
                let stub = unsafe { core::mem::transmute::<*const (), extern "C" fn() -> usize>(stub) };
                while !stop.load(Relaxed) {
                    let got = stub();
                    assert!(allowed.contains(&got), "{got}");
                    calls.fetch_add(1, Relaxed);
                }
            });
        }
        let mut changes = 0;
        while changes < 100_000 || calls.load(Relaxed) < 10_000 {
            let (callee, chain) =
                if changes % 2 == 0 { (second as *const (), 9) } else { (first as *const (), 5) };
            trampoline.retarget(callee, number(chain)).unwrap();
            changes += 1;
        }
        stop.store(true, Relaxed);
    });
}

/// Both threads may use the trampoline, so neither may make its slot invalid for the other.
#[test]
fn two_threads_may_change_the_chain_concurrently() {
    let _turn = TURN.lock().unwrap();
    let trampoline = Trampoline::new(first as *const (), number(0)).unwrap();
    let change = |chain| (0..200_000).for_each(|_| trampoline.set_chain(number(chain)));
    std::thread::scope(|scope| {
        scope.spawn(|| change(3));
        change(4);
    });
    assert!([2 * 3, 2 * 4].contains(&call(&trampoline)));
    trampoline.set_chain(number(6));
    assert_eq!(call(&trampoline), 2 * 6);
}
