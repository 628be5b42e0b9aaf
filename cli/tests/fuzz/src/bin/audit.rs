//! Passes arbitrary bytes to `statictramp audit` as a file. The tool must return a verdict or an error message.
#![no_main]

use statictramp_cli::fuzzed::files::location::Location;
use statictramp_cli::fuzzed::files::wants::Wants;
use statictramp_cli::fuzzed::{contents, remedies, verdict};
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
