//! A pass plugin for flang, from LLVM 19 on: internal procedures whose addresses are taken use the trampolines of
//! libstatictramp instead of code that is written on the stack, which then need not be executable.
//!
//! - [`plugin`], [`file`](mod@file): how LLVM calls it; a file of IR at a time;
//! - [`sites`]: where trampolines are made, and which of these places can be rewritten;
//! - [`lower`]: what is rewritten, and how long each trampoline lives;
//! - [`cells`]: where it is noted that a trampoline is there;
//! - [`attributes`]: what the code that is inserted makes untrue;
//! - [`names`]: the functions that the inserted code calls;
//! - [`escapes`]: which procedures' addresses outlive their hosts;
//! - [`keeps_not`]: the list of procedures that keep nothing; [`promises`]: what calls say of that to the optimizer;
//! - [`choice`]: the environment's variables;
//! - [`points_to`]: to which variable of which function a pointer points;
//! - [`aggregate`]: which bytes of a structure in a register an instruction takes out or puts in;
//! - [`calls`]: the functions that flang's own code calls by name;
//! - [`report`]: how the compiler's user is told;
//! - [`llvm`]: LLVM's interface.

mod aggregate;
mod attributes;
mod calls;
mod cells;
mod choice;
mod escapes;
mod file;
mod keeps_not;
mod llvm;
mod lower;
mod names;
mod plugin;
mod points_to;
mod promises;
mod report;
mod sites;

pub use file::rewrite_file;
