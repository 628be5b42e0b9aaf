//! The closure's address on its way to the last parameter, on x86-64.
//!
//! System V x86-64 (psABI, section 3.2.3), in two ways:
//!
//! - *In a register.* The integer parameters take registers in the order rdi, rsi, rdx, rcx,
//!   r8, r9. How many the arguments take, a compiler could tell from their types and we
//!   cannot; but at most one for each eight bytes of an argument of up to 16, and one for a
//!   result in memory. If that is at most 2, the last four registers are free: all are set to
//!   the closure's address, and of the four parameters that follow the arguments the last lies
//!   in one of them, however many the arguments really take. No frame, no memory: a jump.
//!
//!   ```text
//!     (f64, ptr)              rdi  rsi  rdx  rcx  r8   r9
//!     what came               ptr  -
//!     what is set                       c    c    c    c
//!     enter(f64, ptr, _, _, _, c)  ptr  _    _    _    c
//!   ```
//!
//! - *In memory.* A parameter of more than 16 bytes lies in memory, in front of the caller's
//!   own stack arguments, and takes no register. The adapter makes such a parameter out of
//!   the closure's address, and of the return address that is there already:
//!
//!   ```text
//!     rsp -> closure | pad | pad | return address | the caller's stack arguments ...
//!   ```

/// The most integer registers that an argument of a type can take.
pub(in crate::closure) const fn registers<A>() -> usize {
    match size_of::<A>() {
        0..=8 => 1,
        9..=16 => 2,
        _ => 0, // in memory
    }
}

/// The same for the hidden pointer to a result. A result of up to eight bytes that is aligned
/// like a number is surely returned in a register.
pub(in crate::closure) const fn result_registers<R>() -> usize {
    (size_of::<R>() > 8 || size_of::<R>() > align_of::<R>()) as usize
}

/// A parameter of more than 16 bytes, as drawn above.
#[repr(C)]
pub(in crate::closure) struct InMemory<K> {
    pub(in crate::closure) closure: *const K,
    _pad: [usize; 2],
    _return: usize,
}

/// The function of a closure's type that returns its adapter.
macro_rules! adapter {
    ($abi:literal, $kind:ty, $($arg:ident)*) => {
        #[allow(non_snake_case, improper_ctypes_definitions, clippy::too_many_arguments)]
        fn adapter() -> *const () {
            use $crate::closure::adapters::arch;

            extern $abi fn enter<K: Call<($($arg,)*)>, $($arg),*>(
                $($arg: $arg,)* _: usize, _: usize, _: usize, closure: *const $kind,
            ) -> K::Output {
                // SAFETY: whoever made the trampoline put the address of a closure of
                // this very type into the chain, for as long as the trampoline lives.
                unsafe { <$kind as Closure<($($arg,)*)>>::run(closure, ($($arg,)*)) }
            }
            extern $abi fn enter_in_memory<K: Call<($($arg,)*)>, $($arg),*>(
                passed: arch::InMemory<$kind>, $($arg: $arg),*
            ) -> K::Output {
                // SAFETY: as above.
                unsafe { <$kind as Closure<($($arg,)*)>>::run(passed.closure, ($($arg,)*)) }
            }

            #[unsafe(naked)]
            extern "C" fn adapter<K: Call<($($arg,)*)>, $($arg),*>() {
                core::arch::naked_asm!(
                    ".cfi_startproc",
                    "endbr64",
                    "mov rdx, r10",
                    "mov rcx, r10",
                    "mov r8, r10",
                    "mov r9, r10",
                    "jmp {enter}",
                    ".cfi_endproc",
                    enter = sym enter::<K, $($arg),*>,
                )
            }
            #[unsafe(naked)]
            extern "C" fn adapter_in_memory<K: Call<($($arg,)*)>, $($arg),*>() {
                core::arch::naked_asm!(
                    ".cfi_startproc",
                    "endbr64",
                    "sub rsp, 16", // the call below needs rsp % 16 == 0
                    ".cfi_adjust_cfa_offset 16",
                    "push r10",
                    ".cfi_adjust_cfa_offset 8",
                    "call {enter}",
                    "add rsp, 24",
                    ".cfi_adjust_cfa_offset -24",
                    "ret",
                    ".cfi_endproc",
                    enter = sym enter_in_memory::<K, $($arg),*>,
                )
            }

            const { assert!(usize::BITS == 64) };
            let most = arch::result_registers::<K::Output>() $(+ arch::registers::<$arg>())*;
            if most <= 2 {
                adapter::<K, $($arg),*> as *const ()
            } else {
                adapter_in_memory::<K, $($arg),*> as *const ()
            }
        }
    };
}
pub(super) use adapter;
