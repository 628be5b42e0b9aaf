//! A pass plugin for flang, from LLVM 19 on: internal procedures whose addresses are taken use the trampolines of
//! libstatictramp instead of code that is written on the stack, which then need not be executable.
//!
//! - [`escapes`], [`flow`], [`context`], [`owner`], [`keeps`], [`types`]: which procedures' addresses outlive their hosts;
//! - [`lower`]: what is rewritten, and how long each trampoline lives;
//! - [`memory`]: to which variable of which function a pointer points;
//! - [`report`]: how the compiler's user is told.

mod aggregate;
mod context;
mod escapes;
mod file;
mod flow;
mod keeps;
mod llvm;
mod lower;
mod memory;
mod owner;
mod plugin;
mod report;
mod sites;
mod types;

pub use file::rewrite_file;
