//! Procedures that keep their arguments although their interfaces do not indicate this, and that may be reached by a call
//! through a dummy procedure.

use super::promises::Analysis;
use std::collections::HashSet;

/// Returns whether a file passes, or assigns to a pointer, a procedure that may keep its arguments regardless of its
/// interfaces, or that is in the user's own list. `own` contains the source names in that list.
pub fn passes_keeper(analysis: &Analysis<'_>, own: &HashSet<String>) -> bool {
    analysis.files.iter().flat_map(|it| &it.tree.values).any(|name| is_keeper(analysis, own, name))
}

/// Returns whether a name, or a name for which it may stand, is that of such a procedure.
pub fn is_keeper(analysis: &Analysis<'_>, own: &HashSet<String>, name: &str) -> bool {
    let facts = &analysis.facts;
    let mut seen = HashSet::new();
    let mut todo = vec![name];
    while let Some(name) = todo.pop() {
        if !seen.insert(name) {
            continue;
        }
        let plain = name.trim_end_matches('_').to_lowercase();
        // A name that the user specifies may be a symbol.
        let of_module = format!("p{name}");
        let is_same = |it: &String| {
            it.trim_end_matches('_') == plain || (it.starts_with("_q") && it.ends_with(&of_module))
        };
        if analysis.is_kept(name) || analysis.keeps.iter().chain(own).any(is_same) {
            return true;
        }
        let others = [facts.renamed.get(name), facts.bound.get(name)].into_iter().flatten().flatten();
        todo.extend(others.map(String::as_str));
    }
    false
}
