//! `same-code BEFORE AFTER [FROM=TO...]`: prints the functions of two archives or object files whose instructions or
//! relocations differ. Addresses and the order of functions do not count. In the demangled names of BEFORE, each FROM is
//! replaced by TO, for renamed functions: `arch::isa::=arch::`.
//!
//! For a change that must not affect the code: build the C library for the affected targets before and after, from the
//! same folder and with the same `CARGO_TARGET_DIR`, as `cross_capi` in `tests/legs/parts/other_targets.sh` does.

use crate::{Outcome, output, print, regex, usage};
use std::collections::{BTreeMap, BTreeSet};

pub fn run(arguments: &[&str]) -> Outcome {
    const USAGE: &str = "BEFORE AFTER [FROM=TO...]";
    let [before, after, renamed @ ..] = arguments else { return Err(usage(USAGE)) };
    let renamed: Option<Vec<(&str, &str)>> = renamed.iter().map(|it| it.split_once('=')).collect();
    let renamed = renamed.ok_or_else(|| usage(USAGE))?;
    let (old, new) = (functions(before, &renamed)?, functions(after, &[])?);
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let different: Vec<&str> =
        names.into_iter().filter(|&name| old.get(name) != new.get(name)).map(String::as_str).collect();
    let same = new.keys().filter(|name| old.get(*name) == new.get(*name)).count();
    if different.is_empty() {
        return print(&format!("{same} functions are the same\n"));
    }
    Err(format!("{same} functions are the same, {} are not:\n{}", different.len(), different.join("\n")))
}

/// Returns the code of each function. Functions with equal names are sorted.
fn functions(file: &str, renamed: &[(&str, &str)]) -> Result<BTreeMap<String, Vec<String>>, String> {
    // A function's section is called .text.NAME, and on macOS names begin with an additional underscore.
    let command = r#"llvm-objdump-22 -d -r --no-show-raw-insn --no-leading-addr "$1" |
        sed -E 's/\.text\.(unlikely\.)?_|[ \t]__(R[INX])/ _\2/g; s/<__R/<_R/' | llvm-cxxfilt-22"#;
    let text = output("bash", &["-eo", "pipefail", "-c", command, "bash", file])?;
    let address = regex(r"0x[0-9a-f]+ (<)|^\s*[0-9a-f]+:\s+"); // before a symbol's name; that of a relocation
    let hash = regex(r"\[[0-9a-f]{8,}\]|::h[0-9a-f]{16}\b");
    let long_hash = regex(r"\b[0-9a-f]{32}\b");
    let label = regex(r"\b(anon|switch)\.[0-9a-f]+|\.L(tmp|_?)\w+(\.HASH\.\d+)?");
    let head = regex(r"^<(.*)>:$");

    let mut functions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut name: Option<String> = None;
    for line in text.lines() {
        if line.is_empty() || line.contains("file format") || line.starts_with("Disassembly") {
            continue;
        }
        let line = address.replace_all(line, "$1");
        let line = hash.replace_all(&line, "");
        let line = long_hash.replace_all(&line, "HASH");
        let line = label.replace_all(&line, "LABEL");
        let line = renamed.iter().fold(line.into_owned(), |line, (from, to)| line.replace(from, to));
        if let Some(found) = head.captures(&line) {
            functions.entry(found[1].to_owned()).or_default().push(String::new());
            name = Some(found[1].to_owned());
        } else if let Some(bodies) = name.as_ref().and_then(|name| functions.get_mut(name))
            && let Some(body) = bodies.last_mut()
        {
            body.push_str(&line);
            body.push('\n');
        }
    }
    if functions.is_empty() {
        return Err(format!("{file}: no functions"));
    }
    functions.values_mut().for_each(|bodies| bodies.sort());
    Ok(functions)
}
