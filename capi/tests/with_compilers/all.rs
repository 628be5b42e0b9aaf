//! Tests of the C library that run compilers and other programs. Each file is part of a leg that installs these
//! programs.

mod archive;
mod pages;
mod parts;
mod programs;
mod runtime;
mod shared;
