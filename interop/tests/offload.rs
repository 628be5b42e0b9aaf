//! Maps of device functions: rejected tables, lookups, and reads while a table is replaced. Tests with real offloading
//! are in `interop/tests/programs/openmp`.
#![cfg(target_pointer_width = "64")]

use proptest::prelude::*;
use statictramp::Trampoline;
use statictramp_interop::offload::*;
use std::alloc::Layout;
use std::collections::HashMap;
use std::ffi::CStr;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

fn pair(host: u64, target: u64) -> FunctionPair {
    FunctionPair { host, target }
}

#[test]
fn a_failed_set_keeps_the_old_table() {
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
    // SAFETY: none of these is read.
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
fn sorted_tables_are_accepted_and_unsorted_ones_rejected() {
    let table = [pair(10, 1), pair(20, 2), pair(20, 2), pair(u64::MAX, 3)];
    let sorted = SortedFunctions::in_order(&table).unwrap();
    assert_eq!(
        [0, 10, 15, 20, u64::MAX].map(|host| sorted.find(host)),
        [None, Some(1), None, Some(2), Some(3)]
    );
    assert_eq!(sorted.pairs(), table);
    assert_eq!(SortedFunctions::in_order(&[]).unwrap().find(1), None);
    for (table, error) in [
        ([pair(1, 1), pair(2, 1), pair(0, 2)], MapError::NullHost(2)),
        ([pair(1, 1), pair(2, 0), pair(3, 2)], MapError::NullTarget(1)),
        ([pair(1, 1), pair(2, 1), pair(2, 2)], MapError::Conflict(2)),
        ([pair(1, 1), pair(3, 1), pair(2, 2)], MapError::Order(2)),
        ([pair(3, 1), pair(1, 1), pair(2, 2)], MapError::Order(1)),
        ([pair(HIGH, 1), pair(1, 1), pair(HIGH + 1, 2)], MapError::Order(2)),
        ([pair(HIGH + 1, 1), pair(1, 1), pair(HIGH, 2)], MapError::Order(2)),
        ([pair(HIGH, 1), pair(1, 1), pair(1, 2)], MapError::Conflict(1)),
    ] {
        assert_eq!(SortedFunctions::in_order(&table).unwrap_err(), error);
    }
    assert_eq!(MapError::Order(2).to_string(), "the host addresses are not in ascending order at entry 2");
    // A search without the check stays within the table, whatever the contents of the table are.
    let disordered = [pair(9, 1), pair(3, 2), pair(7, 3)];
    assert!(
        (0..12).all(|host| SortedFunctions::assume(&disordered).find(host).is_none_or(|found| found < 4))
    );
}

/// The lowest address that is negative as a signed number.
const HIGH: u64 = 1 << 63;

#[test]
fn a_table_sorted_by_signed_addresses_is_searched() {
    let hosts = [HIGH, HIGH + 8, u64::MAX, 1, 20, HIGH - 1];
    let table: Vec<_> = hosts.into_iter().zip(1..).map(|(host, target)| pair(host, target)).collect();
    // Each part of the table: with keys of one sign only, and with keys of both.
    for (first, end) in (0..hosts.len()).flat_map(|first| (first..=hosts.len()).map(move |end| (first, end)))
    {
        let sorted = SortedFunctions::in_order(&table[first..end]).unwrap();
        for pair in &table {
            let part = &table[first..end];
            assert_eq!(sorted.find(pair.host), part.contains(pair).then_some(pair.target));
        }
        assert!(
            [0, 2, 21, HIGH - 2, HIGH + 1, HIGH + 9, u64::MAX - 1].map(|host| sorted.find(host)) == [None; 7]
        );
    }
}

#[test]
fn a_failed_lookup_within_the_range_terminates() {
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
    fn both_kinds_of_table_agree_with_a_hash_map(
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

/// Counts allocations, and returns null once a limit is reached.
struct Counting<'c> {
    bytes: &'c AtomicUsize,
    limit: usize,
}

// SAFETY: this forwards to the heap, or returns null.
unsafe impl TableMemory for Counting<'_> {
    fn allocate(&self, layout: Layout) -> *mut u8 {
        if self.bytes.load(Ordering::Relaxed) + layout.size() > self.limit {
            return std::ptr::null_mut();
        }
        self.bytes.fetch_add(layout.size(), Ordering::Relaxed);
        Heap.allocate(layout)
    }
    unsafe fn free(&self, memory: *mut u8, layout: Layout) {
        self.bytes.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the call is forwarded unchanged to `Heap`, which allocated the memory.
        unsafe { Heap.free(memory, layout) }
    }
}

fn table_of(len: u64) -> Vec<FunctionPair> {
    (1..=len).map(|number| pair(16 * number, number)).collect()
}

#[test]
fn memory_is_bounded_and_freed_with_the_map() {
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
    // There are at most two blocks of each size, each with a few extra words.
    assert!(bytes.load(Ordering::Relaxed) <= 4 * largest + 20 * 64);
    drop(map);
    assert_eq!(bytes.load(Ordering::Relaxed), 0);
}

#[test]
fn allocating_zero_bytes_of_heap_fails() {
    assert!(Heap.allocate(Layout::new::<()>()).is_null());
}

#[test]
fn an_allocation_failure_keeps_the_old_table() {
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
                // The last table contains this pair, which ends the loop.
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
fn an_earlier_table_can_be_set_again() {
    let map = FunctionMap::new();
    let mut first_table = std::ptr::null();
    // SAFETY: the list is readable.
    unsafe { map.set_and(NonNull::from(&*table_of(4)), |sorted| first_table = sorted.pairs().as_ptr()) }
        .unwrap();
    map.set(&table_of(3)).unwrap();
    let first_table = checked_table(4, first_table).unwrap();
    // SAFETY: blocks are not freed while the map exists, and only the call itself overwrites this one, after it has
    // copied the pairs.
    unsafe { map.set_and(first_table, |_| ()) }.unwrap();
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
    // SAFETY: the words are entries of this layout, whose names are never freed.
    unsafe { Entries::new(layout, ends.start.cast(), ends.end.cast()) }
}

#[test]
fn offload_entries_become_pairs_of_host_and_device_addresses() {
    let function: u64 = 0x7000;
    let vtable: u64 = 0x8000;
    let at = |variable: &u64| std::ptr::from_ref(variable).expose_provenance() as u64;
    let host = [
        (0x1000, c"function", 8, 0x08),
        (0x2000, c"region", 0, 0),
        (0x3000, c"variable", 8, 0),
        (0x4000, c"vtable", 24, 0x20),
        (0x5000, c"not on the device", 8, 0x08),
        (0x6000, c"by itself", 0, 0x08),
        (0x6100, c"by itself here", 0, 0x08),
        (0x6200, c"by itself there", 8, 0x08),
    ];
    let device = [
        (at(&vtable), c"vtable", 8, 0x20),
        (at(&function), c"function", 8, 0x08),
        (0x9000, c"region", 0, 0),
        (0x9100, c"by itself", 0, 0x08),
        (at(&function), c"by itself here", 8, 0x08),
        (0x9200, c"by itself there", 0, 0x08),
    ];
    for ((layout, host), (_, device)) in entries(&host).into_iter().zip(entries(&device)) {
        let device = read(layout, &device);
        assert_eq!(read(layout, &host).count(), 8, "as many as there are");
        let mut device: Vec<_> = device.collect();
        let device = OnHost::new(&mut device).unwrap();
        let pairs: Vec<_> = indirect_functions(read(layout, &host), |entry| {
            // SAFETY: the variables are alive.
            unsafe { device.find(entry) }
        })
        .map(Result::unwrap)
        .collect();
        let vtable = [0, 8, 16].map(|at| pair(0x4000 + at, 0x8000 + at));
        let by_itself = [pair(0x6000, 0x9100), pair(0x6100, 0x7000), pair(0x6200, 0x9200)];
        assert_eq!(pairs, [&[pair(0x1000, 0x7000)], &vtable[..], &by_itself].concat());
    }
}

/// Returns the result for the entries of a host and of a device that shares its memory.
fn pairs_of(layout: EntryLayout, host: &[u64], device: &[u64]) -> Result<Vec<FunctionPair>, MapError> {
    let mut device: Vec<_> = read(layout, device).collect();
    let device = OnHost::new(&mut device)?;
    // SAFETY: no entry with a known format describes a variable.
    indirect_functions(read(layout, host), |entry| unsafe { device.find(entry) }).collect()
}

#[test]
fn an_entry_in_an_unknown_format_is_an_error_in_both_images() {
    let good = entries(&[(1, c"good", 0, 8)]);
    for (flags, size) in [(0x08, 4), (0x08, 16), (0x20, 0), (0x20, 12), (0x28, 4)] {
        let invalid = entries(&[(1, c"before", 8, 0), (2, c"wrong", size, flags)]);
        for ((layout, invalid), (_, good)) in invalid.into_iter().zip(&good) {
            let error = Err(MapError::Entry { flags, size });
            assert_eq!(pairs_of(layout, &invalid, good), error, "{flags:#x} {size}");
            assert_eq!(pairs_of(layout, good, &invalid), error, "{flags:#x} {size}");
        }
    }
    let [_, (layout, good)] = good;
    let mut later = good.clone();
    later[1] = 2 | 1 << 16 | 8 << 32;
    later[3] = 1; // possibly without a name
    assert_eq!(pairs_of(layout, &good, &good), Ok(vec![pair(1, 1)]));
    assert_eq!(pairs_of(layout, &later, &good), Err(MapError::EntryVersion(2)));
    assert_eq!(pairs_of(layout, &good, &later), Err(MapError::EntryVersion(2)));
    let message = MapError::Entry { flags: 8, size: 4 }.to_string();
    assert_eq!(message, "unknown offload entry format with flags and size 0x8 and 4");
}

#[test]
fn entries_of_both_images_are_compared() {
    let function = (0x1000, c"it", 0, 0x08);
    let vtable = (0x2000, c"it", 64, 0x20);
    let invalid = |flags, size| Err(MapError::Entry { flags, size });
    for (host, device, result) in [
        (function, &[(7, c"it", 0, 0x08), (7, c"it", 0, 0x08)][..], Ok(1)),
        (function, &[(7, c"it", 0, 0x08), (8, c"it", 0, 0x08)], Err(MapError::Conflict(0x1000))),
        (function, &[(7, c"it", 0, 0x08), (7, c"it", 8, 0x08)], Err(MapError::Conflict(0x1000))),
        (function, &[(9, c"it", 4, 0), (7, c"it", 0, 0x08), (9, c"it", 0, 0)], Ok(1)),
        (function, &[(7, c"it", 16, 0x20)], invalid(0x20, 16)),
        (vtable, &[(7, c"it", 0, 0x08)], invalid(0x08, 0)),
        (vtable, &[(7, c"it", 16, 0x20)], invalid(0x20, 16)),
        (vtable, &[(7, c"it", 64, 0x20)], Ok(8)),
    ] {
        for ((layout, host), (_, device)) in entries(&[host]).into_iter().zip(entries(device)) {
            let pairs = pairs_of(layout, &host, &device);
            assert_eq!(pairs.map(|pairs| pairs.len()), result, "{device:x?}");
        }
    }
}

#[test]
fn many_entries_are_found_quickly() {
    const COUNT: u64 = 1 << 17;
    let names: Vec<_> =
        (0..COUNT).map(|number| std::ffi::CString::new(number.to_string()).unwrap()).collect();
    let name = |number: u64| names[number as usize].as_ptr().expose_provenance() as u64;
    let words = |of: &dyn Fn(u64) -> u64| -> Vec<u64> {
        (0..COUNT).flat_map(|number| [1 + number, name(of(number)), 0, 8]).collect()
    };
    let (host, device) = (words(&|number| number), words(&|number| COUNT - 1 - number));
    let begin = std::time::Instant::now();
    let pairs = pairs_of(EntryLayout::Llvm19, &host, &device).unwrap();
    assert!(pairs.iter().all(|pair| pair.host + pair.target == COUNT + 1) && pairs.len() == names.len());
    // A comparison of all pairs would take several minutes.
    assert!(begin.elapsed().as_secs() < 20, "{:?}", begin.elapsed());
}

#[test]
fn entries_of_other_languages_and_gaps_are_skipped() {
    let [_, (layout, mut words)] = entries(&[(1, c"cuda", 8, 8), (3, c"ours", 8, 8)]);
    words[1] = 2 | 2 << 16 | 8 << 32;
    assert_eq!(read(layout, &words).map(|entry| entry.address).collect::<Vec<_>>(), [3]);
    let [(layout, mut words), _] = entries(&[(1, c"first", 8, 8), (2, c"second", 8, 8)]);
    words.splice(4..4, [0; 4]);
    words.push(77); // a partial entry
    assert_eq!(read(layout, &words).map(|entry| entry.address).collect::<Vec<_>>(), [1, 2]);
    let ends = words.as_ptr();
    // SAFETY: nothing is read.
    assert_eq!(unsafe { Entries::new(layout, ends.add(1).cast(), ends.cast()) }.count(), 0);
}

#[test]
fn a_trampoline_is_transferred_as_callee_and_chain() {
    let callee = main_callee as *const ();
    let mut context = 5u64;
    let trampoline = Trampoline::new(callee, (&raw mut context).cast()).unwrap();
    let map = FunctionMap::new();
    let address = trampoline.as_ptr();
    let here = |_, chain: *mut ()| Some(chain.addr() as u64 + 1);
    assert_eq!(on_device(address, |host| map.find(host), here), Err(OnDeviceError::NoFunction(callee)));
    map.set(&[pair(callee.addr() as u64, 0x99)]).unwrap();
    let parts = on_device(address, |host| map.find(host), here).unwrap();
    let chain = (&raw const context).addr() as u64 + 1;
    assert_eq!(parts, OnDevice { callee: 0x99, chain, entry: callee });
    let unmapped = on_device(address, |host| map.find(host), |_, _| None);
    assert_eq!(unmapped, Err(OnDeviceError::NotMapped((&raw mut context).cast())));
    drop(trampoline);
    let dead = on_device(address, |host| map.find(host), here).unwrap_err();
    assert_eq!(dead, OnDeviceError::Dead(callee));
    let foreign = on_device(callee, |host| map.find(host), here).unwrap_err();
    assert!(matches!(foreign, OnDeviceError::Lookup(_)));
    assert_ne!(dead.to_string(), foreign.to_string());
    let chainless = Trampoline::new(callee, std::ptr::null_mut()).unwrap();
    let parts = on_device(chainless.as_ptr(), |host| map.find(host), |_, _| None).unwrap();
    assert_eq!(parts.chain, 0);
}

extern "C" fn main_callee() {}
