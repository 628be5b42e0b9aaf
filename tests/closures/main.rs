//! Closures through plain function pointers, called by real C functions and by our own.

#[path = "../common/aborted.rs"]
mod aborted;
mod allocations;
mod arguments;
mod ends;
mod errors;
mod guard;
mod higher_ranked;
mod kinds;
mod lifetimes;
mod one_shot;
mod own_guard;
mod plain;
#[cfg(unix)] // the file tests signal handlers
mod safe;
mod table;

use std::sync::Mutex;

/// The table is shared by the whole process: so tests that fill it take turns.
static TURN: Mutex<()> = Mutex::new(());

fn turn() -> std::sync::MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// A value that counts how often it is dropped.
struct Witness(std::rc::Rc<core::cell::Cell<u32>>);

impl Drop for Witness {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}
