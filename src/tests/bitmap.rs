//! The bitmap, compared with an ordinary set of numbers.

use crate::pool::hosted::{BITS, Bitmap, words};
use crate::sync::{AtomicUsize, Relaxed};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::vec::Vec;

extern crate std;

/// Sizes close to the word size, which expose errors in the handling of partial words.
const SIZES: [usize; 11] = [1, 2, 31, 32, 33, BITS - 1, BITS, BITS + 1, 2 * BITS - 1, 2 * BITS, 3 * BITS + 7];

fn storage(len: usize) -> Vec<AtomicUsize> {
    (0..words(len)).map(|_| AtomicUsize::new(0)).collect()
}

#[test]
fn every_number_is_claimed_once_from_any_starting_word() {
    for len in SIZES {
        for start in 0..words(len) {
            let storage = storage(len);
            let set = Bitmap::new(&storage, len);
            let claimed: BTreeSet<usize> = (0..len).map(|_| set.claim_absent(start).unwrap()).collect();
            assert_eq!(claimed, (0..len).collect(), "{len} numbers from word {start}");
            assert_eq!(set.claim_absent(start), None, "{len} numbers from word {start}");
        }
    }
}

#[test]
fn a_number_freed_between_two_claims_has_one_owner() {
    for len in SIZES.into_iter().filter(|&len| len >= 4) {
        let storage = storage(len);
        let set = Bitmap::new(&storage, len);
        let (first, second) = (set.claim_absent(0).unwrap(), set.claim_absent(0).unwrap());
        set.remove(first, Relaxed);
        let (third, fourth) = (set.claim_absent(0).unwrap(), set.claim_absent(0).unwrap());
        let held = BTreeSet::from([second, third, fourth]);
        assert_eq!(held.len(), 3, "{len}: {first} {second} {third} {fourth}");
        assert!(held.iter().all(|&n| set.contains(n, Relaxed)));
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Claim(usize),
    Insert(usize),
    Remove(usize),
    List(usize),
}

fn steps() -> impl Strategy<Value = (usize, Vec<Step>)> {
    (1usize..300).prop_flat_map(|len| {
        let step = prop_oneof![
            (0..words(len)).prop_map(Step::Claim),
            (0..len).prop_map(Step::Insert),
            (0..len).prop_map(Step::Remove),
            (0..len).prop_map(Step::List),
        ];
        (Just(len), proptest::collection::vec(step, 0..400))
    })
}

proptest! {
    #[test]
    fn the_bitmap_behaves_like_a_set((len, steps) in steps()) {
        let storage = storage(len);
        let set = Bitmap::new(&storage, len);
        let mut model = BTreeSet::new();
        for step in steps {
            match step {
                Step::Claim(start) => match set.claim_absent(start) {
                    Some(n) => prop_assert!(n < len && model.insert(n)),
                    None => prop_assert_eq!(model.len(), len),
                },
                Step::Insert(n) => { set.insert(n, Relaxed); model.insert(n); }
                Step::Remove(n) => { set.remove(n, Relaxed); model.remove(&n); }
                Step::List(start) => {
                    let listed: Vec<usize> = set.members_from(start).collect();
                    let round: Vec<usize> =
                        model.range(start..).chain(model.range(..start)).copied().collect();
                    prop_assert_eq!(listed, round);
                }
            }
            prop_assert!((0..len).all(|n| set.contains(n, Relaxed) == model.contains(&n)));
        }
    }
}
