//! `mutate-bytes SEED FILE OUT`: copies a file with a few bytes changed, and sometimes truncates it. Most changes are
//! in the first kilobyte, which contains the headers.

use crate::{Outcome, usage, write};

pub fn run(arguments: &[&str]) -> Outcome {
    const USAGE: &str = "SEED FILE OUT";
    let [seed, from, to] = arguments else { return Err(usage(USAGE)) };
    let mut random = fastrand::Rng::with_seed(seed.parse().map_err(|_| usage(USAGE))?);
    let mut bytes = std::fs::read(from).map_err(|why| format!("{from}: {why}"))?;
    if !bytes.is_empty() {
        for _ in 0..random.usize(1..=8) {
            let within = if random.f64() < 0.7 { bytes.len().min(1024) } else { bytes.len() };
            let at = random.usize(..within);
            bytes[at] = [0, 0xff, 0x7f, 0x80, random.u8(..)][random.usize(..5)];
        }
        if random.f64() < 0.2 {
            bytes.truncate(random.usize(..bytes.len()));
        }
    }
    write(to, &bytes)
}
