//! The parts of a processor's description that differ in instructions only: `dead_procedure!`, `thread_pointer!`, `debugger!`.

/// Lines of assembly in one string.
#[cfg(not(windows))]
macro_rules! lines {
    ($($line:expr),+ $(,)?) => {
        concat!($($line, "\n"),+)
    };
}
#[cfg(not(windows))]
pub(crate) use lines;

/// Defines what a call through a freed trampoline runs, by the processor's `call_diagnosis!`. The stub has put the slot's last
/// record into the static-chain register; it becomes the first argument of the diagnosis.
///
/// The return address of the caller stays in the place that a debugger expects, so that a backtrace shows the caller.
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

/// Defines `thread_pointer`, by the instruction that puts it into operand 0. Bits outside the mask are no part of it.
#[cfg(not(any(miri, target_os = "none", all(target_arch = "arm", target_os = "linux"))))]
macro_rules! thread_pointer {
    ($instruction:expr $(, mask $mask:expr)?) => {
        #[inline(always)]
        pub(crate) fn thread_pointer() -> usize {
            let pointer: usize;
            // SAFETY: reads registers that a program may read at any time, or a word of the thread's control block, which is set
            // before any compiled code runs on the thread. The result never changes within a thread, so it need not count as memory.
            // Not `pure`: a fiber may go on on another thread after any call, where an earlier result must not be used again.
            unsafe {
                core::arch::asm!($instruction, out(reg) pointer, options(nomem, nostack, preserves_flags));
            }
            pointer $(& $mask)?
        }
    };
}
#[cfg(not(any(miri, target_os = "none", all(target_arch = "arm", target_os = "linux"))))]
pub(crate) use thread_pointer;

/// Defines what debuggers need to know: `BREAKPOINT_UNIT`, of which a breakpoint's address is a multiple, in bytes; `breakpoint`;
/// on Linux the machine's number in ELF files, and `empty_function!`, a function that does nothing and may be called indirectly.
#[cfg(all(growing, any(target_os = "linux", windows)))]
macro_rules! debugger {
    (unit $unit:literal, breakpoints $($breakpoint:expr),+; machine $machine:expr; function $function:literal) => {
        pub(crate) const BREAKPOINT_UNIT: usize = $unit;

        /// The length of the breakpoint that gdb or lldb has put at the beginning of `code`; 0 if there is none.
        pub(crate) fn breakpoint(code: &[u8]) -> usize {
            $(if code.starts_with(&$breakpoint) {
                return $breakpoint.len();
            })+
            0
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
