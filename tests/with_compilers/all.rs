//! Tests of the core that run compilers and other programs. Each file is part of a leg that installs these programs.

mod board;
mod flow;
mod hardened;
mod heaps;
mod resets;
mod restricted;
mod safe;
mod sections;
mod segments;
mod suites;
mod targets;
