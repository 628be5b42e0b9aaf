//! What is in assembly here, for each target; but for adapters, where there are threads:
//!
//! | | |
//! |---|---|
//! | `adapter!` | the body of a naked function that loads an integer-argument register from the pair {context, callee} in the static chain, and jumps on |
//! | `adapters!` | lists those functions, in the order of the calling convention |
//! | `go_on!` | the body of a naked function that has its caller's stack pointer, or where its caller is, put into an argument's register, and goes on to another |
//! | `stack_pointer` | the stack pointer of the function that it is inlined into: always the same distance from that of its caller |
//! | `load_thread_word`, `store_thread_word` | a word of the running thread's own (`tls.rs`), by its offset: x86-64 has instructions for it, the others `thread_word`, its address |

macro_rules! adapters {
    ($($name:ident $register:tt)*) => {
        $(
            #[unsafe(naked)]
            extern "C" fn $name() {
                adapter!($register)
            }
        )*
        pub(crate) const ADAPTERS: &[extern "C" fn()] = &[$($name),*];
    };
}

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "arm")]
mod arm;
#[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
mod riscv;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
pub(crate) use aarch64::*;
#[cfg(target_arch = "arm")]
pub(crate) use arm::*;
#[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
pub(crate) use riscv::*;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::*;

#[cfg(all(unix, not(target_arch = "x86_64")))]
#[inline(always)]
pub(crate) fn load_thread_word(offset: usize) -> usize {
    // SAFETY: one of the words of `tls.rs`, which each thread has.
    unsafe { thread_word(offset).read_volatile() }
}

#[cfg(all(unix, not(target_arch = "x86_64")))]
#[inline(always)]
pub(crate) fn store_thread_word(offset: usize, value: usize) {
    // SAFETY: as above, and only this library uses it.
    unsafe { thread_word(offset).write_volatile(value) }
}

#[cfg(unix)]
#[inline(always)]
pub(crate) fn stack_pointer() -> usize {
    let here;
    // SAFETY: copies a register.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        core::arch::asm!("mov {}, rsp", out(reg) here, options(nomem, nostack, preserves_flags));
        #[cfg(any(target_arch = "aarch64", target_arch = "arm"))]
        core::arch::asm!("mov {}, sp", out(reg) here, options(nomem, nostack, preserves_flags));
        #[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
        core::arch::asm!("mv {}, sp", out(reg) here, options(nomem, nostack, preserves_flags));
    }
    here
}
