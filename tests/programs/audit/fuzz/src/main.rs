//! Passes arbitrary bytes to `statictramp audit` as a file. The tool must return a verdict or an error message.
#![no_main]
#![allow(dead_code)] // parts of the tool that this program does not call

#[path = "../../../../../cli/src/audit"]
mod audit {
    pub mod code;
    pub mod files;
    pub mod input;
    pub mod report {
        pub mod advice;
        pub mod verdict;
    }
    pub mod table;
}
#[path = "../../../../../cli/src/image/mod.rs"]
mod image;
#[path = "../../../../../cli/src/shown.rs"]
mod shown;

use audit::files::file;
use audit::report::{advice, verdict};
use std::path::Path;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let magic = &data[..data.len().min(8)];
    let file::Outcome::Files(files, _) = file::contents(Path::new("file"), magic, data, data.len() as u64) else {
        return;
    };
    for file in &files {
        let verdict = verdict::Verdict::of(&file.facts);
        assert!(!verdict.sentence(&file.facts).is_empty());
        let advice = advice::lines(verdict, &file.facts, Some("file"));
        assert!(verdict == verdict::Verdict::Clean || !advice.is_empty() || verdict == verdict::Verdict::Unknown);
    }
});
