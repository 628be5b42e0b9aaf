//! Boards in QEMU, and what the `bare` leg has built for them.

use std::path::PathBuf;
use test_tools::{Ended, Expect, files_in, line, new_directory, prepared, root};

/// The programs for boards, in C and in assembly.
pub const PROGRAMS: &str = "tests/programs/bare/c";
pub const MPS2: Board = Board::Qemu("mps2-an385", "qemu-system-arm");

/// A board in QEMU.
pub enum Board<'a> {
    /// The name, and the emulator with its arguments.
    Qemu(&'a str, &'a str),
}

impl Board<'_> {
    /// Runs an image, which must exit successfully within five minutes.
    #[track_caller]
    pub fn run(&self, image: &str) -> Ended {
        let Board::Qemu(name, qemu) = self;
        let arguments = "-nographic -semihosting-config enable=on,target=native";
        line!("{qemu} -M {name} {arguments} -kernel {image}").within(300).ended().ends(0)
    }

    /// Builds a program from these words with the library for a target, and runs it.
    #[track_caller]
    pub fn run_built(&self, out: &str, gcc: &str, words: &str, triple: &str) -> Ended {
        let Board::Qemu(name, _) = self;
        line!(
            "{gcc} -nostdlib {words} {PROGRAMS}/memory.c {} -lgcc -Llinker -Ltests/programs/bare/boards \
             -Wl,-T,{name}.x,-T,{PROGRAMS}/sections.x,--gc-sections -z noexecstack -o {out}/program",
            board_archive(triple)
        )
        .passes();
        self.run(&format!("{out}/program"))
    }
}

/// Makes an empty directory for a test of boards.
pub fn board_directory(name: &str) -> String {
    new_directory(&format!("bare/{name}")).display().to_string()
}

/// Returns the archive for boards of this target, with 32 slots (`in_c.sh`).
#[track_caller]
pub fn board_archive(triple: &str) -> String {
    prepared(&format!("target/cross/bare/{triple}.a")).display().to_string()
}

/// Returns the linker scripts that users include.
pub fn tramp_scripts() -> Vec<PathBuf> {
    files_in(root().join("linker"))
        .into_iter()
        .filter(|it| it.extension().is_some_and(|it| it == "x"))
        .collect()
}
