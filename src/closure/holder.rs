//! The holder of a bound closure: the memory that a trampoline's chain points to.

/// The type of a value whose address a stub passes to an adapter.
///
/// Each holder type has its own adapters, so the work that the holder does before and after a call is compiled into
/// these adapters.
pub trait Holder: Sized {
    /// The type of the closure in the holder.
    type Closure;

    /// Calls `f` with the closure's address.
    ///
    /// # Safety
    /// The holder must exist when this function is called, and its closure must exist until this function returns.
    unsafe fn with<R>(holder: *const Self, f: impl FnOnce(*const Self::Closure) -> R) -> R;
}

/// A closure without bookkeeping. The owner of the guard keeps the closure alive while calls run.
#[repr(transparent)]
pub struct Bare<K>(K);

impl<K> Holder for Bare<K> {
    type Closure = K;

    #[inline(always)]
    unsafe fn with<R>(holder: *const Self, f: impl FnOnce(*const K) -> R) -> R {
        // SAFETY: the caller upholds the safety contract.
        f(unsafe { &raw const (*holder).0 })
    }
}
