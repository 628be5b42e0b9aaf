//! `houses DIRECTORY FILE...`: reports each import from another house that is not part of that house's interface. The files are
//! all tracked files below the directory, by paths relative to it.
//!
//! - A crate depends only on the crates in its row of [`CRATES`], and its sources name only these crates (`manifest.rs`, `rust.rs`).
//!   Tests may also use `tests/tools`. A manifest or source file with no other row belongs to the core.
//! - Hidden items, which are not documented (`#[doc(hidden)]`) or begin with `__`, are for the house that defines them. [`HIDDEN`]
//!   lists the exceptions.
//! - `#[path]`, `include!` and the like take files only from their own crate, and `#include` only from its own house. [`SHARED`] lists
//!   the exceptions. A name that a macro computes is allowed only in [`COMPUTED`].
//! - Build scripts name only files of their own house.
//! - Scripts source or run only scripts of their own house and those in [`SHARED`].
//! - Only the files in [`COMPOSERS`] name the crates with which they join two houses. They contain no logic (`composer.rs`).
//!
//! `planted.rs` contains imports that the check must report.
//!
//! The check reads names as they are written, without expanding macros and without types. So it does not find calls of hidden methods,
//! symbols that `#[link_name]` imports from another house, paths that a `macro_rules!` macro assembles from its arguments, and names of
//! files that a script or a build script computes. Apart from build scripts, it ignores the strings in Rust code, such as the arguments
//! of commands in tests.

mod composer;
mod manifest;
mod planted;
mod rust;
mod text;

use crate::{Outcome, plain, print, read, usage};
use rust::{Binding, Source};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A crate, or a folder of test crates and examples that may use the same crates.
struct Crate {
    /// The folder. `.` is the core.
    folder: &'static str,
    /// The name in Rust, if other crates use the crate.
    name: &'static str,
    /// The folders of the crates that this crate may use.
    uses: &'static [&'static str],
}

const fn row(folder: &'static str, name: &'static str, uses: &'static [&'static str]) -> Crate {
    Crate { folder, name, uses }
}

/// The crates. A folder is listed before those that contain it.
const CRATES: [Crate; 19] = [
    // The core, with signatures and the C library.
    row("targets", "statictramp_targets", &[]), // the stub decoder, which other houses share
    row("raw", "statictramp_raw", &[".", "targets"]),
    row("capi/archive", "", &[".", "capi"]),
    row("capi/parts", "", &[]),
    row("capi", "statictramp_capi", &[".", "targets", "raw"]),
    // Fortran.
    row("flang/capture-rules", "statictramp_capture_rules", &[]),
    row("flang/captures", "statictramp_captures", &["flang/capture-rules"]),
    row("flang", "statictramp_flang", &["targets"]),
    // The tool.
    row("cli/emulate", "", &["."]),
    row("cli", "statictramp_cli", &[".", "targets", "interop"]),
    // The neighbours.
    row("interop/capi", "statictramp_interop_capi", &[".", "targets", "capi", "interop"]),
    row("interop", "statictramp_interop", &[".", "targets", "flang/capture-rules"]),
    // Tests, benchmarks and examples.
    row(TOOLS, "test_tools", &[]),
    row("tests/misuse", "", &[".", "raw", "interop"]), // misuses of all published crates
    row("tests/programs/rust", "", &[".", "interop"]), // likewise
    row("tests", "", &[".", "raw", "targets"]),
    row("benches", "", &[".", "interop"]), // measures both crates in one program
    row("examples", "", &["."]),
    row(".", "statictramp", &["targets"]),
];

/// The crate with helpers for tests.
const TOOLS: &str = "tests/tools";

/// The files that join two houses, and the crate of the other house, which no other file names.
const COMPOSERS: [(&str, &str); 2] =
    [("cli/src/main.rs", "flang/captures"), ("capi/archive/src/lib.rs", "interop/capi")];

/// The folders of the houses other than the core, to which everything else belongs.
const HOUSES: [&str; 3] = ["cli", "flang", "interop"];

/// Hidden items that another house uses: the folder of the crate that uses them, the item, and the reason.
const HIDDEN: [(&str, &str, &str); 5] = [
    ("cli/emulate", "statictramp::__panic_handler", "a library without std needs the core's panic handler"),
    ("interop", "statictramp::__processor", "memref closures share the instructions of the core's adapters"),
    ("interop", "statictramp::for_capi::message", "messages without an allocator are shared"),
    ("interop/capi", "statictramp::for_capi::message", "messages without an allocator are shared"),
    ("interop/capi", "statictramp_capi::for_interop", "both parts of the C library share errno and types"),
];

/// Files and folders that every house may use, and the reason.
const SHARED: [(&str, &str); 11] = [
    ("capi/include", "public headers"),
    ("interop/capi/include", "public headers"),
    ("capi/install.sh", "an installer for users"),
    ("cli/install.sh", "an installer for users"),
    ("flang/install.sh", "an installer for users"),
    ("packaging/words.sh", "the installers' messages"),
    ("docs", "the book, whose examples are documentation tests of the crates"),
    ("tests/common", "helpers of tests"),
    ("tests/legs/parts/machines.sh", "the table of machines that tests emulate"),
    ("tests/legs/parts/plugin.sh", "builds the plugin for programs of several houses"),
    ("tests/legs/parts/lower.sh", "compiles MLIR programs, for this machine and for others"),
];

/// The C files that include a file whose name is a macro, and the reason.
const COMPUTED: [(&str, &str); 1] =
    [("capi/tests/programs/archive/own_names.c", "a test generates the header for each library")];

/// If fewer dependencies between crates than this are found, the search is wrong.
const FEWEST: usize = 30;

pub fn run(arguments: &[&str]) -> Outcome {
    let Some((directory, files)) = arguments.split_first() else { return Err(usage("DIRECTORY FILE...")) };
    let mut tree = Tree { files: files.iter().copied().collect(), ..Tree::default() };
    let mut texts = BTreeMap::new();
    for file in files.iter().filter(|it| Kind::of(it).is_some()) {
        texts.insert(*file, read(&format!("{directory}/{file}"))?);
    }
    let mut sources = Vec::new();
    for (file, text) in texts.iter().filter(|it| Kind::of(it.0) == Some(Kind::Rust)) {
        sources.push((*file, Source::parse(text).map_err(|why| format!("{file}: {why}"))?));
    }
    for (file, source) in &sources {
        tree.hidden.entry(crate_of(file).name).or_default().extend(source.hidden.iter().cloned());
    }
    for (file, source) in &sources {
        tree.bindings.insert(crate_of(file).folder, tree.bindings_in(file, source));
    }
    let mut errors = Vec::new();
    for (file, text) in &texts {
        errors.extend(tree.errors(file, text)?.into_iter().map(|error| format!("{file}: {error}")));
    }
    errors.extend(tree.unused());
    if !errors.is_empty() {
        return Err(errors.join("\n"));
    }
    let dependencies = tree.dependencies.len();
    if dependencies < FEWEST {
        return Err(format!("the files contain only {dependencies} dependencies between crates"));
    }
    planted::check(&mut tree)?;
    print(&format!(
        "{dependencies} dependencies between {} crates, {} exceptions; {} planted imports are reported\n",
        CRATES.len(),
        HIDDEN.len() + SHARED.len() + COMPUTED.len(),
        planted::PLANTED.len()
    ))
}

/// A kind of file that can import others.
#[derive(PartialEq)]
enum Kind {
    Manifest,
    Rust,
    Script,
    C,
}

impl Kind {
    fn of(file: &str) -> Option<Self> {
        let name = file.rsplit('/').next().unwrap_or(file);
        match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
            _ if name == "Cargo.toml" => Some(Kind::Manifest),
            "rs" => Some(Kind::Rust),
            "sh" => Some(Kind::Script),
            _ if file == "tests/run" || file.starts_with(".ci/") => Some(Kind::Script),
            "c" | "cpp" | "h" | "hpp" | "S" => Some(Kind::C),
            _ => None,
        }
    }
}

/// The files, and what is known about them before the imports are checked.
#[derive(Default)]
struct Tree<'a> {
    files: BTreeSet<&'a str>,
    /// The hidden items of each crate, by its name.
    hidden: BTreeMap<&'static str, BTreeSet<String>>,
    /// The names by which each crate refers to other houses' items, by the crate's folder.
    bindings: BTreeMap<&'static str, BTreeSet<Binding>>,
    /// The folders of each crate and of the crates that it uses.
    dependencies: BTreeSet<(&'static str, &'static str)>,
    /// The exceptions that a file needs.
    needed: BTreeSet<&'static str>,
}

impl Tree<'_> {
    /// Returns the names by which a file and the rest of its crate refer to other houses' items. (A hidden item is reported where it
    /// gets a name.)
    fn bindings_in(&self, file: &str, source: &Source) -> BTreeSet<Binding> {
        let mut known = self.bindings.get(crate_of(file).folder).cloned().unwrap_or_default();
        for (name, path) in &source.bindings {
            for path in expanded(path, &known) {
                if self.hidden_in(file, &path) == Some(false) {
                    known.insert((name.clone(), path));
                }
            }
        }
        known
    }

    /// Returns whether a path leads to a hidden item of another house. Returns `None` if the path does not lead to
    /// another house.
    fn hidden_in(&self, file: &str, path: &[String]) -> Option<bool> {
        let owner = owner_of(path).filter(|it| house_of(it.folder) != house_of(file))?;
        let hidden = self.hidden.get(owner.name)?;
        Some(path[1..].iter().any(|name| name.starts_with("__") || hidden.contains(name)))
    }

    /// Returns the errors in a file. Only this text of the file counts.
    fn errors(&mut self, file: &str, text: &str) -> Result<BTreeSet<String>, String> {
        match Kind::of(file) {
            Some(Kind::Manifest) => self.errors_in_manifest(file, text),
            Some(Kind::Rust) => self.errors_in_rust(file, text),
            Some(Kind::Script) => {
                let scripts = text::scripts(text);
                Ok(scripts.iter().filter_map(|name| self.error_of_name(file, name)).collect())
            }
            Some(Kind::C) => {
                let names = text::includes(text);
                let error = |name: &Option<String>| match name {
                    Some(name) => self.error_of_include(file, name),
                    None => self.error_of_computed(file),
                };
                Ok(names.iter().filter_map(error).collect())
            }
            None => Ok(BTreeSet::new()),
        }
        .map_err(|why: String| format!("{file}: {why}"))
    }

    fn errors_in_manifest(&mut self, file: &str, text: &str) -> Result<BTreeSet<String>, String> {
        let own = crate_of(file);
        let mut errors = BTreeSet::new();
        for import in manifest::imports(text)? {
            match import {
                manifest::Import::Error(error) => drop(errors.insert(error)),
                manifest::Import::Hidden(path, feature) => {
                    if house_of(&joined(file, &path).unwrap_or_default()) != house_of(file) {
                        errors.insert(format!("the feature `{feature}` is hidden"));
                    }
                }
                manifest::Import::Path(path) => {
                    let target =
                        joined(file, &path).map(|it| if it.is_empty() { ".".to_owned() } else { it });
                    let other = target.as_deref().map(crate_of);
                    if other.is_some_and(|it| it.folder == own.folder) {
                        continue;
                    }
                    match other.filter(|it| Some(it.folder) == target.as_deref() && may_use(file, it)) {
                        Some(other) => drop(self.dependencies.insert((own.folder, other.folder))),
                        None => drop(errors.insert(format!("{path} belongs to another house"))),
                    }
                }
            }
        }
        Ok(errors)
    }

    fn errors_in_rust(&mut self, file: &str, text: &str) -> Result<BTreeSet<String>, String> {
        let source = Source::parse(text)?;
        let own = crate_of(file);
        let mut errors = BTreeSet::new();
        for name in &source.files {
            let Some(name) = name else {
                errors.insert("the name of an included file is computed".to_owned());
                continue;
            };
            let target = joined(file, name);
            if !target.is_some_and(|it| crate_of(&it).folder == own.folder || self.is_shared(&it)) {
                errors.insert(format!("{name} belongs to another crate"));
            }
        }
        let bindings = self.bindings_in(file, &source);
        for path in &source.paths {
            if let Some(owner) = owner_of(path).filter(|it| it.folder != own.folder) {
                self.dependencies.insert((own.folder, owner.folder));
                if !may_use(file, owner) {
                    errors.insert(format!("`{}` belongs to another house", path.join("::")));
                }
            }
            for path in expanded(path, &bindings) {
                let item = path.join("::");
                if self.hidden_in(file, &path) == Some(true) && !self.is_excepted(file, &item) {
                    errors.insert(format!("`{item}` is hidden"));
                }
            }
        }
        for glob in source.globs.iter().flat_map(|it| expanded(it, &bindings)) {
            if self.hidden_in(file, &glob).is_some() && !self.is_excepted(file, &glob.join("::")) {
                errors.insert(format!("`{}::*` may import hidden items", glob.join("::")));
            }
        }
        if file.ends_with("build.rs") {
            let paths: Vec<String> = rust::strings(text)?.iter().flat_map(|it| text::paths(it)).collect();
            errors.extend(paths.iter().filter_map(|path| self.error_of_path(file, path)));
        }
        if COMPOSERS.iter().any(|(composer, _)| *composer == file) {
            let logic = composer::logic(text)?;
            errors.extend(logic.map(|name| format!("{name} is logic, but this file only joins houses")));
        } else if own.folder == "capi/archive" {
            errors.insert("this crate joins houses, in one file".to_owned());
        }
        Ok(errors)
    }

    /// Returns the error if a file from another house is included.
    fn error_of_include(&mut self, file: &str, name: &str) -> Option<String> {
        match joined(file, name).filter(|it| self.files.contains(it.as_str())) {
            Some(target) => (house_of(&target) != house_of(file) && !self.is_shared(&target))
                .then(|| format!("{target} belongs to another house")),
            None => self.error_of_name(file, &text::without_steps(name)),
        }
    }

    /// Returns the error if a path in a build script, in its folder or in the whole tree, denotes a file or folder of another house.
    fn error_of_path(&mut self, file: &str, path: &str) -> Option<String> {
        if !path.contains('/') && !HOUSES.contains(&path) {
            return None;
        }
        let exists = |path: &String| self.files.iter().any(|it| Path::new(it).starts_with(path));
        let name = text::without_steps(path);
        match joined(file, path).into_iter().chain([name.clone()]).find(exists) {
            Some(target) => (house_of(&target) != house_of(file) && !self.is_shared(&target))
                .then(|| format!("{path} belongs to another house")),
            None => self.error_of_name(file, &name),
        }
    }

    /// Returns the error if a C file includes a file whose name is a macro.
    fn error_of_computed(&mut self, file: &str) -> Option<String> {
        let allowed = COMPUTED.iter().find(|(path, _)| *path == file);
        self.needed.extend(allowed.map(|it| it.0));
        allowed.is_none().then(|| "the name of an included file is computed".to_owned())
    }

    /// Returns the error if a name denotes only files of other houses: files whose paths end with the name, or a file
    /// whose path is the end of the name.
    fn error_of_name(&mut self, file: &str, name: &str) -> Option<String> {
        let ends_in = |path: &str, end: &str| {
            path.strip_suffix(end).is_some_and(|start| start.is_empty() || start.ends_with('/'))
        };
        let named: Vec<&str> =
            self.files.iter().copied().filter(|it| ends_in(it, name) || ends_in(name, it)).collect();
        let may_use = named.is_empty()
            || named.iter().any(|it| house_of(it) == house_of(file))
            || named.iter().any(|it| self.is_shared(it));
        (!may_use).then(|| format!("{} belongs to another house", named.join(", ")))
    }

    fn is_shared(&mut self, target: &str) -> bool {
        let shared = SHARED.iter().find(|(path, _)| Path::new(target).starts_with(path));
        self.needed.extend(shared.map(|it| it.0));
        shared.is_some()
    }

    fn is_excepted(&mut self, file: &str, item: &str) -> bool {
        let excepted = HIDDEN.iter().find(|(user, hidden, _)| {
            crate_of(file).folder == *user
                && item.strip_prefix(hidden).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        });
        self.needed.extend(excepted.map(|it| it.1));
        excepted.is_some()
    }

    /// Returns an error for each permission that no file needs.
    fn unused(&self) -> Vec<String> {
        let exceptions = HIDDEN.iter().map(|it| it.1).chain(SHARED.iter().chain(&COMPUTED).map(|it| it.0));
        let exceptions = exceptions.filter(|it| !self.needed.contains(it));
        let mut errors: Vec<String> = exceptions
            .map(|it| format!("no other house uses {it}, so it must not be an exception"))
            .collect();
        for row in &CRATES {
            let unused = row.uses.iter().filter(|it| !self.dependencies.contains(&(row.folder, **it)));
            errors.extend(
                unused.map(|it| format!("{} does not use {it}, so its row must not contain it", row.folder)),
            );
        }
        errors
    }
}

/// Returns the row of the crate that contains a file.
fn crate_of(file: &str) -> &'static Crate {
    let contains = |row: &&Crate| row.folder == "." || Path::new(file).starts_with(row.folder);
    CRATES.iter().find(contains).expect("the core contains every file")
}

/// Returns the folder of the house that contains a file, or `None` for the core.
fn house_of(file: &str) -> Option<&'static str> {
    HOUSES.into_iter().find(|it| Path::new(file).starts_with(it))
}

/// Returns the crate whose name a path begins with.
fn owner_of(path: &[String]) -> Option<&'static Crate> {
    path.first().and_then(|name| CRATES.iter().find(|row| row.name == name))
}

/// Returns whether a file may use another crate. A manifest also contains the dependencies of a composer.
fn may_use(file: &str, other: &Crate) -> bool {
    let is_test = other.folder == TOOLS && file.split('/').any(|it| it == "tests");
    let is_composer = |composer: &str| {
        composer == file || file.ends_with("Cargo.toml") && crate_of(composer).folder == crate_of(file).folder
    };
    is_test
        || crate_of(file).uses.contains(&other.folder)
        || COMPOSERS.iter().any(|(composer, joined)| is_composer(composer) && *joined == other.folder)
}

/// Returns a path, and the paths for which it stands if one of its names is bound to an item.
fn expanded(path: &[String], bindings: &BTreeSet<Binding>) -> Vec<Vec<String>> {
    let mut all = vec![path.to_vec()];
    if owner_of(path).is_some() {
        return all;
    }
    for (at, name) in path.iter().enumerate() {
        let bound = bindings.iter().filter(|it| it.0 == *name);
        all.extend(bound.map(|(_, bound)| [bound.as_slice(), &path[at + 1..]].concat()));
    }
    all
}

/// Returns the path that `relative` denotes in the folder of a file, or `None` if that path is outside the directory.
fn joined(file: &str, relative: &str) -> Option<String> {
    let path = Path::new(file).with_file_name(relative);
    let inside = plain(&path).filter(|_| !path.is_absolute())?;
    Some(inside.display().to_string())
}
