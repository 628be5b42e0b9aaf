//! A table on the screen, or one JSON object for programs.

use crate::out::say;
use serde_json::{Map, Value};

/// What has been printed, or will be.
pub struct Print {
    /// All of it, where programs read.
    json: Option<Map<String, Value>>,
}

impl Print {
    pub fn new(json: bool) -> Self {
        Print { json: json.then(Map::new) }
    }

    /// A heading, with room above it.
    pub fn heading(&self, title: &str) {
        if self.json.is_none() {
            say!("\n  {title}\n  {}", "-".repeat(58));
        }
    }

    /// A row; `key` is its name for programs, which get the value without the words around it.
    pub fn row(&mut self, name: &str, key: &str, value: impl Into<Value>, text: &str) {
        let Some(json) = &mut self.json else { return say!("  {name:<24}{text}") };
        json.insert(key.to_owned(), value.into());
    }

    /// The end.
    pub fn finish(self) {
        match self.json {
            Some(all) => say!("{:#}", Value::Object(all)),
            None => say!(""),
        }
    }
}
