//! `unchanged BEFORE AFTER`: compares a module's textual IR before and after rewriting, and prints the number of equal
//! lines. Only the trampolines' own instructions and the hosts' tuples may have disappeared, and only their
//! replacements may be new; all other lines, including debug locations, must be the same and in the same order.

use crate::{Outcome, print, read, regex, usage, write};
use regex::Captures;
use std::collections::HashMap;

pub fn run(arguments: &[&str]) -> Outcome {
    let [before, after] = arguments else { return Err(usage("BEFORE AFTER")) };
    let mut compared = Vec::new();
    for file in [before, after] {
        compared.push(format!("{file}.lines"));
        write(&compared[compared.len() - 1], lines(&read(file)?).as_bytes())?;
    }
    let removed = regex(r"llvm\.(?:init|adjust)\.trampoline|= alloca \{");
    let new = regex(
        r"statictramp|_FortranA(?:Init|Adjust|Free)Trampoline|getelementptr i8, ptr %|store ptr (?:null|%), ptr %|= load ptr, ptr %|alloca <\{",
    );
    let formats =
        ["--minimal", "--old-line-format=<%L", "--new-line-format=>%L", "--unchanged-line-format==%L"];
    let diff = std::process::Command::new("diff").args(formats).args(&compared).output();
    let diff = diff.map_err(|why| format!("diff: {why}"))?;
    if diff.status.code().is_none_or(|code| code > 1) {
        return Err(format!("diff: {}", String::from_utf8_lossy(&diff.stderr)));
    }
    let (mut same, mut errors) = (0, String::new());
    for line in String::from_utf8_lossy(&diff.stdout).lines() {
        match line.as_bytes().first() {
            Some(b'=') => same += 1,
            Some(b'<') if removed.is_match(line) => {}
            Some(b'>') if new.is_match(line) => {}
            _ => errors += &format!("{line}\n"),
        }
    }
    if !errors.is_empty() {
        return Err(format!("{before}: other code has changed\n{errors}"));
    }
    print(&format!("{same}\n"))
}

/// Returns the lines to compare, without the helper functions that are linked in. In these lines, metadata, attributes
/// and values have no numbers, because the rewriter renumbers them.
fn lines(text: &str) -> String {
    let location = regex(r"(?m)^(!\d+) = !DILocation\(line: (\d+), column: (\d+)");
    let locations: HashMap<&str, String> = location
        .captures_iter(text)
        .map(|it| (it.get(1).map_or("", |it| it.as_str()), format!("line {} column {}", &it[2], &it[3])))
        .collect();
    let attribute = regex(r"(?m)^attributes (#\d+) = (.*)");
    let attributes: HashMap<&str, &str> = attribute
        .captures_iter(text)
        .filter_map(|it| Some((it.get(1)?.as_str(), it.get(2)?.as_str())))
        .collect();
    let left_out = regex(r"^(?:!|attributes|;|source_filename|\s*$)");
    let helper = regex(r"^define linkonce_odr hidden .*@statictramp\.");
    let debug = regex(r"!dbg (!\d+)");
    let (metadata, value) = (regex(r"!\d+"), regex(r"%\d+\b"));
    let with_attributes = regex(r" (#\d+)( \{| !dbg|$)");
    let label = regex(r"^\d+:.*");
    let predecessors = regex(r"; preds.*");

    let mut kept = String::new();
    let mut in_helper = false;
    for line in text.lines() {
        if left_out.is_match(line) {
            continue;
        }
        in_helper |= helper.is_match(line);
        if in_helper {
            in_helper = !line.starts_with('}');
            continue;
        }
        let line = debug.replace_all(line, |it: &Captures| {
            format!("!dbg {}", locations.get(&it[1]).map_or("!", String::as_str))
        });
        let line = metadata.replace_all(&line, "!");
        let line = with_attributes.replace_all(&line, |it: &Captures| {
            format!(" {}{}", attributes.get(&it[1]).unwrap_or(&&it[1]), &it[2])
        });
        let line = value.replace_all(&line, "%");
        let line = label.replace(&line, "label");
        kept += &predecessors.replace(&line, "");
        kept.push('\n');
    }
    kept
}
