//! Tests of the table when it is full, and of the information that an address provides.

use crate::turn;
use std::cell::RefCell;

#[test]
fn a_rejected_closure_leaves_the_contexts_of_a_full_table_unchanged() {
    let _turn = turn();
    statictramp::set_limit(statictramp::capacity());
    let closures: Vec<_> = (0..statictramp::capacity()).map(|i| move |x: usize| x * 3 + i).collect();
    let bound: Vec<_> = closures.iter().map(|closure| statictramp::bind(closure).unwrap()).collect();
    assert_eq!(statictramp::live(), statictramp::capacity());
    let rejected = statictramp::bind(&closures[0]);
    assert!(matches!(rejected, Err(statictramp::AllocError::Full)));
    let what_to_do = if cfg!(growing) {
        "STATICTRAMP_LIMIT, or the program, allows no more"
    } else if cfg!(portable) {
        "build with a larger STATICTRAMP_SLOTS, which [env] in .cargo/config.toml sets"
    } else {
        "enable statictramp's `grow` feature, or build with a larger STATICTRAMP_SLOTS, which [env] in \
         .cargo/config.toml sets"
    };
    let message = format!(
        "no further trampoline is available (the table has {} slots): {what_to_do}",
        statictramp::capacity()
    );
    assert_eq!(rejected.err().unwrap().to_string(), message);
    for (i, callback) in bound.iter().enumerate() {
        assert_eq!(callback.call((100,)), 300 + i);
    }
    drop(bound);
    assert_eq!(statictramp::live(), 0);
}

#[test]
fn lookup_and_free_need_only_the_address() {
    let _turn = turn();
    use statictramp::{FreeError, Lookup, LookupError, Trampoline};
    let (callee, chain) = (turn as *const (), core::ptr::without_provenance_mut(0x55));
    if let Err(why @ statictramp::AllocError::NoStubs) = Trampoline::new(callee, chain) {
        assert!(why.to_string().starts_with("this build for the target "));
        return;
    }
    assert_eq!(Trampoline::new(core::ptr::null(), chain).unwrap_err(), statictramp::AllocError::NullCallee);
    let trampoline = Trampoline::new(callee, chain).unwrap();
    let slot = trampoline.slot();
    let address = trampoline.into_raw();
    assert!(
        matches!(statictramp::lookup(address), Ok(Lookup::Live { slot: s, callee: of, chain: c, entry, .. })
        if (s, of, c, entry) == (slot, callee, chain, callee))
    );
    assert_eq!(statictramp::lookup(address.wrapping_byte_add(1)), Err(LookupError::Interior));
    assert_eq!(statictramp::lookup(callee), Err(LookupError::Foreign));
    // SAFETY: no other code frees this trampoline, which came from `into_raw`.
    unsafe {
        assert_eq!(
            statictramp::free(address.wrapping_byte_add(8)),
            Err(FreeError::Lookup(LookupError::Interior))
        );
        assert_eq!(statictramp::free(core::ptr::null()), Err(FreeError::Lookup(LookupError::Foreign)));
        assert_eq!(statictramp::free(address), Ok(()));
        assert_eq!(statictramp::free(address), Err(FreeError::Dead));
    }
    assert!(matches!(statictramp::lookup(address), Ok(Lookup::Dead { callee: of, .. }) if of == callee));
}

#[test]
fn a_closure_may_free_and_make_trampolines_and_call_itself() {
    let _turn = turn();
    thread_local!(static SELF: RefCell<Option<unsafe extern "C" fn(u64) -> u64>> = const { RefCell::new(None) });
    let factorial = |n: u64| {
        let inner = |x: u64| x * n;
        let bound = statictramp::bind(&inner).unwrap();
        let itself = SELF.with(|s| s.borrow().unwrap());
        // SAFETY: the callback below lives until the outermost call returns.
        if n <= 1 { 1 } else { bound.call((unsafe { itself(n - 1) },)) }
    };
    let bound = statictramp::bind(&factorial).unwrap();
    SELF.with(|s| *s.borrow_mut() = Some(bound.as_fn()));
    assert_eq!(bound.call((20,)), 2_432_902_008_176_640_000);
}
