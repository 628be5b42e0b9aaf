//! The imports in scripts and in C.

use crate::regex;
use regex::Regex;
use std::sync::LazyLock;

/// Returns the names of scripts in a script's commands, without variables and `..` before them.
pub fn scripts(text: &str) -> Vec<String> {
    static COMMENT: LazyLock<Regex> = LazyLock::new(|| regex(r"(?m)^[ \t]*#.*$"));
    static VARIABLE: LazyLock<Regex> = LazyLock::new(|| regex(r"\$\{[^}]*\}|\$\([^)]*\)|\$\w+"));
    static NAME: LazyLock<Regex> = LazyLock::new(|| regex(r"[\w./-]*\w\.(?:sh|py|pl|awk)\b"));
    let code = COMMENT.replace_all(text, "");
    let code = VARIABLE.replace_all(&code, "../");
    NAME.find_iter(&code).map(|found| without_steps(found.as_str())).collect()
}

/// Returns the paths in a text: those with a slash, or the whole text if it is one name.
pub fn paths(text: &str) -> Vec<String> {
    static PATH: LazyLock<Regex> = LazyLock::new(|| regex(r"[\w.-]*(?:/[\w.-]+)+|^[\w-]+$"));
    PATH.find_iter(text).map(|found| found.as_str().to_owned()).collect()
}

/// Returns the files that C's preprocessor or an assembler includes, or `None` if the name is a macro. A name in angle brackets, without
/// a folder, denotes a system's header.
pub fn includes(text: &str) -> Vec<Option<String>> {
    static INCLUDE: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r#"(?m)^[ \t]*(?:#[ \t]*(?:include|include_next|embed)|\.include|\.incbin)[ \t]*(?:"([^"]+)"|<([^>]*/[^>]+)>|[A-Za-z_])"#,
        )
    });
    let name = |found: regex::Captures| found.get(1).or(found.get(2)).map(|it| it.as_str().to_owned());
    INCLUDE.captures_iter(text).map(name).collect()
}

/// Removes everything through the last `..`, and `/` at the beginning.
pub fn without_steps(path: &str) -> String {
    let path = path.rsplit("../").next().unwrap_or(path);
    path.trim_start_matches("./").trim_start_matches('/').to_owned()
}
