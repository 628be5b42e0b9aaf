//! Models of a function map in which one thread replaces the table while another looks up an address.

use crate::offload::{FunctionMap, FunctionPair, Heap, MapError, show_table, written_table};
use crate::sync::{Acquire, AtomicU64, AtomicUsize, Release};
use loom::sync::Arc;
use loom::thread;

type Shared = Arc<FunctionMap<Heap>>;

/// Makes a table with one pair. In the map, such a table has an index of two buckets, and reuses an earlier table's
/// block if possible.
const fn pair(host: u64, target: u64) -> [FunctionPair; 1] {
    [FunctionPair { host, target }]
}

/// Runs a model on a map that has an initial table.
fn model(f: impl Fn(Shared) + Send + Sync + 'static) {
    loom::model(move || {
        let map = Arc::new(FunctionMap::new());
        map.set(&pair(1, 11)).unwrap();
        f(map);
    });
}

#[test]
fn a_lookup_returns_the_matching_target_or_none() {
    // The host addresses 1 and 4 share a bucket, so a lookup that found the address in one table but read the result
    // from another would return the wrong address.
    model(|map| {
        let reader = map.clone();
        let reader = thread::spawn(move || {
            let found = reader.find(1);
            assert!(matches!(found, Some(11 | 12) | None), "{found:?}");
        });
        map.set(&pair(1, 12)).unwrap();
        map.set(&pair(4, 44)).unwrap();
        reader.join().unwrap();
    });
}

#[test]
fn an_address_in_every_table_is_always_found() {
    model(|map| {
        let reader = map.clone();
        let reader = thread::spawn(move || {
            let first = reader.find(1).expect("it is in every table");
            let second = reader.find(1).expect("it is in every table");
            assert!(first <= second, "{second} comes after {first}");
        });
        map.set(&pair(1, 12)).unwrap();
        map.set(&pair(1, 13)).unwrap();
        reader.join().unwrap();
    });
}

#[test]
fn a_notified_thread_finds_the_new_table() {
    model(|map| {
        let published = Arc::new(AtomicUsize::new(0));
        let (reader, sign) = (map.clone(), published.clone());
        let reader = thread::spawn(move || {
            if sign.load(Acquire) != 0 {
                assert_eq!(reader.find(1), Some(12));
            }
        });
        map.set(&pair(1, 12)).unwrap();
        published.store(1, Release);
        reader.join().unwrap();
    });
}

#[test]
fn the_first_table_is_visible_as_a_whole() {
    loom::model(|| {
        let map = Arc::new(FunctionMap::new());
        let reader = map.clone();
        let reader = thread::spawn(move || {
            let found = reader.find(1);
            assert!(matches!(found, Some(11) | None), "{found:?}");
        });
        map.set(&pair(1, 11)).unwrap();
        reader.join().unwrap();
    });
}

#[test]
fn concurrent_replacements_never_mix_tables() {
    model(|map| {
        let other = map.clone();
        let other = thread::spawn(move || other.set(&pair(1, 12)).unwrap());
        map.set(&pair(4, 44)).unwrap();
        assert!(matches!((map.find(1), map.find(4)), (Some(12), None) | (None, Some(44))));
        other.join().unwrap();
        assert!(matches!((map.find(1), map.find(4)), (Some(12), None) | (None, Some(44))));
        map.set(&pair(2, 22)).unwrap();
        assert_eq!([1, 2, 4].map(|host| map.find(host)), [None, Some(22), None]);
    });
}

#[test]
fn a_rejected_table_is_never_visible() {
    model(|map| {
        let reader = map.clone();
        let reader = thread::spawn(move || assert_eq!(reader.find(1), Some(11)));
        assert_eq!(map.set(&pair(0, 5)), Err(MapError::NullHost(0)));
        reader.join().unwrap();
    });
}

#[test]
fn the_library_table_is_never_mistaken_for_a_plugin_table() {
    loom::model(|| {
        let words = Arc::new((AtomicUsize::new(0), AtomicU64::new(1000), AtomicU64::new(1)));
        let shown = words.clone();
        let writer = thread::spawn(move || show_table(&shown.0, [&shown.1, &shown.2], 1, [2000, 2]));
        let written = || written_table(&words.0, [&words.1, &words.2]);
        let found = written();
        assert!(matches!(found, Some([1000, 1]) | None), "{found:?}");
        writer.join().unwrap();
        assert_eq!(written(), None);
    });
}
