//! Boards in QEMU, and what the leg `bare` has built for them.

use std::path::PathBuf;
use test_tools::{Ended, Expect, files_in, line, prepared, root};

/// A board in QEMU.
pub enum Board<'a> {
    /// The name, and the emulator with its arguments.
    Qemu(&'a str, &'a str),
}

impl Board<'_> {
    /// Runs an image, which must exit successfully within a minute.
    #[track_caller]
    pub fn run(&self, image: &str) -> Ended {
        let Board::Qemu(name, qemu) = self;
        let arguments = "-nographic -semihosting-config enable=on,target=native";
        line!("{qemu} -M {name} {arguments} -kernel {image}").within(60).ended().ends(0)
    }
}

/// The archive for boards of this target, with 32 slots (`in_c.sh`).
#[track_caller]
pub fn board_archive(triple: &str) -> String {
    prepared(&format!("target/cross/bare/{triple}.a")).display().to_string()
}

/// The linker scripts that users include.
pub fn tramp_scripts() -> Vec<PathBuf> {
    files_in(root().join("linker"))
        .into_iter()
        .filter(|it| it.extension().is_some_and(|it| it == "x"))
        .collect()
}
