//! `houses DIRECTORY FILE...`: reports each import from another house that is not part of that house's interface. The files are
//! tracked files below the directory, by paths relative to it.
//!
//! - A crate may depend only on the crates that `DEPENDENCIES` lists for it.
//!   Tests may use `tests/tools`.
//! - The hidden interfaces `for_capi` are for the C library, and that of the core for the part of `raw/` that the C library uses.
//!   Messages, which print errors that end the program, are exempt. The hidden interface `for_interop` of the C library is for the
//!   neighbours' part, which uses nothing else of the C library.
//! - A module is a file of its own crate: `#[path]` does not lead to another crate's sources.
//! - Only the files in `COMPOSERS` join houses: a crate in `COMPOSED` is named only there and in its own house. They contain no
//!   logic, and `ARCHIVE` contains no other source file.
//! - A script sources another only from its own house, from `tests/legs`, whose scripts the legs of all houses share, or from the
//!   installers' [`COMMON_SCRIPT`].

use crate::{Outcome, print, read, regex, usage};
use std::path::{Component, Path, PathBuf};

/// The folder of each crate that uses other crates of the workspace, and the folders of these crates. `.` is the core. A folder
/// is listed before those that contain it.
const DEPENDENCIES: [(&str, &[&str]); 12] = [
    // The core, with signatures and the C library.
    ("targets", &[]),
    ("raw", &[".", "targets"]),
    (ARCHIVE, &[".", "capi", "interop/capi"]),
    ("capi", &[".", "targets", "raw"]),
    // Fortran.
    ("flang/capture-rules", &[]),
    ("flang/captures", &["flang/capture-rules"]),
    ("flang", &["targets"]),
    // The tool.
    ("cli/emulate", &["."]),
    ("cli", &[".", "targets", "interop", "flang/captures"]),
    // The neighbours.
    ("interop/capi", &[".", "targets", "capi", "interop"]),
    ("interop", &[".", "targets", "flang/capture-rules"]),
    // Users of the core.
    ("examples", &["."]),
];

/// The crate that only builds the archive of the C library from two houses.
const ARCHIVE: &str = "capi/archive";

/// The files that join crates of several houses.
const COMPOSERS: [&str; 2] = ["cli/src/main.rs", "capi/archive/src/lib.rs"];

/// The crates that only composers and their own house name, and the folder of that house.
const COMPOSED: [(&str, &str); 2] =
    [("statictramp_captures", "flang"), ("statictramp_interop_capi", "interop")];

/// The folders of the houses other than the core, to which `raw/` and `capi/` belong.
const HOUSES: [&str; 3] = ["cli", "flang", "interop"];

/// The messages of the three installers.
const COMMON_SCRIPT: &str = "packaging/words.sh";

/// If fewer dependencies than this are found, the search is wrong.
const FEWEST: usize = 10;

pub fn run(arguments: &[&str]) -> Outcome {
    let Some((directory, files)) = arguments.split_first() else { return Err(usage("DIRECTORY FILE...")) };
    let dependency = regex(r#"(?m)^[\w-]+ = \{ path = "([^"]*)""#);
    let module = regex(r#"(?m)^\s*#\[path = "(\.\.[^"]*)"\]"#);
    let hidden = regex(r"\bstatictramp(?:_raw)?::for_capi\b(?:::(\w+))?");
    let library = regex(r"\bstatictramp_capi\b(?:::(\w+))?");
    let mut errors = Vec::new();
    let (mut dependencies, mut composers) = (0, 0);
    let source = regex(r#"(?m)^(?:[^#\n]*[ ;(])?(?:source|\.) "?(?:\$\(.*\)/\.\./)?([\w./-]+\.sh)"#);
    for file in files {
        if file.ends_with(".sh") || *file == "tests/run" {
            let text = read(&format!("{directory}/{file}"))?;
            for found in source.captures_iter(&text) {
                let target = &found[1];
                if house_of(file) != house_of(target)
                    && !target.starts_with("tests/legs/")
                    && target != COMMON_SCRIPT
                {
                    errors.push(format!("{file}: {target} belongs to another house"));
                }
            }
            continue;
        }
        let Some((crate_folder, allowed)) = crate_of(Path::new(file)) else { continue };
        let is_manifest = file.ends_with("Cargo.toml");
        if !is_manifest && !file.ends_with(".rs") {
            continue;
        }
        let text = read(&format!("{directory}/{file}"))?;
        let paths = if is_manifest { &dependency } else { &module };
        for found in paths.captures_iter(&text) {
            let target = joined(file, &found[1]);
            dependencies += usize::from(is_manifest);
            let is_own = crate_of(&target).is_some_and(|(folder, _)| folder == crate_folder);
            let is_allowed = is_manifest && allowed.iter().any(|it| target == joined("", it));
            let is_common =
                target == Path::new("tests/tools") || !is_manifest && target.starts_with("tests/common");
            if !is_own && !is_allowed && !is_common {
                errors.push(format!("{file}: {} belongs to another house", found[0].trim()));
            }
        }
        for found in hidden.captures_iter(&text).filter(|_| !["capi", "raw"].contains(&crate_folder)) {
            if found.get(1).is_none_or(|it| it.as_str() != "message") {
                errors.push(format!("{file}: `{}` is for the C library", &found[0]));
            }
        }
        for found in library.captures_iter(&text).filter(|_| !["capi", ARCHIVE].contains(&crate_folder)) {
            let is_for_interop = found.get(1).is_some_and(|it| it.as_str() == "for_interop");
            if crate_folder != "interop/capi" || !is_for_interop {
                errors.push(format!("{file}: `{}` belongs to the C library", &found[0]));
            }
        }
        if crate_folder == ARCHIVE && !is_manifest && !COMPOSERS.contains(file) {
            errors.push(format!("{file}: {ARCHIVE} only joins houses, in one file"));
        }
        if COMPOSERS.contains(file) {
            composers += 1;
            errors.extend(
                logic(&text)
                    .map(|word| format!("{file}: `{word}` is logic, but this file only joins houses")),
            );
        } else if !is_manifest {
            for (name, house) in COMPOSED {
                if !Path::new(file).starts_with(house) && regex(&format!(r"\b{name}\b")).is_match(&text) {
                    errors.push(format!("{file}: `{name}` belongs to another house"));
                }
            }
        }
    }
    if !errors.is_empty() {
        return Err(errors.join("\n"));
    }
    if dependencies < FEWEST || composers < COMPOSERS.len() {
        return Err(format!(
            "the files contain only {dependencies} dependencies and {composers} files that join houses"
        ));
    }
    print(&format!(
        "{dependencies} dependencies between {} crates, each of them allowed\n",
        DEPENDENCIES.len() + 1
    ))
}

/// Returns the row of the crate that contains a file.
fn crate_of(file: &Path) -> Option<(&'static str, &'static [&'static str])> {
    DEPENDENCIES.into_iter().find(|(folder, _)| file.starts_with(folder))
}

/// Returns the folder of the house that contains a script, or `None` for the core and the runner.
fn house_of(script: &str) -> Option<&'static str> {
    HOUSES.into_iter().find(|it| Path::new(script).starts_with(it))
}

/// Returns the first word of a composer's code that is more than a declaration.
fn logic(text: &str) -> Option<String> {
    let comment = regex(r"(?m)//.*$");
    let code = comment.replace_all(text, "");
    let word =
        regex(r"\b(?:if|match|for|while|loop|let|unsafe|impl|static|const)\b|\|\||\bfn (?:m[^a]|[^m])\w*");
    word.find(&code).map(|found| found.as_str().to_owned())
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
