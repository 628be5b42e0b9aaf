//! Maps of device functions: what is refused, what is found, what readers see while a table is replaced. Real offloading is
//! in `tests/openmp`.
#![cfg(target_pointer_width = "64")]

use proptest::prelude::*;
use statictramp::Trampoline;
use statictramp::interop::offload::*;
use std::alloc::Layout;
use std::collections::HashMap;
use std::ffi::CStr;
use std::sync::atomic::{AtomicUsize, Ordering};

fn pair(host: u64, target: u64) -> FunctionPair {
    FunctionPair { host, target }
}

#[test]
fn each_fault_has_its_error_and_the_old_table_stays() {
    let map = FunctionMap::new();
    map.set(&[pair(8, 80)]).unwrap();
    let many = vec![pair(1, 1); MOST_FUNCTIONS + 1];
    for (pairs, error) in [
        (&[pair(1, 1), pair(0, 2)][..], MapError::NullHost(1)),
        (&[pair(1, 0)], MapError::NullTarget(0)),
        (&[pair(9, 1), pair(3, 1), pair(9, 2)], MapError::Conflict(9)),
        (&many, MapError::TooMany(MOST_FUNCTIONS as u64 + 1)),
    ] {
        assert_eq!(map.set(pairs), Err(error));
        assert_eq!(map.find(8), Some(80));
        assert!(!error.to_string().is_empty());
    }
    // SAFETY: of none of these anything is read.
    unsafe {
        assert_eq!(table(1, std::ptr::null()), Err(MapError::Null));
        assert_eq!(table(0, std::ptr::null()), Ok(&[][..]));
        assert_eq!(table(1, std::ptr::without_provenance(12)), Err(MapError::Misaligned));
        assert_eq!(table(u64::MAX, std::ptr::without_provenance(8)), Err(MapError::TooMany(u64::MAX)));
    }
    map.set(&[]).unwrap();
    assert_eq!(map.find(8), None);
}

#[test]
fn a_miss_within_the_range_ends() {
    let map = FunctionMap::new();
    map.set(&[pair(10, 1), pair(20, 2), pair(30, 3)]).unwrap();
    assert_eq!(
        [0, 9, 10, 15, 20, 30, 31, u64::MAX].map(|host| map.translate(host)),
        [0, 9, 1, 15, 2, 3, 31, u64::MAX]
    );
}

#[test]
fn every_address_can_be_a_key() {
    let map = FunctionMap::new();
    map.set(&[pair(u64::MAX, 1), pair(1, 2)]).unwrap();
    assert_eq!([0, 1, 2, u64::MAX].map(|host| map.find(host)), [None, Some(2), None, Some(1)]);
    map.set(&[pair(u64::MAX, 1)]).unwrap();
    assert_eq!([0, 1, u64::MAX].map(|host| map.find(host)), [None, None, Some(1)]);
}

proptest! {
    #[test]
    fn both_kinds_of_table_find_what_a_hash_map_finds(
        pairs in prop::collection::vec((1u64..400, 1u64..3), 0..300),
        queries in prop::collection::vec(0u64..450, 50),
    ) {
        let mut expected = HashMap::new();
        let conflict = pairs.iter().any(|&(host, target)| *expected.entry(host).or_insert(target) != target);
        let mut pairs: Vec<_> = pairs.into_iter().map(|(host, target)| pair(host, target)).collect();
        let map = FunctionMap::new();
        let set = map.set(&pairs);
        let sorted = SortedFunctions::new(&mut pairs);
        prop_assert_eq!(set.is_err(), conflict);
        prop_assert_eq!(sorted.as_ref().err(), set.as_ref().err());
        let Ok(sorted) = sorted else { return Ok(()) };
        prop_assert!(sorted.pairs().is_sorted_by(|a, b| a.host < b.host));
        prop_assert_eq!(sorted.pairs().len(), expected.len());
        for host in queries.into_iter().chain([0, 1, u64::MAX]) {
            prop_assert_eq!(sorted.find(host), expected.get(&host).copied());
            prop_assert_eq!(map.find(host), expected.get(&host).copied());
        }
    }
}

/// Counts what is allocated, and has no more when a limit is reached.
struct Counting<'c> {
    bytes: &'c AtomicUsize,
    limit: usize,
}

// SAFETY: as the heap, or null.
unsafe impl Memory for Counting<'_> {
    fn allocate(&self, layout: Layout) -> *mut u8 {
        if self.bytes.load(Ordering::Relaxed) + layout.size() > self.limit {
            return std::ptr::null_mut();
        }
        self.bytes.fetch_add(layout.size(), Ordering::Relaxed);
        Heap.allocate(layout)
    }
    unsafe fn free(&self, memory: *mut u8, layout: Layout) {
        self.bytes.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: handed on.
        unsafe { Heap.free(memory, layout) }
    }
}

fn table_of(len: u64) -> Vec<FunctionPair> {
    (1..=len).map(|number| pair(16 * number, number)).collect()
}

#[test]
fn memory_stays_within_four_times_the_largest_table_and_goes_with_the_map() {
    let bytes = AtomicUsize::new(0);
    let map = FunctionMap::with_memory(Counting { bytes: &bytes, limit: usize::MAX });
    let mut largest = 0;
    for turn in 0..5 {
        for len in (0..700).step_by(if turn == 0 { 1 } else { 13 }) {
            let before = bytes.load(Ordering::Relaxed);
            map.set(&table_of(len)).unwrap();
            largest = largest.max(bytes.load(Ordering::Relaxed) - before);
            assert_eq!(map.find(16 * len), (len > 0).then_some(len));
        }
    }
    // Two of each size, each with a few words besides.
    assert!(bytes.load(Ordering::Relaxed) <= 4 * largest + 20 * 64);
    drop(map);
    assert_eq!(bytes.load(Ordering::Relaxed), 0);
}

#[test]
fn the_heap_has_no_memory_of_no_size() {
    assert!(Heap.allocate(Layout::new::<()>()).is_null());
}

#[test]
fn without_memory_the_old_table_stays() {
    let bytes = AtomicUsize::new(0);
    let map = FunctionMap::with_memory(Counting { bytes: &bytes, limit: 1000 });
    map.set(&table_of(4)).unwrap();
    assert_eq!(map.set(&table_of(400)), Err(MapError::NoMemory));
    assert_eq!(map.find(64), Some(4));
}

#[test]
fn threads_read_while_tables_of_all_sizes_replace_each_other() {
    let map = FunctionMap::new();
    map.set(&table_of(1)).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                // The table after which there are no more ends this.
                while map.find(7) != Some(7) {
                    for number in [1, 2, 3, 50, 199] {
                        let found = map.find(16 * number);
                        assert!(found.is_none_or(|found| found % 1000 == number), "{number}: {found:?}");
                        assert!(number != 1 || found.is_some());
                    }
                }
            });
        }
        for turn in 0..2000 {
            let mut pairs = table_of(1 + turn * 7 % 200);
            pairs.iter_mut().for_each(|pair| pair.target += 1000 * turn);
            map.set(&pairs).unwrap();
        }
        map.set(&[pair(7, 7), pair(16, 1)]).unwrap();
    });
}

#[test]
fn a_table_that_was_told_of_long_ago_can_be_given_back() {
    let map = FunctionMap::new();
    let mut told = std::ptr::null();
    map.set_and(&table_of(4), |sorted| told = sorted.pairs().as_ptr()).unwrap();
    map.set(&table_of(3)).unwrap();
    // SAFETY: blocks stay, and nobody fills this one meanwhile but the call itself.
    map.set(unsafe { std::slice::from_raw_parts(told, 4) }).unwrap();
    assert_eq!(map.find(64), Some(4));
}

/// Entries in both layouts, as compilers write them.
fn entries(of: &[(u64, &'static CStr, u64, u32)]) -> [(EntryLayout, Vec<u64>); 2] {
    let name = |name: &CStr| name.as_ptr().expose_provenance() as u64;
    let old = of.iter().flat_map(|&(address, n, size, flags)| [address, name(n), size, flags.into()]);
    let new = of.iter().flat_map(|&(address, n, size, flags)| {
        [0, 1 | 1 << 16 | u64::from(flags) << 32, address, name(n), size, 0, 0]
    });
    [(EntryLayout::Llvm19, old.collect()), (EntryLayout::Llvm22, new.collect())]
}

fn read<'w>(layout: EntryLayout, words: &'w [u64]) -> Entries<'w> {
    let ends = words.as_ptr_range();
    // SAFETY: entries of this layout, with names that are there for good.
    unsafe { Entries::new(layout, ends.start.cast(), ends.end.cast()) }
}

#[test]
fn entries_become_pairs() {
    let function: u64 = 0x7000;
    let vtable: u64 = 0x8000;
    let at = |variable: &u64| std::ptr::from_ref(variable).expose_provenance() as u64;
    let host = [
        (0x1000, c"function", 8, 0x08),
        (0x2000, c"region", 0, 0),
        (0x3000, c"variable", 8, 0),
        (0x4000, c"vtable", 24, 0x20),
        (0x5000, c"not on the device", 8, 0x08),
        (0x6000, c"no pointer", 4, 0x08),
        (0x6000, c"no pointers", 12, 0x20),
        (0x6000, c"empty", 0, 0x20),
    ];
    let device = [(at(&vtable), c"vtable", 8, 0x20), (at(&function), c"function", 8, 0x08)];
    for ((layout, host), (_, device)) in entries(&host).into_iter().zip(entries(&device)) {
        let device = read(layout, &device);
        assert_eq!(read(layout, &host).count(), 8);
        let pairs: Vec<_> = indirect_functions(read(layout, &host), |name| {
            // SAFETY: the variables are here.
            unsafe { device.held_on_host(name) }
        })
        .collect();
        assert_eq!(
            pairs,
            [pair(0x1000, 0x7000), pair(0x4000, 0x8000), pair(0x4008, 0x8008), pair(0x4010, 0x8010)]
        );
    }
}

#[test]
fn entries_of_others_and_gaps_are_passed_over() {
    let [_, (layout, mut words)] = entries(&[(1, c"cuda", 8, 8), (2, c"version", 8, 8), (3, c"ours", 8, 8)]);
    words[1] = 1 | 2 << 16 | 8 << 32;
    words[8] = 2 | 1 << 16 | 8 << 32;
    assert_eq!(read(layout, &words).map(|entry| entry.address).collect::<Vec<_>>(), [3]);
    let [(layout, mut words), _] = entries(&[(1, c"first", 8, 8), (2, c"second", 8, 8)]);
    words.splice(4..4, [0; 4]);
    words.push(77); // a part of an entry
    assert_eq!(read(layout, &words).map(|entry| entry.address).collect::<Vec<_>>(), [1, 2]);
    let ends = words.as_ptr();
    // SAFETY: nothing is read.
    assert_eq!(unsafe { Entries::new(layout, ends.add(1).cast(), ends.cast()) }.count(), 0);
}

#[test]
fn a_trampoline_goes_to_a_device_in_its_parts() {
    let callee = main_callee as *const ();
    let mut context = 5u64;
    let trampoline = Trampoline::new(callee, (&raw mut context).cast()).unwrap();
    let map = FunctionMap::new();
    let address = trampoline.as_ptr();
    let here = |_, chain: *mut ()| Some(chain.addr() as u64 + 1);
    assert_eq!(on_device(address, |host| map.find(host), here), Err(NotOnDevice::NoFunction(callee)));
    map.set(&[pair(callee.addr() as u64, 0x99)]).unwrap();
    let parts = on_device(address, |host| map.find(host), here).unwrap();
    let chain = (&raw const context).addr() as u64 + 1;
    assert_eq!(parts, OnDevice { callee: 0x99, chain, entry: callee });
    let unmapped = on_device(address, |host| map.find(host), |_, _| None);
    assert_eq!(unmapped, Err(NotOnDevice::NotMapped((&raw mut context).cast())));
    drop(trampoline);
    let dead = on_device(address, |host| map.find(host), here).unwrap_err();
    assert_eq!(dead, NotOnDevice::Dead(callee));
    let foreign = on_device(callee, |host| map.find(host), here).unwrap_err();
    assert!(matches!(foreign, NotOnDevice::NotOurs(_)));
    assert_ne!(dead.to_string(), foreign.to_string());
    let chainless = Trampoline::new(callee, std::ptr::null_mut()).unwrap();
    let parts = on_device(chainless.as_ptr(), |host| map.find(host), |_, _| None).unwrap();
    assert_eq!(parts.chain, 0);
}

extern "C" fn main_callee() {}
