//! The closure's address on its way to a parameter, on x86-64 (System V psABI, section 3.2.3).
//!
//! Which integer registers are taken depends on the result, too: one whose class is MEMORY takes rdi, and a type's class
//! cannot be told from its size and alignment (a field that is not aligned decides). So the address travels where results
//! have no part, in two ways:
//!
//! - *In a vector register.* xmm0 to xmm7 take the parameters of class SSE in their order. How many the arguments take, a
//!   compiler could tell from their types and we cannot; but at most one for each eight bytes of an argument of up to 16,
//!   and one for any larger one (which is a vector if it is not in memory). If that is at most 3, the registers from the
//!   fourth on are free: four are set to the closure's address, and of the four floating-point parameters that follow the
//!   arguments the last lies in one of them, however many the arguments really take. No frame, no memory: a jump.
//!
//!   ```text
//!     (f64, ptr)                   xmm0  xmm1  xmm2  xmm3  xmm4  xmm5  xmm6
//!     what came                    f64   -     -
//!     what is set                                    c     c     c     c
//!     enter(f64, ptr, _, _, _, c)  f64   _     _     _     c
//!   ```
//!
//! - *In memory.* A parameter of more than 16 bytes that is no vector lies in memory, in front of the caller's own stack
//!   arguments, and takes no register. The adapter makes such a parameter out of the closure's address, and of the return
//!   address that is there already:
//!
//!   ```text
//!     rsp -> closure | pad | pad | return address | the caller's stack arguments ...
//!   ```
//!
//!   Those keep their places relative to each other as long as none is aligned to more than these 32 bytes; a signature
//!   that has such a one is refused when the program is compiled.

/// The most vector registers that an argument of a type can take.
pub(in crate::closure) const fn registers<A>() -> usize {
    match size_of::<A>() {
        0..=8 => 1,
        9..=16 => 2,
        _ => 1, // a vector; else in memory
    }
}

/// Whether arguments that take so many, at most, leave those free that are wanted; never where the target has none.
pub(in crate::closure) const fn leave_room(taken: usize) -> bool {
    cfg!(target_feature = "sse2") && taken <= 3
}

/// A parameter of more than 16 bytes, as drawn above.
#[repr(C)]
pub(in crate::closure) struct InMemory<H> {
    pub(in crate::closure) closure: *const H,
    _pad: [usize; 2],
    _return: usize,
}

/// The body of the adapter that jumps.
#[cfg(target_feature = "sse2")]
macro_rules! in_vector_register {
    ($enter:path) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "endbr64",
            "movq xmm3, r10",
            "movaps xmm4, xmm3",
            "movaps xmm5, xmm3",
            "movaps xmm6, xmm3",
            "jmp {enter}",
            ".cfi_endproc",
            enter = sym $enter,
        )
    };
}
/// There is none, and nobody jumps here.
#[cfg(not(target_feature = "sse2"))]
macro_rules! in_vector_register {
    ($enter:path) => {
        core::arch::naked_asm!("ud2", "/* {enter} */", enter = sym $enter)
    };
}
pub(super) use in_vector_register;

/// The function of a closure's type that returns its adapter.
macro_rules! adapter {
    ($abi:literal, $kind:ty, $($arg:ident)*) => {
        #[allow(non_snake_case, improper_ctypes_definitions, clippy::too_many_arguments)]
        fn adapter<H: Holder<Closure = Self>>() -> *const () {
            use $crate::closure::adapters::arch;

            extern $abi fn enter<H: Holder<Closure = $kind>, K: Call<($($arg,)*)>, $($arg),*>(
                $($arg: $arg,)* _: f64, _: f64, _: f64, holder: f64,
            ) -> K::Output {
                let holder = core::ptr::with_exposed_provenance::<H>(holder.to_bits() as usize);
                // SAFETY: whoever made the trampoline put the address of a holder of
                // this very type into the chain, for as long as the trampoline lives.
                unsafe { H::with(holder, |closure| <$kind as Closure<($($arg,)*)>>::run(closure, ($($arg,)*))) }
            }
            extern $abi fn enter_in_memory<H: Holder<Closure = $kind>, K: Call<($($arg,)*)>, $($arg),*>(
                passed: arch::InMemory<H>, $($arg: $arg),*
            ) -> K::Output {
                // SAFETY: as above.
                unsafe { H::with(passed.closure, |closure| <$kind as Closure<($($arg,)*)>>::run(closure, ($($arg,)*))) }
            }

            #[unsafe(naked)]
            extern "C" fn adapter<H: Holder<Closure = $kind>, K: Call<($($arg,)*)>, $($arg),*>() {
                arch::in_vector_register!(enter::<H, K, $($arg),*>)
            }
            #[unsafe(naked)]
            extern "C" fn adapter_in_memory<H: Holder<Closure = $kind>, K: Call<($($arg,)*)>, $($arg),*>() {
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
                    enter = sym enter_in_memory::<H, K, $($arg),*>,
                )
            }

            let in_register = const {
                assert!(usize::BITS == 64, "the adapters of x86-64 are for pointers of 64 bits");
                let in_register = arch::leave_room(0 $(+ arch::registers::<$arg>())*);
                $(
                    assert!(
                        in_register || align_of::<$arg>() <= align_of::<arch::Aligned>(),
                        "on this target a closure of more than three words of arguments can take none that is aligned \
                         to more than 32 bytes: pass a reference to it"
                    );
                )*
                in_register
            };
            if in_register {
                adapter::<H, K, $($arg),*> as *const ()
            } else {
                adapter_in_memory::<H, K, $($arg),*> as *const ()
            }
        }
    };
}
pub(super) use adapter;

/// The largest alignment of arguments behind [`InMemory`].
#[repr(align(32))]
pub(in crate::closure) struct Aligned;
const _: () = assert!(size_of::<InMemory<()>>() == align_of::<Aligned>());
