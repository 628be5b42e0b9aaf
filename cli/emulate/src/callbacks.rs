//! Interposed functions, most of which take a callback. Each is replaced by code that exchanges a trampoline on a stack
//! for a table trampoline and jumps to the original function. This code adds no frame, so exceptions, `longjmp` and
//! unwinders pass as before.

use crate::next::{Next, functions};
use crate::table::{Use, callback};
use crate::{children, environment, report, signals};
use core::arch::naked_asm;
use core::ffi::c_char;

/// Expands to the number that represents the treatment of an argument.
#[rustfmt::skip]
macro_rules! treatment {
    // A callback that is called only until the function returns (CALL), or that may also be called later (KEPT).
    (CALL) => { 1 };
    (KEPT) => { 2 };
    // The path of a program to execute. A SEARCHED path without a slash is looked up in PATH.
    (PATH) => { 3 };
    (SEARCHED) => { 4 };
    // No argument is exchanged, because the function starts or ends the program.
    (START) => { 5 };
    (END) => { 6 };
    // A context, which contains a signal mask.
    (CONTEXT) => { 7 };
}

/// Defines the interposed functions: `name: position treatment, ...`. Argument positions count from 0 and are at most 5.
macro_rules! interposed {
    ($($name:ident: $($position:literal $treatment:ident),+;)*) => {
        functions! { $($name)* }

        $(
            /// Exchanges the arguments, and jumps to the next definition of the function.
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name() {
                naked_asm!(
                    ".cfi_startproc",
                    "endbr64",
                    "push rax", // the number of vector registers with variadic arguments
                    "push r9",
                    "push r8",
                    "push rcx",
                    "push rdx",
                    "push rsi",
                    "push rdi",
                    ".cfi_adjust_cfa_offset 56",
                    $(
                        concat!("mov rdi, [rsp + 8 * ", $position, "]"),
                        concat!("mov esi, ", treatment!($treatment)),
                        "mov edx, {number}",
                        "mov rcx, [rsp + 56]", // the return address
                        "mov r8, rsp",
                        "call {exchange}",
                        concat!("mov [rsp + 8 * ", $position, "], rax"),
                    )*
                    "mov edi, {number}",
                    "call {next}",
                    "mov r11, rax",
                    "pop rdi",
                    "pop rsi",
                    "pop rdx",
                    "pop rcx",
                    "pop r8",
                    "pop r9",
                    "pop rax",
                    ".cfi_adjust_cfa_offset -56",
                    "jmp r11",
                    ".cfi_endproc",
                    number = const Number::$name as u32,
                    exchange = sym exchange,
                    next = sym next,
                )
            }
        )*
    };
}

#[rustfmt::skip]
interposed! {
    __libc_start_main: 0 START;
    _exit: 0 END;
    _Exit: 0 END;
    quick_exit: 0 END;

    qsort: 3 CALL;
    qsort_r: 3 CALL;
    bsearch: 4 CALL;
    lfind: 4 CALL;
    lsearch: 4 CALL;
    tsearch: 2 CALL;
    tfind: 2 CALL;
    tdelete: 2 CALL;
    twalk: 1 CALL;
    twalk_r: 1 CALL;
    tdestroy: 1 CALL;
    ftw: 1 CALL;
    ftw64: 1 CALL;
    nftw: 1 CALL;
    nftw64: 1 CALL;
    glob: 2 CALL;
    glob64: 2 CALL;
    scandir: 2 CALL, 3 CALL;
    scandir64: 2 CALL, 3 CALL;
    scandirat: 3 CALL, 4 CALL;
    scandirat64: 3 CALL, 4 CALL;
    pthread_once: 1 CALL;
    call_once: 1 CALL;
    dl_iterate_phdr: 0 CALL;

    __cxa_atexit: 0 KEPT;
    __cxa_at_quick_exit: 0 KEPT;
    __cxa_thread_atexit_impl: 0 KEPT;
    on_exit: 0 KEPT;
    pthread_create: 2 KEPT;
    thrd_create: 1 KEPT;
    pthread_key_create: 1 KEPT;
    tss_create: 1 KEPT;
    __register_atfork: 0 KEPT, 1 KEPT, 2 KEPT;
    makecontext: 0 CONTEXT, 1 KEPT;
    setcontext: 0 CONTEXT;
    swapcontext: 1 CONTEXT;
    clone: 0 KEPT;

    execve: 0 PATH;
    execv: 0 PATH;
    execl: 0 PATH;
    execle: 0 PATH;
    execvp: 0 SEARCHED;
    execvpe: 0 SEARCHED;
    execlp: 0 SEARCHED;
    posix_spawn: 1 PATH;
    posix_spawnp: 1 SEARCHED;
}

/// Returns the address of the original function, to which the interposed function jumps.
extern "C" fn next(number: u32) -> usize {
    function(number).existing_address()
}

fn function(number: u32) -> &'static Next {
    &FUNCTIONS[number as usize]
}

/// Returns the argument that replaces `argument`.
///
/// # Safety
/// `saved` must be the address of the saved registers: six arguments, rax, the return address, and then further arguments.
unsafe extern "C" fn exchange(
    argument: usize,
    treatment: u32,
    number: u32,
    caller: usize,
    saved: *const usize,
) -> usize {
    match treatment {
        treatment!(CALL) => callback(argument, Use::Call, function(number), caller),
        treatment!(KEPT) => callback(argument, Use::Kept, function(number), caller),
        treatment!(PATH) | treatment!(SEARCHED) => {
            // SAFETY: the caller passes the address of the saved registers.
            let (environment, actions) =
                unsafe { (passed_environment(number, saved), actions(number, saved)) };
            // SAFETY: `saved` contains the arguments of a function that executes a program.
            unsafe { children::program(argument, treatment == treatment!(SEARCHED), environment, actions) }
        }
        treatment!(CONTEXT) => {
            // SAFETY: the contract of these functions requires the program to pass a context.
            unsafe { signals::change_context(core::ptr::with_exposed_provenance_mut(argument)) };
            argument
        }
        treatment!(START) => {
            signals::take_over();
            argument
        }
        _ => {
            report::write();
            argument
        }
    }
}

/// Returns the environment of the program to execute.
///
/// # Safety
/// Same as for `exchange`. The function `number` must be one that executes a program.
unsafe fn passed_environment(number: u32, saved: *const usize) -> *const *const c_char {
    const EXECVE: u32 = Number::execve as u32;
    const EXECVPE: u32 = Number::execvpe as u32;
    const EXECLE: u32 = Number::execle as u32;
    const SPAWN: u32 = Number::posix_spawn as u32;
    const SPAWNP: u32 = Number::posix_spawnp as u32;
    // SAFETY: the words are in the saved registers, or they are variadic arguments, which the function's contract requires
    // to be a list that ends with null, followed by the environment.
    let address = unsafe {
        let argument = |position: usize| *saved.add(if position < 6 { position } else { position + 2 });
        match number {
            EXECVE | EXECVPE => argument(2),
            SPAWN | SPAWNP => argument(5),
            EXECLE => {
                let mut position = 1;
                while argument(position) != 0 {
                    position += 1;
                }
                argument(position + 1)
            }
            _ => return environment::own(),
        }
    };
    core::ptr::with_exposed_provenance(address)
}

/// Returns the address of the file actions that `posix_spawn` performs before it executes the program, or 0.
///
/// # Safety
/// Same as for `exchange`.
unsafe fn actions(number: u32, saved: *const usize) -> usize {
    if number == Number::posix_spawn as u32 || number == Number::posix_spawnp as u32 {
        // SAFETY: the third argument is among the saved registers.
        return unsafe { *saved.add(2) };
    }
    0
}
