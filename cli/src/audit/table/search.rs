//! Search for a table in a file without a note: by symbols, or by the stubs themselves, each of which refers to its
//! slot.

use super::{State, Table};
use object::{Object, ObjectSymbol};
use statictramp_targets::stub::{self, Encoding, Layout};
use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};

/// Alignment of stub tables and of slot tables.
const BEGINS: u64 = 64;
/// Possible sizes of a slot in bytes. A slot has at least two 64-bit words.
const SLOT: RangeInclusive<u64> = 16..=256;
/// Minimum number of stubs to recognise as a table, and maximum number of slots in a table (`STATICTRAMP_SLOTS`).
const FEWEST: usize = 4;
const MOST_SLOTS: usize = 1 << 20;
pub const MOST_TABLES: usize = 16;

/// A table and its number of slots.
pub struct Found {
    pub slots: usize,
    pub layout: Layout,
}

impl Found {
    /// Returns the table with these bounds, or `None` if no table can have them.
    pub fn between(stubs: Range<u64>, stub_stride: usize, slots: Range<u64>) -> Option<Found> {
        let number = usize::try_from(stubs.end.checked_sub(stubs.start)?).ok()? / stub_stride;
        let stride = slots.end.checked_sub(slots.start)?.checked_div(number as u64)?;
        let layout =
            Layout { stubs: stubs.start, stub_stride, slots: slots.start, slot_stride: stride as usize };
        (number <= MOST_SLOTS && SLOT.contains(&stride)).then_some(Found { slots: number, layout })
    }

    pub fn stubs_len(&self) -> u64 {
        (self.slots * self.layout.stub_stride) as u64
    }

    pub fn slots_len(&self) -> u64 {
        (self.slots * self.layout.slot_stride) as u64
    }

    /// Checks that the stubs and the slots begin at valid addresses for a table.
    pub fn begins(&self) -> Result<(), String> {
        let Layout { stubs, slots, .. } = self.layout;
        if stubs % BEGINS == 0 && slots % BEGINS == 0 {
            return Ok(());
        }
        Err(format!("no table can begin at {stubs:#x}, so at least its first stub is missing"))
    }

    /// Returns an error if a 64-bit word written by the loader at `address` overlaps the table.
    pub fn written(&self, address: u64) -> Result<(), String> {
        let is_in = |start: u64, len: u64| address.wrapping_sub(start).wrapping_add(7) < len + 7;
        if is_in(self.layout.stubs, self.stubs_len()) || is_in(self.layout.slots, self.slots_len()) {
            return Err(format!("the loader writes to it, at {address:#x}"));
        }
        Ok(())
    }
}

/// Returns the verdict on each table.
pub fn judged(mut found: Vec<Found>, whole: impl Fn(&Found) -> Result<State, String>) -> Vec<Table> {
    let more = found.len() > MOST_TABLES;
    found.truncate(MOST_TABLES);
    let state = |it: &Found| whole(it).unwrap_or_else(State::Broken);
    let mut tables: Vec<_> =
        found.iter().map(|it| Table { slots: it.slots as u64, state: state(it) }).collect();
    if more {
        tables.push(Table { slots: 0, state: State::Broken("there are too many tables".into()) });
    }
    tables
}

/// Returns the addresses of the symbols `..._stubs`, `..._stubs_end`, `..._slots` and `..._slots_end` of each copy of
/// the library. In each name, `prefix` precedes the version. If several copies have local symbols with the same names,
/// the n-th symbol with each name belongs to the n-th copy.
pub fn named<'data>(file: &impl Object<'data>, prefix: &str) -> Vec<[Option<u64>; 4]> {
    let mut versions: BTreeMap<&str, [Vec<u64>; 4]> = BTreeMap::new();
    for symbol in file.symbols() {
        let name = symbol.name().ok().and_then(|name| name.strip_prefix(prefix));
        let word = |name: &'data str| {
            let ends = ["_stubs", "_stubs_end", "_slots", "_slots_end"].into_iter().enumerate();
            ends.into_iter().find_map(|(word, end)| Some((word, name.strip_suffix(end)?)))
        };
        if let Some((word, version)) = name.and_then(word) {
            versions.entry(version).or_default()[word].push(symbol.address());
        }
    }
    let copies = versions.values().flat_map(|words| {
        (0..words[0].len()).map(|copy| [0, 1, 2, 3].map(|word| words[word].get(copy).copied()))
    });
    copies.collect()
}

/// Finds tables by searching code for stubs. Stubs may begin at any multiple of the stride from the first byte of
/// `code`. Skips tables that have already been found. An invalid stub between valid ones belongs to the table, unless
/// it is padding before an aligned address where another table begins.
pub fn seen(encoding: Encoding, stub_stride: usize, address: u64, code: &[u8], found: &mut Vec<Found>) {
    let all = code.len() / stub_stride;
    let address_of = |number: usize| address.wrapping_add((number * stub_stride) as u64);
    let bytes = |number: usize| code.get(number * stub_stride..)?.get(..stub_stride);
    let known: Vec<_> = found.iter().map(|it| (it.layout.stubs, it.stubs_len())).collect();
    let slot = |number: usize| {
        let at = address_of(number);
        let stub = stub::decode_filled(encoding, bytes(number)?, at).ok()?;
        let is_new = known.iter().all(|&(start, len)| at.wrapping_sub(start) >= len);
        (is_new && stub.entry == stub.slot.wrapping_add(8)).then_some(stub.slot)
    };
    let fills = |number: usize| {
        let is_all = |byte: u8| bytes(number).is_some_and(|code| code.iter().all(|&it| it == byte));
        [0, 0x90, 0xcc].into_iter().any(is_all)
    };
    let (mut number, mut before) = (0, 0);
    while number < all && found.len() <= MOST_TABLES {
        let some = number;
        number += 1;
        let (Some(one), Some(next)) = (slot(some), slot(some + 1)) else { continue };
        let stride = next.wrapping_sub(one);
        let zeroth = one.wrapping_sub(stride.wrapping_mul(some as u64));
        let slot_of = |it: usize| zeroth.wrapping_add(stride.wrapping_mul(it as u64));
        let its = |&it: &usize| slot(it) == Some(slot_of(it));
        if !SLOT.contains(&stride) || !(some..some + FEWEST).all(|it| its(&it)) {
            continue;
        }
        let another = |&it: &usize| {
            it > 0 && address_of(it) % BEGINS == 0 && slot_of(it) % BEGINS == 0 && fills(it - 1)
        };
        let end = (some + MOST_SLOTS).min(all);
        let end = (some + 1..end).find(another).unwrap_or(end);
        number = (some..end).rev().find(its).map_or(end, |last| last + 1);
        let start = before.max(number.saturating_sub(MOST_SLOTS));
        let start = (start..=some).rev().find(another).unwrap_or(start);
        let first = (start..some).find(its).unwrap_or(some);
        before = number;
        let layout = Layout {
            stubs: address_of(first),
            stub_stride,
            slots: slot_of(first),
            slot_stride: stride as usize,
        };
        found.push(Found { slots: number - first, layout });
    }
}
