//! The closure's address on its way to a parameter, on Arm (AAPCS32, section 6.4): r0 to r3 take arguments word by word,
//! floating-point ones too where there is no hardware for them.
//!
//! How many registers the arguments take, a compiler could tell from their types and we cannot; but at most one for
//! each word, and one more where an argument must begin in an even register. A result of more than a word may be in
//! memory, with a hidden pointer in r0; of two words only its type tells. In three ways, each a jump without a frame:
//!
//! - *Behind the arguments*, if all of that is at most one: r2 and r3 are set to the closure's address, and of the three
//!   parameters that follow the arguments the last is in one of them;
//! - *before the arguments*, if the result is at most a word: they move up by two registers, if they are at most two (so
//!   that even ones stay even), or by one, if they are at most three of no such alignment.
//!
//! Other signatures are refused when the program is compiled.

/// The register behind an argument of a type, at most, if `at` is the first that is free.
pub(in crate::closure) const fn behind<A>(at: usize) -> usize {
    let first = if is_even::<A>() == 1 { at.next_multiple_of(2) } else { at };
    first + if size_of::<A>() <= 4 { 1 } else { size_of::<A>().div_ceil(4) }
}

/// 1 if an argument of a type must begin in an even register.
pub(in crate::closure) const fn is_even<A>() -> usize {
    (align_of::<A>() > 4) as usize
}

/// The body of a naked adapter that jumps to a function.
#[cfg(not(thumb1))]
macro_rules! jump {
    ($enter:path: $($instruction:literal)*) => {
        core::arch::naked_asm!($($instruction,)* "b {enter}", enter = sym $enter)
    };
}
/// The same where a jump reaches 2 KiB: by way of the stack.
#[cfg(thumb1)]
macro_rules! jump {
    ($enter:path: $($instruction:literal)*) => {
        core::arch::naked_asm!(
            $($instruction,)*
            "push {{r0, r1}}",
            "ldr r0, 3f",
            "str r0, [sp, #4]",
            "pop {{r0, pc}}",
            ".balign 4",
            "3: .word {enter}",
            enter = sym $enter,
        )
    };
}
pub(super) use jump;

/// The function of a closure's type that returns its adapter.
macro_rules! adapter {
    ($abi:literal, $kind:ty, $($arg:ident)*) => {
        #[allow(non_snake_case, improper_ctypes_definitions, clippy::too_many_arguments)]
        fn adapter() -> *const () {
            use $crate::closure::adapters::arch;

            extern $abi fn enter_behind<K: Call<($($arg,)*)>, $($arg),*>(
                $($arg: $arg,)* _: usize, _: usize, closure: *const $kind,
            ) -> K::Output {
                // SAFETY: whoever made the trampoline put the address of a closure of
                // this very type into the chain, for as long as the trampoline lives.
                unsafe { <$kind as Closure<($($arg,)*)>>::run(closure, ($($arg,)*)) }
            }
            extern $abi fn enter_two_before<K: Call<($($arg,)*)>, $($arg),*>(
                closure: *const $kind, _: usize, $($arg: $arg),*
            ) -> K::Output {
                // SAFETY: as above.
                unsafe { <$kind as Closure<($($arg,)*)>>::run(closure, ($($arg,)*)) }
            }
            extern $abi fn enter_one_before<K: Call<($($arg,)*)>, $($arg),*>(
                closure: *const $kind, $($arg: $arg),*
            ) -> K::Output {
                // SAFETY: as above.
                unsafe { <$kind as Closure<($($arg,)*)>>::run(closure, ($($arg,)*)) }
            }

            #[unsafe(naked)]
            extern "C" fn behind<K: Call<($($arg,)*)>, $($arg),*>() {
                arch::jump!(enter_behind::<K, $($arg),*>: "mov r2, r12" "mov r3, r12")
            }
            #[unsafe(naked)]
            extern "C" fn two_before<K: Call<($($arg,)*)>, $($arg),*>() {
                arch::jump!(enter_two_before::<K, $($arg),*>: "mov r3, r1" "mov r2, r0" "mov r0, r12")
            }
            #[unsafe(naked)]
            extern "C" fn one_before<K: Call<($($arg,)*)>, $($arg),*>() {
                arch::jump!(enter_one_before::<K, $($arg),*>: "mov r3, r2" "mov r2, r1" "mov r1, r0" "mov r0, r12")
            }

            let (most, result, even) = const {
                let result = (size_of::<K::Output>() > 4) as usize;
                let most = 0;
                $(let most = arch::behind::<$arg>(most);)*
                let even = 0 $(+ arch::is_even::<$arg>())*;
                assert!(
                    most + result <= 1 || (result == 0 && (most <= 2 || (most <= 3 && even == 0))),
                    "on this target a closure can take no more than three words of arguments, and return one: \
                     pass a reference to a struct that has the rest"
                );
                (most, result, even)
            };
            if most + result <= 1 {
                behind::<K, $($arg),*> as *const ()
            } else if even > 0 {
                two_before::<K, $($arg),*> as *const ()
            } else {
                one_before::<K, $($arg),*> as *const ()
            }
        }
    };
}
pub(super) use adapter;
