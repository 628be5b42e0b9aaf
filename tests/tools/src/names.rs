//! `names PAGE EXCEPTIONS FILE...`: reports identifiers in Rust, C and C++, and file names, that contain a word that
//! the project avoids. PAGE lists the words in the paragraph that begins as [`LIST`] does. Each line of the
//! list of exceptions is `NAME PATH REASON`: the identifier or file name, the beginning of the paths in which it may occur, and why.

use crate::{Outcome, print, read, regex, usage};
use regex::Regex;
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

const LIST: &str = "In identifiers and file names, ";

/// Maximum number of occurrences that exceptions permit.
const MOST: usize = 60;

/// If the page lists fewer words than this, its form has changed.
const FEWEST_WORDS: usize = 30;

struct Exception {
    name: String,
    path: String,
    used: usize,
}

pub fn run(arguments: &[&str]) -> Outcome {
    let [page, exceptions, files @ ..] = arguments else {
        return Err(usage("PAGE EXCEPTIONS FILE..."));
    };
    let words = words(&read(page)?)?;
    let mut exceptions = listed(exceptions)?;
    // Comments, strings and characters come first, so that nothing inside them counts as an identifier.
    let token = regex(
        r##"//[^\n]*|(?s:/\*.*?\*/)|b?r"[^"]*"|(?s:b?r#".*?"#)|(?s:"(?:[^"\\]|\\.)*")|'(?:[^'\\\n]|\\.[^'\n]*)'|[A-Za-z_]\w*"##,
    );
    let mut known: HashMap<String, Option<String>> = HashMap::new();
    let mut unlisted = BTreeSet::new();
    let mut check = |name: &str, at: &dyn Fn() -> String, path: &str| {
        let word = known.entry(name.to_owned()).or_insert_with(|| avoided(name, &words));
        let Some(word) = word else { return };
        match exceptions.iter_mut().find(|it| it.name == name && path.starts_with(&it.path)) {
            Some(exception) => exception.used += 1,
            None => _ = unlisted.insert(format!("{}: {name} contains \"{word}\"", at())),
        }
    };
    for path in files {
        check(path.rsplit('/').next().unwrap_or(path), &|| path.to_string(), path);
        if !["rs", "c", "h", "cpp", "hpp"].iter().any(|end| path.rsplit('.').next() == Some(end)) {
            continue;
        }
        let text = read(path)?;
        for found in token.find_iter(&text) {
            if found.as_str().bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                let at = || format!("{path}:{}", 1 + text[..found.start()].matches('\n').count());
                check(found.as_str(), &at, path);
            }
        }
    }
    let permitted: usize = exceptions.iter().map(|it| it.used).sum();
    let unused = exceptions.iter().filter(|it| it.used == 0);
    unlisted.extend(
        unused.map(|it| format!("no {} in {}, which the list of exceptions names", it.name, it.path)),
    );
    if permitted > MOST {
        unlisted.insert(format!("the exceptions permit {permitted} occurrences, more than {MOST}"));
    }
    if !unlisted.is_empty() {
        return Err(Vec::from_iter(unlisted).join("\n"));
    }
    print(&format!("{} words, {permitted} occurrences permitted as exceptions\n", words.len()))
}

/// Returns the words that the page lists.
fn words(page: &str) -> Result<Vec<String>, String> {
    let list = page.split("\n\n").find(|text| text.starts_with(LIST)).unwrap_or_default();
    let words: Vec<String> =
        regex("`([a-z_]+)`").captures_iter(list).map(|found| format!("_{}_", &found[1])).collect();
    if words.len() < FEWEST_WORDS {
        return Err(format!("the page lists only {} words in \"{LIST}...\"", words.len()));
    }
    Ok(words)
}

/// Reads the list of exceptions.
fn listed(file: &str) -> Result<Vec<Exception>, String> {
    let text = read(file)?;
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let exception = |line: &str| {
        let mut parts = line.split_whitespace();
        let (Some(name), Some(path), Some(_)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(format!("{file}: this line is not NAME PATH REASON: {line}"));
        };
        Ok(Exception { name: name.to_owned(), path: path.to_owned(), used: 0 })
    };
    lines.map(exception).collect()
}

/// Returns the first word to avoid in a name. Drops `in_place`, which is std's term.
fn avoided(name: &str, words: &[String]) -> Option<String> {
    static WORD_START: LazyLock<Regex> = LazyLock::new(|| regex("([a-z0-9])([A-Z])"));
    let split = WORD_START.replace_all(name, "${1}_$2").to_lowercase();
    let split = split.split(|byte: char| !byte.is_ascii_alphanumeric()).collect::<Vec<_>>().join("_");
    let name = format!("_{split}_").replace("_in_place_", "_");
    words.iter().find(|word| name.contains(*word)).map(|word| word.trim_matches('_').to_owned())
}
