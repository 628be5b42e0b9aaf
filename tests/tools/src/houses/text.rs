//! The imports in scripts and in C.

use crate::regex;

/// Returns the names of scripts in a script's commands, without variables and `..` before them.
pub fn scripts(text: &str) -> Vec<String> {
    let comment = regex(r"(?m)(?:^|[ \t])#.*$");
    let variable = regex(r"\$\{[^}]*\}|\$\([^)]*\)|\$\w+");
    let name = regex(r"[\w./-]*\w\.(?:sh|py|pl|awk)\b");
    let code = comment.replace_all(text, "");
    let code = variable.replace_all(&code, "../");
    name.find_iter(&code).map(|found| without_steps(found.as_str())).collect()
}

/// Returns the files that `#include` names. A name in angle brackets, without a folder, denotes a system's header.
pub fn includes(text: &str) -> Vec<String> {
    let include = regex(r#"(?m)^[ \t]*#[ \t]*include(?:_next)?[ \t]*(?:"([^"]+)"|<([^>]*/[^>]+)>)"#);
    let name = |found: regex::Captures| found.get(1).or(found.get(2)).map(|it| it.as_str().to_owned());
    include.captures_iter(text).filter_map(name).collect()
}

/// Removes everything through the last `..`, and `/` at the beginning.
pub fn without_steps(path: &str) -> String {
    let path = path.rsplit("../").next().unwrap_or(path);
    path.trim_start_matches("./").trim_start_matches('/').to_owned()
}
