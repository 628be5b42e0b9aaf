//! The closure's address on its way to a parameter, on Arm (AAPCS32, section 6.4): r0 to r3 take arguments word by
//! word, floating-point ones too where there is no hardware for them.
//!
//! How many registers the arguments take, a compiler could tell from their types and we cannot; but at most one for
//! each word, one more where an argument must begin in an even register, and one for a hidden pointer where the result
//! is more than a word. Only if all of that is at most four words, so that no argument is on the stack, is a closure
//! accepted. In two ways:
//!
//! - if it is at most one, without a frame: r2 and r3 are set to the closure's address, and of the three parameters
//!   that follow the arguments the last is in one of them;
//! - else the adapter calls with the closure's address in each of five words on the stack. Four parameters follow the
//!   arguments, which take the registers that are left and then words on the stack; whichever word comes next, the
//!   closure's address is there.

/// The register behind an argument of a type, at most, if `at` is the first that is free.
pub(in crate::closure) const fn behind<A>(at: usize) -> usize {
    let first = if align_of::<A>() > 4 { at.next_multiple_of(2) } else { at };
    first + if size_of::<A>() <= 4 { 1 } else { size_of::<A>().div_ceil(4) }
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

/// The body of a naked adapter that calls a function with r12 on the stack. The text is right for Arm and for every Thumb.
macro_rules! call {
    ($enter:path) => {
        core::arch::naked_asm!(
            ".fnstart",
            "push {{r4, lr}}",
            ".save {{r4, lr}}",
            "sub sp, sp, #24", // a multiple of 8
            ".pad #24",
            "mov r4, r12",
            "str r4, [sp, #0]",
            "str r4, [sp, #4]",
            "str r4, [sp, #8]",
            "str r4, [sp, #12]",
            "str r4, [sp, #16]",
            "bl {enter}",
            "add sp, sp, #24",
            "pop {{r4, pc}}",
            ".fnend",
            enter = sym $enter,
        )
    };
}
pub(super) use call;

/// The function of a closure's type that returns its adapter.
macro_rules! adapter {
    ($abi:literal, $kind:ty, $($arg:ident)*) => {
        #[allow(non_snake_case, improper_ctypes_definitions, clippy::too_many_arguments)]
        fn adapter<H: Holder<Closure = Self>>() -> *const () {
            use $crate::closure::adapters::arch;

            extern $abi fn enter_after_two<H: Holder<Closure = $kind>, K: Call<($($arg,)*)>, $($arg),*>(
                $($arg: $arg,)* _: usize, _: usize, closure: *const H,
            ) -> K::Output {
                // SAFETY: whoever made the trampoline put the address of a holder of
                // this very type into the chain, for as long as the trampoline lives.
                unsafe { H::with(closure, |closure| <$kind as Closure<($($arg,)*)>>::run(closure, ($($arg,)*))) }
            }
            extern $abi fn enter_after_four<H: Holder<Closure = $kind>, K: Call<($($arg,)*)>, $($arg),*>(
                $($arg: $arg,)* _: usize, _: usize, _: usize, _: usize, closure: *const H,
            ) -> K::Output {
                // SAFETY: as above.
                unsafe { H::with(closure, |closure| <$kind as Closure<($($arg,)*)>>::run(closure, ($($arg,)*))) }
            }

            #[unsafe(naked)]
            extern "C" fn jump<H: Holder<Closure = $kind>, K: Call<($($arg,)*)>, $($arg),*>() {
                arch::jump!(enter_after_two::<H, K, $($arg),*>: "mov r2, r12" "mov r3, r12")
            }
            #[unsafe(naked)]
            extern "C" fn call<H: Holder<Closure = $kind>, K: Call<($($arg,)*)>, $($arg),*>() {
                arch::call!(enter_after_four::<H, K, $($arg),*>)
            }

            let most = const {
                let most = (size_of::<K::Output>() > 4) as usize;
                $(let most = arch::behind::<$arg>(most);)*
                assert!(
                    most <= 4,
                    "on this target the arguments of a closure can take no more than four words, three if the \
                     result takes more than one: pass a reference to a struct that has the rest"
                );
                most
            };
            if most <= 1 {
                jump::<H, K, $($arg),*> as *const ()
            } else {
                call::<H, K, $($arg),*> as *const ()
            }
        }
    };
}
pub(super) use adapter;
