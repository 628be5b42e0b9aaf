//! The table on the screen.

use std::fmt::Display;

/// A heading, with room above it.
pub fn heading(title: &str) {
    println!("\n  {title}\n  {}", "-".repeat(58));
}

/// A row.
pub fn row(name: &str, value: impl Display) {
    println!("  {name:<24}{value}");
}
