//! The methods that all guards have. `as_fn` returns the function pointer, and its documentation states the contract
//! for a call. `trampoline` returns the trampoline.

/// Expands to the methods of a guard. `$lifetime` is the guard's part of the contract, `$pointer` is the type of the
/// function pointer, and `$make` makes the pointer. `$bound` is a bound that only `as_safe_fn` needs. For raw closures,
/// the macro also takes generic parameters and the handler's part of the contract.
#[doc(hidden)]
#[macro_export]
macro_rules! __guard_methods {
    ($lifetime:literal, $pointer:ty $(: $bound:path)?, $make:expr) => {
        $crate::__guard_methods!([] "Returns the function pointer.", [$lifetime], $pointer $(: $bound)?, $make);
    };
    ([$($generics:tt)*] $first:literal, [$($contract:literal)*], $pointer:ty $(: $bound:path)?, $make:expr) => {
        #[doc = concat!($first, " Having the pointer is safe, but calling it is not:")]
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

        /// Returns the function pointer as a safe function, for functions that accept only such pointers.
        ///
        /// # Safety
        /// All callers must uphold the contract of [`as_fn`](Self::as_fn).
        #[cfg(not(loom))]
        #[inline]
        pub unsafe fn as_safe_fn $($generics)* (&self) -> <$pointer as $crate::UnsafeFn>::Safe
        $(where $pointer: $bound)?
        {
            let pointer: $pointer = self.as_fn();
            // SAFETY: the caller upholds the safety contract.
            unsafe { $crate::UnsafeFn::into_safe(pointer) }
        }

        /// Returns the trampoline itself: its address and its slot.
        pub fn trampoline(&self) -> &$crate::BoundTrampoline {
            &self.trampoline
        }
    };
}
pub(crate) use __guard_methods as guard_methods;
