//! A pass plugin for flang, from LLVM 19 on: internal procedures whose addresses are taken use the trampolines of
//! libstatictramp instead of code that is written on the stack, which then need not be executable.
//!
//! - [`attributes`]: what the code that is inserted makes untrue;
//! - [`cells`]: where it is noted that a trampoline is there;
//! - [`escapes`], [`flow`], [`context`], [`owner`], [`keeps`], [`tasks`], [`types`]: which procedures' addresses outlive their hosts;
//! - [`lower`]: what is rewritten, and how long each trampoline lives;
//! - [`memory`]: to which variable of which function a pointer points, by way of [`points`] and [`reach`];
//! - [`names`]: the functions that the code calls;
//! - [`report`]: how the compiler's user is told.

mod aggregate;
mod attributes;
mod cells;
mod context;
mod escapes;
mod file;
mod flow;
mod keeps;
mod llvm;
mod lower;
mod memory;
mod names;
mod owner;
mod plugin;
mod points;
mod reach;
mod report;
mod sites;
mod tasks;
mod types;

pub use file::rewrite_file;
