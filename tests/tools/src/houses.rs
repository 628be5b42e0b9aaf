//! `houses DIRECTORY FILE...`: reports each import from another house that is not part of that house's interface. The files are
//! tracked files below the directory, by paths relative to it.
//!
//! - A crate may depend only on the crates that `DEPENDENCIES` lists for it.
//!   Tests may use `tests/tools`.
//! - The hidden interfaces `for_capi` are for the C library, and that of the core for the part of `raw/` that the C library uses.
//!   Messages, which print errors that end the program, are exempt.
//! - A module is a file of its own crate: `#[path]` does not lead to another house's sources.

use crate::{Outcome, print, read, regex, usage};
use std::path::{Component, Path, PathBuf};

/// The folder of each crate that uses other crates of the workspace, and the folders of these crates. `.` is the core.
const DEPENDENCIES: [(&str, &[&str]); 8] = [
    ("targets", &[]),
    ("raw", &[".", "targets"]),
    ("interop", &[".", "targets"]),
    ("capi", &[".", "targets", "raw", "interop"]),
    ("cli", &[".", "targets", "interop"]),
    ("emulate", &["."]),
    ("flang", &["targets"]),
    ("examples", &["."]),
];

/// If fewer dependencies than this are found, the search is wrong.
const FEWEST: usize = 10;

pub fn run(arguments: &[&str]) -> Outcome {
    let Some((directory, files)) = arguments.split_first() else { return Err(usage("DIRECTORY FILE...")) };
    let dependency = regex(r#"(?m)^[\w-]+ = \{ path = "([^"]*)""#);
    let module = regex(r#"(?m)^\s*#\[path = "(\.\.[^"]*)"\]"#);
    let hidden = regex(r"\bstatictramp(?:_raw)?::for_capi\b(?:::(\w+))?");
    let (mut dependencies, mut errors) = (0, Vec::new());
    for file in files {
        let Some((house, allowed)) =
            DEPENDENCIES.iter().find(|(house, _)| Path::new(file).starts_with(house))
        else {
            continue;
        };
        let is_manifest = file.ends_with("Cargo.toml");
        if !is_manifest && !file.ends_with(".rs") {
            continue;
        }
        let text = read(&format!("{directory}/{file}"))?;
        let paths = if is_manifest { &dependency } else { &module };
        for found in paths.captures_iter(&text) {
            let target = joined(file, &found[1]);
            dependencies += usize::from(is_manifest);
            let is_own = target.starts_with(house);
            let is_allowed = is_manifest && allowed.iter().any(|it| target == joined("", it));
            let is_common =
                target == Path::new("tests/tools") || !is_manifest && target.starts_with("tests/common");
            if !is_own && !is_allowed && !is_common {
                errors.push(format!("{file}: {} belongs to another house", found[0].trim()));
            }
        }
        for found in hidden.captures_iter(&text).filter(|_| !["capi", "raw"].contains(house)) {
            if found.get(1).is_none_or(|it| it.as_str() != "message") {
                errors.push(format!("{file}: `{}` is for the C library", &found[0]));
            }
        }
    }
    if !errors.is_empty() {
        return Err(errors.join("\n"));
    }
    if dependencies < FEWEST {
        return Err(format!("the files contain only {dependencies} dependencies"));
    }
    print(&format!(
        "{dependencies} dependencies between {} crates, each of them allowed\n",
        DEPENDENCIES.len() + 1
    ))
}

/// Returns the path that `relative` denotes in the folder of a file.
fn joined(file: &str, relative: &str) -> PathBuf {
    let mut path = PathBuf::from(file);
    path.pop();
    for component in Path::new(relative).components() {
        match component {
            Component::ParentDir => drop(path.pop()),
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    path
}
