//! The C library: plain functions (`statictramp.h`), and the interfaces that flang and GCC
//! call. Built alone in the release profile it needs nothing but a C library.
//!
//! The functions are documented for their users in `capi/include/statictramp.h`.
#![no_std]

statictramp::__panic_handler!();

mod arch;
mod bind;
mod compiled;
mod errno;
mod flang;
mod function;
mod gcc;
mod plain;
mod stack;
mod tls;
