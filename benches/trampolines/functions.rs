//! Lookups of the addresses of functions on a device. Each query asks for another address, chosen at
//! random.

use criterion::Criterion;
use statictramp_interop::offload::{FunctionMap, FunctionPair, SortedFunctions};
use std::collections::HashMap;
use std::hint::black_box;

/// The rows of the table. Each row has a name, a number of pairs and a kind of query.
pub const ROWS: [(&str, usize, Asked); 6] = [
    ("hit, 64", 64, Asked::Hit),
    ("hit, 1024", 1024, Asked::Hit),
    ("hit, 16384", 16384, Asked::Hit),
    ("miss, 1024", 1024, Asked::Between),
    ("out of range, 1024", 1024, Asked::Outside),
    ("out of range, 16384", 16384, Asked::Outside),
];
/// The names of the rows.
pub const NAMES: [&str; ROWS.len()] = {
    let mut names = [""; ROWS.len()];
    let mut row = 0;
    while row < ROWS.len() {
        names[row] = ROWS[row].0;
        row += 1;
    }
    names
};
pub const COLUMNS: [&str; 5] =
    ["FunctionMap", "SortedFunctions", "std's binary search", "std's HashMap", "C++ lower_bound"];

#[derive(Clone, Copy)]
pub enum Asked {
    Hit,
    Between,
    Outside,
}

/// Knuth's multiplicative generator, as in the C++ peer.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }
}

/// Returns pairs for functions whose addresses are 16 to 1,024 bytes apart.
fn functions(count: usize) -> Vec<FunctionPair> {
    let (mut random, mut at) = (Random(1), 0x5555_5555_0000);
    let functions = (0..count as u64).map(|number| {
        at += 16 * (1 + random.below(64));
        FunctionPair { host: at, target: 0x7000_0000_0000 + number }
    });
    functions.collect()
}

fn queries(functions: &[FunctionPair], asked: Asked) -> Vec<u64> {
    let mut random = Random(2);
    let queries = (0..1 << 16).map(|_| {
        let host = functions[random.below(functions.len() as u64) as usize].host;
        match asked {
            Asked::Hit => host,
            Asked::Between => host + 8,
            Asked::Outside => host + (1 << 40),
        }
    });
    let last = functions.len() - 1;
    queries.filter(|&query| !matches!(asked, Asked::Between) || query < functions[last].host).collect()
}

pub fn run(c: &mut Criterion) {
    for (row, count, asked) in ROWS {
        let functions = functions(count);
        let queries = queries(&functions, asked);
        let map = FunctionMap::new();
        map.set(&functions).expect("they are in order");
        let mut copy = functions.clone();
        let sorted = SortedFunctions::new(&mut copy).expect("they are in order");
        let hashed: HashMap<u64, u64> = functions.iter().map(|pair| (pair.host, pair.target)).collect();
        measure(c, COLUMNS[0], row, &queries, |host| map.find(host));
        measure(c, COLUMNS[1], row, &queries, |host| sorted.find(host));
        measure(c, COLUMNS[2], row, &queries, |host| {
            let found = functions.binary_search_by_key(&host, |pair| pair.host);
            found.ok().map(|index| functions[index].target)
        });
        measure(c, COLUMNS[3], row, &queries, |host| hashed.get(&host).copied());
    }
}

fn measure(c: &mut Criterion, column: &str, row: &str, queries: &[u64], find: impl Fn(u64) -> Option<u64>) {
    c.benchmark_group(column).bench_function(row, |b| {
        b.iter_custom(|count| {
            let start = std::time::Instant::now();
            let mut sum = 0u64;
            for turn in 0..count as usize {
                let host = queries[turn % queries.len()];
                sum = sum.wrapping_add(find(host).unwrap_or(host));
            }
            black_box(sum);
            start.elapsed()
        });
    });
}
