//! Parser for the lines about individual calls. This file calls no LLVM function, so its tests can run in the `flang`
//! leg.

use std::collections::{BTreeSet, HashMap};

/// Line and column.
pub type Position = (u32, u32);

/// The promise for the calls at one position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Promise {
    /// The positions of the arguments that the promise covers, counted from 1.
    pub numbers: BTreeSet<u32>,
    /// The number of arguments in each call. Without this number, the promise covers no argument.
    pub count: Option<u32>,
}

/// The promises for the calls to one callee in one function.
type Group = HashMap<Position, Promise>;

/// The promises of all lines for this compilation.
#[derive(Default)]
pub struct CallsNotKept {
    /// Promises by function and callee.
    pub groups: HashMap<String, HashMap<String, Group>>,
    /// Whether the lines now being read belong to this compilation.
    is_current: bool,
    removes_line_tables: bool,
}

impl CallsNotKept {
    /// Parses a line that contains `@`. Returns false if the line is invalid.
    pub fn read(&mut self, line: &str) -> bool {
        if let Some(header) = line.strip_prefix('@') {
            let (token, rest) = header.split_once(' ').unwrap_or((header, ""));
            let current = std::env::var("STATICTRAMP_CALLS").ok();
            self.is_current = !token.is_empty() && current.as_deref() == Some(token);
            self.removes_line_tables |= self.is_current && rest == "remove";
            return !token.is_empty() && ["", "remove"].contains(&rest);
        }
        let Some((callee, function, position, promise)) = parse(line) else { return false };
        if self.is_current {
            let group = self.groups.entry(function.into()).or_default().entry(callee.into()).or_default();
            group.insert(position, promise);
        }
        true
    }

    /// Returns whether this list is the only reason why line tables were generated.
    pub fn removes_line_tables(&self) -> bool {
        self.removes_line_tables
    }
}

/// Splits a line into callee, function, position and promise.
fn parse(line: &str) -> Option<(&str, &str, Position, Promise)> {
    let (callee, rest) = line.split_once('@')?;
    let mut words = rest.split_whitespace();
    let mut location = words.next()?.rsplitn(3, ':');
    let (column, line, function) = (location.next()?, location.next()?, location.next()?);
    let position = (line.parse().ok()?, column.parse().ok()?);
    let words: Vec<&str> = words.collect();
    let (words, count) = match &words[..] {
        [words @ .., "of", count] => (words, Some(count.parse().ok()?)),
        words => (words, None),
    };
    let numbers = match words {
        ["none"] => BTreeSet::new(),
        [] => return None,
        _ => words.iter().map(|it| it.parse().ok().filter(|it| *it > 0)).collect::<Option<_>>()?,
    };
    let is_symbol = |it: &str| !it.is_empty() && !it.contains(char::is_whitespace);
    (is_symbol(callee) && is_symbol(function)).then_some((
        callee,
        function,
        position,
        Promise { numbers, count },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_about_single_calls_are_parsed() {
        let promise = |numbers: &[u32], count| Promise { numbers: numbers.iter().copied().collect(), count };
        assert_eq!(
            parse("dummy_@s314_:12:3 1 3 of 4"),
            Some(("dummy_", "s314_", (12, 3), promise(&[1, 3], Some(4))))
        );
        assert_eq!(parse("*@_QMmPs:1:2 none"), Some(("*", "_QMmPs", (1, 2), promise(&[], None))));
        for line in [
            "f_@g_:1:2",
            "f_@g_:1 1",
            "f_@:1:2 1",
            "@g_:1:2 1",
            "f_@g_:1:x 1",
            "f_@g_:1:2 0 of 1",
            "f_@g_:1:2 1 of",
        ] {
            assert_eq!(parse(line), None, "{line}");
        }
    }

    #[test]
    fn lines_for_another_compilation_have_no_effect() {
        let mut calls = CallsNotKept::default();
        assert!(
            calls.read("f_@g_:1:2 1 of 1") && calls.read("@0123 remove") && calls.read("f_@g_:1:2 1 of 1")
        );
        assert!(calls.groups.is_empty() && !calls.removes_line_tables());
        assert!(!calls.read("@") && !calls.read("@0123 more") && !calls.read("f_@g_ 1"));
    }
}
