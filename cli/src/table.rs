//! The table on the screen.

use crate::out::say;
use std::fmt::Display;

/// A heading, with room above it.
pub fn heading(title: &str) {
    say!("\n  {title}\n  {}", "-".repeat(58));
}

/// A row.
pub fn row(name: &str, value: impl Display) {
    say!("  {name:<24}{value}");
}
