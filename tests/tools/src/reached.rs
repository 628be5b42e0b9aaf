//! `reached DIRECTORY FILE...`: reports each file that contains tests (`#[test]`) but belongs to no test program that a leg runs. The
//! files are tracked files below the directory, by paths relative to it.
//!
//! - `cargo test` runs the targets of all packages except [`NO_TESTS`], unless a target has `test = false`.
//! - For the targets [`IN_PARTS`], a leg must name each module that contains tests.

use crate::{Outcome, output, plain, print, read, regex, usage};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The target whose modules legs run one by one, through `with_compilers` in `tests/legs/lib.sh`.
const IN_PARTS: &str = "with_compilers";

/// The package that no leg tests as a whole, because its tests could not be linked without LLVM.
const NO_TESTS: &str = "statictramp-flang";

pub fn run(arguments: &[&str]) -> Outcome {
    let Some((directory, files)) = arguments.split_first() else { return Err(usage("DIRECTORY FILE...")) };
    let directory = std::fs::canonicalize(directory).map_err(|why| format!("{directory}: {why}"))?;
    let mut sources = BTreeMap::new();
    let mut legs = String::new();
    for file in files {
        let path = directory.join(file);
        if file.ends_with(".rs") {
            sources.insert(path.clone(), read(&path.display().to_string())?);
        } else if file.contains("legs/") && file.ends_with(".sh") {
            legs += &read(&path.display().to_string())?;
        }
    }
    let search = Search { sources, module: regex(MODULE) };
    let parts: BTreeSet<String> = regex(r"(?m)^[^#\n]*(?:\bwith_compilers \w+|parts\+=\()(.*)")
        .captures_iter(&legs)
        .flat_map(|found| found[1].split([' ', ')', ';']).map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let mut reached = BTreeSet::new();
    for (target, root) in targets(&directory)? {
        if target != IN_PARTS {
            search.add(&root, true, &mut reached);
            continue;
        }
        reached.insert(root.clone()); // it may contain a macro for tests
        for (name, file) in search.modules(&root, true) {
            if parts.contains(&name) {
                search.add(&file, false, &mut reached);
            }
        }
    }
    let tests = search.sources.iter().filter(|(_, text)| text.contains("#[test]"));
    // This file names the attribute.
    let tests: Vec<&PathBuf> =
        tests.map(|it| it.0).filter(|it| !it.ends_with("tests/tools/src/reached.rs")).collect();
    let lost: Vec<String> = tests
        .iter()
        .filter(|it| !reached.contains(**it))
        .map(|it| format!("{}: no leg runs its tests", it.strip_prefix(&directory).unwrap_or(it).display()))
        .collect();
    if !lost.is_empty() {
        return Err(lost.join("\n"));
    }
    print(&format!("{} files with tests, each of which a leg runs\n", tests.len()))
}

/// Returns the name and the root file of each target with tests that `cargo test` or a leg runs.
fn targets(directory: &Path) -> Result<Vec<(String, PathBuf)>, String> {
    let manifest = directory.join("Cargo.toml").display().to_string();
    let metadata = output(
        "cargo",
        &["metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path", &manifest],
    )?;
    let metadata: serde_json::Value = serde_json::from_str(&metadata).map_err(|why| why.to_string())?;
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let mut targets = Vec::new();
    for package in list(&metadata["packages"]).iter().filter(|it| it["name"] != NO_TESTS) {
        for target in list(&package["targets"]) {
            let name = target["name"].as_str().unwrap_or_default();
            let needs_feature = !list(&target["required-features"]).is_empty();
            if name == IN_PARTS || target["test"] == true && !needs_feature {
                targets.push((name.to_owned(), target["src_path"].as_str().unwrap_or_default().into()));
            }
        }
    }
    Ok(targets)
}

/// The declaration of a module in another file.
const MODULE: &str =
    r#"(?m)^[ \t]*(?:#\[path = "([^"]+)"\]\s*)?(?:#\[[^\n]*\]\s*)*(?:pub(?:\([a-z]+\))? )?mod (\w+);"#;

struct Search {
    sources: BTreeMap<PathBuf, String>,
    module: regex::Regex,
}

impl Search {
    /// Adds a file and its modules' files, which are its descendants.
    fn add(&self, file: &Path, is_root: bool, reached: &mut BTreeSet<PathBuf>) {
        if reached.insert(file.to_owned()) {
            for (_, module) in self.modules(file, is_root) {
                self.add(&module, false, reached);
            }
        }
    }

    /// Returns the modules that a file declares, with their files.
    fn modules(&self, file: &Path, is_root: bool) -> Vec<(String, PathBuf)> {
        let text = self.sources.get(file).map_or("", |it| it);
        let folder = file.parent().unwrap_or(Path::new(""));
        let own = if is_root || file.ends_with("mod.rs") { folder.into() } else { file.with_extension("") };
        let module = |found: regex::Captures| {
            let name = found[2].to_owned();
            let file = match found.get(1) {
                Some(path) => plain(&folder.join(path.as_str()))?,
                None => [own.join(format!("{name}.rs")), own.join(&name).join("mod.rs")]
                    .into_iter()
                    .find(|it| self.sources.contains_key(it))?,
            };
            Some((name, file))
        };
        self.module.captures_iter(text).filter_map(module).collect()
    }
}
