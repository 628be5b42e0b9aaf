//! Models of the word that records that a table is full. No claim may be rejected while a slot is free.

use super::*;

/// Fills a table that cannot grow. Returns the claim of one slot, whose callee is A.
fn full(pool: &Shared) -> Claim {
    (1..SLOTS).for_each(|n| assert!(alloc(pool, B, n).is_some()));
    alloc(pool, A, SLOTS).unwrap()
}

/// Tries to claim a slot, using every step that precedes growth.
fn claim(pool: &Shared) -> Option<Claim> {
    pool.claim_slow(B, Owner::Program)
}

/// Runs a model in which one thread searches a full table while another frees a slot, runs `then`, and claims a slot.
fn model_of_a_free_during_a_search(then: fn(&Shared)) {
    bounded_model_on(OwnTable::with_barrier, move |pool| {
        let last = full(&pool);
        let other = {
            let pool = pool.clone();
            thread::spawn(move || {
                assert!(pool.release(last));
                then(&pool);
                assert!(claim(&pool).is_some(), "a claim was rejected while a slot was free");
            })
        };
        pool.rejected();
        other.join().unwrap();
    });
}

#[test]
fn a_free_that_a_search_missed_lets_the_next_claim_succeed() {
    model_of_a_free_during_a_search(|_| {});
}

/// The second search begins after the free that the first search has missed.
#[test]
fn a_free_between_two_searches_lets_the_next_claim_succeed() {
    model_of_a_free_during_a_search(|pool| pool.rejected());
}

/// A thread that joins a search also executes a barrier and reads all slots.
#[test]
fn a_free_during_a_shared_search_lets_the_next_claim_succeed() {
    bounded_model_on(OwnTable::with_barrier, |pool| {
        let last = full(&pool);
        let other = {
            let pool = pool.clone();
            thread::spawn(move || pool.rejected())
        };
        pool.rejected();
        assert!(pool.release(last));
        assert!(claim(&pool).is_some(), "a claim was rejected while a slot was free");
        other.join().unwrap();
    });
}

/// A thread that joins a search executes a barrier even if the thread that began the search has not executed one yet.
#[test]
fn a_claim_succeeds_after_a_shared_search_misses_a_free() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3); // with fewer preemptions, loom does not find the error
    builder.check(|| {
        let pool: Shared = Arc::new(Pool::new(OwnTable::with_barrier()));
        let last = full(&pool);
        let searches = [(); 2].map(|()| {
            let pool = pool.clone();
            thread::spawn(move || pool.rejected())
        });
        assert!(pool.release(last));
        assert!(claim(&pool).is_some(), "a claim was rejected while a slot was free");
        searches.into_iter().for_each(|search| search.join().unwrap());
    });
}

/// A slot is free when the search begins, and no thread takes it.
#[test]
fn a_search_that_finds_a_free_slot_does_not_record_a_full_table() {
    model_of_each_search(|pool| {
        let last = full(&pool);
        assert!(pool.release(last));
        pool.rejected();
        assert!(claim(&pool).is_some(), "a claim was rejected while a slot was free");
        pool.rejected();
        assert!(pool.has_nothing_to_reclaim() && claim(&pool).is_none());
    });
}

/// An unused slot is also treated as free.
#[test]
fn a_search_that_finds_an_unused_slot_does_not_record_a_full_table() {
    model_of_each_search(|pool| {
        (1..SLOTS).for_each(|n| assert!(alloc(&pool, B, n).is_some()));
        pool.rejected();
        assert!(claim(&pool).is_some(), "a claim was rejected while a slot was free");
    });
}

fn model_of_each_search(f: fn(Shared)) {
    loom::model(move || f(Arc::new(Pool::new(OwnTable::with_barrier()))));
}

/// Slots that belong to compiled code can be reclaimed, so the caller must try to reclaim one before the table is
/// treated as full.
#[test]
fn a_full_table_may_contain_a_slot_that_can_be_reclaimed() {
    model_of_each_search(|pool| {
        (1..SLOTS).for_each(|n| assert!(alloc(&pool, B, n).is_some()));
        let host = pool.claim(A, Owner::Compiler).unwrap();
        pool.rejected();
        assert!(!pool.has_nothing_to_reclaim());
        assert!(claim(&pool).is_none());
        assert!(pool.release(host));
        assert!(claim(&pool).is_some());
    });
}

/// The record of a full table applies only to the segments that existed when the record was made.
#[test]
fn no_claim_is_rejected_after_growth() {
    bounded_model_on(OwnTable::growing_with_barrier, |pool| {
        full(&pool);
        let other = {
            let pool = pool.clone();
            thread::spawn(move || pool.rejected())
        };
        assert!(pool.slots().grow(0, usize::MAX));
        assert!(claim(&pool).is_some(), "a claim was rejected although the table had grown");
        other.join().unwrap();
        assert!(claim(&pool).is_some(), "a claim was rejected although the table had grown");
    });
}
