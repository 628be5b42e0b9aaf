//! Models of the shared list heads and of the row. The heads and the row are hints: they may refer to a slot only if
//! the slot's contents are visible.

use super::*;

/// Starts a thread that uses the list of A. In these models, the writing thread runs first, because loom records only
/// the last access to a word. If the writing thread loaded the word after another thread's load, loom would miss the
/// conflict between that load and the store.
fn a_reader_of_the_list_of_a(pool: &Shared) -> thread::JoinHandle<()> {
    let pool = pool.clone();
    thread::spawn(move || {
        if let Some(claim) = pool.claim_listed(A, Owner::Program) {
            pool.arm(claim, A, CHAIN);
            assert_whole(&pool, claim, A, CHAIN.addr());
        }
    })
}

/// Initializes another slot and puts it on top of the list of A.
fn push_a_new_slot(pool: &Shared) {
    let claim = pool.claim_unused(A, Owner::Program).unwrap();
    pool.arm(claim, A, CHAIN);
    assert!(pool.release(claim));
}

/// The threads share one shard, which has room for one list. An evicted list moves to the shared heads.
#[test]
fn a_list_moved_to_the_shared_heads_contains_only_initialized_slots() {
    bounded_model(|pool| {
        let reader = a_reader_of_the_list_of_a(&pool);
        let (a, b) = (alloc(&pool, A, 1).unwrap(), alloc(&pool, B, 2).unwrap());
        assert!(pool.release(a));
        assert!(pool.release(b)); // A's list is moved
        reader.join().unwrap();
    });
}

/// Every thread that finds a slot in a list of the shared heads must see that the slot is initialized.
#[test]
fn a_slot_pushed_to_the_shared_heads_is_initialized() {
    bounded_model(|pool| {
        let (a, b) = (alloc(&pool, A, 1).unwrap(), alloc(&pool, B, 2).unwrap());
        assert!(pool.release(a));
        assert!(pool.release(b)); // A's list is moved
        let reader = a_reader_of_the_list_of_a(&pool);
        push_a_new_slot(&pool);
        reader.join().unwrap();
    });
}

/// A thread that moves a list whose top another thread has just stored must see the contents of the top slot.
#[test]
fn another_threads_list_is_moved_only_if_its_new_head_is_visible() {
    bounded_model(|pool| {
        let (a, b) = (alloc(&pool, A, 1).unwrap(), alloc(&pool, B, 2).unwrap());
        assert!(pool.release(a));
        let mover = moves_the_list_of_a(&pool, b);
        push_a_new_slot(&pool);
        mover.join().unwrap();
    });
}

/// A thread that moves another thread's new list must use the top that was stored with the list's tag, not an earlier
/// top.
#[test]
fn another_threads_new_list_is_moved_only_if_its_head_is_visible() {
    bounded_model(|pool| {
        // The top of a list that was never used is slot 0, so slot 0 is initialized last.
        pool.slots().shard().took_unused(2);
        let [b, _] = [1, 2].map(|chain| alloc(&pool, B, chain).unwrap());
        let mover = moves_the_list_of_a(&pool, b);
        push_a_new_slot(&pool);
        mover.join().unwrap();
    });
}

/// Starts a thread that frees a slot of B and then uses the list of A. The free moves the list of A, if that list exists.
fn moves_the_list_of_a(pool: &Shared, b: Claim) -> thread::JoinHandle<()> {
    let pool = pool.clone();
    thread::spawn(move || {
        assert!(pool.release(b));
        if let Some(claim) = pool.claim_listed(A, Owner::Program) {
            pool.arm(claim, A, CHAIN);
            assert_whole(&pool, claim, A, CHAIN.addr());
        }
    })
}

/// Two callees share a list head, so either might be offered a slot that belongs to the other. That slot must not be
/// claimed.
#[test]
fn another_callees_slot_on_a_shared_head_is_not_claimed() {
    model(|pool| {
        let (a, b) = (alloc(&pool, A, 1).unwrap(), alloc(&pool, B, 2).unwrap());
        assert!(pool.release(a));
        let reader = {
            let pool = pool.clone();
            thread::spawn(move || {
                if let Some(claim) = pool.claim_listed(A, Owner::Program) {
                    assert_eq!(claim.index, a.index);
                }
            })
        };
        assert!(pool.release(b));
        reader.join().unwrap();
        all_slots_can_be_claimed(&pool, pool.live().count());
    });
}

/// A thread that computes the address of a slot must see the segment.
#[test]
fn an_index_in_the_row_is_used_only_if_the_segment_is_visible() {
    loom::model(|| {
        let pool = Arc::new(Pool::new(OwnTable::growing()));
        let first = OwnTable::new().stub(SLOTS as u32).addr();
        let reader = {
            let pool = pool.clone();
            thread::spawn(move || {
                assert!(matches!(pool.find(first), SlotState::Unused | SlotState::Not(_)));
                assert!(!pool.release_fast_in_row(first));
                assert!(matches!(pool.find(first - 100), SlotState::Not(_)));
            })
        };
        assert!(pool.slots().grow(0, usize::MAX));
        reader.join().unwrap();
        assert_eq!(pool.slots().index_in_row(first).map(|(_, index)| index), Some(SLOTS as u32));
    });
}

/// Freeing an address without a live trampoline does nothing, even while another thread is initializing the slot.
#[test]
fn freeing_an_address_does_nothing_while_its_slot_is_being_initialized() {
    bounded_model(|pool| {
        let address = OwnTable::new().stub(0).addr();
        let other = {
            let pool = pool.clone();
            thread::spawn(move || assert!(!pool.release_fast(address) && !pool.release_fast_in_row(address)))
        };
        let claim = alloc(&pool, A, 1).unwrap();
        assert!(pool.release(claim));
        other.join().unwrap();
    });
}

/// The same as the model above, but for a slot in the row.
#[test]
fn freeing_an_address_in_the_row_does_nothing_while_its_slot_is_being_initialized() {
    bounded_model_on(OwnTable::growing, |pool| {
        assert!(pool.slots().grow(0, usize::MAX));
        (0..SLOTS).for_each(|_| assert!(pool.claim_unused(B, Owner::Program).is_some()));
        let address = OwnTable::new().stub(SLOTS as u32).addr();
        let other = {
            let pool = pool.clone();
            thread::spawn(move || assert!(!pool.release_fast_in_row(address)))
        };
        let claim = alloc(&pool, A, 1).unwrap();
        assert_eq!(claim.index as usize, SLOTS);
        assert!(pool.release(claim));
        other.join().unwrap();
    });
}

fn make_listed(pool: &Shared) -> Option<*const ()> {
    pool.make_listed(pool.list(A)?.packed(), A, Owner::Program, A, CHAIN)
}

/// No slot of the static table is found in the row, even by a thread that sees only the row's new length.
#[test]
fn a_static_slot_is_never_in_the_row() {
    bounded_model_on(OwnTable::growing, |pool| {
        let reader = {
            let pool = pool.clone();
            thread::spawn(move || assert!(pool.slots().in_row(SLOTS as u32 - 1).is_none()))
        };
        assert!(pool.slots().grow(0, usize::MAX));
        reader.join().unwrap();
    });
}

/// On the row's fast paths, only one of two threads claims a slot that was freed.
#[test]
fn a_slot_in_the_row_is_claimed_by_only_one_of_two_threads() {
    bounded_model_on(OwnTable::growing, |pool| {
        assert!(pool.slots().grow(0, usize::MAX));
        (0..SLOTS).for_each(|_| assert!(pool.claim_unused(B, Owner::Program).is_some()));
        let first = alloc(&pool, A, 1).unwrap();
        assert!(pool.release(first));
        let make = make_listed;
        let other = {
            let pool = pool.clone();
            thread::spawn(move || {
                let made = make(&pool).map(|stub| stub.addr());
                made.is_some_and(|address| pool.release_fast_in_row(address))
            })
        };
        let made = make(&pool).map(|stub| stub.addr());
        let other = other.join().unwrap();
        assert!(made.is_some() || other, "the slot is lost");
        if let Some(address) = made {
            let SlotState::Live { callee, chain, .. } = pool.find(address) else { panic!("not live") };
            assert_eq!((callee, chain), (A, CHAIN));
        }
    });
}
