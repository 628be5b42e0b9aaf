//! The imports in a `Cargo.toml`: every path, whether of a dependency, a target or a patch.

use toml::{Table, Value};

/// An import in a manifest, or the reason to reject the manifest.
pub enum Import {
    /// A file or folder.
    Path(String),
    /// A dependency with features that begin with `__`: the path and the feature.
    Hidden(String, String),
    /// An entry that hides what it imports.
    Error(String),
}

/// The tables of the files that Cargo compiles.
const TARGETS: [&str; 5] = ["lib", "bin", "test", "example", "bench"];

/// Returns the error for a file that Cargo compiles, but whose name does not show that it contains Rust, so that nothing checks it.
fn unread(file: &str) -> Option<Import> {
    let error = || Import::Error(format!("the name of {file} must end in .rs"));
    (!file.ends_with(".rs")).then(error)
}

pub fn imports(text: &str) -> Result<Vec<Import>, String> {
    let manifest: Table = text.parse().map_err(|why| format!("{why}"))?;
    let mut imports = Vec::new();
    if let Some(Value::String(script)) = manifest.get("package").and_then(|it| it.get("build")) {
        imports.push(Import::Path(script.clone()));
        imports.extend(unread(script));
    }
    search(&manifest, "", &mut imports);
    Ok(imports)
}

/// Adds the imports in a table whose key is `name`.
fn search(table: &Table, name: &str, imports: &mut Vec<Import>) {
    let path = table.get("path").and_then(Value::as_str);
    imports.extend(path.map(|path| Import::Path(path.to_owned())));
    if TARGETS.contains(&name) {
        imports.extend(path.and_then(unread));
    }
    let features =
        table.get("features").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    for feature in features.filter(|it| it.starts_with("__")) {
        imports.push(Import::Hidden(path.unwrap_or_default().to_owned(), feature.to_owned()));
    }
    if table.get("package").and_then(Value::as_str).is_some_and(|it| it.starts_with("statictramp")) {
        imports.push(Import::Error(format!("`{name}` renames a crate")));
    }
    if name.ends_with("dependencies") {
        for (crate_name, value) in table.iter().filter(|(name, _)| name.starts_with("statictramp")) {
            if value.get("path").is_none() {
                imports.push(Import::Error(format!("`{crate_name}` must have a path")));
            }
        }
    }
    for (key, value) in table {
        match value {
            Value::Table(table) => search(table, key, imports),
            Value::Array(tables) => {
                for table in tables.iter().filter_map(Value::as_table) {
                    search(table, key, imports);
                }
            }
            _ => {}
        }
    }
}
