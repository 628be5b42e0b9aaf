//! Critical sections, for processors whose only atomic instructions are loads and stores.

#[cfg(any(all(loom, test), not(target_has_atomic = "ptr")))]
use super::{Acquire, AtomicU32, AtomicUsize, Ordering, Release};

/// Runs a function in the program's critical section. The function must not enter another section, and should be short,
/// because interrupts are masked.
#[cfg(not(target_has_atomic = "ptr"))]
#[inline(always)]
pub(crate) fn with<R>(run: impl FnOnce() -> R) -> R {
    critical_section::with(|_| run())
}

/// In a model, a lock implements the section.
#[cfg(all(loom, test))]
pub(crate) fn with<R>(run: impl FnOnce() -> R) -> R {
    loom::lazy_static! {
        static ref LOCK: loom::sync::Mutex<()> = loom::sync::Mutex::new(());
    }
    let _held = LOCK.lock().unwrap();
    run()
}

/// In a test, a nested critical section panics. With a lock, a nested section would deadlock.
#[cfg(all(not(loom), test, target_has_atomic = "ptr"))]
pub(crate) fn with<R>(run: impl FnOnce() -> R) -> R {
    extern crate std;
    std::thread_local! {
        static IS_HELD: core::cell::Cell<bool> = const { core::cell::Cell::new(false) };
    }
    assert!(!IS_HELD.replace(true), "nested critical section: this would deadlock");
    let result = run();
    IS_HELD.set(false);
    result
}

/// The exchanges that core lacks. Each exchange has Acquire and Release ordering, because other code loads and stores
/// the words outside any section. An exchange that does not change the value stores nothing, so that a concurrent plain
/// store is not lost.
#[cfg(any(all(loom, test), not(target_has_atomic = "ptr")))]
#[cfg_attr(any(loom, not(feature = "alloc")), allow(dead_code))] // needed only to count closures on the heap
pub(crate) trait Exchanges<V> {
    fn update(&self, to: impl FnOnce(V) -> V) -> V;
    fn swap(&self, to: V, _: Ordering) -> V;
    fn fetch_add(&self, number: V, _: Ordering) -> V;
    fn fetch_sub(&self, number: V, _: Ordering) -> V;
    fn compare_exchange(&self, from: V, to: V, _: Ordering, _: Ordering) -> Result<V, V>;
}

#[cfg(any(all(loom, test), not(target_has_atomic = "ptr")))]
macro_rules! exchanges {
    ($($atomic:ident $value:ident)*) => {$(
        impl Exchanges<$value> for $atomic {
            fn update(&self, to: impl FnOnce($value) -> $value) -> $value {
                with(|| {
                    let from = self.load(Acquire);
                    let to = to(from);
                    if to != from {
                        self.store(to, Release);
                    }
                    from
                })
            }

            fn swap(&self, to: $value, _: Ordering) -> $value {
                self.update(|_| to)
            }

            fn fetch_add(&self, number: $value, _: Ordering) -> $value {
                self.update(|value| value.wrapping_add(number))
            }

            fn fetch_sub(&self, number: $value, _: Ordering) -> $value {
                self.update(|value| value.wrapping_sub(number))
            }

            fn compare_exchange(&self, from: $value, to: $value, _: Ordering, _: Ordering) -> Result<$value, $value> {
                let found = self.update(|value| if value == from { to } else { value });
                if found == from { Ok(found) } else { Err(found) }
            }
        }
    )*};
}
#[cfg(any(all(loom, test), not(target_has_atomic = "ptr")))]
exchanges! { AtomicU32 u32 AtomicUsize usize }
