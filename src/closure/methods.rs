//! The methods of every guard: the function pointer, with the contract for a call, and the trampoline.

/// Expands to the methods. `$lifetime` is the guard's part of the contract, `$pointer` the type of the function pointer, and
/// `$make` makes it; `$bound` is the bound that only `as_safe_fn` needs. A raw closure adds generic parameters and its handler's part of the contract.
macro_rules! guard_methods {
    ($lifetime:literal, $pointer:ty $(: $bound:path)?, $make:expr) => {
        $crate::closure::guard_methods!([] "The function pointer.", [$lifetime], $pointer $(: $bound)?, $make);
    };
    ([$($generics:tt)*] $first:literal, [$($contract:literal)*], $pointer:ty $(: $bound:path)?, $make:expr) => {
        #[doc = concat!($first, " Having it is safe; calling it is not:")]
        ///
        /// # Safety of a call
        $(#[doc = concat!("- ", $contract, ";")])*
        /// - a call on another thread is allowed only if the closure is `Sync`.
        #[cfg(not(loom))]
        #[inline]
        pub fn as_fn $($generics)* (&self) -> $pointer {
            let make: fn(&Self) -> $pointer = $make;
            make(self)
        }

        /// The function pointer as a safe function, for functions that accept only such pointers.
        ///
        /// # Safety
        /// All callers must keep the contract of [`as_fn`](Self::as_fn).
        #[cfg(not(loom))]
        #[inline]
        pub unsafe fn as_safe_fn $($generics)* (&self) -> <$pointer as $crate::closure::UnsafeFn>::Safe
        $(where $pointer: $bound)?
        {
            let pointer: $pointer = self.as_fn();
            // SAFETY: guaranteed by the caller.
            unsafe { $crate::closure::UnsafeFn::into_safe(pointer) }
        }

        /// The trampoline itself: its address and its slot.
        pub fn trampoline(&self) -> &$crate::closure::BoundTrampoline {
            &self.trampoline
        }
    };
}
pub(crate) use guard_methods;
