//! Fortran programs generated from a seed.
//!
//! - `generate programs SEED COUNT`: a program with COUNT hosts, which prints the result of each. It is valid Fortran
//!   2008: no pointer to an internal procedure outlives its host, and no result depends on the order of evaluation or
//!   of threads.
//! - `generate routes SEED COUNT`: hosts from which an address takes a random route. If the internal procedure is named
//!   `late_…`, the route ends at a place where the address outlives the host; if it is named `safe_…`, the address does
//!   not outlive the host.

mod programs;
mod random;
mod routes;

use random::Random;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<u64> = arguments.iter().skip(1).filter_map(|number| number.parse().ok()).collect();
    let ([kind, ..], [seed, count]) = (&arguments[..], &numbers[..]) else {
        eprintln!("usage: generate programs|routes SEED COUNT");
        return ExitCode::FAILURE;
    };
    let random = Random::new(*seed);
    match kind.as_str() {
        "programs" => print!("{}", programs::generate(random, *count as usize)),
        "routes" => print!("{}", routes::generate(random, *count as usize)),
        _ => {
            eprintln!("generate: programs or routes, not \"{kind}\"");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
