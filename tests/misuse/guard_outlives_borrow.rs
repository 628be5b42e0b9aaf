//! The type of a guard contains the lifetime of its closure's borrows, and the guard cannot outlive that lifetime.

use statictramp::{Guard, Local};

type Handler = unsafe extern "C" fn(u32) -> u32;

struct Owner {
    guards: Vec<Guard<Handler>>,
}

fn lengthened<'a>(guard: Guard<Handler, dyn Local + 'a>) -> Guard<Handler> {
    guard
}

fn main() {
    let mut owner = Owner { guards: Vec::new() };
    let local = 5;
    owner.guards.push(Guard::new(|x: u32| x + local).unwrap());
    let kept: Guard<Handler, dyn Send + Sync + '_>;
    {
        let inner = 5;
        kept = Guard::shared(|x: u32| x + inner).unwrap();
    }
    drop(kept);
}
