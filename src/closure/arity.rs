//! A macro that repeats an implementation for each number of parameters.

/// Invokes a macro 17 times, with 0 to 16 names: first with no name, then with the first name, then with the first two,
/// and so on.
macro_rules! for_each_arity {
    ($macro:ident) => {
        $crate::closure::arity::for_each_arity! { $macro [] A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 }
    };
    ($macro:ident [$($name:ident)*]) => {
        $macro!($($name)*);
    };
    ($macro:ident [$($name:ident)*] $next:ident $($more:ident)*) => {
        $macro!($($name)*);
        $crate::closure::arity::for_each_arity! { $macro [$($name)* $next] $($more)* }
    };
}
pub(super) use for_each_arity;
