//! Passes arbitrary bytes to `statictramp audit` as a file. The tool must return a verdict or an error message.
#![no_main]
#![allow(dead_code)] // parts of the tool that this program does not call

#[path = "../../../../../cli/src/audit"]
mod audit {
    pub mod code;
    pub mod contents;
    pub mod files;
    pub mod input;
    pub mod packages;
    pub mod report {
        pub mod remedies;
    }
    #[path = "system/unix.rs"]
    pub mod system;
    pub mod table;
    pub mod verdict;
    pub mod wildcard;
}
#[path = "../../../../../cli/src/image/mod.rs"]
mod image;
#[path = "../../../../../cli/src/shown.rs"]
mod shown;

use audit::contents;
use audit::files::location::Location;
use audit::files::wants::Wants;
use audit::report::remedies;
use audit::verdict;
use std::path::Path;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let head = &data[..data.len().min(4096)];
    let wants = Wants { details: true, hardening: true, ..Wants::default() };
    let found = contents::contents(&Location::of(Path::new("file")), head, &data, data.len() as u64, &wants);
    for file in &found.files {
        let verdict = verdict::Verdict::of(&file.facts);
        assert!(!verdict.message(&file.facts).is_empty());
        let remedies = remedies::lines(verdict, &file.facts, Some("file"), false);
        let needs_none = matches!(verdict, verdict::Verdict::Clean | verdict::Verdict::Unknown);
        assert!(needs_none || !remedies.is_empty());
    }
});
