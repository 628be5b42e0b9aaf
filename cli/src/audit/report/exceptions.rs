//! Exceptions: findings accepted by the user, with the reason for each.
//!
//! Each line of the file consists of a name pattern, a tag, and the reason, separated by blanks:
//! `*/usr/lib/ghc/*.so stack-asked-only assembly of the run-time system, tested without`. A line that begins with `#`
//! is a comment. `*` matches any characters, including `/`, and `?` matches one character, including a blank.

use super::tags::{self, Tag};
use crate::audit::wildcard;
use std::io::Read;
use std::path::Path;

/// Maximum length of an exceptions file in bytes.
const LONGEST: u64 = 16 << 20;

/// An accepted finding.
pub struct Exception {
    pub line: usize,
    pub pattern: String,
    pub tag: &'static Tag,
    pub reason: String,
    pub is_used: bool,
}

#[derive(Default)]
pub struct Exceptions(pub Vec<Exception>);

impl Exceptions {
    /// Reads an exceptions file.
    ///
    /// # Errors
    /// Returns an error message if the file cannot be read or has an invalid line.
    pub fn read(path: &Path) -> Result<Self, String> {
        let name = crate::shown::shown(path.as_os_str().as_encoded_bytes());
        // The length of a pipe or device is unknown and possibly unlimited.
        let file = std::fs::File::open(path).map_err(|why| format!("{name}: {why}"))?;
        let mut text = String::new();
        let held = file.take(LONGEST + 1).read_to_string(&mut text);
        if held.as_ref().is_ok_and(|&held| held as u64 > LONGEST) {
            return Err(format!("{name}: an exceptions file can be at most 16 MiB long"));
        }
        held.map_err(|why| format!("{name}: {why}"))?;
        Exceptions::parse(&text).map_err(|(line, why)| format!("{name}:{line}: {why}"))
    }

    fn parse(text: &str) -> Result<Self, (usize, String)> {
        let mut all = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let (number, line) = (number + 1, line.trim());
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let mut words = line.splitn(2, char::is_whitespace);
            let pattern = words.next().unwrap_or_default().to_owned();
            let rest = words.next().unwrap_or_default().trim_start();
            let mut words = rest.splitn(2, char::is_whitespace);
            let word = words.next().unwrap_or_default();
            let shown = crate::shown::shown(word.as_bytes());
            let tag = tags::named(word).ok_or((number, format!("\"{shown}\" is not a known tag")))?;
            let reason = words.next().unwrap_or_default().trim().to_owned();
            if reason.is_empty() {
                return Err((number, "the reason is missing".into()));
            }
            all.push(Exception { line: number, pattern, tag, reason, is_used: false });
        }
        Ok(Exceptions(all))
    }

    /// Returns the reason why a finding is accepted, or `None` if no exception matches the finding.
    pub fn accepts(&mut self, name: &[u8], tag: &Tag) -> Option<&str> {
        let matches = |it: &Exception| it.tag == tag && wildcard::matches(it.pattern.as_bytes(), name);
        let mut accepted = None;
        // Every matching exception is marked as used.
        for exception in self.0.iter_mut().filter(|it| matches(it)) {
            exception.is_used = true;
            accepted.get_or_insert(exception.reason.as_str());
        }
        accepted
    }

    pub fn unused(&self) -> impl Iterator<Item = &Exception> {
        self.0.iter().filter(|it| !it.is_used)
    }
}

#[cfg(test)]
mod tests {
    use super::Exceptions;
    use crate::audit::report::tags;

    #[test]
    fn a_line_needs_a_tag_and_a_reason() {
        for (text, line) in [("a.so\n", 1), ("# c\na.so stack-needed\n", 2), ("a.so no-such-tag why\n", 1)] {
            assert_eq!(Exceptions::parse(text).err().map(|it| it.0), Some(line), "{text}");
        }
    }

    #[test]
    fn an_exception_applies_only_to_its_tag_and_is_then_marked_as_used() {
        let mut all =
            Exceptions::parse("*/a.so  stack-needed  known  since 2020\nb stack-needed x\n").ok().unwrap();
        assert!(all.accepts(b"usr/a.so", &tags::STACK_ASKED_ONLY).is_none());
        assert_eq!(all.unused().count(), 2);
        assert_eq!(all.accepts(b"usr/a.so", &tags::STACK_NEEDED), Some("known  since 2020"));
        assert_eq!(all.unused().map(|it| it.line).collect::<Vec<_>>(), [2]);
    }
}
