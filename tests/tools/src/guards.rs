//! `guards DIRECTORY FILE...`: checks `tests/legs/guards.txt`, the table of the legs that guard each file, and the first comment of each
//! leg. The files are the tracked files below the directory, by paths relative to it.
//!
//! - Each file matches a line, and each line matches a file.
//! - Each line names legs and parts that exist.
//! - Each leg begins with what it installs, how long it takes, and which parts it has: those that its script runs.

use crate::{Outcome, print, read, regex, usage};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub fn run(arguments: &[&str]) -> Outcome {
    let Some((directory, files)) = arguments.split_first() else { return Err(usage("DIRECTORY FILE...")) };
    let guards = Guards::read(Path::new(directory))?;
    let mut errors: Vec<String> =
        files.iter().filter(|file| guards.of(file).is_none()).map(|file| no_line(file)).collect();
    for row in &guards.rows {
        if !row.patterns.iter().any(|(pattern, _)| files.iter().any(|file| matches(pattern, file))) {
            errors.push(format!("no file matches this line of {TABLE}: {}", row.line));
        }
        let invalid = row.patterns.iter().filter_map(|(_, legs)| Selection::new(legs, &guards).err());
        errors.extend(invalid.map(|why| format!("{why}: {}", row.line)));
    }
    for (name, leg) in &guards.legs {
        errors.extend(header_errors(name, leg));
    }
    errors.dedup();
    if errors.is_empty() {
        return print(&format!("{} files, {} lines\n", files.len(), guards.rows.len()));
    }
    Err(errors.join("\n"))
}

const TABLE: &str = "tests/legs/guards.txt";
const MACHINES: &str = "tests/legs/parts/machines.sh";

/// In a leg's header, the mark of the parts that a short run omits unless they are named.
const IF_NAMED: &str = " (only if named in short runs)";

/// Returns the error about a file that the table omits.
pub fn no_line(file: &str) -> String {
    format!("{TABLE} has no line for {file}")
}

/// The table, and the legs by name.
pub struct Guards {
    rows: Vec<Row>,
    legs: BTreeMap<String, Leg>,
}

/// A line of the table: its patterns with their legs, one for each processor if it contains `{processor}`.
struct Row {
    line: String,
    patterns: Vec<(String, String)>,
}

impl Guards {
    pub fn read(root: &Path) -> Result<Guards, String> {
        let text = |file: &str| read(&root.join(file).display().to_string());
        let triple = regex("(?m)^ +'machine=.* triple=([^ ']*)");
        let targets: Vec<String> =
            triple.captures_iter(&text(MACHINES)?).map(|it| it[1].to_owned()).collect();
        let processors: Vec<&str> = targets.iter().filter_map(|it| it.split('-').next()).collect();
        let mut rows = Vec::new();
        for line in
            text(TABLE)?.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            let (pattern, legs) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let expand =
                |it: &&str| (pattern.replace("{processor}", it), legs.trim().replace("{processor}", it));
            let patterns = match line.contains("{processor}") {
                true => processors.iter().map(expand).collect(),
                false => vec![(pattern.to_owned(), legs.trim().to_owned())],
            };
            rows.push(Row { line: line.to_owned(), patterns });
        }
        let leg = |(name, file): (String, PathBuf)| {
            let text = read(&file.display().to_string())?;
            Ok((name, Leg { header: Header::parse(&text, &targets), text }))
        };
        Ok(Guards { rows, legs: files_of_legs(root)?.into_iter().map(leg).collect::<Result<_, String>>()? })
    }

    /// Returns the legs that guard a file, separated by blanks, from the first line whose pattern matches.
    pub fn of(&self, file: &str) -> Option<&str> {
        let mut patterns = self.rows.iter().flat_map(|row| &row.patterns);
        patterns.find(|(pattern, _)| matches(pattern, file)).map(|(_, legs)| legs.as_str())
    }

    fn header(&self, leg: &str) -> Result<&Header, String> {
        self.legs.get(leg).map(|leg| &leg.header).ok_or_else(|| {
            let names: Vec<&str> = self.legs.keys().map(String::as_str).collect();
            format!("there is no leg \"{leg}\"; the legs are: {}", names.join(", "))
        })
    }
}

/// The script of a leg.
struct Leg {
    text: String,
    header: Header,
}

/// The contents of a leg's first comment.
struct Header {
    minutes: Option<usize>,
    /// The parts, and whether short runs omit them unless they are named.
    parts: Vec<(String, bool)>,
    /// The targets, any prefix of which also names a part.
    targets: Vec<String>,
}

impl Header {
    /// Reads the first comment of a script. `machines` are the targets in [`MACHINES`].
    fn parse(text: &str, machines: &[String]) -> Header {
        let list = |name| {
            let list = field(text, name).unwrap_or_default();
            list.split(", ").map(str::to_owned).filter(|it| !it.is_empty()).collect::<Vec<_>>()
        };
        let parts = list("Parts").into_iter().map(|part| match part.strip_suffix(IF_NAMED) {
            Some(name) => (name.to_owned(), true),
            None => (part, false),
        });
        let targets = list("Targets").into_iter().flat_map(|target| match target == MACHINES {
            true => machines.to_vec(),
            false => vec![target],
        });
        let minutes = field(text, "Takes").and_then(|it| it.split(' ').next()?.parse().ok());
        Header { minutes, parts: parts.collect(), targets: targets.collect() }
    }
}

/// Returns the text after `# NAME:` in a leg's first comment, without a final full stop. The text may continue in
/// indented lines.
fn field(text: &str, name: &str) -> Option<String> {
    let start = format!("# {name}: ");
    let mut lines =
        text.lines().take_while(|line| line.starts_with('#')).skip_while(|it| !it.starts_with(&start));
    let mut found = lines.next()?.strip_prefix(&start)?.to_owned();
    for line in lines.map_while(|line| line.strip_prefix("#   ")) {
        found = found + " " + line.trim();
    }
    Some(found.strip_suffix('.').unwrap_or(&found).to_owned())
}

/// Returns the legs' names and files, which are in `tests/legs` and in `HOUSE/tests/legs`.
fn files_of_legs(root: &Path) -> Result<BTreeMap<String, PathBuf>, String> {
    let list =
        |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut legs = BTreeMap::new();
    for folder in std::iter::once(root.to_owned()).chain(list(root)) {
        for file in
            list(&folder.join("tests/legs")).filter(|file| file.extension().is_some_and(|it| it == "sh"))
        {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if name != "lib" && legs.insert(name.clone(), file).is_some() {
                return Err(format!("two files contain the leg {name}"));
            }
        }
    }
    Ok(legs)
}

/// Checks a leg's first comment.
fn header_errors(name: &str, Leg { text, header }: &Leg) -> Vec<String> {
    let mut errors = Vec::new();
    if field(text, "Installs").is_none() {
        errors.push(format!("the leg {name} does not begin with what it installs"));
    }
    if header.minutes.is_none() {
        errors.push(format!("the leg {name} does not begin with how long it takes"));
    }
    let uses = regex(r"(?m)^[^#\n]*?\bwants(?:_long)?((?: [a-z0-9_]+)+)|^parts=\(([a-z0-9_ ]+)\)");
    let words = |found: regex::Captures| {
        let words = found.get(1).or(found.get(2)).map_or("", |it| it.as_str());
        words.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    let used: BTreeSet<String> = uses.captures_iter(text).flat_map(words).collect();
    let stated: BTreeSet<String> = header.parts.iter().map(|(part, _)| part.clone()).collect();
    if used != stated {
        errors.push(format!("the leg {name} begins with the parts {stated:?}, but has the parts {used:?}"));
    }
    if text.contains("$(wanted ") == header.targets.is_empty() {
        errors
            .push(format!("the leg {name} must begin with its targets if, and only if, it calls \"wanted\""));
    }
    errors
}

/// Returns whether a pattern matches a path. `*` stands for any characters, slashes included.
pub fn matches(pattern: &str, path: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = path.strip_prefix(pieces.next().unwrap_or_default()) else { return false };
    let Some(last) = pieces.next_back() else { return rest.is_empty() };
    for piece in pieces {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

/// Legs to run, in the order in which they were added.
#[derive(Default)]
pub struct Selection {
    legs: Vec<Chosen>,
}

struct Chosen {
    leg: String,
    whole: bool,
    parts: BTreeSet<String>,
}

impl Selection {
    /// Selects at least one leg or part of a leg (LEG:PART,...), separated by blanks.
    pub fn new(legs: &str, guards: &Guards) -> Result<Selection, String> {
        let mut selection = Selection::default();
        legs.split_whitespace().try_for_each(|leg| selection.add(leg, guards))?;
        match selection.legs.is_empty() {
            true => Err("a list of legs is empty".to_owned()),
            false => Ok(selection),
        }
    }

    /// Adds a leg or parts of it, which must exist.
    pub fn add(&mut self, leg: &str, guards: &Guards) -> Outcome {
        let (leg, parts) = leg.split_once(':').map_or((leg, None), |(leg, parts)| (leg, Some(parts)));
        let header = guards.header(leg)?;
        let parts: BTreeSet<String> =
            parts.into_iter().flat_map(|it| it.split(',').map(str::to_owned)).collect();
        for part in &parts {
            let is_target = !part.is_empty() && header.targets.iter().any(|it| it.starts_with(part.as_str()));
            if !is_target && !header.parts.iter().any(|(name, _)| name == part) {
                return Err(no_part(leg, part, header));
            }
        }
        let index = self.legs.iter().position(|it| it.leg == leg).unwrap_or_else(|| {
            self.legs.push(Chosen { leg: leg.to_owned(), whole: false, parts: BTreeSet::new() });
            self.legs.len() - 1
        });
        let chosen = &mut self.legs[index];
        chosen.whole |= parts.is_empty();
        chosen.parts.extend(parts);
        Ok(())
    }

    /// Returns the usual minutes of each whole leg, and the leg as an argument of `tests/run`.
    pub fn list(&self, guards: &Guards, quickest_first: bool) -> Result<Vec<(usize, String)>, String> {
        let mut list = Vec::new();
        for Chosen { leg, whole, parts } in &self.legs {
            let Header { minutes, parts: all, targets } = guards.header(leg)?;
            let minutes = minutes.unwrap_or_default();
            let if_named = |name: &String| all.iter().any(|(part, if_named)| part == name && *if_named);
            let parts: Vec<&String> = match whole {
                false => parts.iter().collect(),
                // A short run of the whole leg would omit these parts.
                true if parts.iter().any(if_named) => {
                    let run = |(part, if_named): &&(String, bool)| !if_named || parts.contains(part);
                    all.iter().filter(run).map(|(part, _)| part).collect()
                }
                true => Vec::new(),
            };
            // This assumes that all parts take the same time.
            let count = if all.is_empty() { targets.len().max(1) } else { all.len() };
            let seconds = if parts.is_empty() { minutes * 60 } else { minutes * 60 * parts.len() / count };
            let parts: Vec<&str> = parts.iter().map(|it| it.as_str()).collect();
            let colon = if parts.is_empty() { "" } else { ":" };
            list.push((seconds, (minutes, format!("{leg}{colon}{}", parts.join(",")))));
        }
        if quickest_first {
            list.sort();
        }
        Ok(list.into_iter().map(|(_, leg)| leg).collect())
    }
}

/// Returns the error about a part that does not exist.
fn no_part(leg: &str, part: &str, header: &Header) -> String {
    let mut choices: Vec<&str> = header.parts.iter().map(|(part, _)| part.as_str()).collect();
    choices.extend(header.targets.iter().map(String::as_str));
    match (choices.is_empty(), header.targets.is_empty()) {
        (true, _) => format!("the leg {leg} has no parts, so \"{leg}:{part}\" names nothing"),
        (false, true) => {
            format!("the leg {leg} has no part \"{part}\"; its parts are: {}", choices.join(", "))
        }
        (false, false) => {
            format!(
                "the leg {leg} has no part \"{part}\"; its parts, or the targets that they begin, are: {}",
                choices.join(", ")
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_in_a_pattern_matches_a_slash() {
        for (pattern, path) in
            [("*", "a/b"), ("a*c*e", "abcde"), ("a*a", "aa"), ("*.rs", "src/a.rs"), ("a", "a")]
        {
            assert!(matches(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in
            [("a*a", "a"), ("a*b*b", "ab"), ("a", "ab"), ("a/*", "a"), ("*b", "abc"), ("", "a")]
        {
            assert!(!matches(pattern, path), "{pattern} {path}");
        }
    }

    #[test]
    fn malformed_lines_and_headers_are_reported() {
        let root = std::env::temp_dir().join(format!("statictramp-guards-{}", std::process::id()));
        let table = "a core:units\nb core\ngone core\nc core:typo\nd none\nf\n";
        std::fs::create_dir_all(root.join("tests/legs/parts")).unwrap();
        for (file, text) in [
            (TABLE, table),
            (MACHINES, ""),
            (
                "tests/legs/core.sh",
                "# Installs: gcc.\n# Takes: 2 minutes.\n# Parts: units.\nwants units\nwants_long models\n",
            ),
            ("tests/legs/more.sh", "# More.\n\n# Installs: gcc.\n$(wanted a)\n"),
        ] {
            std::fs::write(root.join(file), text).unwrap();
        }
        let report = run(&[&root.display().to_string(), "a", "b", "c", "d", "e", "f"]).unwrap_err();
        std::fs::remove_dir_all(&root).unwrap();
        let report: Vec<&str> = report.lines().collect();
        let wanted = [
            "no file matches this line of tests/legs/guards.txt: gone core",
            "the leg core has no part \"typo\"",
            "there is no leg \"none\"",
            "a list of legs is empty: f",
            "tests/legs/guards.txt has no line for e",
            "the leg core begins with the parts {\"units\"}, but has the parts {\"models\", \"units\"}",
            "the leg more does not begin with what it installs",
            "the leg more does not begin with how long it takes",
            "the leg more must begin with its targets",
        ];
        for wanted in wanted {
            assert!(report.iter().any(|line| line.starts_with(wanted)), "{wanted:?} is not in {report:#?}");
        }
        assert_eq!(report.len(), wanted.len(), "{report:#?}");
    }
}
