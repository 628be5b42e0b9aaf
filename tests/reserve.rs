//! Tests growth in advance. The test has its own process, because added slots remain until the
//! process ends.

#![cfg_attr(unstable_asm, feature(asm_experimental_arch))]

use statictramp::{AllocError, bind, capacity, reserve, set_limit};

#[test]
fn reserving_slots_grows_the_table_up_to_its_limit() {
    let at_first = capacity();
    assert_eq!(reserve(at_first), Ok(()));
    assert_eq!(capacity(), at_first);
    set_limit(3 * at_first);
    assert_eq!(reserve(3 * at_first + 1), Err(AllocError::Full));
    assert_eq!(capacity(), at_first, "a number above the limit does not make the table grow");
    if !cfg!(feature = "grow") {
        assert_eq!(reserve(at_first + 1), Err(AllocError::Full));
        return;
    }
    assert_eq!(reserve(at_first + 1), Ok(()));
    assert_eq!(capacity(), 2 * at_first);
    assert_eq!(reserve(3 * at_first), Ok(()));
    assert_eq!(capacity(), 3 * at_first);
    // Use the new slots.
    let add = |x: i32| x + 1;
    let mut bound: Vec<_> = (0..3 * at_first).map(|_| bind(&add).unwrap()).collect();
    // SAFETY: the closure and the callbacks outlive the calls.
    assert!(bound.iter().all(|callback| unsafe { callback.as_fn()(1) } == 2));
    assert!(matches!(bind(&add), Err(AllocError::Full)));
    for _ in 0..100 {
        bound.pop();
        bound.push(bind(&add).expect("a slot is free"));
        assert!(bind(&add).is_err());
    }
}
