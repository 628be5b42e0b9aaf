//! `asked-for LEG...`: reports each leg that, itself or in its parts, runs the programs of a cross compiler without
//! requesting that compiler. On a machine on which other legs have run, such an error is not noticed.

use crate::{Outcome, read, regex, usage};
use std::collections::BTreeSet;

pub fn run(legs: &[&str]) -> Outcome {
    if legs.is_empty() {
        return Err(usage("LEG..."));
    }
    let comment = regex(r"(?m)^\s*#.*$");
    let need = regex(r"(?m)^ *(need(?:_sid)? (?:.*\\\n)*.*)$");
    let tool = regex(
        r"\b(\w{3,}-(?:linux-gnu\w*|w64-mingw32|none-eabi|unknown-elf))-(?:as|ld|ar|nm|gcc|g\+\+|objcopy|objdump|readelf|strip|dlltool)",
    );
    let mut errors = BTreeSet::new();
    for leg in legs {
        let text = with_parts(leg, &mut BTreeSet::new())?;
        let text = comment.replace_all(&text, "");
        let asked: String = need.captures_iter(&text).map(|it| it[1].to_owned()).collect();
        let text = need.replace_all(&text, "");
        for found in tool.captures_iter(&text) {
            let compiler = &found[1];
            if !asked.contains(&format!("{compiler}-")) {
                errors.insert(format!("{leg} runs programs of {compiler}, but does not request them"));
            }
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(Vec::from_iter(errors).join("\n")) }
}

/// Returns the text of a leg, followed by the text of the parts that it names.
fn with_parts(file: &str, seen: &mut BTreeSet<String>) -> Result<String, String> {
    if !seen.insert(file.to_owned()) || !std::path::Path::new(file).exists() {
        return Ok(String::new());
    }
    let mut text = read(file)?;
    let mut parts: Vec<String> = regex(r"(?:\w+/)?tests/legs/parts/[\w/]+\.sh")
        .find_iter(&text)
        .map(|it| it.as_str().to_owned())
        .collect();
    for found in regex(r"\bwith_compilers (\w+) ([\w ]+)").captures_iter(&text) {
        let modules = found[2].split_whitespace();
        let house = if &found[1] == "core" { "." } else { &found[1] };
        parts.extend(modules.map(|module| format!("{house}/tests/with_compilers/{module}.rs")));
    }
    for part in parts {
        text += &with_parts(&part, seen)?;
    }
    Ok(text)
}
