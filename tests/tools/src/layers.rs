//! `layers DIRECTORY`: reports each import in the core from a layer that is not lower. A room is a file or folder
//! directly in the directory (`src/`), except the tests and the guide.
//!
//! An import is a path that begins with `crate::` or `$crate::`, or with enough `super::` to reach the root. Only
//! exported macros and re-exports may be named by the root alone: code of the core names the room that defines them.

use crate::{Outcome, print, read, regex, usage};
use regex::Regex;
use std::path::Path;
use std::sync::LazyLock;

const LAYERS: [&[&str]; 8] = [
    &["arch", "sync"],
    &["os"],
    &["message"],
    &["pool"],
    &["table", "diagnosis"],
    &["trampoline"],
    &["closure", "for_capi"],
    &["lib"],
];

/// If fewer imports than this are found, the search is wrong.
const FEWEST: usize = 50;

fn layer(room: &str) -> Option<usize> {
    LAYERS.iter().position(|rooms| rooms.contains(&room))
}

pub fn run(arguments: &[&str]) -> Outcome {
    let [src] = arguments else { return Err(usage("DIRECTORY")) };
    let mut files = Vec::new();
    find(Path::new(src), &mut files)?;
    files.sort();
    let mut report = Report { imports: 0, errors: Vec::new() };
    for file in files {
        let path = file.strip_prefix(src).unwrap_or(&file).trim_start_matches('/').to_owned();
        let room = path.split(['/', '.']).next().unwrap_or_default().to_owned();
        if room == "tests" || room == "guide" {
            continue;
        }
        match layer(&room) {
            None => report.errors.push(format!("{path}: \"{room}\" is in no layer")),
            Some(_) => report.file(&path, &room, &read(&file)?),
        }
    }
    if !report.errors.is_empty() {
        return Err(report.errors.join("\n"));
    }
    if report.imports <= FEWEST {
        return Err(format!("{src} has only {} imports", report.imports));
    }
    let rooms: usize = LAYERS.iter().map(|rooms| rooms.len()).sum();
    print(&format!(
        "{} imports between {rooms} rooms on {} layers, all of them downwards\n",
        report.imports,
        LAYERS.len()
    ))
}

/// Adds the Rust files below a directory.
fn find(directory: &Path, files: &mut Vec<String>) -> Outcome {
    let entries = std::fs::read_dir(directory).map_err(|why| format!("{}: {why}", directory.display()))?;
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            find(&path, files)?;
        } else if path.extension().is_some_and(|it| it == "rs") {
            files.push(path.display().to_string());
        }
    }
    Ok(())
}

struct Report {
    imports: usize,
    errors: Vec<String>,
}

/// The regular expressions for a file, which take longer to compile than to use.
struct Patterns {
    comment: Regex,
    other_folder: Regex,
    absolute: Regex,
    relative: Regex,
    inline_module: Regex,
    list: Regex,
    inner: Regex,
    name: Regex,
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns {
    comment: regex(r"(?m)^\s*//.*|\s//\s.*"),
    other_folder: regex(r#"\bpath\s*=\s*"(\.\.[^"]*)""#),
    absolute: regex(r"(\$?crate::(\w+))"),
    relative: regex(r"((?:super::)+)(\w+)"),
    inline_module: regex(r"^(\s*)(?:pub(?:\([a-z]+\))? )?mod \w+ \{$"),
    list: regex(r"(?s)\bcrate::\{(.*?)\};"),
    inner: regex(r"::\{[^{}]*\}"),
    name: regex(r"(?:^|,)\s*(\w+)"),
});

impl Report {
    /// Records an import of the room `name`, written as `by`.
    fn import(&mut self, at: &str, room: &str, name: &str, by: &str) {
        self.imports += 1;
        if name == room {
            return;
        }
        match (layer(name), layer(room)) {
            (None, _) if by.starts_with('$') => {}
            (None, _) => {
                self.errors.push(format!("{at}: `{by}` names the root, not the room that defines it"));
            }
            (Some(of), Some(own)) if of >= own => {
                self.errors.push(format!("{at}: `{by}`, of layer {}, in layer {}", of + 1, own + 1));
            }
            _ => {}
        }
    }

    fn file(&mut self, path: &str, room: &str, text: &str) {
        let Patterns { comment, other_folder, absolute, relative, inline_module, list, inner, name } =
            &*PATTERNS;
        let text = comment.replace_all(text, "");
        // The module's depth, to which each file except `mod.rs` adds one level.
        let is_folder = path == "lib.rs" || path.ends_with("/mod.rs") || path == "mod.rs";
        let depth = path.matches('/').count() + if is_folder { 0 } else { 1 };
        let mut inline: Vec<String> = Vec::new(); // the indentation of the inline modules that enclose a line
        for (number, line) in text.lines().enumerate() {
            let at = format!("{path}:{}", number + 1);
            if inline.last().is_some_and(|indent| line.starts_with(&format!("{indent}}}"))) {
                inline.pop();
            }
            // Code for tests may be in the tests' folder.
            for found in other_folder.captures_iter(line).filter(|it| !it[1].starts_with("../tests/")) {
                self.errors.push(format!("{at}: a module of another folder, {}", &found[1]));
            }
            for found in absolute.captures_iter(line) {
                self.import(&at, room, &found[2], &found[1]);
            }
            for found in relative.captures_iter(line) {
                let steps = found[1].len() / "super::".len();
                if steps >= depth + inline.len() {
                    self.import(&at, room, &found[2], &found[0]);
                }
            }
            inline.extend(inline_module.captures(line).map(|found| found[1].to_owned()));
        }
        for found in list.captures_iter(&text) {
            let mut names = found[1].to_owned();
            while inner.is_match(&names) {
                names = inner.replace_all(&names, "").into_owned();
            }
            for found in name.captures_iter(&names) {
                self.import(path, room, &found[1], &format!("crate::{{{}}}", &found[1]));
            }
        }
    }
}
