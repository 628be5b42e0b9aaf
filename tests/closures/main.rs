//! Tests of closures that are called through plain function pointers, by real C functions and by
//! the tests themselves.

mod allocations;
mod arguments;
mod called_on;
mod conventions;
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
mod stored;
mod table;

use std::sync::Mutex;

/// The whole process shares the table, so tests that fill it take turns.
static TURN: Mutex<()> = Mutex::new(());

fn turn() -> std::sync::MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Frees the slots of leaked closures, for other tests, which count the slots.
fn free_leaked(functions: impl IntoIterator<Item = *const ()>) {
    // SAFETY: the tests do not call the functions again, and no guard exists or will be dropped.
    functions.into_iter().for_each(|f| unsafe { statictramp::free(f) }.unwrap());
}

/// A value whose drops are counted.
struct Witness(std::rc::Rc<core::cell::Cell<u32>>);

impl Drop for Witness {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}
