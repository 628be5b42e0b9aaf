//! `emulate.so`: lets programs that put trampolines on their stacks run without executable stacks. `statictramp run
//! --emulate` loads this library twice into the program. The first instance is an audit library, which gives the
//! dynamic linker copies of libraries that request an executable stack (`loading/`). The second instance is a preloaded
//! library, which does everything else.
//!
//! - `recognise.rs`: the bytes of a trampoline on a stack, which are not trusted;
//! - `callbacks.rs`: functions that take a callback. `table.rs` replaces a trampoline on the stack with a table
//!   trampoline;
//! - `fault.rs`: the SIGSEGV handler, for all other jumps to a stack;
//! - `signals/`: the program's own SIGSEGV handler and signal masks, which must work as if this library were not loaded;
//! - `children.rs`: programs that the program executes; `executable.rs`: the path of the program's own file;
//! - `report/`: the list of jumps, for `--report`.
//!
//! No memory is writable and executable at any time. The handler uses system calls instead of library functions, except
//! for glibc's `_dl_find_object`, which takes no lock. The only lock that the handler may take is one whose owner has
//! blocked all signals.
#![cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64", target_pointer_width = "64"))]
#![no_std]

statictramp::__panic_handler!();

mod callbacks;
mod children;
mod environment;
mod executable;
mod fault;
mod loading;
mod message;
mod module;
mod next;
mod recognise;
mod report;
mod signals;
mod start;
mod sys;
mod table;
