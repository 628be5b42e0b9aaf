//! Prints the output as a table for the screen, or as one JSON object for programs.

use crate::out::say;
use serde_json::{Map, Value};

/// The state of the output.
pub struct Print {
    /// The JSON object so far, or `None` if the output is a table.
    json: Option<Map<String, Value>>,
}

impl Print {
    pub fn new(json: bool) -> Self {
        Print { json: json.then(Map::new) }
    }

    /// Prints a heading after an empty line. JSON output has no headings.
    pub fn heading(&self, title: &str) {
        if self.json.is_none() {
            say!("\n  {title}\n  {}", "-".repeat(58));
        }
    }

    /// Prints a row; in JSON, prints `key` and the value, without the surrounding text.
    pub fn row(&mut self, name: &str, key: &str, value: impl Into<Value>, text: &str) {
        let Some(json) = &mut self.json else { return say!("  {name:<24}{text}") };
        json.insert(key.to_owned(), value.into());
    }

    /// Prints the JSON object, or an empty line after a table.
    pub fn finish(self) {
        match self.json {
            Some(all) => say!("{:#}", Value::Object(all)),
            None => say!(""),
        }
    }
}
