//! The table of machines in `tests/legs/parts/machines.sh`.

use crate::read;
use std::collections::HashMap;

/// A machine's line of the table.
pub struct Machine(HashMap<String, String>);

impl Machine {
    /// Returns the value of a property, or an empty text.
    pub fn get(&self, property: &str) -> &str {
        self.0.get(property).map_or("", String::as_str)
    }

    /// Returns the prefix of the GNU tools.
    pub fn gnu(&self) -> String {
        self.or("gnu", &format!("{}-linux-gnu", self.get("machine")))
    }

    /// Returns the value of a property that the line has, or this default value, which the table states.
    pub fn or(&self, property: &str, default: &str) -> String {
        self.0.get(property).map_or(default, String::as_str).to_owned()
    }
}

/// Returns all machines.
pub fn machines() -> Vec<Machine> {
    let table = read("tests/legs/parts/machines.sh");
    let lines = table.lines().filter_map(|it| it.trim().strip_prefix('\'')?.split('\'').next());
    let machines: Vec<Machine> = lines
        .map(|line| {
            let values = line.split(' ').filter_map(|it| it.split_once('='));
            Machine(values.map(|(name, value)| (name.to_owned(), value.replace(',', " "))).collect())
        })
        .collect();
    assert!(machines.len() > 10, "the table has only {} machines", machines.len());
    machines
}
