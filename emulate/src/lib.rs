//! `emulate.so`: runs programs that put trampolines on their stacks where stacks are not executable. `statictramp run
//! --emulate` loads it twice into the program: as an audit library, which gives the dynamic linker copies of libraries that
//! request an executable stack (`loading/`), and as a preloaded library, which does the rest.
//!
//! - `recognise.rs`: the bytes of a trampoline on a stack, read without trust;
//! - `callbacks.rs`: functions that take a callback, which get a table trampoline instead of the stack's (`table.rs`);
//! - `fault.rs`: the SIGSEGV handler, for all other jumps to a stack;
//! - `signals/`: the program's own SIGSEGV handler and masks, which must work as without this library;
//! - `children.rs`: programs that the program executes; `executable.rs`: the path of the program's own file;
//! - `report/`: the list of jumps, for `--report`.
//!
//! No memory is writable and executable at any time. The handler allocates nothing, takes no lock, and calls no library
//! functions, only the kernel.
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
