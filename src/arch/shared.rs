//! Definitions that differ between processors only in their instructions: `dead_procedure!`, `thread_pointer!`,
//! `address_of_thread!`, `scratch_stub!` and `debugger!`.

/// Joins lines of assembly into one string.
#[cfg(not(windows))]
macro_rules! lines {
    ($($line:expr),+ $(,)?) => {
        concat!($($line, "\n"),+)
    };
}
#[cfg(not(windows))]
pub(crate) use lines;

/// Defines the dead procedure, to which the stub of a freed trampoline jumps. Its body is the processor's
/// `call_diagnosis!`. The stub has loaded the free record into the static-chain register, and `call_diagnosis!`
/// passes the record to the diagnosis as the first argument.
///
/// The caller's return address stays where a debugger expects it, so that a backtrace shows the caller.
#[cfg(not(windows))]
macro_rules! dead_procedure {
    ($diagnose:path) => {
        #[unsafe(naked)]
        pub(crate) extern "C" fn dead_procedure() {
            core::arch::naked_asm!($crate::arch::call_diagnosis!(), diagnose = sym $diagnose)
        }
    };
}
#[cfg(not(windows))]
pub(crate) use dead_procedure;

/// Defines `thread_pointer`, given the instructions that load the thread pointer into operand 0. If a mask is given,
/// the bits outside the mask are cleared.
#[cfg(not(any(miri, target_os = "none", all(target_arch = "arm", target_os = "linux"))))]
macro_rules! thread_pointer {
    ($instruction:expr $(, mask $mask:expr)?) => {
        #[inline(always)]
        pub(crate) fn thread_pointer() -> usize {
            let pointer: usize;
            // SAFETY: the instruction reads registers that any program may read, or a word of the thread control block,
            // which every thread that runs compiled code has. Reading has no side effects. The result never changes
            // within a thread, so `nomem` is correct. The block is not `pure`: after any call, a fiber may continue on
            // another thread, where it must not reuse an earlier result.
            unsafe {
                core::arch::asm!($instruction, out(reg) pointer, options(nomem, nostack, preserves_flags));
            }
            pointer $(& $mask)?
        }
    };
}
#[cfg(not(any(miri, target_os = "none", all(target_arch = "arm", target_os = "linux"))))]
pub(crate) use thread_pointer;

/// Computes the address of a thread-local symbol for the running thread, with the processor's `thread_word`
/// (`registers.rs`). The symbol's name contains the library's version (`build.rs`). On Windows the symbol must be in a
/// `.tls$` section.
#[cfg(any(windows, all(thread_words, target_os = "linux")))]
macro_rules! address_of_thread {
    ($symbol:literal) => {{
        let address: usize;
        // SAFETY: the instructions only compute an address. On Windows, they read words that the loader stored before
        // any code of this image ran on the thread. The symbol's offset from the thread pointer never changes, and the
        // thread pointer never changes within a thread. Each register that the instructions change is an output, is
        // restored, or is reserved, so compiled code keeps no value in it. The block is not `pure`, for the reason
        // given in `thread_pointer`.
        unsafe { $crate::__processor!(thread_word $crate::__symbol!($symbol), address) };
        address
    }};
}
#[cfg(any(windows, all(thread_words, target_os = "linux")))]
pub(crate) use address_of_thread;

/// Defines the `scratch` module. Its stub consists of the given instructions, followed by two words of data in the
/// given order. The block makes the stub's bytes visible to instruction fetches on every processor.
#[cfg(all(
    feature = "scratch",
    target_os = "linux",
    not(any(target_arch = "x86_64", target_arch = "x86", target_arch = "powerpc"))
))]
macro_rules! scratch_stub {
    (
        align $align:literal, code [$($code:literal),+ $(,)?], words {$first:ident $second:ident};
        $(#[$visible_doc:meta])+
        |$at:ident, $entry:ident, $chain:ident| $visible:block
    ) => {
        pub(crate) mod scratch {
            /// Alignment of the stub's address. `SIZE` is the stub's size in bytes.
            pub(crate) const ALIGN: usize = $align;
            pub(crate) const SIZE: usize = size_of_val(&CODE) + 2 * size_of::<usize>();
            const CODE: [u32; [$($code as u32),+].len()] = [$($code),+];

            /// Writes the stub and makes it visible to instruction fetches.
            ///
            $(#[$visible_doc])+
            /// # Safety
            /// `at` must be aligned to `ALIGN`, and writable and executable for `SIZE` bytes.
            pub(crate) unsafe fn write($at: *mut (), $entry: *const (), $chain: *mut ()) {
                // SAFETY: the caller upholds the safety contract. Making the stub visible changes no memory.
                unsafe {
                    let words = $at.cast::<usize>().add(size_of_val(&CODE) / size_of::<usize>());
                    if ALIGN < align_of::<usize>() {
                        $at.cast::<[u32; CODE.len()]>().write_unaligned(CODE);
                        words.write_unaligned($first.expose_provenance());
                        words.add(1).write_unaligned($second.expose_provenance());
                    } else {
                        $at.cast::<[u32; CODE.len()]>().write(CODE);
                        words.write($first.expose_provenance());
                        words.add(1).write($second.expose_provenance());
                    }
                    $visible
                }
            }
        }
    };
}
#[cfg(all(
    feature = "scratch",
    target_os = "linux",
    not(any(target_arch = "x86_64", target_arch = "x86", target_arch = "powerpc"))
))]
pub(crate) use scratch_stub;

/// Defines `BREAKPOINT_UNIT`, the alignment of a breakpoint in bytes, and `breakpoint`, a function that recognises the
/// given breakpoints. On Linux, also defines the ELF machine number and, for the debugger interface, `empty_function!`,
/// which expands to an empty function body that may be called through a pointer.
#[cfg(all(growing, any(target_os = "linux", windows)))]
macro_rules! debugger {
    (
        unit $unit:literal, breakpoints $([$($byte:literal),+])+;
        machine $machine:expr; function $function:literal
    ) => {
        pub(crate) const BREAKPOINT_UNIT: usize = $unit;

        /// The breakpoint instructions, as bytes in memory order.
        #[cfg(test)]
        pub(crate) const BREAKPOINTS: &[&[u8]] = &[$(&[$($byte),+]),+];

        /// Returns the length of the gdb or lldb breakpoint at the beginning of `code`, or 0 if there is no
        /// breakpoint.
        pub(crate) fn breakpoint(code: &[u8]) -> usize {
            match code {
                $([$($byte),+, ..] => [$($byte),+].len(),)+
                _ => 0,
            }
        }

        #[cfg(target_os = "linux")]
        pub(crate) const ELF_MACHINE: u16 = $machine;

        #[cfg(target_os = "linux")]
        macro_rules! empty_function {
            () => {
                $function
            };
        }
        #[cfg(target_os = "linux")]
        pub(crate) use empty_function;
    };
}
#[cfg(all(growing, any(target_os = "linux", windows)))]
pub(crate) use debugger;
