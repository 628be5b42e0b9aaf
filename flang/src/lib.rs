//! A pass plugin for flang, for LLVM 19 and later. Internal procedures whose addresses are taken use trampolines from
//! libstatictramp instead of code on the stack, so the stack need not be executable.
//!
//! - [`plugin`], [`file`](mod@file): the entry points for LLVM and for a single IR file;
//! - [`sites`]: the instructions that make trampolines, and whether each can be rewritten;
//! - [`lower`]: the rewriting, and the lifetime of each trampoline;
//! - [`cells`]: placement of the cells that record trampolines;
//! - [`attributes`]: attributes that the inserted code invalidates;
//! - [`names`]: the functions that the inserted code calls;
//! - [`escapes`]: procedures whose addresses outlive their hosts;
//! - [`keeps_not`], [`calls_not_kept`]: the list of procedures and individual calls that do not keep their arguments;
//!   [`promises`]: attributes that mark, for the optimizer, the arguments that a call does not keep;
//! - [`choice`]: environment variables;
//! - [`points_to`]: the variables and functions to which a pointer may point;
//! - [`aggregate`]: the bytes of an aggregate that an instruction reads or writes;
//! - [`calls`]: names of the functions called by flang-compiled code;
//! - [`report`]: messages for the compiler's user;
//! - [`llvm`]: LLVM's interface.

mod aggregate;
mod attributes;
mod calls;
mod calls_not_kept;
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
